import { join } from 'node:path';
import { messageOf, UserError } from '../base/kernel/errors.ts';
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
import { RESULT_FILES } from './folder.ts';
import { attackTag, NOTHING_TAG, type RunEnd, readLogLine, runEndSchema, tagOf } from './histogram-log.ts';
import { checkedFact } from './read.ts';
import { segmentsOfRow, type TimelineRow, timelineRowSchema } from './timeline.ts';

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

/** The log was written first and in the same order, so the histograms of each second are next in it. */
async function histogramOf(
  log: RecordedLog,
  { second, tag }: { readonly second: number; readonly tag: string },
  where: string,
): Promise<PackedHistogram> {
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

type RecordedLog = ReturnType<typeof openRecordedLog>;

/** Reads a histogram log interval by interval. */
function openRecordedLog(path: string) {
  const lines = wholeLines(path);
  let end: string | undefined;
  return {
    path,
    /** The run's end facts as JSON, if reached. */
    end: () => end,
    /** Returns the next interval; `undefined` at the end of the log. @throws UserError for a line that no run writes. */
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
