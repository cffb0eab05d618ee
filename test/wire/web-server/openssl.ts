import { execFileSync, spawnSync } from 'node:child_process';

const TIME_LIMIT_MS = 10_000;

/** Returns whether a program can be started here. Tests that need a missing one are skipped, and say so in their names. */
export function isInstalled(program: 'openssl' | 'curl'): boolean {
  return spawnSync(program, [program === 'curl' ? '--version' : 'version']).status === 0;
}

/** Returns what `openssl` prints for its input. Throws if `openssl` fails. */
export function openssl(input: string, ...words: readonly string[]): string {
  return execFileSync('openssl', words, { input, encoding: 'utf8', stdio: 'pipe', timeout: TIME_LIMIT_MS });
}
