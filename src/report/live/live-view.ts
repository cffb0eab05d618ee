import stringWidth from 'string-width';
import { formatDuration } from '../../base/kernel/units.ts';
import type { ValidityLimits } from '../../metrics/judging/validity-schema.ts';
import type { ClusterMachine } from '../../metrics/merging/cluster-machine.ts';
import type { LiveFigures, RecentActivity } from '../../metrics/merging/run-watch.ts';
import {
  agentsLine,
  allErrorsLine,
  droppedLine,
  errorsLine,
  generatorLine,
  listenersLine,
  loadTable,
  machinesLine,
  newestErrorLine,
  responseLine,
  totalLoadText,
  waitingLine,
} from './figure-lines.ts';
import { cut, labeledParts, marginOf, type Screen } from './screen.ts';

/** State of a run in progress. */
export type LiveRun = {
  readonly name: string;
  /** The base URLs of the target, for messages. */
  readonly target: string;
  /** Infinity for a run that only ends when interrupted. */
  readonly totalMs: number;
  /** Phase of the last second, counted from 1; `undefined` before the first and after the last phase. */
  readonly phase: { readonly name: string; readonly number: number; readonly of: number } | undefined;
  /** Time of the hosts' clocks, such as `06:12`; `undefined` if they show the real time. */
  readonly hostTime?: string | undefined;
  /** Current events, with their remaining time. */
  readonly events: readonly { readonly name: string; readonly leftMs: number }[];
  readonly limits: ValidityLimits;
  readonly figures: LiveFigures;
  /** Those of a cluster; empty for a single machine. */
  readonly machines: readonly ClusterMachine[];
};

/** How much of the timeline has passed; operations in flight at its end may take longer. */
export function elapsedMsOf({ totalMs, figures }: LiveRun): number {
  return Math.min(totalMs, figures.elapsedSeconds * 1000);
}

export function isEndless({ totalMs }: Pick<LiveRun, 'totalMs'>): boolean {
  return totalMs === Number.POSITIVE_INFINITY;
}

/** What agents try in vain; `undefined` once something has reached the target. */
export function unreachedText(run: LiveRun): string | undefined {
  if (!run.figures.reachesNothing) return undefined;
  return `nothing has reached ${run.target} in ${wholeSecondsText(elapsedMsOf(run))}; agents keep trying`;
}

/** Rounds up, so that the remaining time is zero only at the end. */
export function wholeSecondsText(milliseconds: number): string {
  return formatDuration(Math.ceil(milliseconds / 1000) * 1000);
}

/** A line and its rank; lines with the highest ranks are omitted first if there are too few rows. */
type Ranked = { readonly line: string; readonly rank: number };

const RANKS = {
  head: 0,
  load: 1,
  target: 2,
  errors: 2,
  response: 3,
  generator: 4,
  waiting: 4,
  agents: 5,
  events: 6,
  machines: 6,
  listeners: 7,
  dropped: 8,
  newestError: 9,
  allErrors: 10,
  gap: 11,
} as const;
/** Lines that take precedence over a row per operation. */
const ESSENTIAL = 4;
const MAX_COLUMNS = 100;

/** The current state of a run as lines for a terminal. Omits the least important lines if there is no room. */
export function liveView(run: LiveRun, room: Screen): string[] {
  const screen = { ...room, columns: Math.min(MAX_COLUMNS, room.columns) };
  const lines: readonly Ranked[] = [gap(), ...ranked('head', headLine(run, screen)), ...figureLines(run, screen)];
  const kept = new Set(lines.toSorted((a, b) => a.rank - b.rank).slice(0, screen.rows));
  return lines.filter((line) => kept.has(line)).map(({ line }) => cut(line, screen.columns));
}

function gap(): Ranked {
  return { line: '', rank: RANKS.gap };
}

function figureLines(run: LiveRun, screen: Screen): readonly Ranked[] {
  const { figures, limits, events } = run;
  const { recent, operations } = figures;
  if (recent === undefined) return [];
  const unreached = unreachedText(run);
  return [
    gap(),
    ...loadLines(operations, recent, screen).flatMap((line) => ranked('load', line)),
    gap(),
    ...ranked('target', unreached && labeledParts('target', [screen.bad(unreached)], screen)),
    ...ranked('events', eventsLine(events, screen)),
    ...ranked('agents', agentsLine(recent, screen)),
    ...ranked('listeners', listenersLine(figures, screen)),
    ...ranked('waiting', waitingLine(recent, screen)),
    ...ranked('response', responseLine(recent, figures, screen)),
    ...ranked('errors', errorsLine(recent, figures, screen)),
    ...ranked('allErrors', allErrorsLine(figures, screen)),
    ...ranked('newestError', newestErrorLine(figures, screen)),
    ...ranked('dropped', droppedLine(recent, screen)),
    ...ranked('generator', generatorLine(recent, limits, screen)),
    ...ranked('machines', machinesLine(run.machines, limits, screen)),
  ];
}

/** One row per operation if they fit, otherwise one per active operation, otherwise one for all. */
function loadLines(
  operations: LiveRun['figures']['operations'],
  recent: RecentActivity,
  screen: Screen,
): readonly string[] {
  const active = recent.operations.map(({ operation }) => operation);
  const most = screen.rows - ESSENTIAL;
  const shown = [operations, active].find((all) => all.length > 0 && all.length < most);
  if (shown !== undefined) return loadTable(shown, recent, screen);
  return [labeledParts('load', [operations.length === 0 ? 'nothing yet' : totalLoadText(recent, screen)], screen)];
}

/** `events    cable 3s · wave 12s left`; no line without events. */
function eventsLine(events: LiveRun['events'], screen: Screen): string | undefined {
  if (events.length === 0) return undefined;
  const [ending, lasting] = [events.filter(isEnding), events.filter((event) => !isEnding(event))];
  const parts = ending.map(({ name, leftMs }) => `${cut(name, MAX_NAME_COLUMNS)} ${wholeSecondsText(leftMs)}`);
  const last = parts.at(-1);
  return labeledParts(
    'events',
    [
      ...lasting.map(({ name }) => cut(name, MAX_NAME_COLUMNS)),
      ...parts.slice(0, -1),
      ...(last === undefined ? [] : [`${last} left`]),
    ],
    screen,
  );
}

function isEnding({ leftMs }: LiveRun['events'][number]): boolean {
  return Number.isFinite(leftMs);
}

function ranked(name: keyof typeof RANKS, line: string | undefined): readonly Ranked[] {
  return line === undefined ? [] : [{ line, rank: RANKS[name] }];
}

const GAP = '  ';
const MIN_BAR_COLUMNS = 8;
const MAX_NAME_COLUMNS = 24;

/** Name, phase, progress, and remaining time. */
function headLine(run: LiveRun, screen: Screen): string {
  const name = screen.strong(cut(run.name, MAX_NAME_COLUMNS));
  const phase = phaseText(run);
  if (isEndless(run))
    return `${marginOf(screen)}${[name, phase, `up ${wholeSecondsText(elapsedMsOf(run))}`].join(GAP)}`;
  const time = timeText(run, ` of ${wholeSecondsText(run.totalMs)}`);
  const ways: readonly [string[], string][] = [
    [[name, phase], time],
    [[phase], time],
    [[phase], timeText(run, '')],
  ];
  for (const [before, after] of ways) {
    const start = `${marginOf(screen)}${before.join(GAP)}${GAP}`;
    const columns = screen.columns - stringWidth(start) - stringWidth(GAP) - after.length;
    if (columns >= MIN_BAR_COLUMNS) return `${start}${bar(shareOf(run), columns, screen)}${GAP}${after}`.trimEnd();
  }
  return `${marginOf(screen)}${phase}${GAP}${timeText(run, '').trim()}`;
}

/** `steady 3/3`, without a number if there is only one phase. If hosts have clocks of their own: `steady 3/3  06:12`. */
function phaseText({ phase, figures, hostTime }: LiveRun): string {
  if (phase === undefined) return figures.elapsedSeconds === 0 ? 'starting' : 'finishing';
  const name = cut(phase.name, MAX_NAME_COLUMNS);
  const text = phase.of === 1 ? name : `${name} ${phase.number}/${phase.of}`;
  return hostTime === undefined ? text : `${text}${GAP}${hostTime}`;
}

/** Has the same width every second, so that the bar before it does not move. */
function timeText(run: LiveRun, ofTotal: string): string {
  const leftMs = run.totalMs - elapsedMsOf(run);
  const widest = Math.max(
    wholeSecondsText(run.totalMs).length,
    wholeSecondsText(Math.max(0, run.totalMs - 1000)).length,
  );
  const left = leftMs > 0 ? `${wholeSecondsText(leftMs)}${ofTotal} left` : 'last answers';
  return `${Math.floor(shareOf(run) * 100)}%`.padStart(4) + GAP + left.padEnd(widest + `${ofTotal} left`.length);
}

function bar(share: number, columns: number, { faint }: Screen): string {
  const done = Math.floor(share * columns);
  return `${'█'.repeat(done)}${faint('░'.repeat(columns - done))}`;
}

function shareOf(run: LiveRun): number {
  return run.totalMs === 0 ? 1 : elapsedMsOf(run) / run.totalMs;
}
