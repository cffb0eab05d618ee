import { formatDuration } from '../base/kernel/units.ts';
import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { isOfEarlyEnd, isOfMissingWork, type VerdictKind } from '../metrics/judging/verdict.ts';
import { type OperationSummary, plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import type { Attempt, TrialOutcome } from './search.ts';

/** One run of a search with its result. */
export type Step = Attempt & {
  readonly outcome: TrialOutcome;
  /** Why the load did not hold; empty if it did. */
  readonly reasons: readonly string[];
  readonly isSound: boolean;
  /** The part of the load that the server completed; absent if the searched operation was never due. */
  readonly completed?: number;
  readonly runId: string;
  /** Pause before the step, in which the server can recover. */
  readonly restMs: number;
  /** Length of its timeline, including that pause. */
  readonly lastsMs: number;
  /** Pause between the preceding phases and the load. */
  readonly drainMs: number;
  /** Time from the end of the preceding phases to their last answer. */
  readonly leftoverMs: number;
  /** How many agents of the fleet have registered in this search, as far as that is known. */
  readonly enrolled: number;
  /** Figures of the searched operation in the sample; `undefined` if it was never due. */
  readonly figures: StepFigures | undefined;
};

type StepFigures = {
  readonly succeededPerSecond: number;
  /** Response times; `undefined` if there were no answers. */
  readonly p50Ms: number | undefined;
  readonly p95Ms: number | undefined;
  readonly p99Ms: number | undefined;
  /** Share of started operations, 0 to 1. */
  readonly errorRate: number;
  /** Share of planned operations, 0 to 1. */
  readonly droppedRate: number;
};

/** Input of an evaluation, in addition to the summary. */
export type StepView = {
  readonly earlier: readonly Step[];
  readonly operation: MeasuredOperation;
  readonly agents: number;
  /** Start of the load, and the pause before it. */
  readonly loadAtMs: number;
  readonly drainMs: number;
  readonly restMs: number;
  readonly lastsMs: number;
};

/**
 * Evaluates the run of an attempt. Missing work counts like a condition. Otherwise a server that is frozen or accepts no more agents would
 * look good, because waiting and unregistered agents send nothing.
 */
export function stepOf(attempt: Attempt, summary: Summary, view: StepView): Step {
  const { operation, earlier, loadAtMs, drainMs, restMs, lastsMs } = view;
  const { overall, phases, runId, warnings } = summary;
  const preceding = precedingWork(summary, loadAtMs, drainMs);
  const underLoad = phases
    .filter(({ startMs }) => startMs > loadAtMs - 1)
    .flatMap(({ operations }) => plannedIn(operations).filter((entry) => entry.operation === operation));
  const missing = [...warnings.filter(isOfMissingWork), ...lostRegistrations(overall), ...growingBacklog(underLoad)];
  const outcome = outcomeOf(summary, missing, hasBacklog(preceding, drainMs));
  const measured = plannedIn(overall).find((entry) => entry.operation === operation);
  return {
    ...attempt,
    outcome,
    reasons: reasonsOf(outcome, summary, { missing, preceding, drainMs }),
    runId,
    restMs,
    lastsMs,
    drainMs,
    leftoverMs: preceding.leftoverMs,
    enrolled: enrolledIn(summary, view),
    isSound: isSound(preceding, earlier),
    ...(measured && { completed: attempt.load * completedShare(underLoad) }),
    figures: measured && figuresOf(measured),
  };
}

const OUTCOMES: Readonly<Record<VerdictKind, TrialOutcome>> = {
  pass: 'held',
  done: 'held',
  threshold_crossed: 'gave_way',
  regression: 'gave_way',
  invalid: 'generator',
  unreachable: 'unreachable',
  incomplete: 'incomplete',
  interrupted: 'incomplete',
};

function outcomeOf({ verdict }: Summary, missing: readonly string[], isBusy: boolean): TrialOutcome {
  const outcome = OUTCOMES[verdict.kind];
  const gaveWay = outcome === 'gave_way' || (outcome === 'held' && missing.length > 0);
  if (gaveWay) return isBusy ? 'undrained' : 'gave_way';
  return outcome;
}

type Observations = {
  readonly missing: readonly string[];
  readonly preceding: PrecedingWork;
  readonly drainMs: number;
};

/** A run that does not describe the server does not describe the conditions either. */
function reasonsOf(
  outcome: TrialOutcome,
  { verdict }: Summary,
  { missing, preceding, drainMs }: Observations,
): readonly string[] {
  if (outcome === 'undrained')
    return [
      `the load started ${secondsText(drainMs)} after the preceding work, which affects the sample: ${slowestText(preceding)}`,
    ];
  const reasons = verdict.reasons.filter((reason) => reason.kind === verdict.kind && !isOfEarlyEnd(reason));
  const texts = reasons.map(({ text }) => text);
  return outcome === 'gave_way' ? [...texts, ...missing, ...precedingFailures(preceding)] : texts;
}

// ---- The work before the load ----

/** Operations of the phases before the load. */
type PrecedingWork = {
  readonly operations: readonly OperationSummary[];
  /** As in `Step`. */
  readonly leftoverMs: number;
};

function precedingWork(summary: Summary, loadAtMs: number, drainMs: number): PrecedingWork {
  const phases = summary.phases.filter(({ startMs }) => startMs < loadAtMs - 1);
  return {
    operations: phases.flatMap(({ operations }) => operations),
    leftoverMs: leftoverOf(summary, loadAtMs - drainMs, drainMs),
  };
}

/** An answer can take this long without any backlog. */
const MIN_LEFTOVER_MS = 100;

/**
 * Upper bound of the time from the end of the preceding phases to their last answer. An agent pushes as soon as it is registered, so the
 * slowest answers of both operations add up. The server may process requests that agents no longer wait for during the same time again.
 */
function leftoverOf({ phases }: Summary, endMs: number, drainMs: number): number {
  const before = phases.filter(({ startMs, durationMs }) => startMs + durationMs <= endMs + 1);
  const lasted = before.map(({ startMs, durationMs, operations }) => {
    const [registrations, others] = [true, false].map((isRegister) =>
      operations.filter(({ operation }) => (operation === 'register') === isRegister),
    );
    return startMs + durationMs - endMs + slowestMs(registrations) + slowestMs(others);
  });
  const operations = before.flatMap((phase) => phase.operations);
  const isUnanswered = timeouts(operations) > sumOf(operations, 'started') * MISSING_SHARE_LIMIT;
  return Math.max(0, isUnanswered ? 2 * drainMs + 1000 : 0, ...lasted);
}

function slowestMs(operations: readonly OperationSummary[] = []): number {
  return Math.max(0, ...operations.map(({ latencyMs }) => latencyMs.response?.max ?? 0));
}

function timeouts(operations: readonly OperationSummary[]): number {
  return operations.reduce((sum, { outcomes }) => sum + (outcomes.timeout ?? 0), 0);
}

/** Whether the server still worked on it when the load began. A server that completed nothing is not busy, but broken. */
function hasBacklog({ operations, leftoverMs }: PrecedingWork, drainMs: number): boolean {
  return leftoverMs > drainMs + MIN_LEFTOVER_MS && sumOf(operations, 'succeeded') > 0;
}

/** A leftover that lasts longer than that of loads that held, by more than this factor, shows a broken server. */
const USUAL_LEFTOVER_FACTOR = 1.5;

/** A broken server fails what comes before the load, too, or takes much longer for it. */
function isSound({ operations, leftoverMs }: PrecedingWork, earlier: readonly Step[]): boolean {
  const usualMs = Math.max(0, ...earlier.map((step) => (step.outcome === 'held' ? step.leftoverMs : 0)));
  const isDone = sumOf(operations, 'succeeded') > 0 && !haveManyFailed(operations);
  return isDone && leftoverMs <= USUAL_LEFTOVER_FACTOR * usualMs + MIN_LEFTOVER_MS;
}

function haveManyFailed(operations: readonly OperationSummary[]): boolean {
  return sumOf(operations, 'failed') > sumOf(operations, 'started') * MISSING_SHARE_LIMIT;
}

/** A server that broke before the load does not describe the load. */
function precedingFailures({ operations }: PrecedingWork): readonly string[] {
  if (!haveManyFailed(operations)) return [];
  const [failed, started] = [sumOf(operations, 'failed'), sumOf(operations, 'started')];
  return [
    `before the load, ${failed} of ${started} operations already failed: the enrollment or an earlier step may have broken the server`,
  ];
}

/** What was observed of the backlog. How long it lasts is only estimated, for the next pause. */
function slowestText({ operations }: PrecedingWork): string {
  const unanswered = timeouts(operations);
  const also =
    unanswered === 0 ? '' : `, and ${unanswered} of ${sumOf(operations, 'started')} operations had no answer`;
  return `its slowest operation took ${secondsText(slowestMs(operations))}${also}`;
}

/** A registration that failed may have reached the server, so nothing is known after one. */
function enrolledIn({ phases }: Summary, { earlier, agents }: StepView): number {
  const before = enrolledAfter(earlier);
  const registrations = phases.flatMap(({ operations }) =>
    operations.filter(({ operation }) => operation === 'register'),
  );
  const [planned, succeeded] = [sumOf(registrations, 'planned'), sumOf(registrations, 'succeeded')];
  return planned === succeeded && before + succeeded >= agents ? Math.max(before, agents) : before;
}

export function enrolledAfter(steps: readonly Step[]): number {
  return Math.max(0, ...steps.map(({ enrolled }) => enrolled));
}

// ---- The load ----

/** Maximum share of missing or late work, whatever the conditions are. */
const MISSING_SHARE_LIMIT = 0.01;

/**
 * A server that completes less than is due may meet all conditions until the end of a short step, while operations wait longer and longer.
 * An answer that merely arrives after the end is no sign of that, so the response time must have grown since the load settled.
 */
function growingBacklog([settling, measured]: readonly OperationSummary[]): readonly string[] {
  if (settling === undefined || measured === undefined) return [];
  const { operation, planned, dropped, failed, succeededPerSecond, durationMs, latencyMs } = measured;
  const settledMs = settling.latencyMs.response?.p50;
  const behind = planned - dropped - failed - (succeededPerSecond * durationMs) / 1000;
  const isSlower = settledMs !== undefined && (latencyMs.response?.p50 ?? 0) > SLOWER_FACTOR * settledMs;
  if (!isSlower || behind <= planned * LATE_SHARE_LIMIT) return [];
  const due = `${Math.round(behind)} of ${planned}`;
  return [
    `${operation}: ${due} operations were not complete at the end, and the response time grew: the server completes less than is due`,
  ];
}

/** A larger share of late work means a growing backlog. */
const LATE_SHARE_LIMIT = 0.005;

/** By how much the median grows between the settling and the sample if a queue grows steadily; noise stays below. */
const SLOWER_FACTOR = 1.5;

/** An agent without a password registers instead of pushing. If that fails, there is no push. */
function lostRegistrations(operations: readonly OperationSummary[]): readonly string[] {
  const planned = sumOf(operations, 'planned');
  const failed = operations.find(({ operation }) => operation === 'register')?.failed ?? 0;
  if (failed <= planned * MISSING_SHARE_LIMIT) return [];
  const share = `${Math.round((failed / planned) * 100)}%`;
  return [`register: ${failed} failed, ${share} of all planned, and their agents sent nothing else`];
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

/** The part of the planned operations that the server could complete since the load began: a sample that ends early may be too short. */
function completedShare(load: readonly OperationSummary[]): number {
  const planned = sumOf(load, 'planned');
  const completed = load.reduce((sum, entry) => sum + (entry.succeededPerSecond * entry.durationMs) / 1000, 0);
  return planned === 0 ? 0 : Math.min(1, completed / planned);
}

function sumOf(operations: readonly OperationSummary[], count: 'failed' | 'planned' | 'started' | 'succeeded'): number {
  return operations.reduce((sum, entry) => sum + entry[count], 0);
}

function secondsText(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 100) * 100);
}
