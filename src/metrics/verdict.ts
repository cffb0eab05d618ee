import type { Recording } from './measurement.ts';
import type { Outcome } from './outcomes.ts';
import type { Reason, ThresholdResult, Verdict } from './summary-schema.ts';
import { observedText, thresholdSubject } from './threshold-evaluation.ts';
import { finishedCount, sumTotals } from './totals.ts';

/** What a run comes to, the gravest first: where several hold, the first one is the verdict. */
export const VERDICT_KINDS = [
  'interrupted',
  'incomplete',
  'unreachable',
  'invalid',
  'threshold_crossed',
  'regression',
  'pass',
] as const;

export type VerdictKind = (typeof VERDICT_KINDS)[number];

export function judge(reasons: readonly Reason[]): Verdict {
  const sorted = reasons.toSorted((a, b) => gravity(a.kind) - gravity(b.kind));
  return { kind: sorted[0]?.kind ?? 'pass', reasons: sorted };
}

/** The verdict over several runs. */
export function gravest(kinds: readonly VerdictKind[]): VerdictKind {
  return kinds.toSorted((a, b) => gravity(a) - gravity(b))[0] ?? 'pass';
}

export function crossedThresholds(results: readonly ThresholdResult[]): Reason[] {
  return results
    .filter((result) => !result.passed)
    .map((result) => ({
      kind: 'threshold_crossed',
      text: `${thresholdSubject(result)} ${result.text}: observed ${observedText(result)}`,
    }));
}

// `connection_reset` and everything above it took a target to answer the connection.
const WITHOUT_TARGET: readonly Outcome[] = [
  'connection_refused',
  'connection_failed',
  'name_not_resolved',
  'tls_failed',
  'timeout',
  'cancelled',
];

/** A reason if operations ended and not one of them, in any phase, got through to the target. */
export function unreachableTarget({ ledger }: Recording): Reason[] {
  const { outcomes } = sumTotals(ledger.series.map((entry) => entry.totals));
  const reached = Object.keys(outcomes).filter((outcome) => !WITHOUT_TARGET.some((known) => known === outcome));
  const failures = Object.keys(outcomes).filter((outcome) => outcome !== 'cancelled');
  if (reached.length > 0 || failures.length === 0) return [];
  const count = finishedCount({ outcomes });
  return [{ kind: 'unreachable', text: `none of ${count} operations reached the target (${failures.join(', ')})` }];
}

function gravity(kind: VerdictKind): number {
  return VERDICT_KINDS.indexOf(kind);
}
