import type { ComparedFigure, Comparison } from '../metrics/comparing/compare.ts';
import {
  COMPARISON_HEADINGS,
  type ComparisonFacts,
  comparisonRow,
  noiseText,
  regressionsOf,
  toleranceText,
} from './comparison.ts';
import { besideLabel, hanging, labelled, type Page } from './layout.ts';
import type { Paint } from './palette.ts';

/** A comparison on a terminal; ends with a line break. */
export function comparisonText(comparison: Comparison, facts: ComparisonFacts, page: Page): string {
  const blocks = [
    [
      `  ${page.strong(facts.scenarioName)}`,
      ...labelled('runs', [`${facts.baseRuns} base, ${facts.candidateRuns} candidate`]),
      ...labelled('noise', besideLabel(noiseText(comparison), page)),
      ...labelled('regression', besideLabel(toleranceText(facts.tolerance), page)),
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
