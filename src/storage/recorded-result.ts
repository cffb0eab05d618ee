import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { UserError } from '../kernel/errors.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { readLogLine } from '../metrics/results/histogram-log.ts';
import { type RunEnd, type RunStart, runEndSchema, runStartSchema } from '../metrics/results/recorded-facts.ts';
import { RESULT_SCHEMA_VERSION, type Summary, summarySchema } from '../metrics/results/summary-schema.ts';
import { wholeLines } from './lines.ts';
import { recordedSeconds } from './recorded-seconds.ts';
import { RESULT_FILES } from './result-folder.ts';

const NEEDED = [RESULT_FILES.histograms, RESULT_FILES.timeline, RESULT_FILES.scenario];

/** The scenario of a result. Throws a `UserError` if the folder is no result of a run. */
export function readResultScenario(folder: string): { readonly file: string; readonly text: string } {
  const missing = NEEDED.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw noResult(folder, missing);
  const file = join(folder, RESULT_FILES.scenario);
  return { file, text: readFileSync(file, 'utf8') };
}

/** A run's seconds as they were recorded; at last its end, undefined: it was killed or still goes on, or its disk was full. */
export type Recorded = AsyncGenerator<TimelineFrame, RunEnd | undefined>;

/** Reads a result's seconds and its end, one second at a time; `UserError` as `recordedSeconds`. */
export async function* readRecording(folder: string): Recorded {
  const end = yield* recordedSeconds(folder);
  return end === undefined ? undefined : checkedFact(runEndSchema, end, folder);
}

/** What was known of a run at its start. `UserError` if the log does not say it, or another version wrote it. */
export async function readStart(folder: string): Promise<RunStart> {
  const log = join(folder, RESULT_FILES.histograms);
  // Before any line that another version may write in another way.
  for await (const { text } of wholeLines(log)) {
    const line = readLogLine(text);
    if (line?.kind === 'start') return checkedFact(runStartSchema, line.json, folder);
    if (line?.kind !== 'other') break;
  }
  throw new UserError(`${log} says nothing of the run it is of; was it changed or cut?`);
}

/** The summary that a run, or a report of it, has written; undefined if there is none. `UserError` if it cannot be read. */
export function readSummary(folder: string): Summary | undefined {
  const file = join(folder, RESULT_FILES.summary);
  if (!existsSync(file)) return undefined;
  return checked(summarySchema, parsed(readFileSync(file, 'utf8'), file), file);
}

function noResult(folder: string, missing: readonly string[]): UserError {
  const found = !existsSync(folder)
    ? 'there is no such folder'
    : statSync(folder).isDirectory()
      ? `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
      : 'it is a file';
  return new UserError(
    `${folder} is no result of a run: ${found}; name a folder that muster run has written, such as results/quickstart/latest.`,
  );
}

function checked<Schema extends z.ZodType>(schema: Schema, data: unknown, file: string): z.infer<Schema> {
  assertKnownVersion(data, file);
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new UserError(
    `${file}: ${issue?.path.join('.') || 'its text'} is not as muster run writes it: ${issue?.message}.`,
  );
}

/** What stands as JSON in a comment of the histogram log. */
function checkedFact<Schema extends z.ZodType>(schema: Schema, json: string, folder: string): z.infer<Schema> {
  const log = join(folder, RESULT_FILES.histograms);
  return checked(schema, parsed(json, log), log);
}

function parsed(json: string, file: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new UserError(`${file}: expected JSON as muster run writes it, found something else; was it changed or cut?`);
  }
}

function assertKnownVersion(data: unknown, file: string): void {
  const version = typeof data === 'object' && data !== null && 'schemaVersion' in data ? data.schemaVersion : undefined;
  if (typeof version !== 'number' || version === RESULT_SCHEMA_VERSION) return;
  const isNewer = version > RESULT_SCHEMA_VERSION;
  throw new UserError(
    `${file} has schema version ${version}, and this Muster reads ${RESULT_SCHEMA_VERSION}: ` +
      `${isNewer ? 'a newer one has written it; update Muster' : 'it is too old; read it with the Muster that wrote it'}.`,
  );
}
