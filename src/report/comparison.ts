import { printable } from '../ground/kernel/printable.ts';
import { counted } from '../ground/kernel/units.ts';
import type { MeasuredOperation } from '../ground/protocol/operations.ts';
import type { Trend, TrendRun } from '../metrics/comparing/compare.ts';
import {
  COMPARED_FIGURES,
  type ComparedFigure,
  type Comparison,
  type ComparisonVerdict,
  type FigureName,
  LEAST_ERRORS,
} from '../metrics/comparing/compare.ts';
import { VERDICTS } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import {
  besideLabel,
  blocksText,
  fittedTable,
  hanging,
  labeledLines,
  type Page,
  type Paint,
  type TableLine,
  unpainted,
} from './layout.ts';
import { latencyText, rateText, shareText, utcText } from './page/figures.ts';
import { VERDICT_WORDS } from './verdict-line.ts';

/** Identifies a run: when and on what it ran. */
type ComparedRun = {
  readonly runId: string;
  readonly startedAt: string;
  /** Version of Muster. */
  readonly muster: string;
  readonly machine: string;
};

export type ComparisonFacts = {
  readonly scenarioName: string;
  readonly base: readonly ComparedRun[];
  readonly candidate: readonly ComparedRun[];
  /** Share of the base's value, 0 to 1. */
  readonly tolerance: number;
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
  const row = (side: string, { runId, startedAt, muster, machine }: ComparedRun): readonly string[] => {
    return [side, runId, utcText(startedAt), muster, machine];
  };
  return [...base.map((run) => row('base', run)), ...candidate.map((run) => row('candidate', run))];
}

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

export const FIGURE_HEADINGS: Readonly<Record<FigureName, string>> = {
  rate: 'ok/s',
  errors: 'errors',
  p50: 'p50',
  p95: 'p95',
  p99: 'p99',
};

const JUDGMENTS: Readonly<Record<ComparedFigure['judgment'], string>> = {
  better: 'better',
  worse: 'worse',
  within_noise: 'within noise',
  cannot_tell: 'cannot tell',
};

/** One row of a comparison table, under `COMPARISON_HEADINGS`. */
export function comparisonRow(compared: ComparedFigure): readonly string[] {
  const { phase, operation, figure, base, candidate, noise, judgment, isRegression } = compared;
  const shown = (value: number): string => valueText(figure, value);
  const verdict = isRegression ? 'REGRESSION' : JUDGMENTS[judgment];
  return [
    phase,
    operation,
    FIGURE_HEADINGS[figure],
    shown(base),
    shown(candidate),
    changeText(compared),
    noise === undefined ? '-' : `±${shown(noise)}`,
    verdict,
  ];
}

/** Explains the source of the noise, in one sentence. */
export const NOISE_TEXT =
  'estimated from the spread of the runs: fewer than 5 in 100 comparisons of unchanged servers show a difference beyond it';

const UNKNOWN = { tone: 'caution', sign: '?', mark: '❔' } as const;

export const COMPARISON_TONES = {
  regression: { tone: 'bad', sign: '✗', mark: '❌' },
  no_regression: { tone: 'good', sign: '✓', mark: '✅' },
  ...{ cannot_tell: UNKNOWN, nothing_in_common: UNKNOWN, untrusted: UNKNOWN },
} as const satisfies Readonly<Record<ComparisonVerdict['kind'], object>>;

export function comparisonVerdictText(verdict: ComparisonVerdict): string {
  switch (verdict.kind) {
    case 'regression':
      return 'regression';
    case 'no_regression':
      return 'no regression';
    case 'cannot_tell': {
      const { base, candidate } = verdict.least;
      return `cannot tell: too few runs to separate a change from noise; run at least ${base} of the base and ${candidate} of the candidate`;
    }
    case 'nothing_in_common':
      return 'cannot tell: base and candidate have no phase and operation in common';
    case 'untrusted': {
      const sides = (['base', 'candidate'] as const).filter((side) => verdict.runs[side] > 0);
      const runs = sides.map((side) => `${counted(verdict.runs[side], 'run')} of the ${side}`).join(' and ');
      return `cannot tell: the figures of ${runs} say nothing about the server (${VERDICT_WORDS[verdict.because]})`;
    }
  }
}

/** Defines a regression, in one sentence. */
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
  const shown = Number((change * 100).toFixed(1));
  return `${shown > 0 ? '+' : ''}${Math.abs(shown) < 0.1 ? '0.0' : shown.toFixed(1)}${figure === 'errors' ? ' pp' : '%'}`;
}

/** A comparison for a terminal; ends with a line break. */
export function comparisonText(comparison: Comparison, facts: ComparisonFacts, page: Page): string {
  const blocks = [
    [
      `  ${page.strong(facts.scenarioName)}`,
      ...(['base', 'candidate'] as const).flatMap((side) => labeledLines(side, runLines(facts, side, page))),
      ...labeledLines('noise', besideLabel(NOISE_TEXT, page)),
      ...labeledLines('regression', besideLabel(toleranceText(facts.tolerance), page)),
    ],
    table(comparison, page),
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
  const { verdict } = comparison;
  const count = regressionsOf(comparison).length;
  switch (verdict.kind) {
    case 'regression':
      return [`  ${page.strong(page.bad(`✗ REGRESSION of ${counted(count, 'figure')}`))}`];
    case 'no_regression':
      return [`  ${page.strong(page.good('✓ NO REGRESSION'))}`];
    default: {
      const words = comparisonVerdictText(verdict).replace('cannot tell', '? CANNOT TELL');
      return hanging(words, '  ', page).map((line) => page.strong(page.caution(line)));
    }
  }
}

/** Groups rows below the name of their phase and operation. */
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

/** Aligns words to the left and figures to the right. */
function aligned(cells: readonly string[], widths: readonly number[]): string {
  const isWord = (column: number): boolean => column === 0 || column === widths.length - 1;
  const padded = cells.map((cell, column) => {
    const width = widths[column] ?? 0;
    return isWord(column) ? cell.padEnd(width) : cell.padStart(width);
  });
  return padded.join('  ').trimEnd();
}

function paintOf({ judgment, isRegression }: ComparedFigure, page: Page): Paint {
  if (judgment === 'better') return page.good;
  if (judgment === 'within_noise' || judgment === 'cannot_tell') return page.faint;
  return isRegression ? page.bad : page.caution;
}

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
