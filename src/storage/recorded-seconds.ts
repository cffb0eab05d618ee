import { join } from 'node:path';
import { messageOf, UserError } from '../kernel/errors.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import { CLOCKS, type ClockName } from '../metrics/recording/clocks.ts';
import { decode, type Histogram } from '../metrics/recording/histogram.ts';
import { NOTHING_TAG, tagOf } from '../metrics/results/histogram-log.ts';
import { type TimelineRow, timelineRowSchema } from '../metrics/results/timeline-row.ts';
import { type Line, wholeLines } from './lines.ts';
import { openRecordedLog, type RecordedLog } from './recorded-log.ts';
import { RESULT_FILES } from './result-folder.ts';

/** Seconds one after another; at last what the log says of the run's end as JSON, undefined if the run was killed. */
export type RecordedSeconds = AsyncGenerator<TimelineFrame, string | undefined>;

/**
 * Reads the seconds of a run back as they were written, each with its histograms. Seconds that a killed process began to
 * write are left out. Throws a `UserError` with file and line for anything else that is not as written.
 */
export async function* recordedSeconds(folder: string): RecordedSeconds {
  const log = openRecordedLog(join(folder, RESULT_FILES.histograms));
  const timeline = join(folder, RESULT_FILES.timeline);
  for await (const line of wholeLines(timeline)) {
    const where = `${timeline}:${line.number}`;
    const row = parsedRow(line, where);
    yield { ...row, series: await withHistograms(row, log, where) };
  }
  await assertNothingLeft(log, folder);
  return log.end();
}

function parsedRow({ text }: Line, where: string): TimelineRow {
  try {
    return timelineRowSchema.parse(JSON.parse(text));
  } catch (error) {
    const reason = error instanceof SyntaxError ? messageOf(error) : 'its members are not those of a second';
    throw new UserError(`${where}: expected one second of a run as JSON, found something else: ${reason}.`);
  }
}

async function withHistograms(row: TimelineRow, log: RecordedLog, where: string): Promise<TimelineFrame['series']> {
  const series: TimelineFrame['series'][number][] = [];
  for (const { latencyMs, ...counts } of row.series) {
    const histograms: Partial<Record<ClockName, Histogram>> = {};
    for (const clock of CLOCKS) {
      if (latencyMs[clock] === undefined) continue;
      histograms[clock] = await histogramOf(log, { ...row, tag: tagOf(counts.operation, counts.phase, clock) }, where);
    }
    series.push({ ...counts, histograms });
  }
  if (series.length === 0) await histogramOf(log, { ...row, tag: NOTHING_TAG }, where);
  return series;
}

type Wanted = { readonly second: number; readonly tag: string };

/** The log was written first, in the same order: each second of the timeline has its histograms next in it. */
async function histogramOf(log: RecordedLog, { second, tag }: Wanted, where: string): Promise<Histogram> {
  const interval = await log.next();
  if (interval?.second === second && interval.tag === tag) return decode(interval.payload);
  const found = interval === undefined ? 'its end' : `${interval.tag} of second ${interval.second}`;
  const line = interval === undefined ? '' : ` in line ${interval.line}`;
  throw new UserError(
    `${where}: expected ${tag} of second ${second} in ${RESULT_FILES.histograms}, found ${found}${line}; ` +
      'the files do not belong together, or one of them was cut.',
  );
}

async function assertNothingLeft(log: RecordedLog, folder: string): Promise<void> {
  const first = await log.next();
  if (first === undefined) return;
  let last = first;
  for (let next = await log.next(); next !== undefined; next = await log.next()) last = next;
  // A process that is killed leaves at most one second in the log that is not in the timeline.
  if (last.second === first.second && log.end() === undefined) return;
  throw new UserError(
    `${join(folder, RESULT_FILES.histograms)}:${first.line}: ${RESULT_FILES.timeline} ends before second ` +
      `${first.second}, the log at second ${last.second}; the timeline was cut.`,
  );
}
