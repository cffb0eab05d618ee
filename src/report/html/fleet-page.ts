import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import type { FiguresAt, FleetFigures } from '../../metrics/merging/fleet-figures.ts';
import { tallySum } from '../../metrics/recording/tally.ts';
import { emptyInterval, type History, type Interval, type IntervalActivity } from '../../metrics/summary/history.ts';
import { OPERATION_HEADINGS } from '../figures.ts';
import type { Band, ChartLine } from '../page/chart-data.ts';
import { exactCount, latencyText, rateText, reasonsOfFailures, shareText } from '../page/figures.ts';
import type { Assets } from './assets.ts';
import { fleetCharts, operationCharts, overviewCharts } from './charts.ts';
import { contents, figure, type HtmlCell, html, type Markup, NOTHING, pageSection, pageTop, table } from './markup.ts';
import { chartGrid, page } from './page.ts';
import type { Chart, TimeChart } from './page-data.ts';

/** What a kept fleet did in a span of time. Times are Unix ms. */
export type FleetSpan = {
  readonly name: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Figures of consecutive intervals, and of the whole span; `undefined` if it has none. */
  readonly secondsPerInterval: number;
  readonly rows: readonly FiguresAt[];
  readonly whole: FleetFigures | undefined;
  readonly events: readonly { readonly name: string; readonly fromMs: number; readonly toMs: number }[];
};

/** A span of a fleet as one self-contained HTML document. */
export function fleetPage(span: FleetSpan, assets: Assets): string {
  const history = historyOf(span);
  const [overview, fleet] = [overviewCharts(history), fleetCharts(history)];
  const operations = history.operations.map((operation) => ({ operation, charts: timeChartsOf(history, operation) }));
  const generator = [delayChart(span, history)];
  const charts: readonly Chart[] = [...overview, ...operations.flatMap((one) => one.charts), ...fleet, ...generator];
  const parts = operations.map(
    ({ operation, charts: own }) =>
      html`<h3 id="time-${operation}"><code>${operation}</code></h3>${chartGrid(own, operation)}`,
  );
  const main = html`${figuresSection(span)}${failuresSection(span)}${eventsSection(span)}<nav class="zoom" aria-label="Time shown in the charts" hidden></nav>
${pageSection('time', 'Over time', html`${overview.length === 0 ? NOTHING : chartGrid(overview, 'all operations')}${parts}`)}${pageSection('fleet', 'Fleet', chartGrid(fleet, 'fleet'))}${pageSection('generator', 'Generator', chartGrid(generator, 'generator'))}`;
  const { secondsPerInterval, intervals, seconds } = history;
  return page(`${span.name}, ${instantText(span.fromMs)}`, assets, {
    data: {
      startedAtMs: span.fromMs,
      clockFactor: 1,
      clockName: 'UTC',
      secondsPerInterval,
      seconds,
      intervals: intervals.length,
      cellsPerDecade: 1,
      bands: bandsOf(span),
      charts,
    },
    body: html`${pageTop(span.name, html`<p class="question">${instantText(span.fromMs)} to ${instantText(span.toMs)} UTC</p>`)}${contents(main, history.operations)}<main>
${main}</main>
`,
  });
}

function instantText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}

/** Only charts over time: heat maps and spectra need more than what is kept of each interval. */
function timeChartsOf(history: History, operation: MeasuredOperation): readonly TimeChart[] {
  return operationCharts(history, operation).flatMap((chart) => {
    if (chart.kind !== 'time') return [];
    const lines = chart.lines.filter(({ values }) => values.some((value) => value !== null));
    return [{ ...chart, lines }];
  });
}

/** Intervals without figures stay empty. */
function historyOf({ fromMs, toMs, secondsPerInterval, rows }: FleetSpan): History {
  const seconds = Math.max(secondsPerInterval, (toMs - fromMs) / 1000);
  const intervals = Array.from({ length: Math.ceil(seconds / secondsPerInterval) }, emptyInterval);
  for (const { atMs, figures } of rows) {
    const index = Math.floor((atMs - fromMs) / 1000 / secondsPerInterval);
    if (index in intervals) intervals[index] = intervalOf(figures, index);
  }
  const operations = new Set(rows.flatMap(({ figures }) => figures.operations.map(({ operation }) => operation)));
  return { secondsPerInterval, seconds, intervals, operations: [...operations] };
}

function intervalOf(
  { agents, inFlight, listening, down, generator, operations }: FleetFigures,
  index: number,
): Interval {
  const activity = operations.map((own): [MeasuredOperation, IntervalActivity] => [
    own.operation,
    {
      planned: own.planned,
      started: own.started,
      dropped: tallySum(own.dropped),
      sentBytes: own.sentBytes,
      receivedBytes: own.receivedBytes,
      outcomes: new Map(Object.entries(own.outcomes)),
      p50Ms: own.responseMs?.p50,
      p99Ms: own.responseMs?.p99,
      maxMs: own.responseMs?.max,
      serviceP99Ms: undefined,
      delayP99Ms: undefined,
      delayMaxMs: undefined,
      unanswered: 0,
      cells: new Map(),
    },
  ]);
  return {
    ...emptyInterval(),
    lastSecond: index,
    agents,
    inFlight,
    listening,
    down,
    busiestLoop: generator.busiestLoopUtilization,
    activity: new Map(activity),
  };
}

function delayChart({ fromMs, rows }: FleetSpan, { intervals, secondsPerInterval }: History): TimeChart {
  const indexOf = (atMs: number): number => Math.floor((atMs - fromMs) / 1000 / secondsPerInterval);
  const delays = new Map(rows.map(({ atMs, figures }) => [indexOf(atMs), figures.generator.delayP99Ms ?? null]));
  const values = intervals.map((_, index) => delays.get(index) ?? null);
  const line: ChartLine = { label: 'p99', color: 'red', dash: [8, 4], values };
  return { kind: 'time', id: 'scheduling-delay', title: 'Scheduling delay', unit: 'milliseconds', lines: [line] };
}

function bandsOf({ events, fromMs, toMs }: FleetSpan): Band[] {
  return events.map(({ name, ...span }) => ({
    kind: 'event',
    label: name,
    fromSeconds: Math.max(0, span.fromMs - fromMs) / 1000,
    toSeconds: (Math.min(toMs, span.toMs) - fromMs) / 1000,
  }));
}

/** Percentiles of all answers of the span together. */
function figuresSection({ whole }: FleetSpan): Markup {
  const rows = (whole?.operations ?? []).map(({ operation, planned, succeeded, failed, dropped, responseMs }) => [
    html`<code>${operation}</code>`,
    ...[planned, succeeded, failed, tallySum(dropped)].map((count) => figure(count, exactCount)),
    figure(succeeded / (whole?.seconds ?? 1), rateText),
    ...(['p50', 'p95', 'p99', 'max'] as const).map((key) => figure(responseMs?.[key], latencyText)),
  ]);
  const content =
    rows.length === 0
      ? html`<p>No figures are kept of this time.</p>`
      : table('Operations', ['operation', ...OPERATION_HEADINGS], rows);
  return pageSection('figures', 'Operations', content);
}

function failuresSection({ whole }: FleetSpan): Markup {
  const failures = reasonsOfFailures(whole?.operations);
  if (failures.length === 0) return NOTHING;
  const rows = failures.map(({ operation, reason, count, share }): HtmlCell[] => [
    html`<code class="bad">${reason}</code>`,
    html`<code>${operation}</code>`,
    figure(count, exactCount),
    figure(share, shareText),
  ]);
  return pageSection('failures', 'Failures', table('Failures', ['reason', 'operation', 'count', 'of planned'], rows));
}

function eventsSection({ events }: FleetSpan): Markup {
  if (events.length === 0) return NOTHING;
  const rows = events.map(({ name, fromMs, toMs }) => [
    html`<code>${name}</code>`,
    instantText(fromMs),
    Number.isFinite(toMs) ? instantText(toMs) : '–',
  ]);
  return pageSection('events', 'Events', table('Events', ['event', 'from', 'to'], rows));
}

const COLUMNS = [
  ...['timestamp', 'seconds', 'operation', 'planned', 'started', 'dropped', 'succeeded', 'failed'],
  ...['sent_bytes', 'received_bytes', 'response_p50_ms', 'response_p95_ms', 'response_p99_ms', 'response_max_ms'],
];

/** The intervals of a span as a table: one row for each operation with activity. */
export function fleetCsv({ rows }: FleetSpan): string {
  const lines = rows.flatMap(({ atMs, figures }) =>
    figures.operations.map((own) => {
      const { operation, planned, started, dropped, succeeded, failed, sentBytes, receivedBytes, responseMs } = own;
      const times = [responseMs?.p50, responseMs?.p95, responseMs?.p99, responseMs?.max].map((time) => time ?? '');
      const counts = [planned, started, tallySum(dropped), succeeded, failed, sentBytes, receivedBytes];
      return [new Date(atMs).toISOString(), figures.seconds, operation, ...counts, ...times].join(',');
    }),
  );
  return `${[COLUMNS.join(','), ...lines].join('\n')}\n`;
}
