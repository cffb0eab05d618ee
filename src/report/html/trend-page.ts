import type { MeasuredOperation } from '../../ground/protocol/operations.ts';
import { COMPARED_FIGURES, type FigureName } from '../../metrics/comparing/compare.ts';
import type { Trend, TrendRun } from '../../metrics/comparing/trend.ts';
import { VERDICTS } from '../../metrics/judging/verdict.ts';
import { FIGURE_HEADINGS } from '../comparison.ts';
import type { Unit } from '../page/chart-data.ts';
import { runCount, TREND_HEADINGS, trendCells } from '../trend.ts';
import { STYLE } from './assets.ts';
import { type Curve, curveFigure, type Mark } from './curve.ts';
import { factList, type HtmlCell, html, htmlDocument, type Markup, NOTHING, pageTop, table } from './markup.ts';
import { pageSection } from './sections.ts';

/** Link to the report of a run; `undefined` if it has none. */
type LinkOf = (run: TrendRun) => string | undefined;

/** The runs of each scenario over time, as one self-contained HTML document without scripts. */
export function trendPage(trends: readonly Trend[], linkOf: LinkOf): string {
  const counts = factList(trends.map((trend) => [trend.scenarioName, runCount(trend)]));
  const body = html`${pageTop('History of runs', counts)}<main>
${trends.map((trend, index) => scenarioSection(trend, { id: `scenario${index + 1}`, linkOf }))}</main>
`;
  return htmlDocument('History of runs', STYLE, body);
}

function scenarioSection(trend: Trend, { id, linkOf }: { id: string; linkOf: LinkOf }): Markup {
  const parts = trend.operations.map((operation) => operationPart(trend, { operation, linkOf }));
  return pageSection(
    id,
    trend.scenarioName,
    html`${parts}<p class="note">Runs from the oldest to the newest, over their counted phases. ● passed or done, ✕ threshold crossed, ○ invalid, interrupted, incomplete or unreachable: the figures say little about the server.</p>`,
  );
}

function operationPart(trend: Trend, { operation, linkOf }: { operation: MeasuredOperation; linkOf: LinkOf }): Markup {
  const caption = `${operation} of ${trend.scenarioName}`;
  const rows = trend.runs.map((run) => trendRow(run, { operation, linkOf }));
  return html`<h3>${operation}</h3>
${chartsOf(trend, operation)}${table(caption, ['run', ...TREND_HEADINGS, 'changed since the run before'], rows)}`;
}

function trendRow(run: TrendRun, { operation, linkOf }: { operation: MeasuredOperation; linkOf: LinkOf }): HtmlCell[] {
  const link = linkOf(run);
  const [muster = '', verdict = '', ...figures] = trendCells(run, operation);
  return [
    link === undefined ? run.runId : html`<a href="${link}">${run.runId}</a>`,
    muster,
    html`<span class="${VERDICTS[run.verdict].tone}">${verdict}</span>`,
    ...figures,
    run.changes.join(', '),
  ];
}

const UNITS: Readonly<Partial<Record<FigureName, Unit>>> = { rate: 'per second', errors: 'percent' };

function chartsOf({ runs }: Trend, operation: MeasuredOperation): Markup {
  if (runs.length < 2) return NOTHING;
  const curves = COMPARED_FIGURES.map((figure): Curve => {
    const marks = runs.flatMap((run, x): Mark[] => {
      const value = run.figures[operation]?.[figure];
      const y = figure === 'errors' && value !== undefined ? 100 * value : value;
      return y === undefined ? [] : [{ x, y, tone: VERDICTS[run.verdict].tone, xText: run.startedAt.slice(0, 10) }];
    });
    const title = `${operation} ${FIGURE_HEADINGS[figure]}`;
    const unit = UNITS[figure] ?? 'milliseconds';
    return { title, scales: { x: 'linear', y: 'linear' }, unit, limit: undefined, marks };
  });
  return html`<div class="charts">${curves.map(curveFigure)}</div>
`;
}
