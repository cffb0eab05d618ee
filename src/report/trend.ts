import { printable } from '../base/kernel/printable.ts';
import { counted } from '../base/kernel/units.ts';
import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { COMPARED_FIGURES } from '../metrics/comparing/compare.ts';
import type { Trend, TrendRun } from '../metrics/comparing/trend.ts';
import { VERDICTS } from '../metrics/judging/verdict.ts';
import { figureHeading, valueText } from './comparison.ts';
import { fittedTable, type TableLine } from './fitted-table.ts';
import { hanging, type Page } from './layout.ts';
import { unpainted } from './palette.ts';
import { VERDICT_WORDS } from './verdict-line.ts';

/** Headings of `trendCells`. */
export const TREND_HEADINGS = ['Muster', 'verdict', ...COMPARED_FIGURES.map(figureHeading)];

/** Version, verdict, and figures of an operation, as text. */
export function trendCells(run: TrendRun, operation: MeasuredOperation): readonly string[] {
  const figures = COMPARED_FIGURES.map((figure) => {
    const value = run.figures[operation]?.[figure];
    return value === undefined ? '-' : valueText(figure, value);
  });
  return [printable(run.muster), VERDICT_WORDS[run.verdict], ...figures];
}

/** Runs of a scenario, one per line, each followed by what changed since the previous run. */
export function trendText(trend: Trend, operation: MeasuredOperation, page: Page): string {
  const verdict = TREND_HEADINGS.indexOf('verdict');
  const cells = (run: TrendRun) =>
    trendCells(run, operation).map((text, column) => {
      return { text, paint: column === verdict ? page[VERDICTS[run.verdict].tone] : unpainted };
    });
  const lines = trend.runs.flatMap((run): TableLine[] => [
    { name: { text: printable(run.runId), paint: unpainted }, cells: cells(run) },
    ...(run.changes.length === 0 ? [] : hanging(`changed: ${printable(run.changes.join(', '))}`, '    ', page)).map(
      (note) => ({ note }),
    ),
  ]);
  const title = `${printable(trend.scenarioName)}: ${counted(trend.runs.length, 'run')}, ${operation}`;
  const table = fittedTable({ name: 'run', headings: TREND_HEADINGS, dispensable: DISPENSABLE }, lines, page);
  return [page.strong(title), '', ...table, ''].join('\n');
}

/** Columns to omit on a narrow page, least informative first. */
const DISPENSABLE = ['p50', 'Muster', 'p95', 'errors'];
