import {
  ASSUMED_NOISE,
  type ComparedFigure,
  type Comparison,
  type FigureName,
  LEAST_ERRORS,
} from '../metrics/comparing/compare.ts';
import { latencyText, rateText, shareText } from './figures.ts';
import { besideLabel, hanging, labelledLines, type Page, type Paint } from './layout.ts';

/** What a comparison is shown with. */
export type ComparisonFacts = {
  readonly scenarioName: string;
  readonly baseRuns: number;
  readonly candidateRuns: number;
  /** Share of the base's value, 0 to 1. */
  readonly tolerance: number;
  /** What keeps the runs from being alike. */
  readonly warnings: readonly string[];
};

export const COMPARISON_HEADINGS = [
  'phase',
  'operation',
  'figure',
  'base',
  'candidate',
  'change',
  'noise',
  '',
] as const;

const FIGURES: Readonly<Record<FigureName, string>> = {
  rate: 'ok/s',
  errors: 'errors',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
};

const JUDGEMENTS: Readonly<Record<ComparedFigure['judgement'], string>> = {
  better: 'better',
  worse: 'worse',
  within_noise: 'within noise',
};

/** One row of a table of a comparison, under `COMPARISON_HEADINGS`. */
export function comparisonRow(compared: ComparedFigure): readonly string[] {
  const { phase, operation, figure, base, candidate, noise, judgement, isRegression } = compared;
  const shown = (value: number): string => valueText(figure, value);
  const verdict = isRegression ? 'REGRESSION' : JUDGEMENTS[judgement];
  return [
    phase,
    operation,
    FIGURES[figure],
    shown(base),
    shown(candidate),
    changeText(compared),
    `±${shown(noise)}`,
    verdict,
  ];
}

/** Where the noise comes from, in one sentence. */
export function noiseText({ isLearned }: Pick<Comparison, 'isLearned'>): string {
  const times = (['p50', 'p95', 'p99'] as const).map((name) => `${name} by ${shareText(ASSUMED_NOISE[name])}`);
  const assumed = `single runs differ by chance: ok/s by ${shareText(ASSUMED_NOISE.rate)}, ${times.join(', ')}`;
  return isLearned
    ? `learned from the spread of the runs; an assumption weighs as four more, that ${assumed}`
    : `assumed, as no side has a second run to learn from: ${assumed}`;
}

/** What is a regression, in one sentence. */
export function toleranceText(tolerance: number): string {
  return `beyond noise and worse by more than ${shareText(tolerance)}, or ${shareText(LEAST_ERRORS)} more errors`;
}

export function regressionsOf({ figures }: Comparison): readonly ComparedFigure[] {
  return figures.filter(({ isRegression }) => isRegression);
}

function valueText(figure: FigureName, value: number): string {
  if (figure === 'rate') return rateText(value);
  return figure === 'errors' ? shareText(value) : latencyText(value);
}

function changeText({ figure, base, candidate }: ComparedFigure): string {
  const change = figure === 'errors' ? candidate - base : (candidate - base) / base;
  if (!Number.isFinite(change)) return base === candidate ? '0%' : '-';
  return `${change > 0 ? '+' : ''}${(change * 100).toFixed(1)}${figure === 'errors' ? ' pp' : '%'}`;
}

/** A comparison on a terminal; ends with a line break. */
export function comparisonText(comparison: Comparison, facts: ComparisonFacts, page: Page): string {
  const blocks = [
    [
      `  ${page.strong(facts.scenarioName)}`,
      ...labelledLines('runs', [`${facts.baseRuns} base, ${facts.candidateRuns} candidate`]),
      ...labelledLines('noise', besideLabel(noiseText(comparison), page)),
      ...labelledLines('regression', besideLabel(toleranceText(facts.tolerance), page)),
    ],
    table(comparison, page),
    facts.warnings.flatMap((text) => hanging(`! ${text}`, '  ', page)).map(page.caution),
    [verdict(comparison, page)],
  ];
  return `\n${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function verdict(comparison: Comparison, page: Page): string {
  const count = regressionsOf(comparison).length;
  if (count === 0) return `  ${page.strong(page.good('✓ NO REGRESSION'))}`;
  return `  ${page.strong(page.bad(`✗ REGRESSION of ${count} ${count === 1 ? 'figure' : 'figures'}`))}`;
}

/** The rows of each phase and operation below its name. */
function table({ figures }: Comparison, page: Page): string[] {
  const rows = figures.map((figure) => comparisonRow(figure).slice(2));
  const headings = COMPARISON_HEADINGS.slice(2);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `    ${aligned(cells, widths)}`;
  return [
    page.faint(line(headings)),
    ...figures.flatMap((figure, index) => [
      ...(isFirst(figure, figures[index - 1]) ? [page.strong(`  ${figure.operation} in ${figure.phase}`)] : []),
      paintOf(figure, page)(line(rows[index] ?? [])),
    ]),
  ];
}

function isFirst({ phase, operation }: ComparedFigure, before: ComparedFigure | undefined): boolean {
  return phase !== before?.phase || operation !== before.operation;
}

/** Words stand left, figures right. */
function aligned(cells: readonly string[], widths: readonly number[]): string {
  const isWord = (column: number): boolean => column === 0 || column === widths.length - 1;
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return isWord(column) ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join('  ').trimEnd();
}

function paintOf({ judgement, isRegression }: ComparedFigure, page: Page): Paint {
  if (judgement === 'better') return page.good;
  if (judgement === 'within_noise') return page.faint;
  return isRegression ? page.bad : page.caution;
}
