import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';

let folder = '';

/** Gives a run of the tests, and the programs they start, a temporary folder of its own. */
export function setup(): void {
  folder = mkdtempSync(join(tmpdir(), 'muster-tests-'));
  env.TMPDIR = folder;
}

/** Removes it with everything that tests and programs left. */
export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
