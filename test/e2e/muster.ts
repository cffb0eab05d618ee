import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll } from 'vitest';
import { type Summary, summarySchema } from '../../src/metrics/summary/summary-schema.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'src/main.ts');

// Every process compiles the same libraries; the cache saves each of them 0.2 s.
const COMPILED = join(ROOT, 'node_modules/.cache/compiled');

/** A folder for this test file, removed at its end. */
export const folder = mkdtempSync(join(tmpdir(), 'muster-e2e-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
};

export type Running = {
  readonly child: ChildProcess;
  /** Stderr so far. */
  words(): string;
  readonly ended: Promise<Ended>;
};

/** The program and arguments that start the command line. */
export const COMMAND = [process.execPath, '--', MAIN] as const;
export const ENVIRONMENT = { PATH: process.env.PATH, HOME: folder, NODE_COMPILE_CACHE: COMPILED };

/** Starts the command line as a separate process, in the test's folder. */
export function start(args: readonly string[], environment: Record<string, string> = {}): Running {
  return spawned([...COMMAND, ...args], { cwd: folder, env: { ...ENVIRONMENT, ...environment } });
}

type Place = { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> };

/** Starts a program as a separate process. */
export function spawned([program = '', ...words]: readonly string[], place: Place): Running {
  const child = spawn(program, words, { ...place, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  const ended = new Promise<Ended>((end) => {
    child.on('close', (code, signal) => end({ code, signal, stdout, stderr }));
  });
  return { child, words: () => stderr, ended };
}

export function muster(...args: string[]): Promise<Ended> {
  return start(args).ended;
}

/** Writes a scenario into the test's folder and returns its file name. */
export function scenario(name: string, text: string): string {
  const file = `${name}.yaml`;
  writeFileSync(join(folder, file), text);
  return file;
}

/** The newest results of a scenario. */
export function resultsOf(name: string): { path: string; files: string[]; summary: Summary } {
  const path = join(folder, 'results', name, 'latest');
  const summary = summarySchema.parse(JSON.parse(readFileSync(join(path, 'summary.json'), 'utf8')));
  return { path, files: readdirSync(path).sort(), summary };
}

/** Exit code of a run whose machine stalled, so that some arrivals came too late to be served before the end. */
export const GENERATOR_TOO_SLOW = 111;

/**
 * Exit codes of a run without a fault: 0, or 111 if the machine stalled so long that the run is correctly reported as invalid.
 * Stalls are not what these tests are about.
 */
export const WITHOUT_FAULT: readonly (number | null)[] = [0, GENERATOR_TOO_SLOW];
