import { z } from 'zod';
import { parseDuration } from '../../base/kernel/units.ts';
import { LIFECYCLE_STATES, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { type ActionKind, TRAITS } from '../../load/events/event.ts';
import type { ValidityLimits } from '../../metrics/judging/validity-schema.ts';
import type { ClockName } from '../../metrics/recording/frame.ts';
import { rounded } from '../../metrics/recording/histogram.ts';
import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import type { History, Interval, IntervalActivity } from '../../metrics/summary/history.ts';
import type { Spectrum } from '../../metrics/summary/summary.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { loggedRates } from '../logged-figures.ts';
import type { Band, ChartLine } from '../page/chart-data.ts';
import type { Chart, SpectrumChart, TimeChart } from './page-data.ts';

const happening = z.object({ do: z.string(), at: z.string().default('0s'), for: z.string().optional() });
const event = happening.extend({
  name: z.string().optional(),
  over: z.string().default('0s'),
  repeat: z.object({ every: z.string(), times: z.number().optional() }).default({ every: '1s', times: 1 }),
  event: z.string().optional(),
});
const scenario = z.object({
  target: z.object({ faults: z.array(happening).default([]) }).default({ faults: [] }),
  events: z.array(event).default([]),
});

/** Bands of phases as far as they took place, then of faults and events, one per occurrence. Omits those that start after the end. */
export function bandsOf({ phases, elapsedMs, scenario: effective }: Summary): Band[] {
  const { target, events } = scenario.parse(effective);
  return [
    ...phases
      .filter(({ durationMs }) => durationMs > 0)
      .map(
        ({ name, excluded, startMs, durationMs }): Band => ({
          kind: excluded ? 'excluded' : 'phase',
          label: name,
          fromSeconds: startMs / 1000,
          toSeconds: (startMs + durationMs) / 1000,
        }),
      ),
    ...target.faults.flatMap((fault) => faultBand(fault, elapsedMs)),
    ...events.flatMap((one) => eventBands(one, Math.min(elapsedMs, endOf(one, events)))),
  ];
}

function faultBand(fault: z.infer<typeof happening>, elapsedMs: number): Band[] {
  // Forgetting agents is instantaneous; every other fault without an end lasts until the end of the run.
  const openMs = fault.do === 'forget' ? 0 : elapsedMs;
  const forMs = fault.for === undefined ? openMs : msOf(fault.for);
  return bandOf({ kind: 'fault', label: fault.do }, [msOf(fault.at), forMs], elapsedMs);
}

/** Bands last until the event ends for its last agent. */
function eventBands({ name, over, repeat, ...what }: z.infer<typeof event>, untilMs: number): Band[] {
  if (what.do === END) return [];
  const openMs = TRAITS[what.do as ActionKind]?.lasts === false ? 0 : untilMs;
  const forMs = (what.for === undefined ? openMs : msOf(what.for)) + msOf(over);
  const everyMs = msOf(repeat.every);
  const most = Math.max(0, Math.ceil((untilMs - msOf(what.at)) / everyMs));
  const times = Array.from({ length: Math.min(most, repeat.times ?? most) }, (_, n) => msOf(what.at) + n * everyMs);
  return times.flatMap((fromMs) => bandOf({ kind: 'event', label: name ?? what.do }, [fromMs, forMs], untilMs));
}

const END = 'end';

/** Time of its explicit end; Infinity if it has none. */
function endOf({ name }: z.infer<typeof event>, all: readonly z.infer<typeof event>[]): number {
  const end = all.find((other) => other.do === END && other.event === name);
  return end === undefined ? Number.POSITIVE_INFINITY : msOf(end.at);
}

function bandOf(band: Pick<Band, 'kind' | 'label'>, [fromMs, forMs]: [number, number], elapsedMs: number): Band[] {
  if (fromMs >= elapsedMs) return [];
  return [{ ...band, fromSeconds: fromMs / 1000, toSeconds: Math.min(fromMs + forMs, elapsedMs) / 1000 }];
}

function msOf(duration: string): number {
  return parseDuration(duration) ?? 0;
}

type Style = Pick<ChartLine, 'color' | 'dash'>;

const STYLES: readonly Style[] = [
  { color: 'blue', dash: [] },
  { color: 'red', dash: [8, 4] },
  { color: 'green', dash: [2, 3] },
  { color: 'purple', dash: [8, 3, 2, 3] },
  { color: 'orange', dash: [] },
  { color: 'gray', dash: [4, 4] },
];

/** Successes of each operation, and all failures and drops; nothing for a single operation, whose own chart shows the same. */
export function overviewCharts(history: History): TimeChart[] {
  const { operations, intervals } = history;
  if (operations.length < 2) return [];
  const rates = (operation: MeasuredOperation, count: (activity: IntervalActivity) => number) => {
    const entries = intervals.map(({ activity }) => activity.get(operation));
    return perSecond(history, entries, count);
  };
  const succeeded = operations.map((operation, index): ChartLine => {
    const style = OVERVIEW_STYLES[index % OVERVIEW_STYLES.length] as Style;
    return { label: operation, ...style, values: rates(operation, succeededIn) };
  });
  const lost = operations.map((operation) => rates(operation, (activity) => activity.dropped + failedIn(activity)));
  const values = intervals.map((_, index) => lost.reduce((sum, own) => sum + (own[index] ?? 0), 0));
  const failed: ChartLine = { label: 'failed or dropped', color: 'red', dash: [8, 3], values };
  return [{ kind: 'time', id: 'overview', title: 'Throughput', unit: 'per second', lines: [...succeeded, failed] }];
}

const OVERVIEW_STYLES = STYLES.filter(({ color }) => color !== 'red');

/** Arrivals of the log that the run replays, and its own; nothing without a log. */
export function loggedChart(summary: Summary, history: History): TimeChart[] {
  const [then, now] = loggedRates(summary, history);
  if (then === undefined || now === undefined) return [];
  const lines: ChartLine[] = [
    { ...now, color: 'blue', dash: [] },
    // Drawn above the other, which shows between its dashes where both are equal.
    { ...then, color: 'orange', dash: [8, 4] },
  ];
  return [{ kind: 'time', id: 'logged', title: 'Arrivals then and now', unit: 'per second', lines }];
}

/** Charts of one operation: throughput, latency, heat map, latency over the rate, bytes, and failures if there are any. */
export function operationCharts(history: History, operation: MeasuredOperation): Chart[] {
  const entries = history.intervals.map(({ activity }) => activity.get(operation));
  const unanswered = entries.map((entry) => entry?.unanswered ?? 0);
  return [
    ...[throughputChart(history, operation, entries), latencyChart(operation, entries)],
    {
      kind: 'heat',
      id: `${operation}-heat`,
      title: 'Latency heat map',
      cells: entries.map((entry) => [...(entry?.cells ?? [])].sort(([a], [b]) => a - b).flat()),
      unanswered: unanswered.some((count) => count > 0) ? unanswered : [],
    },
    { kind: 'rate', id: `${operation}-rate`, title: 'Response time against rate', operation },
    bytesChart(history, operation, entries),
    ...failuresChart(history, operation, entries),
  ];
}

/** Charts of the fleet: agents by state, operations in flight, and clients of agents if there were any. */
export function fleetCharts(history: History): Chart[] {
  const { intervals } = history;
  const states = LIFECYCLE_STATES.map(
    (state) => [state, (interval: Interval) => interval.agents?.[state] ?? null] as const,
  );
  const servers = [
    ['listening', ({ listening }: Interval) => listening],
    ['down', ({ down }: Interval) => down],
  ] as const;
  const seen = [...states, ...servers].map(([label, read]) => ({ label, values: intervals.map(read) })).filter(isSeen);
  const inFlight = { label: 'in flight', ...styleAt(0), values: intervals.map((interval) => interval.inFlight) };
  return [
    { kind: 'time', id: 'agents', title: 'Agents by state', unit: 'agents', lines: seen.map(withStyle) },
    { kind: 'time', id: 'in-flight', title: 'Operations in flight', unit: 'operations', lines: [inFlight] },
    ...clientsChart(history),
  ];
}

/** Connections and requests at the ports of agents; the chart of agents by state includes those that are down. */
function clientsChart(history: History): TimeChart[] {
  const entries = history.intervals.map(({ listeners }) => listeners);
  const lines = rateLines(history, entries, [
    ['accepted', { color: 'blue', dash: [] }, ({ accepted }) => accepted],
    ['handshakes', { color: 'green', dash: [2, 3] }, ({ handshakes }) => handshakes],
    ['refused', { color: 'red', dash: [8, 4] }, refusedCount],
    ['unanswered', { color: 'orange', dash: [8, 3] }, ({ unanswered }) => unanswered],
    ['late', { color: 'purple', dash: [8, 3, 2, 3] }, ({ late }) => late],
  ]).filter(isSeen);
  if (lines.length === 0) return [];
  return [{ kind: 'time', id: 'clients', title: 'Clients of agents', unit: 'per second', lines }];
}

/** Charts that show whether the generator kept up. */
export function generatorCharts({ intervals }: History, { schedulingDelayMs, busyShare }: ValidityLimits): Chart[] {
  const highest = (read: (activity: IntervalActivity) => number | undefined) =>
    intervals.map(({ activity }) => {
      const values = [...activity.values()].map(read).filter((value) => value !== undefined);
      return values.length === 0 ? null : Math.max(...values);
    });
  const delays = [
    { label: 'p99', ...styleAt(1), values: highest(({ delayP99Ms }) => delayP99Ms) },
    { label: 'max', ...styleAt(3), values: highest(({ delayMaxMs }) => delayMaxMs) },
  ];
  const busy = intervals.map(({ busiestLoop }) => Math.round(busiestLoop * 1000) / 10);
  return [
    {
      kind: 'time',
      id: 'scheduling-delay',
      title: 'Scheduling delay',
      unit: 'milliseconds',
      limit: schedulingDelayMs,
      lines: delays,
    },
    {
      kind: 'time',
      id: 'busiest-loop',
      title: 'Busiest event loop',
      unit: 'percent',
      limit: rounded(busyShare * 100),
      lines: [{ label: 'busiest worker', ...styleAt(0), values: busy }],
    },
  ];
}

const CLOCK_STYLES: Readonly<Record<ClockName, Style>> = {
  response: { color: 'blue', dash: [] },
  unanswered: { color: 'red', dash: [2, 3] },
  service: { color: 'orange', dash: [8, 4] },
  lag: { color: 'purple', dash: [2, 3] },
  delay: { color: 'gray', dash: [8, 3, 2, 3] },
};

/** The percentile spectrum of an operation, one line per clock. */
export function spectrumChart(spectra: readonly Spectrum[], operation: MeasuredOperation): SpectrumChart[] {
  const own = spectra.filter((spectrum) => spectrum.operation === operation);
  const inverses = [...new Set(own.flatMap(({ points }) => points.map(([inverse]) => inverse)))].sort((a, b) => a - b);
  const lines = own.map(({ clock, points }) => {
    const values = new Map(points);
    return { label: clock, ...CLOCK_STYLES[clock], values: inverses.map((inverse) => values.get(inverse) ?? null) };
  });
  if (lines.length === 0) return [];
  return [{ kind: 'spectrum', id: `${operation}-spectrum`, title: 'Percentile spectrum', inverses, lines }];
}

type Entries = readonly (IntervalActivity | undefined)[];

function throughputChart(history: History, operation: MeasuredOperation, entries: Entries): TimeChart {
  const lines = rateLines(history, entries, [
    ['planned', { color: 'gray', dash: [4, 4] }, ({ planned }) => planned],
    ['ok', { color: 'blue', dash: [] }, succeededIn],
    ['failed', { color: 'red', dash: [8, 3] }, failedIn],
    ['dropped', { color: 'purple', dash: [2, 3] }, ({ dropped }) => dropped],
  ]).filter((line) => line.label === 'ok' || isSeen(line));
  return { kind: 'time', id: `${operation}-throughput`, title: 'Throughput', unit: 'per second', lines };
}

function bytesChart(history: History, operation: MeasuredOperation, entries: Entries): TimeChart {
  const lines = rateLines(history, entries, [
    ['sent', styleAt(0), ({ sentBytes }) => sentBytes],
    ['received', styleAt(1), ({ receivedBytes }) => receivedBytes],
  ]).map((line) => ({ ...line, values: line.values.map(Math.round) }));
  return { kind: 'time', id: `${operation}-bytes`, title: 'Bytes', unit: 'bytes per second', lines };
}

function latencyChart(operation: MeasuredOperation, entries: Entries): TimeChart {
  const line = (label: string, style: Style, read: (activity: IntervalActivity) => number | undefined): ChartLine => ({
    label,
    ...style,
    values: entries.map((entry) => (entry === undefined ? null : (read(entry) ?? null))),
  });
  const lines = [
    line('p50', { color: 'blue', dash: [] }, ({ p50Ms }) => p50Ms),
    line('p99', { color: 'orange', dash: [8, 3] }, ({ p99Ms }) => p99Ms),
    line('max', { color: 'purple', dash: [2, 3] }, ({ maxMs }) => maxMs),
    line('service p99', { color: 'gray', dash: [4, 4] }, ({ serviceP99Ms }) => serviceP99Ms),
  ];
  return { kind: 'time', id: `${operation}-latency`, title: 'Response time', unit: 'milliseconds', lines };
}

function failuresChart(history: History, operation: MeasuredOperation, entries: Entries): TimeChart[] {
  const outcomes = new Set(entries.flatMap((entry) => [...(entry?.outcomes.keys() ?? [])]));
  const failures = [...outcomes].filter((outcome) => !isSuccess(outcome as Outcome)).sort();
  const lines = failures
    .map((label) => ({ label, values: perSecond(history, entries, (entry) => entry.outcomes.get(label) ?? 0) }))
    .map(withStyle);
  if (lines.length === 0) return [];
  return [{ kind: 'time', id: `${operation}-failures`, title: 'Failures by outcome', unit: 'per second', lines }];
}

type RateLine<Source> = readonly [label: string, style: Style, count: (source: Source) => number];

function rateLines<Source>(
  history: History,
  entries: readonly (Source | undefined)[],
  lines: readonly RateLine<Source>[],
) {
  return lines.map(([label, style, count]) => ({ label, ...style, values: perSecond(history, entries, count) }));
}

function isSeen({ values }: Pick<ChartLine, 'values'>): boolean {
  return values.some((value) => (value ?? 0) > 0);
}

/** The last interval may be shorter than the others, or a little longer. */
function perSecond<Source>(
  { secondsPerInterval, seconds }: History,
  entries: readonly (Source | undefined)[],
  count: (source: Source) => number,
): number[] {
  return entries.map((entry, index) => {
    const covered = index === entries.length - 1 ? seconds - index * secondsPerInterval : secondsPerInterval;
    return entry === undefined ? 0 : Math.round((count(entry) * 1000) / covered) / 1000;
  });
}

function succeededIn({ outcomes }: IntervalActivity): number {
  return [...outcomes].reduce((sum, [outcome, count]) => (isSuccess(outcome as Outcome) ? sum + count : sum), 0);
}

function failedIn({ outcomes }: IntervalActivity): number {
  return [...outcomes].reduce((sum, [outcome, count]) => (isSuccess(outcome as Outcome) ? sum : sum + count), 0);
}

function withStyle(line: Omit<ChartLine, keyof Style>, index: number): ChartLine {
  return { ...line, ...styleAt(index) };
}

function styleAt(index: number): Style {
  return STYLES[index % STYLES.length] ?? { color: 'gray', dash: [] };
}
