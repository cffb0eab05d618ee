import { accessSync, constants, existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { describeValue } from '../base/notation/finding.ts';
import { expectationIn, valueAtPath } from '../base/notation/schema-findings.ts';
import { jsonIn } from '../base/protocol/exact-json.ts';
import { readHostData } from '../base/storage/host-data.ts';
import { assertNotPlanted } from '../base/storage/ownership.ts';
import { wholeLines } from '../base/storage/whole-files.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import {
  CLOCKS,
  type ClockName,
  LEFT_OUT_HISTOGRAMS,
  type LeftOut,
  type SeriesFrame,
} from '../metrics/recording/frame.ts';
import { type PackedHistogram, packedOf } from '../metrics/recording/histogram.ts';
import { RESULT_SCHEMA_VERSION, type Summary, summarySchema } from '../metrics/summary/summary-schema.ts';
import { formatProblems } from '../scenario/reading/document.ts';
import { parseScenario } from '../scenario/reading/parse.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { RESULT_FILES } from './folder.ts';
import {
  attackTag,
  type LogLine,
  NOTHING_TAG,
  type RunEnd,
  type RunStart,
  readLogLine,
  runEndSchema,
  runStartSchema,
  tagOf,
} from './histogram-log.ts';
import { segmentsOfRow, type TimelineRow, timelineRowSchema } from './timeline.ts';

const NEEDED = [RESULT_FILES.histograms, RESULT_FILES.timeline, RESULT_FILES.scenario];

/**
 * Reads the start facts of a run. Call this before reading the rest, whose format depends on the version.
 * @throws UserError if the folder is not a run's result, the log lacks the facts, or another version wrote it.
 */
export async function readStart(folder: string): Promise<RunStart> {
  assertNotPlanted(folder);
  const missing = NEEDED.filter((name) => !existsSync(join(folder, name)));
  if (missing.length > 0) throw noResult(folder, missing);
  for (const name of NEEDED) assertReadable(join(folder, name));
  const log = join(folder, RESULT_FILES.histograms);
  for await (const { text } of wholeLines(log)) {
    const line = readLogLine(text);
    if (line?.kind === 'start') return checkedFact(runStartSchema, line.json, folder);
    if (line?.kind !== 'other') break;
  }
  throw new UserError(`${log} has no header of its run; was it changed or truncated?`);
}

/** Any values for the secrets that an effective scenario refers to: reading results does not need them. */
function placeholdersIn(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => [name, '-:-']));
}

/**
 * Reads the scenario from a run's results.
 * @throws UserError if it cannot be read.
 */
export function readResultScenario(folder: string): Scenario {
  const file = join(folder, RESULT_FILES.scenario);
  const text = readFileSync(file, 'utf8');
  const read = parseScenario(
    { file, text },
    { environment: placeholdersIn(text), settings: [], hostData: readHostData() },
  );
  if (read.kind === 'scenario') return read.scenario;
  throw new UserError(
    `The scenario of the result is not in the format that a run writes.\n${formatProblems(file, read.problems)}`,
  );
}

/**
 * Reads the summary that a run or its report has written; `undefined` if there is none.
 * @throws UserError if it cannot be read.
 */
export function readSummary(folder: string): Summary | undefined {
  const file = join(folder, RESULT_FILES.summary);
  if (!existsSync(file)) return undefined;
  assertReadable(file);
  return checked(summarySchema, parsed(readFileSync(file, 'utf8'), file), file);
}

/** Reading a pipe or a device might never end. */
function assertReadable(file: string): void {
  const isFile = statSync(file).isFile();
  if (!isFile)
    throw new UserError(`${file}: expected a file written by muster run, found a folder or a device; remove it.`);
  try {
    accessSync(file, constants.R_OK);
  } catch (error) {
    throw new UserError(`${file}: expected a file that this user may read, found an error: ${messageOf(error)}.`);
  }
}

/** A path that is meant as a file of results. */
const FILE_NAME = /\.(html|json|ndjson|xml|hlog|hgrm|csv)$/i;

function noResult(folder: string, missing: readonly string[]): UserError {
  const found = !existsSync(folder)
    ? 'no such folder'
    : statSync(folder).isDirectory()
      ? `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`
      : 'it is a file';
  const latest = join(folder, RESULT_FILES.latest);
  const example = existsSync(latest) ? latest : 'results/quickstart/latest';
  return new UserError(
    `${folder} is not a result of a run: ${found}; choose a folder written by muster run, such as ${example}.`,
  );
}

function checked<Schema extends z.ZodType>(schema: Schema, data: unknown, file: string): z.infer<Schema> {
  assertKnownVersion(data, file);
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  const { path, message } = result.error.issues[0] ?? { path: [], message: '' };
  const found = describeValue(valueAtPath(data, path));
  throw new UserError(
    `${file} is not in the format of muster run: ${path.join('.') || 'its text'}: expected ${expectationIn(message)}, found ${found}.`,
  );
}

/** Parses JSON from a comment of the histogram log. */
function checkedFact<Schema extends z.ZodType>(schema: Schema, json: string, folder: string): z.infer<Schema> {
  const log = join(folder, RESULT_FILES.histograms);
  return checked(schema, parsed(json, log), log);
}

function parsed(json: string, file: string): unknown {
  const data = jsonIn(json);
  if (data !== undefined) return data;
  throw new UserError(
    `${file}: expected JSON written by muster run, found other data; was the file changed or truncated?`,
  );
}

function assertKnownVersion(data: unknown, file: string): void {
  const version = typeof data === 'object' && data !== null && 'schemaVersion' in data ? data.schemaVersion : undefined;
  if (typeof version !== 'number' || version === RESULT_SCHEMA_VERSION) return;
  const isNewer = version > RESULT_SCHEMA_VERSION;
  throw new UserError(
    `${file} has schema version ${version}, but this Muster reads ${RESULT_SCHEMA_VERSION}: ` +
      `${isNewer ? 'a newer Muster wrote it; update Muster' : 'it is too old; read it with the Muster that wrote it'}.`,
  );
}

/** A summary and its folder, with links resolved. */
export type FoundSummary = { readonly folder: string; readonly summary: Summary };

/**
 * Reads the summaries of a run's folder, or of all runs in a scenario's folder.
 * @throws UserError if there are none, or one cannot be read.
 */
export function readSummaries(folder: string): readonly FoundSummary[] {
  const own = isFolder(folder) ? foundIn(folder) : [];
  if (own.length > 0) return own;
  const summaries = runsIn(folder).flatMap(foundIn);
  if (summaries.length > 0) return summaries;
  throw new UserError(`${folder} contains no result with a summary.json: ${why(folder)}`);
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
  const reason = isFolder(folder) ? 'choose the folder of a run, of a scenario, or of all results.' : why(folder);
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
  return found.length > 0 ? found : [{ folder, reason: `no ${RESULT_FILES.summary}: ${why(folder)}` }];
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

function why(folder: string): string {
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

/** A run's seconds as recorded, followed by its end; `undefined` if it was killed, is still running, or its disk was full. */
export type Recorded = AsyncGenerator<RecordedSecond, RunEnd | undefined>;

/**
 * Reads the seconds of a run as written, each with its histograms. Skips a second that a killed process did not complete.
 * @throws UserError with file and line for anything else that is not as written.
 */
export async function* readRecording(folder: string): Recorded {
  const log = openRecordedLog(join(folder, RESULT_FILES.histograms));
  const timeline = join(folder, RESULT_FILES.timeline);
  for await (const line of wholeLines(timeline)) {
    const where = `${timeline}:${line.number}`;
    const row = parsedRow(line.text, where);
    const { attacks, segments, ...others } = row;
    const series = await withLogged(row, log, where);
    const divided = segments && { segments: undamaged(where, () => segmentsOfRow(segments)) };
    yield {
      ...others,
      series,
      ...divided,
      ...(attacks && { attacks: await withLatencies({ ...row, attacks }, log, where) }),
    };
  }
  await assertNothingLeft(log, folder);
  const end = log.end();
  if (end === undefined) return undefined;
  const facts = checkedFact(runEndSchema, end, folder);
  for (const { histogram } of facts.responses) decoded(histogram, log.path);
  return facts;
}

function parsedRow(text: string, where: string): TimelineRow {
  try {
    return timelineRowSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? messageOf(error) : 'it has the wrong members';
    throw new UserError(`${where}: expected one second of a run as JSON, found other data: ${reason}.`);
  }
}

async function withLogged(row: TimelineRow, log: RecordedLog, where: string): Promise<readonly SeriesFrame[]> {
  const series: SeriesFrame[] = [];
  for (const { latencyMs, leftOut, ...counts } of row.series) {
    const logged = (values: Parameters<typeof tagOf>[2]) =>
      histogramOf(log, { ...row, tag: tagOf(counts.operation, counts.phase, values) }, where);
    const histograms: Partial<Record<ClockName, PackedHistogram>> = {};
    for (const clock of CLOCKS) if (latencyMs[clock] !== undefined) histograms[clock] = await logged(clock);
    const parts: Partial<Record<(typeof LEFT_OUT_HISTOGRAMS)[number], PackedHistogram>> = {};
    for (const name of LEFT_OUT_HISTOGRAMS)
      if (leftOut?.[name] !== undefined) parts[name] = await logged(`left-out-${name}`);
    series.push({ ...counts, histograms, ...(leftOut && { leftOut: { ...leftOut, ...parts } as LeftOut }) });
  }
  if (series.length + (row.attacks?.length ?? 0) === 0) await histogramOf(log, { ...row, tag: NOTHING_TAG }, where);
  return series;
}

type Attacks = NonNullable<RecordedSecond['attacks']>;
type AttackedRow = TimelineRow & { readonly attacks: NonNullable<TimelineRow['attacks']> };

async function withLatencies(row: AttackedRow, log: RecordedLog, where: string): Promise<Attacks> {
  const attacks: Attacks[number][] = [];
  for (const { latencyMs, ...counts } of row.attacks) {
    const wanted = { second: row.second, tag: attackTag(counts.how) };
    const latency = latencyMs === undefined ? undefined : await histogramOf(log, wanted, where);
    attacks.push({ ...counts, latency });
  }
  return attacks;
}

type Wanted = { readonly second: number; readonly tag: string };

/** The log was written first and in the same order, so the histograms of each second are next in it. */
async function histogramOf(log: RecordedLog, { second, tag }: Wanted, where: string): Promise<PackedHistogram> {
  const interval = await log.next();
  if (interval?.second === second && interval.tag === tag)
    return decoded(interval.payload, `${log.path}:${interval.line}`);
  const found = interval === undefined ? 'its end' : `${interval.tag} of second ${interval.second}`;
  const line = interval === undefined ? '' : ` in line ${interval.line}`;
  throw new UserError(
    `${where}: expected ${tag} of second ${second} in ${RESULT_FILES.histograms}, found ${found}${line}; ` +
      'the files are from different runs, or one of them was truncated.',
  );
}

function decoded(base64: string, where: string): PackedHistogram {
  return undamaged(where, () => packedOf(base64));
}

function undamaged<Read>(where: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    const reason = messageOf(error);
    throw new UserError(`${where}: expected a histogram written by muster run, found an error: ${reason}.`);
  }
}

async function assertNothingLeft(log: RecordedLog, folder: string): Promise<void> {
  const first = await log.next();
  if (first === undefined) return;
  let last = first;
  for (let next = await log.next(); next !== undefined; next = await log.next()) last = next;
  // A killed process leaves at most one second in the log that is missing in the timeline.
  if (last.second === first.second && log.end() === undefined) return;
  throw new UserError(
    `${join(folder, RESULT_FILES.histograms)}:${first.line}: ${RESULT_FILES.timeline} ends before second ` +
      `${first.second}, the log at second ${last.second}; the timeline was truncated.`,
  );
}

/** Reads a histogram log interval by interval. */
type RecordedLog = {
  readonly path: string;
  /**
   * Returns the next interval; `undefined` at the end of the log.
   * @throws UserError for a line that no run writes.
   */
  next(): Promise<(Extract<LogLine, { kind: 'interval' }> & { readonly line: number }) | undefined>;
  /** The run's end facts as JSON, if reached. */
  end(): string | undefined;
};

function openRecordedLog(path: string): RecordedLog {
  const lines = wholeLines(path);
  let end: string | undefined;
  return {
    path,
    end: () => end,
    async next() {
      for (;;) {
        const { value: line } = await lines.next();
        if (line === undefined) return undefined;
        const read = readLogLine(line.text);
        if (read === undefined) {
          throw new UserError(`${path}:${line.number}: expected an interval with its histogram, found other data.`);
        }
        if (read.kind === 'interval') return { ...read, line: line.number };
        if (read.kind === 'end') end = read.json;
      }
    },
  };
}
