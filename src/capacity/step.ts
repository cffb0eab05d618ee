import { formatDuration, MINUTE_MS, wholeMicroseconds } from '../kernel/units.ts';
import { stretched } from '../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import { isOfMissingWork, type VerdictKind } from '../metrics/judging/verdict.ts';
import type { OperationSummary, Summary } from '../metrics/summary/summary-schema.ts';
import type { MeasuredOperation } from '../protocol/operations.ts';
import type { Pull } from '../scenario/pull.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { isRepeated, type RaisedLoad, rateOf } from './raised-load.ts';
import { type Attempt, RECOVERY_RESTS_MS, sinceHeld, type TrialOutcome } from './search.ts';

/** One run of a search, and what it came to. */
export type Step = Attempt & {
  readonly outcome: TrialOutcome;
  /** Why it did not hold; empty if it did. */
  readonly reasons: readonly string[];
  readonly runId: string;
  /** For how long nothing was sent before the step, so that the server comes back. */
  readonly restMs: number;
  /** How long its timeline was, that rest included. */
  readonly lastsMs: number;
  /** For how long nothing was sent between what came before and the load. */
  readonly drainMs: number;
  /** How long after the end of what came before its last answer came. */
  readonly leftoverMs: number;
  /** Of the operation that the search is about, over the sample; undefined if nothing of it was due. */
  readonly figures: StepFigures | undefined;
};

type StepFigures = {
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
  done: 'held',
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
export function stepOf(attempt: Attempt, summary: Summary, view: StepView): Step {
  const { operation, loadAtMs, drainMs, restMs, lastsMs } = view;
  const { verdict, warnings, overall, runId } = summary;
  const missing = [...warnings.filter(isOfMissingWork), ...lostRegistrations(overall)];
  const leftoverMs = leftoverOf(summary, loadAtMs, drainMs);
  const told = OUTCOMES[verdict.kind] === 'held' && missing.length > 0 ? 'gave_way' : OUTCOMES[verdict.kind];
  const outcome = told === 'gave_way' && leftoverMs > drainMs + LEAST_LEFTOVER_MS ? 'undrained' : told;
  const reasons = verdict.reasons.filter(({ kind }) => kind === verdict.kind).map(({ text }) => text);
  const measured = overall.find((entry) => entry.operation === operation);
  // A run that says nothing about the server says nothing about conditions either.
  const backlog = `the load began ${secondsText(drainMs)} after what came before, whose backlog lasted about ${secondsText(leftoverMs)}, and affects the sample`;
  const why =
    outcome === 'undrained'
      ? [backlog]
      : outcome === 'gave_way'
        ? [...reasons, ...missing, ...failedBefore(summary, loadAtMs)]
        : reasons;
  return {
    ...{ ...attempt, outcome, reasons: why, runId, restMs, lastsMs, drainMs, leftoverMs },
    figures: measured && figuresOf(measured),
  };
}

/** What is to be known of the run of a step beside its summary. */
export type StepView = {
  readonly operation: MeasuredOperation;
  /** When the load began, and how long nothing was sent before. */
  readonly loadAtMs: number;
  readonly drainMs: number;
  readonly restMs: number;
  readonly lastsMs: number;
};

/** A server that what came before the load has broken says nothing of the load. */
function failedBefore({ phases }: Summary, loadAtMs: number): readonly string[] {
  const before = phases.filter(({ startMs }) => startMs < loadAtMs - 1).flatMap(({ operations }) => operations);
  const [failed, started] = [sumOf(before, 'failed'), sumOf(before, 'started')];
  if (failed <= started * MISSING_SHARE_LIMIT) return [];
  return [
    `before the load, ${failed} of ${started} operations already failed: the enrollment or an earlier step may have broken the server`,
  ];
}

function sumOf(operations: readonly OperationSummary[], count: 'failed' | 'started'): number {
  return operations.reduce((sum, entry) => sum + entry[count], 0);
}

function secondsText(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 100) * 100);
}

/** Longest wait for a backlog to drain. */
const MOST_DRAIN_MS = 5 * MINUTE_MS;

/** An answer takes so long without any backlog. */
const LEAST_LEFTOVER_MS = 100;

/**
 * How long after the end of what came before its last answer came, at most: an agent pushes as soon as it is registered, so
 * the slowest of both stand one behind the other. Answers that agents no longer wait for may be under way for as long again.
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

/** How long a step must wait for the backlog, estimated from earlier steps; a larger fleet leaves a larger one. */
export function drainOf(steps: readonly Step[], load: number, kind: RaisedLoad['kind']): number {
  const undrained = steps.filter(({ outcome }) => outcome === 'undrained');
  const needed = undrained.map((step) => {
    return 1.25 * step.leftoverMs * (kind === 'agents' ? Math.max(1, load / step.load) : 1);
  });
  return Math.min(MOST_DRAIN_MS, Math.ceil(Math.max(0, ...needed)));
}

/**
 * For how long nothing is sent before a step. Whether a server came back is asked after longer and longer rests. One that took
 * its time is left alone for as long after each load that may have broken it: the next one would tell nothing.
 */
export function restOf(steps: readonly Step[], { purpose }: Attempt): number {
  const failed = sinceHeld(steps);
  if (failed.length === 0) return 0;
  const asked = failed.filter((step) => step.purpose === 'recover').length;
  const restMs = purpose === 'recover' ? (RECOVERY_RESTS_MS[asked] ?? 0) : 0;
  return Math.max(restMs, ...steps.map((step, index) => recoveredWithin(step, sinceHeld(steps.slice(0, index)))));
}

/** How long a server took to come back, at most; none if it was there when first asked, or is not there yet. */
function recoveredWithin({ purpose, outcome, restMs }: Step, [, ...behind]: readonly Step[]): number {
  const isBack = purpose === 'recover' && outcome === 'held' && behind.some((step) => step.purpose === 'recover');
  return isBack ? behind.reduce((sum, { lastsMs }) => sum + lastsMs, restMs) : 0;
}

/** An agent without a password registers when it is due to push: if that fails, there is no push. */
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

/** What all steps of a search have in common. */
export type StepPlan = {
  readonly scenario: Scenario;
  readonly raised: RaisedLoad;
  /** How long the load is on before it is measured, and for how long it is measured. */
  readonly settleMs: number;
  readonly sampleMs: number;
  /** How long nothing is sent before, so that the server works off what came before. */
  readonly drainMs: number;
  /** How long nothing is sent before all, so that a server comes back that a step before has broken. */
  readonly restMs: number;
  readonly thresholds: readonly Threshold[];
};

/**
 * The scenario of one step at a load. Steps count from 1, and each has a seed of its own: a server that remembers the
 * agents of one step would refuse to register them in the next. A fleet that keeps its identities keeps its seed.
 */
export function stepScenario(plan: StepPlan, number: number, load: number): Scenario {
  const { scenario, raised, thresholds, settleMs, sampleMs, drainMs, restMs } = plan;
  const { fleet, target } = scenario;
  const agents = raised.kind === 'agents' ? load : fleet.agents;
  const timeline = stepTimeline(scenario.phases, {
    ...{ measured: raised.phase, settleMs, sampleMs, drainMs, restMs },
    ...{ ownAgents: fleet.agents, agents },
    rateGrowth: raised.kind === 'rate' ? load / raised.own : 1,
  });
  const seed = fleet.identities.kind === 'file' ? fleet.seed : fleet.seed + number - 1;
  return {
    ...scenario,
    name: `${scenario.name}-capacity`,
    fleet: { ...fleet, agents, seed },
    phases: timeline.phases,
    thresholds,
    target: {
      ...target,
      faults: movedFaults(scenario, timeline),
      pull: target.pull && movedPull(target.pull, timeline),
    },
    events: movedEvents(scenario, timeline),
  };
}

// What comes after the end of a step is no part of it.
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

/** How the timeline of a scenario is made that of a step. */
type StepTimes = {
  readonly measured: RaisedLoad['phase'];
  readonly settleMs: number;
  readonly sampleMs: number;
  readonly drainMs: number;
  readonly restMs: number;
  /** Agents of the scenario, and of the step. */
  readonly ownAgents: number;
  readonly agents: number;
  /** By how much the rates of the measured phase are multiplied. */
  readonly rateGrowth: number;
};

type StepTimeline = {
  readonly phases: readonly Phase[];
  /** Where an instant of the scenario comes to lie: at the same place of its phase. */
  readonly moved: (instantMs: number) => number;
};

/** A rest, the phases before the measured one, not counted, then a pause, then its load until it has settled, then the sample. */
function stepTimeline(phases: readonly Phase[], times: StepTimes): StepTimeline {
  const { measured, settleMs, sampleMs, drainMs, restMs } = times;
  const kept = phases.slice(0, phases.indexOf(measured) + 1);
  const placed: Phase[] = [];
  for (const phase of kept.slice(0, -1)) {
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
  const loads = measured.loads.map((load) => fitted(raised(load, times.rateGrowth)));
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

/** The rate of registrations stays, so a larger fleet takes longer to register. */
function durationOf({ durationMs, loads }: Phase, { agents, ownAgents }: StepTimes): number {
  return loads.every(isRepeated) ? durationMs : Math.ceil(wholeMicroseconds((durationMs * agents) / ownAgents));
}

/** A rate that changes has no one load that holds: it stays where it starts. */
function raised(load: Load, rateGrowth: number): Load {
  const ratePerSecond = rateOf(load.model) * rateGrowth;
  if (!isRepeated(load) || ratePerSecond === 0) return load;
  return { ...load, model: { kind: 'rate', ratePerSecond, limit: undefined } };
}

/** A cadence begins where its phase does; a registration asks every agent once. */
function modelOf(model: LoadModel, { agents, ownAgents }: StepTimes, moved: StepTimeline['moved']): LoadModel {
  if (model.kind === 'cadence') return { ...model, originMs: moved(model.originMs) };
  if (model.limit === undefined) return model;
  if (model.kind !== 'curve') return { ...model, limit: agents };
  return { ...model, limit: agents, curve: stretched(model.curve, agents / ownAgents) };
}

function unusedName(wanted: string, phases: readonly Phase[]): string {
  const names = phases.map(({ name }) => name);
  let name = wanted;
  while (names.includes(name)) name += '-again';
  return name;
}
