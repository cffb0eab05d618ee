import { printable } from '../ground/kernel/printable.ts';
import { counted } from '../ground/kernel/units.ts';
import type { MeasuredOperation } from '../ground/protocol/operations.ts';
import { COMPARED_FIGURES } from '../metrics/comparing/compare.ts';
import type { Trend, TrendRun } from '../metrics/comparing/trend.ts';
import { VERDICTS } from '../metrics/judging/verdict.ts';
import { FIGURE_HEADINGS, valueText } from './comparison.ts';
import { fittedTable, hanging, type Page, type TableLine, unpainted } from './layout.ts';
import { VERDICT_WORDS } from './verdict-line.ts';

/** Headings of `trendCells`. */
export const TREND_HEADINGS = ['Muster', 'verdict', ...COMPARED_FIGURES.map((figure) => FIGURE_HEADINGS[figure])];

/** Version, verdict, and figures of an operation, as text. */
export function trendCells(run: TrendRun, operation: MeasuredOperation): readonly string[] {
  const figures = COMPARED_FIGURES.map((figure) => {
    const value = run.figures[operation]?.[figure];
    return value === undefined ? '-' : valueText(figure, value);
  });
  return [printable(run.muster), VERDICT_WORDS[run.verdict], ...figures];
}

export function runCount({ runs }: Trend): string {
  return counted(runs.length, 'run');
}

/** Runs of a scenario, one per line, each followed by what changed since the previous run. */
export function trendText(trend: Trend, operation: MeasuredOperation, page: Page): string {
  const headings = TREND_HEADINGS.map((text) => ({ text, paint: page.faint }));
  const lines: readonly TableLine[] = [
    { name: { text: 'run', paint: page.faint }, cells: headings },
    ...trend.runs.flatMap((run): TableLine[] => [
      { name: { text: printable(run.runId), paint: unpainted }, cells: painted(run, { operation, page }) },
      ...(run.changes.length === 0 ? [] : hanging(`changed: ${printable(run.changes.join(', '))}`, '    ', page)).map(
        (note) => ({ note }),
      ),
    ]),
  ];
  const title = `${printable(trend.scenarioName)}: ${runCount(trend)}, ${operation}`;
  return [page.strong(title), '', ...fittedTable({ headings, dispensable: DISPENSABLE }, lines, page), ''].join('\n');
}

/** Columns to omit on a narrow page, least informative first. */
const DISPENSABLE = ['p50', 'Muster', 'p95', 'errors'];

function painted(run: TrendRun, { operation, page }: { operation: MeasuredOperation; page: Page }) {
  const verdict = TREND_HEADINGS.indexOf('verdict');
  return trendCells(run, operation).map((text, column) => ({
    text,
    paint: column === verdict ? page[VERDICTS[run.verdict].tone] : unpainted,
  }));
}
