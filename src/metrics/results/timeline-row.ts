import { z } from 'zod';
import { LIFECYCLE_STATES, type LifecycleState } from '../../protocol/lifecycle-states.ts';
import { OPERATIONS } from '../../protocol/operations.ts';
import type { TimelineFrame } from '../merging/timeline.ts';
import { CLOCKS, type ClockName } from '../recording/clocks.ts';
import type { Frame, SeriesFrame } from '../recording/frame.ts';
import { decode, encode, type Histogram, merge } from '../recording/histogram.ts';
import type { LogEntry, LogSubject } from './histogram-log.ts';
import { latencyOf } from './latency.ts';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const latency = z.object({ p50: z.number(), p99: z.number(), max: z.number() }).optional();

/** One line of `timeline.ndjson`: a second of the whole fleet in figures. Its histograms are in the histogram log. */
export const timelineRowSchema = z.object({
  second: count,
  agents: z.record(z.enum(LIFECYCLE_STATES), count),
  inFlight: count,
  series: z.array(
    z.object({
      phase: z.string(),
      operation: z.enum(OPERATIONS),
      planned: count,
      started: count,
      dropped: counts,
      outcomes: counts,
      sentBytes: count,
      receivedBytes: count,
      latencyMs: z.object({ response: latency, service: latency, lag: latency }),
    }),
  ),
  schedulingDelayMs: latency,
  workers: z.array(z.object({ shard: count, loopUtilisation: z.number(), cpuMs: z.number() })),
});

export type TimelineRow = z.infer<typeof timelineRowSchema>;

export function toTimelineRow(frame: TimelineFrame): TimelineRow {
  const { series, schedulingDelay, workers, agents, ...rest } = frame;
  return {
    ...rest,
    agents: { ...agents },
    series: series.map(({ histograms, dropped, outcomes, ...counts }) => ({
      ...counts,
      dropped: definedCounts(dropped),
      outcomes: definedCounts(outcomes),
      latencyMs: Object.fromEntries(CLOCKS.map((clock) => [clock, figuresOf(histograms[clock])])),
    })),
    schedulingDelayMs: figuresOf(schedulingDelay),
    workers: [...workers],
  };
}

/**
 * Frames that add up to what was recorded, from a timeline and its histogram log. The first worker of each second is
 * given the whole fleet's activity; sums, agents and the workers' own figures come out as they were.
 */
export function restoreFrames(rows: readonly TimelineRow[], log: Iterable<LogEntry>): Frame[] {
  const histograms = indexOf(log);
  return rows.flatMap((row) => {
    const { second, agents, inFlight } = row;
    const take = (subject: LogSubject) => takeFrom(histograms, keyOf({ second, subject }));
    const series = row.series.map((entry) => restoredSeries(entry, take));
    const whole = { series, agents, inFlight, schedulingDelay: take({ kind: 'scheduling_delay' }) };
    return row.workers.map((worker, index) => ({ second, ...worker, ...(index === 0 ? whole : nothing()) }));
  });
}

type Activity = Pick<Frame, 'series' | 'agents' | 'inFlight' | 'schedulingDelay'>;

function nothing(): Activity {
  const agents = Object.fromEntries(LIFECYCLE_STATES.map((state) => [state, 0])) as Record<LifecycleState, number>;
  return { series: [], agents, inFlight: 0, schedulingDelay: undefined };
}

function restoredSeries(
  { latencyMs: _, ...counts }: TimelineRow['series'][number],
  take: (subject: LogSubject) => string | undefined,
): SeriesFrame {
  const { operation, phase } = counts;
  const histograms: Partial<Record<ClockName, string>> = {};
  for (const clock of CLOCKS) {
    const encoded = take({ kind: 'clock', operation, phase, clock });
    if (encoded !== undefined) histograms[clock] = encoded;
  }
  return { ...counts, histograms };
}

function indexOf(log: Iterable<LogEntry>): Map<string, Histogram> {
  const histograms = new Map<string, Histogram>();
  for (const entry of log) {
    const known = histograms.get(keyOf(entry));
    if (known === undefined) histograms.set(keyOf(entry), entry.histogram);
    else merge(known, entry.histogram);
  }
  return histograms;
}

// Taken, not read: a second may have several rows, and its values must count once.
function takeFrom(histograms: Map<string, Histogram>, key: string): string | undefined {
  const histogram = histograms.get(key);
  histograms.delete(key);
  return histogram === undefined ? undefined : encode(histogram);
}

function keyOf({ second, subject }: Pick<LogEntry, 'second' | 'subject'>): string {
  if (subject.kind === 'scheduling_delay') return `${second}`;
  return `${second} ${subject.operation} ${subject.clock} ${subject.phase}`;
}

function figuresOf(encoded: string | undefined): TimelineRow['schedulingDelayMs'] {
  const figures = encoded === undefined ? undefined : latencyOf(decode(encoded));
  return figures === undefined ? undefined : { p50: figures.p50, p99: figures.p99, max: figures.max };
}

function definedCounts(tally: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).map(([key, value]) => [key, value ?? 0]));
}
