import { counted } from '../../base/kernel/units.ts';
import type { MeasuredOperation } from '../../base/protocol/operations.ts';
import {
  COMPARED_FIGURES,
  type ComparedFigure,
  type Comparison,
  type ComparisonVerdict,
  type FigureName,
} from '../../metrics/comparing/compare.ts';
import type { Trend, TrendRun } from '../../metrics/comparing/trend.ts';
import { VERDICTS } from '../../metrics/judging/verdict.ts';
import {
  COMPARED_RUN_HEADINGS,
  COMPARISON_HEADINGS,
  COMPARISON_TONES,
  type ComparisonFacts,
  comparedRunRows,
  comparisonRow,
  comparisonVerdictText,
  explanations,
  figureHeading,
  regressionsOf,
} from '../comparison.ts';
import type { Unit } from '../page/chart-data.ts';
import { TREND_HEADINGS, trendCells } from '../trend.ts';
import { STYLE } from './assets.ts';
import { type Curve, curveFigure, type Mark } from './curve.ts';
import {
  factList,
  type HtmlCell,
  html,
  htmlDocument,
  list,
  MAX_TABLE_ROWS,
  type Markup,
  NOTHING,
  pageSection,
  pageTop,
  table,
} from './markup.ts';

/** A comparison as one self-contained HTML document without scripts. */
export function comparisonPage(comparison: Comparison, facts: ComparisonFacts): string {
  const { scenarioName, base, candidate } = facts;
  const runs = factList([
    ['base', counted(base.length, 'run')],
    ['candidate', counted(candidate.length, 'run')],
  ]);
  const body = html`${pageTop(`${scenarioName}: base and candidate`, runs)}<main>
${verdictSection(comparison, facts)}${figuresSection(comparison)}${pageSection(
  'runs',
  'Runs',
  table('Runs of both sides', COMPARED_RUN_HEADINGS, comparedRunRows(facts)),
)}${pageSection(
  'reading',
  'How to read it',
  html`${factList(explanations(facts))}
<p>In the last column, the band is the noise around the base, and the mark is the candidate: right of the band is worse, left of it is better.</p>`,
)}</main>
`;
  return htmlDocument(`${headlineOf(comparison.verdict)} · ${scenarioName}`, STYLE, body);
}

function headlineOf(verdict: ComparisonVerdict): string {
  const words = comparisonVerdictText(verdict);
  return `${COMPARISON_TONES[verdict.kind].sign} ${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}

function verdictSection(comparison: Comparison, { warnings }: ComparisonFacts): Markup {
  const regressions = regressionsOf(comparison);
  const { verdict } = comparison;
  const isDoubtful = verdict.kind === 'no_regression' && (warnings.length > 0 || verdict.unseen !== undefined);
  const kind = isDoubtful ? 'caution' : COMPARISON_TONES[verdict.kind].tone;
  const worse = regressions.map((figure) => {
    const [phase, operation, name, base, candidate, change] = comparisonRow(figure);
    return `${operation} in ${phase}: ${name} ${base} → ${candidate} (${change})`;
  });
  return html`<section class="verdict ${kind}" aria-labelledby="verdict">
<h2 id="verdict">${headlineOf(verdict)}</h2>
${list(worse)}${list(warnings)}</section>
`;
}

function figuresSection({ figures }: Comparison): Markup {
  if (figures.length === 0)
    return pageSection('compared', 'Figures', html`<p>Base and candidate have nothing in common.</p>`);
  const headings = [...COMPARISON_HEADINGS.slice(0, -1), 'judgment', 'worse →'];
  return pageSection('compared', 'Figures', table('Compared figures', headings, figures.map(figureRow)));
}

const COLORS = { better: 'good', regression: 'bad', within_tolerance: 'plain', cannot_tell: 'caution' } as const;

function figureRow(compared: ComparedFigure): HtmlCell[] {
  const cells = comparisonRow(compared);
  const kind = COLORS[compared.judgment];
  const words = html`<span class="${kind}">${cells.at(-1) ?? ''}</span>`;
  return [
    ...cells.slice(0, -1),
    compared.judgment === 'regression' ? html`<strong>${words}</strong>` : words,
    compared.noise === undefined ? html`` : drift(compared, compared.noise, kind),
  ];
}

/** Multiples of the noise to draw on each side of the base. */
const DRAWN_NOISE = 4;

/** Draws where the candidate is within the noise around the base; the table has the figures. */
function drift({ figure, base, candidate }: ComparedFigure, noise: number, kind: string): Markup {
  const worse = figure === 'rate' ? base - candidate : candidate - base;
  const inNoise = worse === 0 ? 0 : worse / noise;
  const position = Math.max(-1, Math.min(1, inNoise / DRAWN_NOISE));
  return html`<span class="drift ${kind}" aria-hidden="true" style="--place:${position.toFixed(3)}"></span>`;
}

/** Link to the report of a run; `undefined` if it has none. */
type LinkOf = (run: TrendRun) => string | undefined;

/** The runs of each scenario over time, as one self-contained HTML document without scripts. */
export function trendPage(trends: readonly Trend[], linkOf: LinkOf): string {
  const tables = trends.reduce((sum, { operations }) => sum + operations.length, 0);
  // All rows of the page together, the newest runs.
  const most = Math.max(1, Math.floor(MAX_TABLE_ROWS / Math.max(1, tables)));
  const counts = factList(trends.map((trend) => [trend.scenarioName, counted(trend.runs.length, 'run')]));
  const body = html`${pageTop('History of runs', counts)}<main>
${trends.map((trend, index) => scenarioSection(trend, { id: `scenario${index + 1}`, most, linkOf }))}</main>
`;
  return htmlDocument('History of runs', STYLE, body);
}

function scenarioSection(trend: Trend, { id, ...shown }: { id: string; most: number; linkOf: LinkOf }): Markup {
  const parts = trend.operations.map((operation) => operationPart(trend, { operation, ...shown }));
  const isCut = trend.runs.length > shown.most;
  const cut = html`<p class="note">The charts show all ${trend.runs.length} runs, the tables the newest ${shown.most}; muster history --json has all, and --last fewer.</p>`;
  return pageSection(
    id,
    trend.scenarioName,
    html`${isCut ? cut : NOTHING}${parts}<p class="note">Runs from the oldest to the newest, over their counted phases. ● passed or done, ✕ threshold crossed, ○ invalid, interrupted, incomplete or unreachable: the figures say little about the server.</p>`,
  );
}

function operationPart(
  trend: Trend,
  { operation, most, linkOf }: { operation: MeasuredOperation; most: number; linkOf: LinkOf },
): Markup {
  const caption = `${operation} of ${trend.scenarioName}`;
  const rows = trend.runs.slice(-most).map((run) => trendRow(run, { operation, linkOf }));
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
    const title = `${operation} ${figureHeading(figure)}`;
    const unit = UNITS[figure] ?? 'milliseconds';
    return { title, scales: { x: 'linear', y: 'linear' }, unit, limit: undefined, marks };
  });
  return html`<div class="charts">${curves.map(curveFigure)}</div>
`;
}
