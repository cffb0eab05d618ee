import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../kernel/errors.ts';
import type { Summary } from '../metrics/results/summary-schema.ts';
import { readSummary } from './recorded-result.ts';
import { RESULT_FILES } from './result-folder.ts';

/**
 * The summaries of a run's folder, or of all runs in a scenario's folder. Throws a `UserError` if there are none, or one
 * cannot be read.
 */
export function readSummaries(folder: string): readonly Summary[] {
  const own = isFolder(folder) ? readSummary(folder) : undefined;
  if (own !== undefined) return [own];
  const summaries = runsIn(folder).flatMap((run) => readSummary(run) ?? []);
  if (summaries.length > 0) return summaries;
  throw new UserError(`${folder} holds no result with a summary.json: ${why(folder)}`);
}

// The link to the newest run would count that one twice.
function runsIn(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
}

function why(folder: string): string {
  if (!existsSync(folder)) return 'there is no such folder.';
  if (!isFolder(folder)) return 'it is a file; name the folder.';
  const wasKilled = existsSync(join(folder, RESULT_FILES.timeline));
  return wasKilled
    ? 'the run was killed or still goes on; muster report makes one.'
    : 'name the folder of a run, or of a scenario with several runs.';
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
