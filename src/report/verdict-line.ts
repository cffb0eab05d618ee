import type { VerdictKind } from '../metrics/judging/verdict.ts';
import type { Summary } from '../metrics/summary/summary-schema.ts';
import type { Palette } from './layout.ts';

/** `steady`, `steady, shard 2 of 3`: what a result is of. */
export function runTitle({ scenarioName, shard }: Pick<Summary, 'scenarioName' | 'shard'>): string {
  return shard === undefined ? scenarioName : `${scenarioName}, shard ${shard.number} of ${shard.of}`;
}

/** Why a shard shows no thresholds; undefined for a whole run. */
export function unjudgedText({ shard }: Pick<Summary, 'shard'>): string | undefined {
  return shard === undefined ? undefined : 'not judged: muster merge judges them, over all shards';
}

const VERDICTS: Readonly<Record<VerdictKind, string>> = {
  pass: 'PASS',
  threshold_crossed: 'THRESHOLD CROSSED',
  invalid: 'INVALID',
  interrupted: 'INTERRUPTED',
  incomplete: 'INCOMPLETE',
  unreachable: 'TARGET UNREACHABLE',
  regression: 'REGRESSION',
};

/** `✓ PASS`, `✓ PASS, with a warning`, `✗ INVALID`. */
export function verdictWords({ verdict: { kind }, warnings, shard }: Summary, palette: Palette): string {
  const isReserved = warnings.length > 0;
  if (kind !== 'pass') return palette.strong(palette.bad(`✗ ${VERDICTS[kind]}`));
  const paint = isReserved ? palette.caution : palette.good;
  const reserve = `${isReserved ? ', with a warning' : ''}${shard === undefined ? '' : ', thresholds not judged'}`;
  return palette.strong(paint(`✓ ${VERDICTS[kind]}${reserve}`));
}

/** A whole run in one line, for logs: `steady: ✗ THRESHOLD CROSSED: checkdata p(99) < 250ms: observed 312ms`. */
export function verdictLine(summary: Summary, palette: Palette): string {
  const reasons = summary.verdict.reasons.map(({ text }) => text);
  const why = [...reasons, ...summary.warnings].join('; ');
  return `${runTitle(summary)}: ${verdictWords(summary, palette)}${why === '' ? '' : `: ${why}`}\n`;
}
