import Mustache from 'mustache';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { formatDuration } from '../base/kernel/units.ts';
import { plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import { seenText, witnessText } from './evidence-text.ts';
import { OPERATION_HEADINGS, operationCells, targetText, withoutQuery } from './figures.ts';
import { PLAIN } from './palette.ts';
import { remediesOf } from './remedies.ts';
import { runTitle, thresholdTexts, VERDICT_WORDS, verdictLine } from './verdict-line.ts';

/**
 * Fills a Mustache template with a summary, as in summary.json, and with `texts`, the same in words. `unknown`: names that it lacks.
 * @param isMarkup whether `{{name}}` escapes what HTML and XML need; otherwise it is literal.
 * @throws UserError if the text is no template.
 */
export function filledTemplate(template: string, summary: Summary, isMarkup: boolean) {
  const view = { ...summary, texts: textsOf(summary) };
  const unknown = new Set<string>();
  try {
    const text = Mustache.render(template, noting(view, unknown), {}, isMarkup ? {} : { escape: String });
    return { text, unknown: [...unknown] };
  } catch (error) {
    throw new UserError(`--template: expected a Mustache template, found an error: ${messageOf(error)}.`);
  }
}

/** The context of a template, which notes names without a value. Mustache leaves them empty. */
function noting(view: object, unknown: Set<string>): Mustache.Context {
  const context = new Mustache.Context(view);
  const noted = (own: Mustache.Context): Mustache.Context => {
    const [lookup, push] = [own.lookup.bind(own), own.push.bind(own)];
    own.lookup = (name: string): unknown => {
      const value: unknown = lookup(name);
      if (value === undefined) unknown.add(name);
      return value;
    };
    own.push = (part: unknown) => noted(push(part));
    return own;
  };
  return noted(context);
}

/** What the summary at the end of a run shows, in words. */
function textsOf(summary: Summary): object {
  const { verdict, scenario, elapsedMs, overall, thresholds, evidence, warnings, validity } = summary;
  return {
    title: runTitle(summary),
    verdict: VERDICT_WORDS[verdict.kind],
    verdictLine: verdictLine(summary, PLAIN),
    isGood: verdict.kind === 'pass' || verdict.kind === 'done',
    target: targetText(scenario.target, withoutQuery) ?? '',
    took: formatDuration(Math.round(elapsedMs / 100) * 100),
    operations: plannedIn(overall).map((entry) => {
      const cells = operationCells(entry);
      const named = OPERATION_HEADINGS.map((heading, column) => [NAMES[heading] ?? heading, cells[column] ?? '']);
      return { operation: entry.operation, ...Object.fromEntries(named) };
    }),
    thresholds: thresholds.map((result) => {
      const { subject, observed, outcome } = thresholdTexts(result);
      return { subject, condition: result.text, observed, outcome, holds: outcome === 'holds' };
    }),
    evidence: evidence.map((one) => ({
      operation: one.operation,
      outcome: one.outcome,
      witness: witnessText(one),
      seen: seenText(one),
    })),
    warnings: [...warnings, ...validity.warnings],
    remedies: remediesOf(summary),
  };
}

/** Names without a sign that templates read otherwise. */
const NAMES: Readonly<Record<string, string>> = { 'ok/s': 'okPerSecond' };
