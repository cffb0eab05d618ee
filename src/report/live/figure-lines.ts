import stringWidth from 'string-width';
import { formatDuration } from '../../base/kernel/units.ts';
import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import type { ValidityLimits } from '../../metrics/judging/validity-schema.ts';
import type { ClusterMachine } from '../../metrics/merging/cluster-machine.ts';
import type { LiveFigures, OperationActivity, RecentActivity } from '../../metrics/merging/run-watch.ts';
import {
  droppedCount,
  failedCount,
  failuresOf,
  finishedCount,
  succeededCount,
  type Totals,
} from '../../metrics/merging/totals.ts';
import { maxMs, percentileMs } from '../../metrics/recording/histogram.ts';
import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import { plainTally, tallySum } from '../../metrics/recording/tally.ts';
import { seenText } from '../evidence-text.ts';
import { statesText, tallyText } from '../figures.ts';
import { fittedTable, INDENT, type TextCell, tableRow } from '../fitted-table.ts';
import { countText, latencyText, rateText, shareText } from '../page/figures.ts';
import { machineCell, worstFirst } from '../page/machines.ts';
import { unpainted } from '../palette.ts';
import { firstFitting, labeledParts, marginOf, type Screen } from './screen.ts';

const GAP = '  ';
const MIN_SPARKLINE_COLUMNS = 6;

/** Agents by state, in the order of their life, and operations in flight. */
export function agentsLine({ agents, listening, down, inFlight }: RecentActivity, screen: Screen): string {
  const parts = [
    statesText(agents, listening),
    down > 0 ? screen.bad(`${countText(down)} down`) : '',
    listening > 0 ? `${countText(listening)} listening` : '',
    `${countText(inFlight)} in flight`,
  ];
  return labeledParts('agents', parts, screen);
}

// Shorter waits are in the response times of the next second.
const LONG_WAIT_MS = 2000;

/** The wait for an answer that no response time shows yet; `undefined` while none is long. */
export function waitingLine({ inFlight, longestWaitMs = 0 }: RecentActivity, screen: Screen): string | undefined {
  if (longestWaitMs < LONG_WAIT_MS) return undefined;
  const wait = formatDuration(Math.floor(longestWaitMs / 1000) * 1000);
  return labeledParts(
    'waiting',
    [screen.caution(`${wait} for an answer: the oldest of ${countText(inFlight)} in flight`)],
    screen,
  );
}

/** Connections and requests at the agents' ports since the start; `undefined` before the first one. */
export function listenersLine({ listeners }: LiveFigures, screen: Screen): string | undefined {
  const { accepted, handshakes, late, unanswered } = listeners;
  const refused = refusedCount(listeners);
  if (accepted === 0) return undefined;
  const parts = [
    `${countText(accepted)} accepted`,
    refused > 0 ? screen.bad(`${countText(refused)} refused: ${tallyText(listeners.refused)}`) : '',
    unanswered > 0 ? screen.bad(`${countText(unanswered)} unanswered`) : '',
    late > 0 ? screen.caution(`${countText(late)} late`) : '',
    handshakes > 0 ? `${countText(handshakes)} handshakes` : '',
  ];
  return labeledParts('listeners', parts, screen);
}

/** Response times of the last few seconds, and the recent course of the p99. */
export function responseLine(
  { totals, seconds }: RecentActivity,
  { responseP99sMs }: LiveFigures,
  screen: Screen,
): string {
  const isOfFailures = failedCount(totals) > 0 && succeededCount(totals) === 0;
  const [p50 = '-', p99 = '-', max = '-'] = latencies(totals);
  const parts = [`p50 ${p50}`, `p99 ${p99}`, `max ${max}`, isOfFailures ? screen.caution('of failures alone') : ''];
  const known = finishedCount(totals) > 0 ? parts : [`nothing finished in ${seconds} s`];
  const line = labeledParts('response', known, screen);
  return `${line}${history(responseP99sMs, screen.columns - stringWidth(line), screen)}`;
}

/** The p99 of as many seconds as fit, with their number if that fits, too. */
function history(p99sMs: LiveFigures['responseP99sMs'], columns: number, { faint }: Screen): string {
  const room = columns - GAP.length;
  const label = ` p99, ${p99sMs.length} s`;
  if (room < MIN_SPARKLINE_COLUMNS || p99sMs.every((ms) => ms === undefined)) return '';
  if (room < MIN_SPARKLINE_COLUMNS + label.length) return `${GAP}${sparkline(p99sMs.slice(-room))}`;
  const shown = p99sMs.slice(label.length - room);
  return `${GAP}${sparkline(shown)}${faint(` p99, ${shown.length} s`)}`;
}

/** Whether the generator keeps up, by the criteria that make a run invalid or cause a warning. */
export function generatorLine(
  { totals, busiestLoopUtilization }: RecentActivity,
  limits: ValidityLimits,
  screen: Screen,
): string {
  const delayMs = percentileMs(totals.histograms.delay, 99);
  return labeledParts(
    'generator',
    [delayText(delayMs, limits, screen), busyText(busiestLoopUtilization, limits, screen)],
    screen,
  );
}

function delayText(p99Ms: number | undefined, { schedulingDelayMs: limitMs }: ValidityLimits, { bad }: Screen): string {
  if (p99Ms === undefined) return '';
  const text = `scheduling delay p99 ${latencyText(p99Ms)}`;
  return p99Ms > limitMs ? bad(`${text}, limit ${latencyText(limitMs)}`) : text;
}

function busyText(utilization: number | undefined, { busyShare }: ValidityLimits, { caution }: Screen): string {
  if (utilization === undefined) return '';
  const text = `busiest worker ${shareText(utilization)}`;
  return utilization > busyShare ? caution(`${text}, no reserve`) : text;
}

/** As many machines of a cluster as fit, those that keep up worst first; no line for a single machine. */
export function machinesLine(
  machines: readonly ClusterMachine[],
  { schedulingDelayMs: limitMs }: ValidityLimits,
  screen: Screen,
): string | undefined {
  if (machines.length === 0) return undefined;
  const parts = worstFirst(machines).map((machine) => {
    const delay = machineCell(machine, 'scheduling delay p99');
    const text = `${machine.name} ${machineCell(machine, 'rate')} p99 ${delay} busy ${machineCell(machine, 'busiest worker')}`;
    return (machine.figures?.schedulingDelayP99Ms ?? 0) > limitMs ? screen.bad(text) : text;
  });
  return labeledParts('machines', parts, screen);
}

/** Failures of the last few seconds, with their reasons. */
export function errorsLine({ totals, seconds }: RecentActivity, { failures }: LiveFigures, screen: Screen): string {
  const tally = failuresOf(totals.outcomes);
  const failed = failedCount(totals);
  const hadAny = Object.keys(failures).length > 0;
  if (failed === 0) return labeledParts('errors', [hadAny ? `none in ${seconds} s` : 'none'], screen);
  const span = ` in ${seconds} s (${shareText(failed / finishedCount(totals))})`;
  return labeledParts('errors', [screen.bad(reasonsText(tally, span, screen))], screen);
}

/** Failures since the start; `undefined` if there are none. */
export function allErrorsLine({ failures, finished }: LiveFigures, screen: Screen): string | undefined {
  const failed = tallySum(failures);
  if (failed === 0) return undefined;
  const span = ` (${shareText(failed / finished)})`;
  return labeledParts('so far', [reasonsText(failures, span, screen)], screen);
}

/** The most recent new kind of error, with its first time and evidence; `undefined` if there was none. */
export function newestErrorLine({ newestFailure }: LiveFigures, screen: Screen): string | undefined {
  if (newestFailure === undefined) return undefined;
  const { operation, outcome, second, evidence } = newestFailure;
  const what = `${outcome} of ${operation}, ${second === 0 ? 'from the start' : `first at ${formatDuration(second * 1000)}`}`;
  const seen = evidence && `agent ${evidence.agent}: ${seenText(evidence)}`;
  return labeledParts('newest', [seen === undefined ? what : `${what}, ${seen}`], screen);
}

/** Dropped operations of the last few seconds, with their reasons; `undefined` if there are none. */
export function droppedLine({ totals, seconds }: RecentActivity, screen: Screen): string | undefined {
  if (droppedCount(totals) === 0) return undefined;
  const text = reasonsText(plainTally(totals.dropped), ` in ${seconds} s`, screen);
  return labeledParts('dropped', [screen.caution(text)], screen);
}

/** `12 in 3 s (2.0%): timeout 12`; the reasons take precedence if that is too long. */
function reasonsText(tally: Readonly<Record<string, number>>, span: string, screen: Screen): string {
  const count = countText(tallySum(tally));
  return firstFitting([`${count}${span}: ${tallyText(tally)}`, `${count}: ${tallyText(tally)}`], screen);
}

const HEADINGS = ['planned/s', 'achieved/s', 'failed/s', 'dropped/s', 'p50', 'p99', 'max'];
const DISPENSABLE = ['max', 'p50', 'dropped/s', 'failed/s', 'p99', 'planned/s'];
// The widest value, so that columns do not shift from second to second.
const LATENCY_COLUMNS = 8;
// Below this, operations in flight look like a shortfall.
const SHORTFALL = { share: 0.05, perSecond: 1 };

/** One row per operation: planned and achieved work of the last few seconds. */
export function loadTable(operations: readonly MeasuredOperation[], recent: RecentActivity, screen: Screen): string[] {
  const active = new Map(recent.operations.map((entry) => [entry.operation, entry]));
  const lines = operations.map((operation) => {
    const entry = active.get(operation);
    if (entry !== undefined) return row(entry, recent.seconds, screen);
    return tableRow(operation, Array(HEADINGS.length).fill('-'), screen.faint);
  });
  // Without a margin elsewhere, the table has none either.
  const surplus = INDENT - marginOf(screen).length;
  const page = { ...screen, columns: screen.columns + surplus };
  const table = fittedTable({ name: 'operation', headings: HEADINGS, dispensable: DISPENSABLE }, lines, page);
  return table.map((line) => line.slice(surplus));
}

/** All operations in one line. */
export function totalLoadText({ totals, seconds }: RecentActivity, screen: Screen): string {
  const [planned, achieved] = [totals.planned / seconds, succeededCount(totals) / seconds];
  const text = `${rateText(achieved)}/s achieved of ${rateText(planned)}/s planned`;
  return isShort(planned, achieved) ? screen.caution(text) : text;
}

function row({ operation, totals }: OperationActivity, seconds: number, screen: Screen) {
  const planned = totals.planned / seconds;
  const achieved = succeededCount(totals) / seconds;
  const failed = failedCount(totals) / seconds;
  const dropped = droppedCount(totals) / seconds;
  const cells: TextCell[] = [
    { text: rateText(planned), paint: unpainted },
    { text: rateText(achieved), paint: isShort(planned, achieved) ? screen.caution : unpainted },
    { text: rateText(failed), paint: failed > 0 ? screen.bad : screen.faint },
    { text: rateText(dropped), paint: dropped > 0 ? screen.caution : screen.faint },
    ...latencies(totals).map((text) => ({ text: text?.padStart(LATENCY_COLUMNS) ?? '-', paint: unpainted })),
  ];
  return { name: { text: operation, paint: screen.strong }, cells };
}

/** p50, p99 and maximum. */
function latencies({ histograms: { response } }: Totals): (string | undefined)[] {
  const figures = [percentileMs(response, 50), percentileMs(response, 99), maxMs(response)];
  return figures.map((figure) => (figure === undefined ? undefined : latencyText(figure)));
}

function isShort(planned: number, achieved: number): boolean {
  const missing = planned - achieved;
  return missing > SHORTFALL.perSecond && missing > planned * SHORTFALL.share;
}

const LEVELS = '▁▂▃▄▅▆▇█';

/** One character per value, scaled to the largest; a space for a missing value. */
function sparkline(values: readonly (number | undefined)[]): string {
  const largest = Math.max(...values.map((value) => value ?? 0)) || 1;
  const levelOf = (value: number) => Math.min(LEVELS.length - 1, Math.floor((value / largest) * LEVELS.length));
  return values.map((value) => (value === undefined ? ' ' : LEVELS.charAt(levelOf(value)))).join('');
}
