import type { Comparison } from '../metrics/comparing/compare.ts';
import {
  COMPARISON_HEADINGS,
  type ComparisonFacts,
  comparisonRow,
  noiseText,
  regressionsOf,
  toleranceText,
} from './comparison.ts';
import { markdownTable, plainMarkdown } from './markdown.ts';

/** A comparison in Markdown; ends with an empty line, so that several can follow. */
export function comparisonMarkdown(comparison: Comparison, facts: ComparisonFacts): string {
  const isGood = regressionsOf(comparison).length === 0;
  const notes = [`Noise: ${noiseText(comparison)}`, `Regression: ${toleranceText(facts.tolerance)}`];
  const blocks = [
    `### ${plainMarkdown(facts.scenarioName)}: ${isGood ? '✅ no regression' : '❌ REGRESSION'}`,
    `${facts.baseRuns} runs of the base, ${facts.candidateRuns} of the candidate`,
    [...notes, ...facts.warnings.map((text) => `⚠️ ${text}`)].map((text) => `- ${plainMarkdown(text)}`).join('\n'),
    markdownTable(
      COMPARISON_HEADINGS,
      comparison.figures.map((figure) => comparisonRow(figure).map(plainMarkdown)),
    ),
    '',
  ];
  return blocks.join('\n\n');
}
