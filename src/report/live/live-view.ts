import type { RecentActivity } from '../../metrics/merging/run-watch.ts';
import { allErrorsLine, droppedLine, errorsLine, newestErrorLine } from './error-lines.ts';
import { agentsLine, generatorLine, responseLine } from './figure-lines.ts';
import { headLine } from './head-line.ts';
import type { LiveRun } from './live-run.ts';
import { loadTable, loadText } from './load-table.ts';
import { cut, labelledParts, type Screen } from './screen.ts';

/** A line and how soon it goes where there are too few rows: the highest rank first. */
type Ranked = { readonly line: string; readonly rank: number };

const RANKS = {
  ...{ head: 0, load: 1, errors: 2, response: 3, generator: 4, agents: 5 },
  ...{ dropped: 6, newestError: 7, allErrors: 8, gap: 9 },
} as const;
/** Lines that count for more than a row for each operation. */
const ESSENTIAL = 4;
const MOST_COLUMNS = 100;

/** How a run is doing just now, in lines for a terminal: what matters least is left out where there is no room. */
export function liveView(run: LiveRun, room: Screen): string[] {
  const screen = { ...room, columns: Math.min(MOST_COLUMNS, room.columns) };
  const lines: readonly Ranked[] = [gap(), ...ranked('head', headLine(run, screen)), ...figures(run, screen)];
  const kept = new Set(lines.toSorted((a, b) => a.rank - b.rank).slice(0, screen.rows));
  return lines.filter((line) => kept.has(line)).map(({ line }) => cut(line, screen.columns));
}

function gap(): Ranked {
  return { line: '', rank: RANKS.gap };
}

function figures({ figures, limits }: LiveRun, screen: Screen): readonly Ranked[] {
  const { recent, operations } = figures;
  if (recent === undefined) return [];
  return [
    gap(),
    ...loadLines(operations, recent, screen).flatMap((line) => ranked('load', line)),
    gap(),
    ...ranked('agents', agentsLine(recent, screen)),
    ...ranked('response', responseLine(recent, figures, screen)),
    ...ranked('errors', errorsLine(recent, figures, screen)),
    ...ranked('allErrors', allErrorsLine(figures, screen)),
    ...ranked('newestError', newestErrorLine(figures, screen)),
    ...ranked('dropped', droppedLine(recent, screen)),
    ...ranked('generator', generatorLine(recent, limits, screen)),
  ];
}

/** A row for each operation if there is room, else for each that is at work, else one for all. */
function loadLines(
  operations: LiveRun['figures']['operations'],
  recent: RecentActivity,
  screen: Screen,
): readonly string[] {
  const active = recent.operations.map(({ operation }) => operation);
  const most = screen.rows - ESSENTIAL;
  const shown = [operations, active].find((all) => all.length > 0 && all.length < most);
  if (shown !== undefined) return loadTable(shown, recent, screen);
  return [labelledParts('load', [operations.length === 0 ? 'nothing yet' : loadText(recent, screen)], screen)];
}

function ranked(name: keyof typeof RANKS, line: string | undefined): readonly Ranked[] {
  return line === undefined ? [] : [{ line, rank: RANKS[name] }];
}
