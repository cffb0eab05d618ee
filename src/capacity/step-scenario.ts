import { wholeMicroseconds } from '../base/kernel/units.ts';
import { stretched } from '../load/pacers.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { Pull } from '../scenario/pull.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { isRepeated, type RaisedLoad, rateOf } from './raised-load.ts';
import type { Attempt } from './search.ts';

/** Common properties of all steps of a search. */
export type StepPlan = {
  readonly scenario: Scenario;
  readonly raised: RaisedLoad;
  /** How long the load runs before the measurement, and how long it is measured. */
  readonly settleMs: number;
  readonly sampleMs: number;
  readonly thresholds: readonly Threshold[];
};

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

export function stepAgents({ scenario, raised }: StepPlan, { load }: Attempt): number {
  return raised.kind === 'agents' ? load : scenario.fleet.agents;
}

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
  const agents = stepAgents(plan, attempt);
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
      // Those after the end of the step are left out.
      faults: target.faults
        .map((fault) => ({ ...fault, atMs: timeline.moved(fault.atMs) }))
        .filter(({ atMs }) => atMs < timelineEndMs(timeline.phases)),
      pull: target.pull && movedPull(target.pull, timeline),
    },
    events: movedEvents(scenario, timeline),
  };
}

/** The phases before the measured one. If all agents have registered, those that do nothing else have nothing to do. */
export function phasesBefore({ scenario, raised, thresholds }: StepPlan, areEnrolled: boolean): readonly Phase[] {
  const before = scenario.phases.slice(0, scenario.phases.indexOf(raised.phase));
  if (!areEnrolled || !staysEnrolled(scenario)) return before;
  const judged = thresholds.flatMap((threshold) => (threshold.kind === 'operation' ? [threshold.phase] : []));
  return before.filter(({ name, loads }) => judged.includes(name) || loads.length === 0 || loads.some(isRepeated));
}

/** Whether registrations last for the next step. The embedded server starts again with each, and what happens at a time needs all phases. */
function staysEnrolled({ fleet, target, events }: Scenario): boolean {
  const isKept = fleet.identities.kind === 'file' && target.url !== 'embedded';
  return isKept && events.length + target.faults.length === 0 && target.pull === undefined;
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
type StepTimes = BeforeLoad &
  ReturnType<typeof loadTimesOf> & {
    readonly measured: Phase;
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
    const found = kept.findLastIndex(({ startMs }) => startMs <= instantMs);
    const index = Math.max(0, found);
    return wholeMicroseconds((startsMs[index] ?? 0) + instantMs - (kept[index]?.startMs ?? 0));
  };
  const fitted = ({ operation, model }: Load): Load => ({ operation, model: modelOf(model, times, moved) });
  const before = placed.map((phase) => ({ ...phase, loads: phase.loads.map(fitted) }));
  const pause = (name: string, startMs: number, durationMs: number): readonly Phase[] =>
    durationMs > 0 ? [{ name: unusedName(name, kept), startMs, durationMs, excluded: true, loads: [] }] : [];
  const drained = [...pause('rest', 0, restMs), ...before, ...pause('drain', beforeEndMs, drainMs)];
  const loads = measured.loads.map((load) => fitted(withRate(load, times.rateGrowth)));
  const settling = pause('settle', loadAtMs, settleMs).map((phase) => ({ ...phase, loads }));
  const sampled = { startMs: loadAtMs + settleMs, durationMs: sampleMs, loads: loads.filter(isRepeated) };
  return { phases: [...drained, ...settling, { ...measured, ...sampled }], moved };
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
