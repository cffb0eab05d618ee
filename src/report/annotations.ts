import { printable } from '../ground/kernel/printable.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import { PLAIN } from './layout.ts';
import { runTitle, verdictWords } from './verdict-line.ts';

/** The verdict and its reasons as workflow commands of GitHub, which shows them above the log: an error for each reason, a warning for each warning. */
export function annotations(summary: Summary): string {
  const { verdict, warnings } = summary;
  const isGood = verdict.kind === 'pass' || verdict.kind === 'done';
  const title = `${runTitle(summary)}: ${verdictWords(summary, PLAIN)}`;
  const errors = isGood ? [] : verdict.reasons.map(({ text }) => command('error', title, text));
  return [...errors, ...warnings.map((text) => command('warning', title, text))].join('');
}

function command(kind: 'error' | 'warning', title: string, text: string): string {
  return `::${kind} title=${escaped(title).replaceAll(':', '%3A').replaceAll(',', '%2C')}::${escaped(text)}\n`;
}

/** As GitHub's documentation of workflow commands says. */
function escaped(text: string): string {
  return printable(text).replaceAll('%', '%25');
}
