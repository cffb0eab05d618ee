import { formatBytes } from '../base/kernel/units.ts';
import type { PullOperation } from '../base/protocol/operations.ts';
import { failedCount, failuresOf, finishedCount, sumTotals, type Totals } from '../metrics/merging/totals.ts';
import { type Histogram, percentileMs, valueCount } from '../metrics/recording/histogram.ts';
import { tallyText } from './figures.ts';
import { countText, latencyText } from './page/figures.ts';

/** Agents of a polling server, by progress. */
export type PulledAgents = {
  readonly agents: number;
  readonly exchanged: number;
  readonly configured: number;
  readonly answering: number;
  readonly states: Readonly<Record<string, number>>;
};

export type PulledOperation = { readonly operation: PullOperation; readonly totals: Totals };

/** `pulled: exchange 12, poll 16  p99 8.1 ms  failed: timeout 3  agents: answering 57, failing 3`: operations that ended within a second. */
export function pullLine(agents: PulledAgents, second: readonly PulledOperation[]): string {
  const sum = sumTotals(second.map(({ totals }) => totals));
  const ended = tallyText(
    Object.fromEntries(second.map(({ operation, totals }) => [operation, finishedCount(totals)])),
  );
  return [
    `pulled: ${ended === '' ? 'nothing' : ended}`,
    ...percentiles(sum.histograms.response, [99]),
    ...failed(sum),
    `agents: ${tallyText(agents.states)}`,
  ].join('  ');
}

/** Closing summary of a polling server: its agents, and one line per operation. */
export function pullSummary(agents: PulledAgents, operations: readonly PulledOperation[]): string {
  const { agents: count, exchanged, configured, answering, states } = agents;
  const lines = operations.map(({ operation, totals }) =>
    [
      `  ${operation.padEnd(14)}${countText(finishedCount(totals) - failedCount(totals))} ok`,
      ...percentiles(totals.histograms.response, [50, 95, 99]),
      ...failed(totals),
    ].join('  '),
  );
  const polled = `Agents polled: ${count} (with certificates: ${exchanged}, configured: ${configured}, answering last: ${answering})`;
  return [`${polled}; ${tallyText(states)}`, ...lines].join('\n');
}

function percentiles(histogram: Histogram, wanted: readonly number[]): string[] {
  if (valueCount(histogram) === 0) return [];
  return wanted.map((percentile) => `p${percentile} ${latencyText(percentileMs(histogram, percentile) ?? 0)}`);
}

function failed({ outcomes }: Totals): string[] {
  const text = tallyText(failuresOf(outcomes));
  return text === '' ? [] : [`failed: ${text}`];
}

/** Counts of a monitoring server since its start. */
export type ServerFigures = {
  readonly registrations: number;
  readonly openConnections: number;
  readonly receivedBytes: number;
  /** Answers by endpoint and status. */
  readonly answers: Readonly<Record<string, Readonly<Record<number, number>>>>;
};

/** One line about a server: traffic since the counts of some seconds ago, or since its start. */
export function serverLine(
  now: ServerFigures,
  earlier: { before: ServerFigures; seconds: number } | undefined,
): string {
  const received = now.receivedBytes - (earlier?.before.receivedBytes ?? 0);
  const answers = answerParts(now, earlier?.before);
  const parts = [
    `agents registered: ${countText(now.registrations)}`,
    `connections: ${countText(now.openConnections)}`,
    earlier === undefined ? formatBytes(received) : `${formatBytes(received / earlier.seconds)}/s`,
    ...answers,
    ...(earlier === undefined || earlier.seconds === 1 || answers.length === 0 ? [] : [`in ${earlier.seconds} s`]),
  ];
  return parts.join('  ');
}

function answerParts({ answers }: ServerFigures, before: ServerFigures | undefined): string[] {
  return Object.entries(answers).flatMap(([endpoint, byStatus]) => {
    const counts = Object.entries(byStatus)
      .map(([status, count]) => [status, count - (before?.answers[endpoint]?.[Number(status)] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .map(([status, count]) => `${status} × ${countText(count)}`);
    return counts.length === 0 ? [] : [`${endpoint} ${counts.join(', ')}`];
  });
}
