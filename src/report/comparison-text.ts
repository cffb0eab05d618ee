import type { ComparedFigure, Comparison } from '../metrics/comparing/compare.ts';
import {
  COMPARISON_HEADINGS,
  type ComparisonFacts,
  comparisonRow,
  noiseText,
  regressionsOf,
  toleranceText,
} from './comparison.ts';
import { besideLabel, hanging, labelled } from './layout.ts';
import type { Paint, Palette } from './palette.ts';

/** A comparison on a terminal; ends with a line break. */
export function comparisonText(comparison: Comparison, facts: ComparisonFacts, palette: Palette): string {
  const blocks = [
    [
      `  ${palette.strong(facts.scenarioName)}`,
      ...labelled('runs', [`${facts.baseRuns} base, ${facts.candidateRuns} candidate`]),
      ...labelled('noise', besideLabel(noiseText(comparison))),
      ...labelled('regression', besideLabel(toleranceText(facts.tolerance))),
    ],
    table(comparison, palette),
    facts.warnings.flatMap((text) => hanging(`! ${text}`, '  ')).map(palette.caution),
    [verdict(comparison, palette)],
  ];
  return `\n${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

function verdict(comparison: Comparison, palette: Palette): string {
  const count = regressionsOf(comparison).length;
  if (count === 0) return `  ${palette.strong(palette.good('✓ NO REGRESSION'))}`;
  return `  ${palette.strong(palette.bad(`✗ REGRESSION of ${count} ${count === 1 ? 'figure' : 'figures'}`))}`;
}

/** The rows of each phase and operation below its name. */
function table({ figures }: Comparison, palette: Palette): string[] {
  const rows = figures.map((figure) => comparisonRow(figure).slice(2));
  const headings = COMPARISON_HEADINGS.slice(2);
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string => `    ${aligned(cells, widths)}`;
  return [
    palette.faint(line(headings)),
    ...figures.flatMap((figure, index) => [
      ...(isFirst(figure, figures[index - 1]) ? [palette.strong(`  ${figure.operation} in ${figure.phase}`)] : []),
      paintOf(figure, palette)(line(rows[index] ?? [])),
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

function paintOf({ judgement, isRegression }: ComparedFigure, palette: Palette): Paint {
  if (judgement === 'better') return palette.good;
  if (judgement === 'within_noise') return palette.faint;
  return isRegression ? palette.bad : palette.caution;
}
