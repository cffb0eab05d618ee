import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** What the compiler said against `src`; empty if nothing. */
    readonly typeErrors: string;
  }
}

const ROOT = resolve(import.meta.dirname, '../..');
const COMPILER = resolve(ROOT, 'node_modules/typescript/bin/tsc');

/**
 * Builds the command line once for all tests, so that they run what is published. The compiler writes its output in
 * spite of type errors; so the tests run all the same, and one of them (build.test.ts) reports the errors.
 */
export function setup(project: TestProject): void {
  rmSync(resolve(ROOT, 'dist'), { recursive: true, force: true });
  const said = [['tsconfig.build.json'], ['tsconfig.browser.json', '--noEmit', 'false']].map(compile);
  project.provide('typeErrors', said.join(''));
}

function compile(args: readonly string[]): string {
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return stdout;
}
