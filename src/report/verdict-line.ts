import {
  leftOutNote,
  observedText,
  type ThresholdResult,
  thresholdOutcome,
  thresholdSubject,
} from '../metrics/judging/thresholds.ts';
import { VERDICTS, type VerdictKind } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import type { Palette } from './palette.ts';

/** Title of a result: `steady`, or `steady, shard 2 of 3`. */
export function runTitle({ scenarioName, shard }: Pick<Summary, 'scenarioName' | 'shard'>): string {
  return shard === undefined ? scenarioName : `${scenarioName}, shard ${shard.number} of ${shard.of}`;
}

/** Why a shard shows no thresholds; `undefined` for a whole run. */
export function unjudgedText({ shard }: Pick<Summary, 'shard'>): string | undefined {
  return shard === undefined ? undefined : 'not evaluated: muster merge evaluates them over all shards';
}

/** A threshold as all reports show it: `claim` is its condition, `observed` what was observed, and `note` what was left out of that. */
export function thresholdTexts(result: ThresholdResult) {
  const [observed, note] = [observedText(result), leftOutNote(result)];
  const whole = note === undefined ? observed : `${observed}; ${note}`;
  const subject = thresholdSubject(result);
  return { outcome: thresholdOutcome(result), subject, claim: `${subject} ${result.text}`, observed, note, whole };
}

export const VERDICT_WORDS: Readonly<Record<VerdictKind, string>> = {
  pass: 'PASS',
  done: 'DONE',
  threshold_crossed: 'THRESHOLD CROSSED',
  invalid: 'INVALID',
  interrupted: 'INTERRUPTED',
  incomplete: 'INCOMPLETE',
  unreachable: 'TARGET UNREACHABLE',
  regression: 'REGRESSION',
};

/** Tone of a verdict; `neutral` if there were no thresholds. */
export function verdictTone({ verdict: { kind }, warnings }: Pick<Summary, 'verdict' | 'warnings'>) {
  if (VERDICTS[kind].tone !== 'good') return 'bad';
  if (warnings.length > 0) return 'caution';
  return kind === 'pass' ? 'good' : 'neutral';
}

/** `✓ PASS`, `✓ PASS, with a warning`, `• DONE, without thresholds`, `✗ INVALID`. */
export function verdictWords(summary: Summary, palette: Palette): string {
  const { kind } = summary.verdict;
  const tone = verdictTone(summary);
  if (tone === 'bad') return palette.strong(palette.bad(`✗ ${VERDICT_WORDS[kind]}`));
  const unjudged = summary.shard === undefined ? 'without thresholds' : 'thresholds not evaluated';
  const [mark, ...asked] = kind === 'done' ? ['•', unjudged] : ['✓'];
  const words = [`${mark} ${VERDICT_WORDS[kind]}`, ...asked, ...(tone === 'caution' ? ['with a warning'] : [])].join(
    ', ',
  );
  return palette.strong(tone === 'neutral' ? words : palette[tone](words));
}

/** A whole run in one line, for logs: `steady: ✗ THRESHOLD CROSSED: checkdata p(99) < 250ms: observed 312ms`. */
export function verdictLine(summary: Summary, palette: Palette): string {
  const reasons = summary.verdict.reasons.map(({ text }) => text);
  const why = [...reasons, ...summary.warnings].join('; ');
  return `${runTitle(summary)}: ${verdictWords(summary, palette)}${why === '' ? '' : `: ${why}`}`;
}
