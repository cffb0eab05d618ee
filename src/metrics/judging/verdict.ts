import { z } from 'zod';
import { counted, formatPercent } from '../../base/kernel/units.ts';
import { isOperation, isPullOperation, type MeasuredOperation } from '../../base/protocol/operations.ts';
import { measureEach, type Recording } from '../merging/measurement.ts';
import {
  doubtCount,
  droppedCount,
  failedCount,
  failuresOf,
  succeededCount,
  sumTotals,
  type Totals,
} from '../merging/totals.ts';
import { refusedCount } from '../recording/listener-counts.ts';
import { type AnswerDoubt, DROPS, type DropReason, type Outcome, reachedNothing } from '../recording/outcomes.ts';
import { mostFrequent, plainTally } from '../recording/tally.ts';
import {
  observedText,
  type Threshold,
  type ThresholdResult,
  thresholdOutcome,
  thresholdSubject,
} from './thresholds.ts';

type Meaning = { tone: 'good' | 'bad' | 'caution'; about: 'end' | 'target' | 'generator' | 'threshold' };

/**
 * Results of a run, worst first: if several apply, the first is the verdict. `tone` is what it says about the server; with `caution`, the
 * figures say little about it. `about` is where a reason for it belongs.
 */
export const VERDICTS = {
  interrupted: { tone: 'caution', about: 'end' },
  incomplete: { tone: 'caution', about: 'end' },
  unreachable: { tone: 'caution', about: 'target' },
  invalid: { tone: 'caution', about: 'generator' },
  threshold_crossed: { tone: 'bad', about: 'threshold' },
  regression: { tone: 'bad', about: 'threshold' },
  pass: { tone: 'good', about: 'threshold' },
  done: { tone: 'good', about: 'threshold' },
} as const satisfies Readonly<Record<string, Meaning>>;

export type VerdictKind = keyof typeof VERDICTS;

export const VERDICT_KINDS = Object.keys(VERDICTS) as readonly VerdictKind[];

export const reasonSchema = z.strictObject({ kind: z.enum(VERDICT_KINDS).exclude(['pass', 'done']), text: z.string() });

export const verdictSchema = z
  .strictObject({ kind: z.enum(VERDICT_KINDS), reasons: z.array(reasonSchema) })
  .describe('reasons list everything against a pass, worst first; `done`: no problems, but no thresholds either');

type Verdict = z.infer<typeof verdictSchema>;
export type Reason = Verdict['reasons'][number];

/** @param asked whether there were thresholds: a run without any has nothing to pass. */
export function judge(reasons: readonly Reason[], asked: boolean): Verdict {
  const sorted = reasons.toSorted((a, b) => VERDICT_KINDS.indexOf(a.kind) - VERDICT_KINDS.indexOf(b.kind));
  return { kind: sorted[0]?.kind ?? (asked ? 'pass' : 'done'), reasons: sorted };
}

/** Whether the counts of a run may have gaps, because a worker or a machine was lost, or the run was killed. */
export function isIncomplete(reasons: readonly Reason[]): boolean {
  return reasons.some(({ kind }) => kind === 'incomplete');
}

export function crossedThresholds(results: readonly ThresholdResult[]): Reason[] {
  return results
    .filter((result) => thresholdOutcome(result) === 'crossed')
    .map((result) => ({
      kind: 'threshold_crossed',
      text: `${thresholdSubject(result)} ${result.text}: observed ${observedText(result)}`,
    }));
}

const ENDED_EARLY = 'a threshold ended the run early, after';

/** Whether the reason says that a threshold ended the run; a further one says which threshold was crossed. */
export function isOfEarlyEnd({ text }: Reason): boolean {
  return text.startsWith(ENDED_EARLY);
}

/** Explains why a run ended early, after `elapsedMs` of the timeline: it crossed this threshold. */
export function abortReason(result: ThresholdResult, elapsedMs: number, timelineMs: number): Reason {
  const [crossed] = crossedThresholds([result]);
  const at = `${Math.round(elapsedMs / 1000)} s of ${Math.ceil(timelineMs / 1000)} s`;
  return { kind: 'threshold_crossed', text: `${ENDED_EARLY} ${at}: ${crossed?.text}` };
}

/** All reasons except thresholds that turned out to be crossed at the end. */
export function reasonsBesideThresholds(run: { verdict: Verdict; thresholds: readonly ThresholdResult[] }): Reason[] {
  const crossed = new Set(crossedThresholds(run.thresholds).map(({ text }) => text));
  return run.verdict.reasons.filter(({ kind, text }) => kind !== 'threshold_crossed' || !crossed.has(text));
}

/**
 * Returns a reason if agents' operations failed and none of them, in any phase, reached the target. Requests to
 * the agents say nothing about the target. A target that takes requests counts as reached, even if it never answers.
 */
export function unreachableTarget({ run, elapsedMs }: Recording): Reason[] {
  const outbound = run.series.filter(({ operation }) => isOperation(operation));
  const { outcomes, dropped, sentBytes } = sumTotals(outbound.map((entry) => entry.totals));
  // A target that lets connections hang prevents operations from starting.
  const endings = plainTally({ ...outcomes, no_connection: dropped.no_connection ?? 0, canceled: 0 });
  const seen = Object.keys(endings).filter((ending) => (endings[ending] ?? 0) > 0);
  const ways = seen.map((ending) => (ending === 'no_connection' ? 'timeout' : (ending as Outcome)));
  if (seen.length === 0 || !reachedNothing(ways, sentBytes)) return [];
  const count = Object.values(endings).reduce((sum, times) => sum + times, 0);
  return [
    {
      kind: 'unreachable',
      text: `none of ${counted(count, 'operation')} reached the target in ${Math.ceil(elapsedMs / 1000)} s (${seen.join(', ')})`,
    },
  ];
}

/** A larger share of dropped work causes a warning: percentiles do not include operations that never started. */
const DROPPED_SHARE_LIMIT = 0.01;

/** A larger share of failures causes a warning if thresholds cover other operations. */
const FAILED_SHARE_LIMIT = 0.01;

const NEVER_STARTED = 'planned operations were never started';
const TURNED_AWAY = ['agents refused ', 'agents left '];

/** Whether a warning reports planned work that was not done. */
export function isOfMissingWork(warning: string): boolean {
  return warning.includes(NEVER_STARTED) || TURNED_AWAY.some((words) => warning.startsWith(words));
}

const PULLED_TOO_OFTEN = 'agents were still busy with earlier requests of the server, because they answered too slowly';

const GENERATOR_HELD_UP = 'agents were still busy with earlier operations, because the generator stalled';

/** Warns about planned work that was never done, which the counted figures do not show. */
export function loadWarnings(recording: Recording): string[] {
  const dropped = measureEach(recording).flatMap(({ operation, totals }) => droppedWork(operation, totals));
  return [...dropped, ...turnedAway(recording)];
}

/** Clients that agents did not answer appear in no operation's figures. */
function turnedAway({ run: { listeners } }: Recording): string[] {
  const { accepted, unanswered } = listeners;
  const refused = refusedCount(listeners);
  const reasons = mostFrequent(listeners.refused).map(([reason, count]) => `${count} ${reason}`);
  return [
    ...(refused === 0
      ? []
      : [`agents refused ${refused} of ${accepted} connections before a request (${reasons.join(', ')})`]),
    ...(unanswered === 0 ? [] : [`agents left requests or handshakes without an answer: ${unanswered}`]),
  ];
}

/**
 * Describes failures in the counted phases that no threshold judges. For example, agents that cannot register send nothing, and
 * no other figure shows what is missing.
 * @param judged operations that thresholds cover; if there are none, every failure is reported.
 */
export function errorWarnings(recording: Recording, judged: ReadonlySet<MeasuredOperation>): string[] {
  return measureEach(recording).flatMap(({ operation, totals }) => {
    const failed = failedCount(totals);
    if (judged.has(operation) || failed <= (judged.size === 0 ? 0 : totals.started * FAILED_SHARE_LIMIT)) return [];
    const how = mostFrequent(plainTally(failuresOf(totals.outcomes)))
      .map(([outcome, count]) => `${count} ${outcome}`)
      .join(', ');
    const share = failed === totals.started && failed > 1 ? `all ${failed}` : `${failed} of ${totals.started}`;
    return [`${operation}: ${share} started operations failed (${how}), and no threshold covers that`];
  });
}

const DOUBTS: Readonly<Record<AnswerDoubt, string>> = {
  error: 'reported an error',
  empty: 'had no body',
  unconfirmed: 'confirmed nothing',
};

/** Warns about answers in the counted phases that agents take and a person would not, unless a threshold limits them. */
export function doubtWarnings(recording: Recording, thresholds: readonly Threshold[]): string[] {
  const isLimited = (operation: MeasuredOperation): boolean =>
    thresholds.some(
      (one) => one.kind === 'operation' && one.operation === operation && one.statistic.kind === 'unexpected_rate',
    );
  return measureEach(recording).flatMap(({ operation, totals }) => {
    const most = mostFrequent(totals.doubts).map(([doubt, count]) => `${count} ${DOUBTS[doubt]}`);
    if (most.length === 0 || isLimited(operation)) return [];
    const share = formatPercent(Number((doubtCount(totals) / succeededCount(totals)).toPrecision(3)));
    return [
      `${operation}: ${share} of the answers with outcome ok are doubtful: ${most.join(', ')}; agents take them, and unexpected_rate can limit them`,
    ];
  });
}

function droppedWork(operation: MeasuredOperation, totals: Totals): string[] {
  const dropped = droppedCount(totals);
  const share = totals.planned === 0 ? 0 : dropped / totals.planned;
  if (share <= DROPPED_SHARE_LIMIT) return [];
  const [most] = mostFrequent(plainTally(totals.dropped));
  const reason = most?.[0] as DropReason;
  // In late spans, the generator kept agents busy, and not the server.
  const isHeldUp = 2 * (totals.leftOut?.dropped ?? 0) > dropped;
  const busy = isPullOperation(operation) ? PULLED_TOO_OFTEN : DROPS.agent_busy.cause;
  const cause = reason === 'agent_busy' ? (isHeldUp ? GENERATOR_HELD_UP : busy) : DROPS[reason].cause;
  return [`${operation}: ${Math.round(share * 100)}% of ${totals.planned} ${NEVER_STARTED}: ${cause}`];
}
