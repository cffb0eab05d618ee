import { z } from 'zod';
import { LIFECYCLE_STATES, MEASURED_OPERATIONS } from '../../protocol/operations.ts';
import type { TimelineFrame } from '../merging/timeline.ts';
import { CLOCKS } from '../recording/clocks.ts';
import type { Histogram } from '../recording/histogram.ts';
import { latencyOf } from './latency.ts';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const latency = z.object({ p50: z.number(), p99: z.number(), max: z.number() }).optional();

/** One line of `timeline.ndjson`: a second of the whole fleet in figures. Its histograms are in the histogram log. */
export const timelineRowSchema = z.object({
  second: count,
  agents: z.record(z.enum(LIFECYCLE_STATES), count),
  inFlight: count,
  listening: count,
  down: count,
  series: z.array(
    z.object({
      phase: z.string(),
      operation: z.enum(MEASURED_OPERATIONS),
      planned: count,
      started: count,
      dropped: counts,
      outcomes: counts,
      sentBytes: count,
      receivedBytes: count,
      latencyMs: z.object({ response: latency, service: latency, lag: latency, delay: latency }),
    }),
  ),
  workers: z.array(
    z.object({
      shard: count,
      loopUtilisation: z.number(),
      cpuMs: z.number(),
      gcMs: z.number(),
      listening: count,
      stalls: z.array(z.object({ fromMs: z.number(), toMs: z.number() })),
    }),
  ),
});

export type TimelineRow = z.infer<typeof timelineRowSchema>;

export function toTimelineRow(frame: TimelineFrame): TimelineRow {
  const { series, workers, agents, ...rest } = frame;
  return {
    ...rest,
    agents: { ...agents },
    series: series.map(({ histograms, dropped, outcomes, ...counts }) => ({
      ...counts,
      dropped: definedCounts(dropped),
      outcomes: definedCounts(outcomes),
      latencyMs: Object.fromEntries(CLOCKS.map((clock) => [clock, figuresOf(histograms[clock])])),
    })),
    workers: workers.map(({ stalls, ...load }) => ({ ...load, stalls: [...stalls] })),
  };
}

function figuresOf(histogram: Histogram | undefined): z.infer<typeof latency> {
  const figures = histogram === undefined ? undefined : latencyOf(histogram);
  return figures === undefined ? undefined : { p50: figures.p50, p99: figures.p99, max: figures.max };
}

function definedCounts(tally: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).map(([key, value]) => [key, value ?? 0]));
}
