import { spawnSync } from 'node:child_process';
import { cpSync, rmSync } from 'node:fs';
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

// What was found of files that are still the same need not be found again.
const KNOWN = resolve(ROOT, 'node_modules/.cache/build.tsbuildinfo');

const BUILD = ['tsconfig.build.json', '--noCheck'];
const CHECK = ['tsconfig.build.json', '--noEmit', '--incremental', '--tsBuildInfoFile', KNOWN];
const BROWSER = ['tsconfig.browser.json', '--noEmit', 'false'];

/**
 * Builds the command line once for all tests, so that they run what is published. Types are checked apart from that: in
 * spite of errors the tests run, and one of them (build.test.ts) reports the errors.
 */
export function setup(project: TestProject): void {
  // Two projects need it, and a run may have both.
  typeErrors ??= build();
  project.provide('typeErrors', typeErrors);
}

let typeErrors: string | undefined;

function build(): string {
  rmSync(resolve(ROOT, 'dist'), { recursive: true, force: true });
  for (const path of ['machine/data', 'machine/document/render.wasm']) {
    cpSync(resolve(ROOT, 'src', path), resolve(ROOT, 'dist', path), { recursive: true });
  }
  return [BUILD, CHECK, BROWSER].map(compile).join('');
}

function compile(args: readonly string[]): string {
  const { stdout } = spawnSync(process.execPath, [COMPILER, '-p', ...args], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return stdout;
}
