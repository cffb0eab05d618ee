import { z } from 'zod';
import type { AttackName } from '../base/protocol/attacks.ts';
import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { deliverySchema } from '../metrics/delivery/schema.ts';
import { reasonSchema } from '../metrics/judging/verdict.ts';
import { clusterMachineSchema, machineSchema } from '../metrics/merging/cluster-machine.ts';
import type { RecordedSecond } from '../metrics/merging/timeline.ts';
import { CLOCKS, type ClockName, LEFT_OUT_HISTOGRAMS } from '../metrics/recording/frame.ts';
import { type AnyHistogram, encode, latencyOf } from '../metrics/recording/histogram.ts';
import { profileResponsesSchema } from '../metrics/recording/schema.ts';
import { eventSummarySchema } from '../metrics/summary/events.ts';
import {
  environmentSchema,
  loggedFiguresSchema,
  mergedShardSchema,
  RESULT_SCHEMA_VERSION,
  shardSchema,
} from '../metrics/summary/summary-schema.ts';

/** Facts known at the start of a run and not contained in its figures; a comment at the head of the histogram log. */
export const runStartSchema = z.object({
  schemaVersion: z.literal(RESULT_SCHEMA_VERSION),
  runId: z.string(),
  startedAt: z.iso.datetime(),
  environment: environmentSchema,
  shard: shardSchema.optional(),
  shards: z.array(mergedShardSchema).optional(),
});

/** Facts known at the end of a run; a comment at the end of the histogram log. Missing if the run was killed or its disk was full. */
export const runEndSchema = z.object({
  endedAt: z.iso.datetime(),
  elapsedMs: z.number().nonnegative().describe('how much of the timeline ran'),
  reasons: z.array(reasonSchema).describe('why the run was interrupted or is incomplete'),
  clockSetMs: z.number().optional().describe("how far this machine's clock was set forward in the run, or back"),
  machine: machineSchema.optional(),
  machines: z.array(clusterMachineSchema).optional(),
  delivery: deliverySchema,
  responses: z
    .array(profileResponsesSchema)
    .describe(
      'by group or profile, and operation, over the counted phases; HdrHistogram V2 payload, compressed, in base64',
    ),
  down: z
    .array(z.object({ agent: z.int().nonnegative(), host: z.string(), reason: z.string() }))
    .optional()
    .describe('agents that are down, by their index in the fleet'),
  events: z.array(eventSummarySchema).default([]),
  logged: loggedFiguresSchema.optional(),
});

export type RunStart = z.infer<typeof runStartSchema>;
export type RunEnd = z.infer<typeof runEndSchema>;

export const NOTHING_TAG = 'nothing';

const START_MARK = '[Run: ';
const END_MARK = '[End: ';

/** The comments and legend at the start of a histogram log; timestamps count from the run's start. */
export function logHeader(start: RunStart): string {
  const startedAtMs = Date.parse(start.startedAt);
  const seconds = (startedAtMs / 1000).toFixed(3);
  return `#[Values are microseconds, Interval_Max is in milliseconds; Tag=operation;phase;clock]
#[Histogram log format version 1.3]
#[StartTime: ${seconds} (seconds since epoch), ${new Date(startedAtMs).toISOString()}]
#[BaseTime: ${seconds} (seconds since epoch)]
#${START_MARK}${JSON.stringify(start)}]
"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"
`;
}

/** The comment at the end of a completed run's log. */
export function logEnd(end: RunEnd): string {
  return `#${END_MARK}${JSON.stringify(end)}]\n`;
}

/** The lines of one second: one for each operation, phase and clock with values and each kind of attack, or a single empty interval. */
export function logLines({ second, series, attacks = [] }: RecordedSecond): string {
  const histogramsOf = ({ operation, phase, histograms, leftOut }: RecordedSecond['series'][number]) => [
    ...CLOCKS.map((clock) => [tagOf(operation, phase, clock), histograms[clock]] as const),
    ...LEFT_OUT_HISTOGRAMS.map((name) => [tagOf(operation, phase, `left-out-${name}`), leftOut?.[name]] as const),
  ];
  const all = [
    ...series.flatMap(histogramsOf),
    ...attacks.map(({ how, latency }) => [attackTag(how), latency] as const),
  ];
  const lines = all.map(([tag, histogram]) => (histogram === undefined ? '' : logLine(tag, second, histogram)));
  // Seconds without data are logged, too, so that readers see that they were not lost.
  return series.length + attacks.length === 0 ? logLine(NOTHING_TAG, second, Uint8Array.of()) : lines.join('');
}

function logLine(tag: string, second: number, values: AnyHistogram): string {
  return `Tag=${tag},${second}.000,1.000,${(latencyOf(values)?.max ?? 0).toFixed(3)},${encode(values)}\n`;
}

type LoggedValues = ClockName | `left-out-${(typeof LEFT_OUT_HISTOGRAMS)[number]}`;

// A tag ends at a comma, and readers also split lines at spaces. Phase names are the only free text in it.
export function tagOf(operation: MeasuredOperation, phase: string, values: LoggedValues): string {
  return `${operation};${encodeURIComponent(phase)};${values}`;
}

export function attackTag(how: AttackName): string {
  return `misbehave;${how};latency`;
}

/** One parsed line of a log; `payload` is a compressed HdrHistogram V2 histogram in base64. */
export type LogLine =
  | { readonly kind: 'interval'; readonly second: number; readonly tag: string; readonly payload: string }
  /** Facts about the run, as JSON. */
  | { readonly kind: 'start' | 'end'; readonly json: string }
  | { readonly kind: 'other' };

const INTERVAL = /^Tag=([^,]+),(\d+)\.000,1\.000,[\d.]+,([A-Za-z0-9+/=]+)$/;

/** Returns `undefined` for a line that no log contains. */
export function readLogLine(line: string): LogLine | undefined {
  if (line.startsWith(`#${START_MARK}`)) return { kind: 'start', json: line.slice(START_MARK.length + 1, -1) };
  if (line.startsWith(`#${END_MARK}`)) return { kind: 'end', json: line.slice(END_MARK.length + 1, -1) };
  if (line.startsWith('#') || line.startsWith('"StartTimestamp"')) return { kind: 'other' };
  const [, tag, second, payload] = INTERVAL.exec(line) ?? [];
  if (tag === undefined || payload === undefined) return undefined;
  return { kind: 'interval', second: Number(second), tag, payload };
}
