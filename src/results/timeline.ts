import { z } from 'zod';
import { LIFECYCLE_STATES, MEASURED_OPERATIONS } from '../base/protocol/operations.ts';
import { hostTimeMs } from '../load/host-clock.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import { CLOCKS, type SegmentFrame, type SeriesFrame, withHistograms } from '../metrics/recording/frame.ts';
import { type AnyHistogram, checkedCounts, latencyOf, type PackedHistogram } from '../metrics/recording/histogram.ts';
import { attackCountsSchema, evidenceSchema, listenersSchema } from '../metrics/recording/schema.ts';
import { eventSummarySchema } from '../metrics/summary/events.ts';
import { addressSchema } from '../metrics/summary/summary-schema.ts';
import { type EventChange, eventChanges } from '../scenario/event-times.ts';
import type { Scenario } from '../scenario/scenario.ts';

const count = z.int().nonnegative();
const counts = z.record(z.string(), count);
const latency = z.object({ p50: z.number(), p99: z.number(), max: z.number() }).optional();
/** The counts of an HdrHistogram V2 payload, which take a tenth of the time of a whole one. */
const packed = z.base64();

const countsShape = {
  phase: z.string(),
  operation: z.enum(MEASURED_OPERATIONS),
  planned: count,
  started: count,
  dropped: counts,
  outcomes: counts,
  doubts: counts.optional(),
  succeededWithin: count,
  sentBytes: count,
  receivedBytes: count,
};
const leftOutShape = { finished: count, failed: count, dropped: count, succeededWithin: count };

/** One line of `timeline.ndjson`, figures of the whole fleet for one second, with the units of docs/reference/results.md, "timeline.ndjson". */
export const timelineRowSchema = z.object({
  second: count,
  hostTime: z.iso.datetime().optional(),
  agents: z.record(z.enum(LIFECYCLE_STATES), count),
  inFlight: count,
  pace: z.object({ leastInFlight: count, due: z.array(count).readonly() }).optional(),
  happened: z.array(eventSummarySchema).readonly().optional(),
  listening: count,
  down: count,
  listeners: z.object(listenersSchema.shape),
  series: z.array(
    z.object({
      ...countsShape,
      leftOut: z.object({ ...leftOutShape, response: latency, floor: latency }).optional(),
      latencyMs: z.object({ response: latency, unanswered: latency, service: latency, lag: latency, delay: latency }),
    }),
  ),
  segments: z
    .array(
      z.object({
        cohorts: z.array(z.string()),
        ...countsShape,
        leftOut: z.object({ ...leftOutShape, response: packed.optional(), floor: packed.optional() }).optional(),
        histograms: z.object({ response: packed.exactOptional(), unanswered: packed.exactOptional() }),
      }),
    )
    .optional(),
  workers: z
    .array(
      z.object({
        shard: count,
        loopUtilization: z.number(),
        cpuMs: z.number(),
        gcMs: z.number(),
        listening: count,
        stalls: z.array(z.object({ fromMs: z.number(), toMs: z.number() })).readonly(),
        late: z
          .array(z.object({ fromMs: z.number(), toMs: z.number(), heldMs: z.number() }))
          .readonly()
          .optional(),
      }),
    )
    .readonly(),
  addresses: z.array(addressSchema).readonly().optional(),
  events: z
    .array(z.object({ name: z.string(), change: z.enum(['begins', 'ends']), atMs: z.number() }))
    .readonly()
    .optional(),
  evidence: z.array(evidenceSchema).readonly().optional(),
  attacks: z.array(z.object({ ...attackCountsSchema.shape, latencyMs: latency })).optional(),
});

export type TimelineRow = z.infer<typeof timelineRowSchema>;
export type RowSeries = TimelineRow['series'][number];

/** Facts about a second in addition to its figures. */
export type SecondFacts = {
  /** Events that start or end in it. */
  readonly events: readonly EventChange[];
  /** Time of the hosts' clocks at its start; `undefined` if they show the real time. */
  readonly hostTime: string | undefined;
};

/** @param startedAt start of the run in real time. */
export function secondFacts({ events, hostClock }: Scenario, startedAt: Date, second: number): SecondFacts {
  const hostMs = hostTimeMs(hostClock, startedAt.getTime(), second * 1000);
  return {
    events: eventChanges(events, second),
    hostTime: hostClock === undefined ? undefined : new Date(hostMs).toISOString(),
  };
}

const NO_FACTS: SecondFacts = { events: [], hostTime: undefined };

/** In the order of the file. Members without a value are left out of the JSON. */
export function toTimelineRow(frame: RecordedSecond, { events, hostTime }: SecondFacts = NO_FACTS): TimelineRow {
  const { agents, listeners, series, segments, pace, happened, addresses, evidence, attacks, workers, ...rest } = frame;
  const { longestWaitMs: _shownLive, ...counts } = rest;
  return {
    ...counts,
    hostTime,
    agents,
    listeners,
    series: series.map(seriesRow),
    segments: segments?.map(segmentRow),
    pace,
    happened,
    addresses,
    evidence,
    attacks: attacks?.map(attackRow),
    events: events.length > 0 ? events : undefined,
    workers,
  };
}

function attackRow({ latency, endings, statuses, ...others }: NonNullable<RecordedSecond['attacks']>[number]) {
  return { ...others, endings, statuses, latencyMs: figuresOf(latency) };
}

function seriesRow({ histograms, leftOut, ...counts }: RecordedSecond['series'][number]): RowSeries {
  return {
    ...plainCounts(counts),
    leftOut: leftOut && { ...leftOut, response: figuresOf(leftOut.response), floor: figuresOf(leftOut.floor) },
    latencyMs: Object.fromEntries(CLOCKS.map((clock) => [clock, figuresOf(histograms[clock])])),
  };
}

/** With its tallies as plain data. */
function plainCounts<Counts extends Pick<SeriesFrame, 'dropped' | 'outcomes' | 'doubts'>>(counts: Counts) {
  const { dropped, outcomes, doubts, ...others } = counts;
  return {
    ...others,
    ...(doubts && { doubts: definedCounts(doubts) }),
    dropped: definedCounts(dropped),
    outcomes: definedCounts(outcomes),
  };
}

function segmentRow({ cohorts, ...series }: SegmentFrame): NonNullable<TimelineRow['segments']>[number] {
  const encoded = withHistograms(series, (bytes: PackedHistogram) => Buffer.from(bytes).toString('base64'));
  return { cohorts: [...cohorts], ...plainCounts(encoded) };
}

/**
 * Reads `segments` of a row back.
 * @throws Error if their values are damaged
 */
export function segmentsOfRow(segments: NonNullable<TimelineRow['segments']>): readonly SegmentFrame[] {
  const bytesOf = (text: string) => checkedCounts(new Uint8Array(Buffer.from(text, 'base64')));
  return segments.map(({ cohorts, ...series }) => ({ cohorts, ...withHistograms(series, bytesOf) }));
}

function figuresOf(values: AnyHistogram | undefined): z.infer<typeof latency> {
  const figures = values && latencyOf(values);
  return figures === undefined ? undefined : { p50: figures.p50, p99: figures.p99, max: figures.max };
}

function definedCounts(tally: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(Object.entries(tally).map(([key, value]) => [key, value ?? 0]));
}
