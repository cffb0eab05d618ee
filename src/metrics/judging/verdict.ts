import { isOperation } from '../../protocol/operations.ts';
import type { Recording } from '../merging/measurement.ts';
import { plainTally, sumTotals } from '../merging/totals.ts';
import type { DropReason, Outcome } from '../recording/outcomes.ts';
import { observedText, thresholdSubject } from './evaluation.ts';
import { type Reason, type ThresholdResult, VERDICT_KINDS, type Verdict, type VerdictKind } from './judgement.ts';

export function judge(reasons: readonly Reason[]): Verdict {
  const sorted = reasons.toSorted((a, b) => gravity(a.kind) - gravity(b.kind));
  return { kind: sorted[0]?.kind ?? 'pass', reasons: sorted };
}

export function crossedThresholds(results: readonly ThresholdResult[]): Reason[] {
  return results
    .filter((result) => !result.passed)
    .map((result) => ({
      kind: 'threshold_crossed',
      text: `${thresholdSubject(result)} ${result.text}: observed ${observedText(result)}`,
    }));
}

// How an operation ends without a target there; a reset, a malformed answer or a status takes one that answers.
const WITHOUT_TARGET: readonly (Outcome | DropReason)[] = [
  'connection_refused',
  'connection_failed',
  'name_not_resolved',
  'tls_failed',
];

// A target that is there, but slow or frozen, ends operations like this, too.
const WITHOUT_ANSWER: readonly (Outcome | DropReason)[] = [...WITHOUT_TARGET, 'timeout', 'no_connection'];

/**
 * A reason if operations of agents at the target failed and not one of them, in any phase, got through to it. What is
 * asked of the agents says nothing about the target.
 * @param connected whether the target ever took a connection: then it is reached, however long it says nothing.
 */
export function unreachableTarget({ run }: Recording, connected: boolean): Reason[] {
  const outbound = run.series.filter(({ operation }) => isOperation(operation));
  const { outcomes, dropped } = sumTotals(outbound.map((entry) => entry.totals));
  // A target that lets connections hang keeps operations from ever being started.
  const endings = plainTally({ ...outcomes, no_connection: dropped.no_connection ?? 0, cancelled: 0 });
  const telling = connected ? WITHOUT_TARGET : WITHOUT_ANSWER;
  const seen = Object.keys(endings).filter((ending) => (endings[ending] ?? 0) > 0);
  if (seen.length === 0 || seen.some((ending) => !telling.some((known) => known === ending))) return [];
  const count = Object.values(endings).reduce((sum, times) => sum + times, 0);
  return [{ kind: 'unreachable', text: `none of ${count} operations reached the target (${seen.join(', ')})` }];
}

function gravity(kind: VerdictKind): number {
  return VERDICT_KINDS.indexOf(kind);
}
