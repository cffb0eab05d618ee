import { existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { assertNotPlanted } from '../base/storage/ownership.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { RESULT_FILES } from './folder.ts';
import { readSummary } from './read.ts';

/** A summary and its folder, with links resolved. */
export type FoundSummary = { readonly folder: string; readonly summary: Summary };

/** Reads the summaries of a run's folder, or of all runs in a scenario's folder. @throws UserError if there are none, or one cannot be read. */
export function readSummaries(folder: string): readonly FoundSummary[] {
  const own = isFolder(folder) ? foundIn(folder) : [];
  if (own.length > 0) return own;
  const summaries = runsIn(folder).flatMap(foundIn);
  if (summaries.length > 0) return summaries;
  throw new UserError(`${folder} contains no result with a summary.json: ${missingReason(folder)}`);
}

/** Runs below a folder, and the folders of runs without a readable summary, each with the reason. */
export type FoundRuns = {
  readonly found: readonly FoundSummary[];
  readonly unreadable: readonly { readonly folder: string; readonly reason: string }[];
};

/**
 * Finds all runs below a folder, such as `results` or a scenario's folder in it, or the run in the folder itself. Follows no links.
 * @throws UserError if there is no run, or the folder cannot be read.
 */
export function findRuns(folder: string): FoundRuns {
  const read = runsBelow(folder);
  const found = read.filter((run) => 'summary' in run);
  const unreadable = read.filter((run) => 'reason' in run);
  if (read.some((run) => isOfRun(run.folder))) return { found, unreadable };
  const [closed] = unreadable;
  if (closed !== undefined) throw new UserError(closed.reason);
  const reason = isFolder(folder)
    ? 'choose the folder of a run, of a scenario, or of all results.'
    : missingReason(folder);
  throw new UserError(`${folder} contains no result of a run: ${reason}`);
}

type ReadRun = FoundRuns['found' | 'unreadable'][number];

function runsBelow(folder: string): readonly ReadRun[] {
  if (isOfRun(folder)) return unlessUnreadable(folder, readRun);
  return runsIn(folder).flatMap((inner) => unlessUnreadable(inner, runsBelow));
}

function unlessUnreadable(folder: string, read: (folder: string) => readonly ReadRun[]): readonly ReadRun[] {
  try {
    return read(folder);
  } catch (error) {
    if (error instanceof UserError) return [{ folder, reason: error.message }];
    throw error;
  }
}

function readRun(folder: string): readonly ReadRun[] {
  const found = foundIn(folder);
  return found.length > 0 ? found : [{ folder, reason: `no ${RESULT_FILES.summary}: ${missingReason(folder)}` }];
}

/** A folder with one of these files belongs to a run, and contains no other runs. */
const RUN_MARKS = [RESULT_FILES.summary, RESULT_FILES.timeline];

function isOfRun(folder: string): boolean {
  return RUN_MARKS.some((name) => existsSync(join(folder, name)));
}

function foundIn(folder: string): readonly FoundSummary[] {
  assertNotPlanted(folder);
  const summary = readSummary(folder);
  return summary === undefined ? [] : [{ folder: realpathSync(folder), summary }];
}

/** Skips the link to the latest run, which would count that run twice, and the folder that it is in a copy of the results. */
function runsIn(folder: string): readonly string[] {
  if (!isFolder(folder)) return [];
  const entries = reading(folder, () => readdirSync(folder, { withFileTypes: true }));
  const inner = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name));
  const latest = join(folder, RESULT_FILES.latest);
  return inner.length > 1 && isOfRun(latest) ? inner.filter((path) => path !== latest) : inner;
}

/** A path that is meant as a file of results. */
const FILE_NAME = /\.(html|json|ndjson|xml|hlog|hgrm|csv)$/i;

function missingReason(folder: string): string {
  if (!existsSync(folder)) return FILE_NAME.test(folder) ? 'give the folder instead of a file.' : 'no such folder.';
  if (!isFolder(folder)) return 'it is a file; give the folder.';
  const wasKilled = existsSync(join(folder, RESULT_FILES.timeline));
  return wasKilled
    ? 'the run was killed or is still running; muster report creates one.'
    : 'choose the folder of a run, or of a scenario with several runs.';
}

function isFolder(path: string): boolean {
  return reading(path, () => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

function reading<Result>(folder: string, read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    throw new UserError(`${folder}: expected a folder that this user may list, found an error: ${messageOf(error)}.`);
  }
}
