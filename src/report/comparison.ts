import { printable } from '../base/kernel/printable.ts';
import { counted } from '../base/kernel/units.ts';
import type {
  ComparedFigure,
  Comparison,
  ComparisonPlan,
  ComparisonRules,
  ComparisonVerdict,
  FigureName,
  Unseen,
} from '../metrics/comparing/compare.ts';
import { MAX_PAIRS } from '../metrics/comparing/significance.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { fittedTable, type TableLine, tableRow } from './fitted-table.ts';
import { besideLabel, blocksText, hanging, labeledLines, type Page } from './layout.ts';
import { latencyText, rateText, shareText, utcText } from './page/figures.ts';
import { type Paint, unpainted } from './palette.ts';
import { VERDICT_WORDS } from './verdict-line.ts';

/** Identifies a run: when and on what it ran. */
type ComparedRun = {
  readonly runId: string;
  readonly startedAt: string;
  /** Version of Muster. */
  readonly muster: string;
  readonly machine: string;
};

export type ComparisonFacts = Omit<ComparisonRules, 'acceptsNoise'> & {
  readonly scenarioName: string;
  readonly base: readonly ComparedRun[];
  readonly candidate: readonly ComparedRun[];
  /** Differences between the runs, other than the server. */
  readonly warnings: readonly string[];
};

export function comparedRunOf({ runId, startedAt, environment }: Summary): ComparedRun {
  const { muster, cpuCount, cpuModel, platform } = environment;
  const machine = printable(`${cpuCount} × ${cpuModel}, ${platform}`);
  return { runId: printable(runId), startedAt, muster: printable(muster), machine };
}

export const COMPARED_RUN_HEADINGS = ['side', 'run', 'started', 'Muster', 'machine'] as const;

/** Runs of both sides, one row each, under `COMPARED_RUN_HEADINGS`. */
export function comparedRunRows({ base, candidate }: ComparisonFacts): readonly (readonly string[])[] {
  const rows = (side: string, runs: readonly ComparedRun[]): readonly (readonly string[])[] =>
    runs.map(({ runId, startedAt, muster, machine }) => [side, runId, utcText(startedAt), muster, machine]);
  return [...rows('base', base), ...rows('candidate', candidate)];
}

export const COMPARISON_HEADINGS = [
  ...['phase', 'operation', 'figure', 'base', 'candidate', 'change', 'noise', 'at worst', ''],
] as const;

export function figureHeading(figure: FigureName): string {
  return figure === 'rate' ? 'ok/s' : figure;
}

const JUDGMENTS: Readonly<Record<ComparedFigure['judgment'], string>> = {
  better: 'better',
  regression: 'REGRESSION',
  within_tolerance: 'within tolerance',
  cannot_tell: 'cannot tell',
};

/** One row of a comparison table, under `COMPARISON_HEADINGS`. */
export function comparisonRow(compared: ComparedFigure): readonly string[] {
  const { phase, operation, figure, base, candidate, noise, atWorst, judgment } = compared;
  const shown = (value: number): string => valueText(figure, value);
  return [
    ...[phase, operation, figureHeading(figure), shown(base), shown(candidate)],
    base === candidate
      ? changeText(figure, 0)
      : changeText(figure, (candidate - base) / (figure === 'errors' ? 1 : base)),
    noise === undefined ? '-' : `±${shown(noise)}`,
    atWorst === undefined ? '-' : changeText(figure, figure === 'rate' ? -atWorst : atWorst),
    JUDGMENTS[judgment],
  ];
}

/** Explains columns and words, one sentence each. */
export function explanations({ tolerance, errorTolerance }: ComparisonFacts): readonly (readonly [string, string])[] {
  return [
    ['noise', 'of 100 comparisons of unchanged servers, at most 2 show a change for the worse beyond it'],
    ['at worst', 'of 100 servers that are worse by more than this, at least 95 show more'],
    [
      'regression',
      `beyond noise and worse by more than ${shareText(tolerance)}, or ${shareText(errorTolerance)} more errors`,
    ],
  ];
}

const UNKNOWN = { tone: 'caution', sign: '?', mark: '❔' } as const;

export const COMPARISON_TONES = {
  regression: { tone: 'bad', sign: '✗', mark: '❌' },
  no_regression: { tone: 'good', sign: '✓', mark: '✅' },
  cannot_tell: UNKNOWN,
  nothing_in_common: UNKNOWN,
  untrusted: UNKNOWN,
} as const satisfies Readonly<Record<ComparisonVerdict['kind'], object>>;

export function comparisonVerdictText(verdict: ComparisonVerdict): string {
  switch (verdict.kind) {
    case 'regression':
      return 'regression';
    case 'no_regression':
      return `no regression${verdict.unseen === undefined ? '' : ` beyond noise: ${unseenText(verdict.unseen)}`}`;
    case 'cannot_tell':
      if (verdict.because === 'noise') return `cannot tell: ${unseenText(verdict.unseen)}`;
      return `cannot tell: too few runs to separate a change from noise; run at least ${verdict.leastOfEach} pairs`;
    case 'nothing_in_common':
      return 'cannot tell: base and candidate have no phase and operation in common';
    case 'untrusted': {
      const sides = (['base', 'candidate'] as const).filter((side) => verdict.runs[side] > 0);
      const runs = sides.map((side) => `${counted(verdict.runs[side], 'run')} of the ${side}`).join(' and ');
      return `cannot tell: the figures of ${runs} say nothing about the server (${VERDICT_WORDS[verdict.because]})`;
    }
  }
}

/** What the runs could not see, and what helps. */
function unseenText({ phase, operation, figure, atWorst, morePairs, moreOperations }: Unseen): string {
  const where = `${operation} in ${phase}`;
  if (atWorst === undefined) return `too few runs have ${figureHeading(figure)} of ${where}`;
  const more = morePairs === undefined ? 'run' : `run ${counted(morePairs, 'more pair')}, or`;
  const operations = moreOperations === undefined ? 'many more operations' : counted(moreOperations, 'more operation');
  const help = figure === 'errors' ? `${operations} on each side` : 'on an idle machine';
  const unseen = changeText(figure, atWorst).slice(1);
  return `changes below ${unseen} could not be seen (${figureHeading(figure)} of ${where}); ${more} ${help}`;
}

export function regressionsOf({ figures }: Comparison): readonly ComparedFigure[] {
  return figures.filter(({ judgment }) => judgment === 'regression');
}

export function valueText(figure: FigureName, value: number): string {
  if (figure === 'rate') return rateText(value);
  return figure === 'errors' ? shareText(value) : latencyText(value);
}

/** A share of the base, or a difference of error rates. */
function changeText(figure: FigureName, change: number): string {
  if (!Number.isFinite(change)) return '-';
  const [digits, unit] = figure === 'errors' ? [2, ' pp'] : [1, '%'];
  const shown = (change * 100).toFixed(digits);
  return `${Number(shown) > 0 ? '+' : ''}${Number(shown) === 0 ? shown.replace('-', '') : shown}${unit}`;
}

/** A comparison for a terminal; ends with a line break. */
export function comparisonText(comparison: Comparison, facts: ComparisonFacts, page: Page): string {
  const blocks = [
    [
      `  ${page.strong(facts.scenarioName)}`,
      ...(['base', 'candidate'] as const).flatMap((side) => labeledLines(side, runLines(facts, side, page))),
      ...explanations(facts).flatMap(([label, text]) => labeledLines(label, besideLabel(text, page))),
    ],
    figureTable(
      COMPARISON_HEADINGS.slice(2),
      comparison.figures.map((one) => ({
        ...one,
        cells: comparisonRow(one).slice(2),
        paint: page[PAINTS[one.judgment]],
      })),
      page,
    ),
    facts.warnings.flatMap((text) => hanging(`! ${text}`, '  ', page)).map(page.caution),
    verdictLines(comparison, page),
  ];
  return blocksText(blocks);
}

function runLines(facts: ComparisonFacts, side: 'base' | 'candidate', page: Page): string[] {
  const rows = comparedRunRows(facts).filter(([name]) => name === side);
  return rows.flatMap(([, run, started, muster, machine]) => {
    const [first = '', ...rest] = besideLabel(`${run}: ${started}, Muster ${muster}, ${machine}`, page, 2);
    return [first, ...rest.map((line) => `  ${line}`)];
  });
}

function verdictLines(comparison: Comparison, page: Page): string[] {
  const { tone, sign } = COMPARISON_TONES[comparison.verdict.kind];
  const worse = regressionsOf(comparison).length;
  const words = comparisonVerdictText(comparison.verdict)
    .replace(/^(cannot tell|(no )?regression)/, (verdict) => verdict.toUpperCase())
    .concat(worse === 0 ? '' : ` of ${counted(worse, 'figure')}`);
  return hanging(`${sign} ${words}`, '  ', page).map((line) => page.strong(page[tone](line)));
}

type FigureRow = Pick<ComparedFigure, 'phase' | 'operation'> & {
  readonly cells: readonly string[];
  readonly paint: Paint;
};

/** Rows of figures, below the name of their phase and operation. */
function figureTable(headings: readonly string[], rows: readonly FigureRow[], page: Page): string[] {
  const groups = Map.groupBy(rows, ({ phase, operation }) => `${operation} in ${phase}`);
  const lines = [...groups].flatMap(([name, group]): TableLine[] => [
    { note: page.strong(`  ${name}`) },
    ...group.map(({ cells: [figure = '', ...cells], paint }) => tableRow(`  ${figure}`, cells, paint)),
  ]);
  const [name = '', ...columns] = headings;
  return fittedTable({ name: `  ${name}`, headings: columns, dispensable: ['noise'] }, lines, page);
}

const PAINTS = { better: 'good', regression: 'bad', within_tolerance: 'faint', cannot_tell: 'caution' } as const;

/** What a comparison needs, for a terminal; ends with a line break. */
export function comparisonPlanText(
  plan: ComparisonPlan,
  facts: Omit<ComparisonFacts, 'candidate'>,
  page: Page,
): string {
  const rows = plan.figures.map((planned): FigureRow => {
    const { phase, operation, figure, base, spread, pairs } = planned;
    const cells = [
      figureHeading(figure),
      valueText(figure, base),
      changeText(figure, spread).replace('+', '±'),
      pairsText(pairs),
    ];
    return { phase, operation, cells, paint: pairs === plan.pairs ? page.strong : unpainted };
  });
  const tolerances = `${shareText(facts.tolerance)}, or ${shareText(facts.errorTolerance)} more errors`;
  return blocksText([
    [`  ${page.strong(facts.scenarioName)}`, ...labeledLines('tolerance', [tolerances])],
    figureTable(['figure', 'base', 'per pair', 'pairs'], rows, page),
    facts.warnings.flatMap((text) => hanging(`! ${text}`, '  ', page)).map(page.caution),
    hanging(
      `Take ${pairsText(plan.pairs)} pairs of runs, in turns; fewer on an idle machine, or with larger tolerances.`,
      '  ',
      page,
    ),
  ]);
}

function pairsText(pairs: number | undefined): string {
  return pairs === undefined ? `more than ${MAX_PAIRS}` : String(pairs);
}
