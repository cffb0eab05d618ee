import type { VerdictKind } from '../metrics/judging/verdict.ts';
import type { OperationSummary, Summary } from '../metrics/summary/summary-schema.ts';
import type { MeasuredOperation } from '../protocol/operations.ts';
import type { Attempt } from './explore.ts';
import type { TrialOutcome } from './trials.ts';

/** One run of a search, and what it came to. */
export type Step = Attempt & {
  readonly outcome: TrialOutcome;
  /** Why it did not hold; empty if it did. */
  readonly reasons: readonly string[];
  readonly runId: string;
  /** Of the operation that the search is about, over the sample; undefined if nothing of it was due. */
  readonly figures: StepFigures | undefined;
};

export type StepFigures = {
  readonly succeededPerSecond: number;
  /** Response times; undefined if nothing was answered. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Of what was started, 0 to 1. */
  readonly errorRate: number;
  /** Of what was planned, 0 to 1. */
  readonly droppedRate: number;
};

const OUTCOMES: Readonly<Record<VerdictKind, TrialOutcome>> = {
  pass: 'held',
  threshold_crossed: 'gave_way',
  regression: 'gave_way',
  invalid: 'generator',
  unreachable: 'unreachable',
  incomplete: 'incomplete',
  interrupted: 'incomplete',
};

/** More work than this may not fail to come about, whatever the conditions are. */
const MISSING_SHARE_LIMIT = 0.01;

/**
 * What the run of an attempt came to. Work that never came about counts as the conditions do: a server that stands still
 * or takes no more agents would look well otherwise, as agents that wait for it or are unknown to it send nothing.
 */
export function stepOf(attempt: Attempt, summary: Summary, operation: MeasuredOperation): Step {
  const { verdict, warnings, overall, runId } = summary;
  const missing = [...warnings, ...lostRegistrations(overall)];
  const outcome = verdict.kind === 'pass' && missing.length > 0 ? 'gave_way' : OUTCOMES[verdict.kind];
  const reasons = verdict.reasons.filter(({ kind }) => kind === verdict.kind).map(({ text }) => text);
  const measured = overall.find((entry) => entry.operation === operation);
  // A run that tells nothing of the server tells nothing of conditions either.
  const why = outcome === 'gave_way' ? [...reasons, ...missing] : reasons;
  return { ...attempt, outcome, reasons: why, runId, figures: measured && figuresOf(measured) };
}

/** An agent without a password registers when it is due to push: if that fails, there is no push. */
function lostRegistrations(operations: readonly OperationSummary[]): readonly string[] {
  const planned = operations.reduce((sum, entry) => sum + entry.planned, 0);
  const failed = operations.find(({ operation }) => operation === 'register')?.failed ?? 0;
  if (failed <= planned * MISSING_SHARE_LIMIT) return [];
  const share = `${Math.round((failed / planned) * 100)}%`;
  return [`register: ${failed} failed, ${share} of all that was due, and their agents sent nothing else`];
}

function figuresOf({ latencyMs, succeededPerSecond, ...counts }: OperationSummary): StepFigures {
  const { planned, started, dropped, failed } = counts;
  return {
    succeededPerSecond,
    p50Ms: latencyMs.response?.p50,
    p95Ms: latencyMs.response?.p95,
    p99Ms: latencyMs.response?.p99,
    errorRate: started === 0 ? 0 : failed / started,
    droppedRate: dropped / planned,
  };
}
