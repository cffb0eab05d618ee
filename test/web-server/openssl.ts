import { execFileSync, spawnSync } from 'node:child_process';

const TIME_LIMIT_MS = 10_000;

/** Whether a program can be started here; tests that need it are skipped otherwise, and say so in their name. */
export function isInstalled(program: 'openssl' | 'curl'): boolean {
  return spawnSync(program, [program === 'curl' ? '--version' : 'version']).status === 0;
}

/** What `openssl` says of its input. Throws if it is not content. */
export function openssl(input: string, ...words: readonly string[]): string {
  return execFileSync('openssl', words, { input, encoding: 'utf8', stdio: 'pipe', timeout: TIME_LIMIT_MS });
}
