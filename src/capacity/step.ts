import { formatDuration, MINUTE_MS, wholeMicroseconds } from '../base/kernel/units.ts';
import type { MeasuredOperation } from '../base/protocol/operations.ts';
import { stretched } from '../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import { isOfEarlyEnd, isOfMissingWork, type VerdictKind } from '../metrics/judging/verdict.ts';
import { type OperationSummary, plannedIn, type Summary } from '../metrics/summary/summary-schema.ts';
import type { Pull } from '../scenario/pull.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { isRepeated, type RaisedLoad, rateOf } from './raised-load.ts';
import { type Attempt, RECOVERY_RESTS_MS, sinceHeld, type TrialOutcome } from './search.ts';

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

/** Maximum share of missing or late work, whatever the conditions are. */
const MISSING_SHARE_LIMIT = 0.01;

/**
 * Evaluates the run of an attempt. Missing work counts like a condition. Otherwise a server that is frozen or accepts no more agents would
 * look good, because waiting and unregistered agents send nothing.
 */
export function stepOf(attempt: Attempt, summary: Summary, view: StepView): Step {
  const { operation, earlier, loadAtMs, drainMs, restMs, lastsMs } = view;
  const { verdict, warnings, overall, runId } = summary;
  const measured = plannedIn(overall).find((entry) => entry.operation === operation);
  const underLoad = summary.phases
    .filter(({ startMs }) => startMs > loadAtMs - 1)
    .flatMap(({ operations }) => plannedIn(operations).filter((entry) => entry.operation === operation));
  const missing = [...warnings.filter(isOfMissingWork), ...lostRegistrations(overall), ...growingBacklog(underLoad)];
  const leftoverMs = leftoverOf(summary, loadAtMs, drainMs);
  const judged = OUTCOMES[verdict.kind] === 'held' && missing.length > 0 ? 'gave_way' : OUTCOMES[verdict.kind];
  const before = operationsBefore(summary, loadAtMs);
  // A server that completed nothing is not busy with a backlog, but broken.
  const isBusy = leftoverMs > drainMs + MIN_LEFTOVER_MS && sumOf(before, 'succeeded') > 0;
  const outcome = judged === 'gave_way' && isBusy ? 'undrained' : judged;
  const stated = verdict.reasons.filter((reason) => reason.kind === verdict.kind && !isOfEarlyEnd(reason));
  const reasons = stated.map(({ text }) => text);
  // A run that does not describe the server does not describe the conditions either.
  const backlog = `the load started ${secondsText(drainMs)} after the preceding work, which affects the sample: ${slowestText(before)}`;
  const why =
    outcome === 'undrained'
      ? [backlog]
      : outcome === 'gave_way'
        ? [...reasons, ...missing, ...failedBefore(summary, loadAtMs)]
        : reasons;
  return {
    ...attempt,
    outcome,
    reasons: why,
    runId,
    restMs,
    lastsMs,
    drainMs,
    leftoverMs,
    enrolled: enrolledIn(summary, view),
    isSound: isSound(before, leftoverMs, earlier),
    ...(measured && { completed: attempt.load * completedShare(underLoad) }),
    figures: measured && figuresOf(measured),
  };
}

/** A broken server fails what comes before the load, too, or takes much longer for it. */
function isSound(before: readonly OperationSummary[], leftoverMs: number, earlier: readonly Step[]): boolean {
  const usualMs = Math.max(0, ...earlier.map((step) => (step.outcome === 'held' ? step.leftoverMs : 0)));
  const isDone =
    sumOf(before, 'succeeded') > 0 && sumOf(before, 'failed') <= sumOf(before, 'started') * MISSING_SHARE_LIMIT;
  return isDone && leftoverMs <= 1.5 * usualMs + MIN_LEFTOVER_MS;
}

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

/** A registration that failed may have reached the server, so nothing is known after one. */
function enrolledIn({ phases }: Summary, { earlier, agents }: StepView): number {
  const before = enrolledAfter(earlier);
  const registrations = phases.flatMap(({ operations }) =>
    operations.filter(({ operation }) => operation === 'register'),
  );
  const [planned, succeeded] = [sumOf(registrations, 'planned'), sumOf(registrations, 'succeeded')];
  return planned === succeeded && before + succeeded >= agents ? Math.max(before, agents) : before;
}

function enrolledAfter(steps: readonly Step[]): number {
  return Math.max(0, ...steps.map(({ enrolled }) => enrolled));
}

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

function operationsBefore({ phases }: Summary, loadAtMs: number): readonly OperationSummary[] {
  return phases.filter(({ startMs }) => startMs < loadAtMs - 1).flatMap(({ operations }) => operations);
}

/** What was seen of the backlog. How long it lasts is only estimated, for the next pause. */
function slowestText(before: readonly OperationSummary[]): string {
  const slowestMs = Math.max(0, ...before.map(({ latencyMs }) => latencyMs.response?.max ?? 0));
  const unanswered = before.reduce((sum, { outcomes }) => sum + (outcomes.timeout ?? 0), 0);
  const also = unanswered === 0 ? '' : `, and ${unanswered} of ${sumOf(before, 'started')} operations had no answer`;
  return `its slowest operation took ${secondsText(slowestMs)}${also}`;
}

/** A server that broke before the load does not describe the load. */
function failedBefore(summary: Summary, loadAtMs: number): readonly string[] {
  const before = operationsBefore(summary, loadAtMs);
  const [failed, started] = [sumOf(before, 'failed'), sumOf(before, 'started')];
  if (failed <= started * MISSING_SHARE_LIMIT) return [];
  return [
    `before the load, ${failed} of ${started} operations already failed: the enrollment or an earlier step may have broken the server`,
  ];
}

function sumOf(operations: readonly OperationSummary[], count: 'failed' | 'planned' | 'started' | 'succeeded'): number {
  return operations.reduce((sum, entry) => sum + entry[count], 0);
}

function secondsText(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 100) * 100);
}

/** Longest wait for a backlog to drain. */
const MAX_DRAIN_MS = 5 * MINUTE_MS;

/** An answer can take this long without any backlog. */
const MIN_LEFTOVER_MS = 100;

/**
 * Upper bound of the time from the end of the preceding phases to their last answer. An agent pushes as soon as it is registered, so the
 * slowest answers of both operations add up. The server may process requests that agents no longer wait for during the same time again.
 */
function leftoverOf({ phases }: Summary, loadAtMs: number, drainMs: number): number {
  const endMs = loadAtMs - drainMs;
  const before = phases.filter(({ startMs, durationMs }) => startMs + durationMs <= endMs + 1);
  const lasted = before.map(({ startMs, durationMs, operations }) => {
    const slowest = ({ latencyMs }: OperationSummary): number => latencyMs.response?.max ?? 0;
    const [registrations, others] = [true, false].map((wanted) =>
      operations.filter(({ operation }) => (operation === 'register') === wanted).map(slowest),
    );
    return startMs + durationMs - endMs + Math.max(0, ...(registrations ?? [])) + Math.max(0, ...(others ?? []));
  });
  const operations = before.flatMap((phase) => phase.operations);
  const started = sumOf(operations, 'started');
  const unanswered = operations.reduce((sum, { outcomes }) => sum + (outcomes.timeout ?? 0), 0);
  const leastMs = unanswered > started * MISSING_SHARE_LIMIT ? 2 * drainMs + 1000 : 0;
  return Math.max(0, leastMs, ...lasted);
}

/** For an enrollment with other arrivals; what a step shows of the backlog is an upper bound already. */
const DRAIN_RESERVE = 1.1;

/** What a step does before its load, depending on the earlier ones. */
export type BeforeLoad = {
  /** Pause at the start, in which the server can recover from an earlier step. */
  readonly restMs: number;
  /** Agents that need not register again. */
  readonly enrolled: number;
  /** Pause before the load, in which the server processes its backlog. */
  readonly drainMs: number;
};

export const NOTHING_BEFORE: BeforeLoad = { restMs: 0, enrolled: 0, drainMs: 0 };

export function beforeLoadOf(plan: StepPlan, steps: readonly Step[], attempt: Attempt): BeforeLoad {
  const enrolled = enrolledAfter(steps);
  const isBusy = phasesBefore(plan, agentsOf(plan, attempt) <= enrolled).length > 0;
  return { restMs: restOf(steps, attempt), enrolled, drainMs: isBusy ? drainOf(plan, steps, attempt) : 0 };
}

function agentsOf({ scenario, raised }: StepPlan, { load }: Attempt): number {
  return raised.kind === 'agents' ? load : scenario.fleet.agents;
}

/** How long a step must wait for the backlog, estimated from earlier steps; a larger fleet leaves a larger one. */
function drainOf({ raised }: StepPlan, steps: readonly Step[], { load }: Attempt): number {
  const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
  const needed = undrained.map((step) => {
    return DRAIN_RESERVE * step.leftoverMs * (raised.kind === 'agents' ? Math.max(1, load / step.load) : 1);
  });
  return Math.min(MAX_DRAIN_MS, Math.ceil(Math.max(0, ...needed)));
}

/**
 * Pause before a step. To test whether a server has recovered, the pauses become longer and longer. After a slow recovery, each load that
 * may have broken the server is followed by a pause of the same length; without it, the next step would say nothing.
 */
function restOf(steps: readonly Step[], { purpose }: Attempt): number {
  const failed = sinceHeld(steps);
  if (failed.length === 0) return 0;
  const asked = failed.filter((step) => step.purpose === 'recover').length;
  const restMs = purpose === 'recover' ? (RECOVERY_RESTS_MS[asked] ?? 0) : 0;
  return Math.max(restMs, ...steps.map((step, index) => recoveredWithin(step, sinceHeld(steps.slice(0, index)))));
}

/** Upper bound of a server's recovery time; 0 if it had recovered at the first test, or has not recovered yet. */
function recoveredWithin({ purpose, outcome, restMs }: Step, [, ...behind]: readonly Step[]): number {
  const isBack = purpose === 'recover' && outcome === 'held' && behind.some((step) => step.purpose === 'recover');
  return isBack ? behind.reduce((sum, { lastsMs }) => sum + lastsMs, restMs) : 0;
}

/** An agent without a password registers instead of pushing. If that fails, there is no push. */
function lostRegistrations(operations: readonly OperationSummary[]): readonly string[] {
  const planned = operations.reduce((sum, entry) => sum + entry.planned, 0);
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

/**
 * The part of the planned operations that the server could complete in the meantime, whenever they were due. The load counts from its
 * start, because a sample that ends early may be too short to show a rate.
 */
function completedShare(load: readonly OperationSummary[]): number {
  const planned = sumOf(load, 'planned');
  const completed = load.reduce((sum, entry) => sum + (entry.succeededPerSecond * entry.durationMs) / 1000, 0);
  return planned === 0 ? 0 : Math.min(1, completed / planned);
}

/** Common properties of all steps of a search. */
export type StepPlan = {
  readonly scenario: Scenario;
  readonly raised: RaisedLoad;
  /** How long the load runs before the measurement, and how long it is measured. */
  readonly settleMs: number;
  readonly sampleMs: number;
  readonly thresholds: readonly Threshold[];
};

/**
 * How much of the settling and of the sample a step runs. Some only show where to search, and both sides of the result are measured in full as well. Whether
 * the server recovered shows soon: at a load that held, nothing else should fail.
 */
const LOAD_SHARE: Readonly<Record<Attempt['purpose'], number>> = {
  climb: 1 / 2,
  bisect: 1 / 2,
  repeat: 1,
  recover: 1 / 5,
};

/** How long the load of a step runs; the sample is at least the longest interval of its agents, so that all of them are measured. */
export function loadTimesOf({ settleMs, sampleMs, raised }: StepPlan, purpose: Attempt['purpose']) {
  const share = LOAD_SHARE[purpose];
  const intervals = raised.phase.loads.map(({ model }) => (model.kind === 'cadence' ? model.everyMs : 0));
  return {
    settleMs: Math.ceil(settleMs * share),
    sampleMs: Math.min(sampleMs, Math.max(Math.ceil(sampleMs * share), ...intervals)),
  };
}

/**
 * The threshold with the number of operations of the sample, so that the step ends as soon as no further operation can change its outcome.
 * Without an upper bound, such as while events change when agents send, the step runs to its end.
 */
function decidable(
  threshold: Threshold,
  phases: readonly Phase[],
  { scenario, agents }: { readonly scenario: Scenario; readonly agents: number },
): Threshold {
  const sample = phases.at(-1);
  if (threshold.kind !== 'operation' || sample === undefined || scenario.events.length > 0) return threshold;
  if (threshold.phase !== undefined && threshold.phase !== sample.name) return threshold;
  const loads = sample.loads.filter(({ operation }) => operation === threshold.operation);
  const most = loads.map(({ model }) => mostDue(model, agents, sample.durationMs));
  const mostOperations = most.reduce((sum, count) => sum + count, 0);
  return loads.length === 0 || !Number.isFinite(mostOperations) ? threshold : { ...threshold, mostOperations };
}

function mostDue(model: LoadModel, agents: number, durationMs: number): number {
  if (model.kind === 'rate') return Math.ceil((model.ratePerSecond * durationMs) / 1000) + 1;
  return model.kind === 'cadence' ? agents * (Math.ceil(durationMs / model.everyMs) + 1) : Number.POSITIVE_INFINITY;
}

/**
 * The scenario of one step at a load. Steps are numbered from 1, and each has its own seed: a server that remembers the agents of one step
 * would refuse to register them in the next. A fleet with stored identities keeps its seed.
 */
export function stepScenario(plan: StepPlan, before: BeforeLoad, attempt: Attempt): Scenario {
  const { scenario, raised, thresholds } = plan;
  const { number, load, purpose } = attempt;
  const { fleet, target } = scenario;
  const agents = agentsOf(plan, attempt);
  const timeline = stepTimeline(phasesBefore(plan, agents <= before.enrolled), {
    measured: raised.phase,
    ...before,
    ...loadTimesOf(plan, purpose),
    ownAgents: fleet.agents,
    agents,
    rateGrowth: raised.kind === 'rate' ? load / raised.scenarioLoad : 1,
  });
  const seed = fleet.identities.kind === 'file' ? fleet.seed : fleet.seed + number - 1;
  return {
    ...scenario,
    name: `${scenario.name}-capacity`,
    fleet: { ...fleet, agents, seed },
    phases: timeline.phases,
    thresholds: thresholds.map((threshold) => decidable(threshold, timeline.phases, { scenario, agents })),
    target: {
      ...target,
      faults: movedFaults(scenario, timeline),
      pull: target.pull && movedPull(target.pull, timeline),
    },
    events: movedEvents(scenario, timeline),
  };
}

/** The phases before the measured one. If all agents have registered, those that do nothing else have nothing to do. */
function phasesBefore({ scenario, raised, thresholds }: StepPlan, areEnrolled: boolean): readonly Phase[] {
  const before = scenario.phases.slice(0, scenario.phases.indexOf(raised.phase));
  if (!areEnrolled || !staysEnrolled(scenario)) return before;
  const judged = thresholds.flatMap((threshold) => (threshold.kind === 'operation' ? [threshold.phase] : []));
  return before.filter(({ name, loads }) => judged.includes(name) || loads.length === 0 || loads.some(isRepeated));
}

/**
 * Whether agents that have registered in one step need not in the next. The embedded server starts again with each step, and what happens at a
 * given time needs all phases.
 */
function staysEnrolled({ fleet, target, events }: Scenario): boolean {
  const isKept = fleet.identities.kind === 'file' && target.url !== 'embedded';
  return isKept && events.length + target.faults.length === 0 && target.pull === undefined;
}

// Faults after the end of a step are left out.
function movedFaults({ target }: Scenario, { moved, phases }: StepTimeline): Scenario['target']['faults'] {
  return target.faults
    .map((fault) => ({ ...fault, atMs: moved(fault.atMs) }))
    .filter(({ atMs }) => atMs < timelineEndMs(phases));
}

/** An event that lasts to the end of the scenario lasts to the end of the step. */
function movedEvents({ events, phases }: Scenario, timeline: StepTimeline): Scenario['events'] {
  const endMs = timelineEndMs(timeline.phases);
  const endOf = (toMs: number) => (toMs >= timelineEndMs(phases) ? endMs : timeline.moved(toMs));
  return events
    .map((event) => ({ ...event, fromMs: timeline.moved(event.fromMs), toMs: endOf(event.toMs) }))
    .filter(({ fromMs }) => fromMs < endMs);
}

function movedPull(pull: Pull, { moved, phases }: StepTimeline): Pull {
  if (pull.configAtMs === undefined) return pull;
  const configAtMs = moved(pull.configAtMs);
  return configAtMs < timelineEndMs(phases)
    ? { ...pull, configAtMs }
    : { ...pull, configAtMs: undefined, configFile: undefined };
}

/** Parameters that convert a scenario's timeline to that of a step. */
type StepTimes = {
  readonly measured: RaisedLoad['phase'];
  readonly settleMs: number;
  readonly sampleMs: number;
  readonly drainMs: number;
  readonly restMs: number;
  /** Number of agents in the scenario and in the step. */
  readonly ownAgents: number;
  readonly agents: number;
  /** Factor for the rates of the measured phase. */
  readonly rateGrowth: number;
};

type StepTimeline = {
  readonly phases: readonly Phase[];
  /** Converts a time of the scenario to the same position in the same phase of the step. */
  readonly moved: (instantMs: number) => number;
};

/** A rest, the uncounted phases before the measured one, a pause, the load while it settles, then the sample. */
function stepTimeline(preceding: readonly Phase[], times: StepTimes): StepTimeline {
  const { measured, settleMs, sampleMs, drainMs, restMs } = times;
  const kept = [...preceding, measured];
  const placed: Phase[] = [];
  for (const phase of preceding) {
    const startMs = Math.max(restMs, timelineEndMs(placed));
    placed.push({ ...phase, excluded: true, startMs, durationMs: durationOf(phase, times) });
  }
  const beforeEndMs = Math.max(restMs, timelineEndMs(placed));
  const loadAtMs = beforeEndMs + drainMs;
  const startsMs = [...placed.map(({ startMs }) => startMs), loadAtMs];
  const moved = (instantMs: number): number => {
    const index = Math.max(
      0,
      kept.findLastIndex(({ startMs }) => startMs <= instantMs),
    );
    return wholeMicroseconds((startsMs[index] ?? 0) + instantMs - (kept[index]?.startMs ?? 0));
  };
  const fitted = ({ operation, model }: Load): Load => ({ operation, model: modelOf(model, times, moved) });
  const before = placed.map((phase) => ({ ...phase, loads: phase.loads.map(fitted) }));
  const pause = (name: string, startMs: number, durationMs: number): readonly Phase[] =>
    durationMs > 0 ? [{ name: unusedName(name, kept), startMs, durationMs, excluded: true, loads: [] }] : [];
  const drained = [...pause('rest', 0, restMs), ...before, ...pause('drain', beforeEndMs, drainMs)];
  const loads = measured.loads.map((load) => fitted(withRate(load, times.rateGrowth)));
  const settle = {
    name: unusedName('settle', kept),
    startMs: loadAtMs,
    durationMs: settleMs,
    excluded: true,
    loads,
  };
  const settling = settleMs > 0 ? [...drained, settle] : drained;
  const sample = {
    ...measured,
    startMs: loadAtMs + settleMs,
    durationMs: sampleMs,
    loads: loads.filter(isRepeated),
  };
  return { phases: [...settling, sample], moved };
}

/** The rate of registrations does not change, so a larger fleet takes longer to register. */
function durationOf({ durationMs, loads }: Phase, { agents, ownAgents }: StepTimes): number {
  return loads.every(isRepeated) ? durationMs : Math.ceil(wholeMicroseconds((durationMs * agents) / ownAgents));
}

/** A varying rate cannot be searched, so it stays at its first value. */
function withRate(load: Load, rateGrowth: number): Load {
  const ratePerSecond = rateOf(load.model) * rateGrowth;
  if (!isRepeated(load) || ratePerSecond === 0) return load;
  return { ...load, model: { kind: 'rate', ratePerSecond, limit: undefined } };
}

/** A cadence starts with its phase; a registration load uses each agent once. */
function modelOf(model: LoadModel, { agents, ownAgents }: StepTimes, moved: StepTimeline['moved']): LoadModel {
  if (model.kind === 'cadence') return { ...model, originMs: moved(model.originMs) };
  if (model.kind === 'trace' || model.limit === undefined) return model;
  const limit = Math.round((model.limit * agents) / ownAgents);
  if (model.kind !== 'curve') return { ...model, limit };
  return { ...model, limit, curve: stretched(model.curve, agents / ownAgents) };
}

function unusedName(wanted: string, phases: readonly Phase[]): string {
  const names = phases.map(({ name }) => name);
  let name = wanted;
  while (names.includes(name)) name += '-again';
  return name;
}
