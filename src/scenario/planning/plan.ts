import { wholeMicroseconds } from '../../base/kernel/units.ts';
import type { MeasuredOperation, Operation } from '../../base/protocol/operations.ts';
import { meanSizes } from '../../hosts/estimates.ts';
import { groupCounts } from '../../hosts/groups.ts';
import type { AverageBytes } from '../../hosts/host/profile.ts';
import type { HostData } from '../../hosts/host-data.ts';
import { hasArrivals } from '../../load/arrivals.ts';
import type { FleetEvent } from '../../load/events/event.ts';
import { rateAt } from '../../load/pacers.ts';
import { WHOLE_FLEET } from '../../load/shard.ts';
import { type Load, type LoadModel, type Phase, timelineEndMs } from '../../load/timeline.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { arrivalFactsOf, machineFleetOf } from '../agents.ts';
import { chosenCount } from '../cohort-members.ts';
import type { Pull } from '../pull.ts';
import type { Scenario } from '../scenario.ts';
import { type FleetSize, fleetSizeOf } from './fleet-size.ts';

/** The expected traffic and size of a scenario, computed without running it. */
export type Plan = {
  readonly durationMs: number;
  readonly phases: readonly PlannedPhase[];
  /** Peak of the busiest phase; `undefined` if a phase has a closed load. */
  readonly peakPerSecond: number | undefined;
  readonly peakBytesPerSecond: number | undefined;
  /** Estimate for the busiest second with random arrivals: the rate plus three standard deviations. */
  readonly mostInSecond: number | undefined;
  readonly size: FleetSize;
  /** By profile, or by named group. */
  readonly hosts: ReturnType<typeof groupCounts>;
  readonly cohorts: readonly { readonly name: string; readonly agents: number }[];
  /** Events, and faults of the embedded server, in chronological order. */
  readonly events: readonly PlannedEvent[];
};

export type PlannedEvent = {
  readonly atMs: number;
  readonly forMs: number | undefined;
} /** `agents`: the size of the cohort, or its maximum if it depends on states. */ & (
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly agents: number }
  | { readonly kind: 'fault'; readonly fault: Fault }
);

export type PlannedPhase = Omit<Phase, 'loads'> & { readonly loads: readonly PlannedLoad[] };

export type PlannedLoad = {
  readonly operation: MeasuredOperation;
  /** Peak rate of the whole fleet: 0 if the phase ends before the first arrival, `undefined` for a closed load. */
  readonly peakPerSecond: number | undefined;
  /** Mean size over the fleet of an agent's request, or of its answer to a poll, with head and body. */
  readonly requestBytes: number;
  /** Approximate size of heads and bodies; `undefined` if the rate is unknown. */
  readonly bytesPerSecond: number | undefined;
  /** Variance of the number of arrivals per second; 0 if evenly spaced. */
  readonly variancePerSecond: number;
  /** Operations in flight of a closed load. */
  readonly slots: number | undefined;
};

// Head and envelope of a request (docs/reference/wire.md, "Requests").
const HEAD_BYTES = 250;
const ENVELOPE_BYTES = 211;
// Status line, type, length and date of an agent's answer (docs/reference/agent-web-server.md, "Agent web server").
const ANSWER_HEAD_BYTES = 120;

/** Computes the plan with peak sizes and rates, so that a machine that satisfies the plan can carry the run. */
export function planOf(scenario: Scenario, data: HostData): Plan {
  const fleet = { ...machineFleetOf(scenario, data), agents: scenario.fleet.agents };
  const sizes = meanSizes(fleet);
  const size = fleetSizeOf(scenario, WHOLE_FLEET);
  const planned = { agents: size.agents, sizes };
  const polls = plannedPolls(scenario.target.pull, planned);
  const facts = arrivalFactsOf(scenario);
  const phases = scenario.phases.map((phase) => {
    const comes = (load: Load): boolean => hasArrivals(load, facts, phase);
    // A trace rarely has all operations.
    const shown = phase.loads.filter((load) => load.model.kind !== 'trace' || comes(load) || !phase.loads.some(comes));
    const loads = shown.flatMap((load) => plannedLoads(within(load, phase), planned, comes(load)));
    return { ...phase, loads: [...loads, ...polls] };
  });
  return {
    durationMs: timelineEndMs(scenario.phases),
    phases,
    peakPerSecond: peak(phases, ({ peakPerSecond }) => peakPerSecond),
    peakBytesPerSecond: peak(phases, ({ bytesPerSecond }) => bytesPerSecond),
    mostInSecond: mostInSecond(phases),
    size,
    hosts: groupCounts(fleet),
    cohorts: scenario.cohorts.map((one) => ({ name: one.name, agents: chosenCount(one, scenario.fleet) })),
    events: plannedEvents(scenario).toSorted((a, b) => a.atMs - b.atMs),
  };
}

function plannedEvents({ events, phases, fleet, target }: Scenario): readonly PlannedEvent[] {
  const endMs = timelineEndMs(phases);
  return [
    ...events.map((event): PlannedEvent => {
      const { fromMs, toMs } = event;
      const forMs = toMs < endMs ? wholeMicroseconds(toMs - fromMs) : undefined;
      return { kind: 'event', atMs: fromMs, forMs, event, agents: chosenCount(event, fleet) };
    }),
    ...target.faults.map((fault): PlannedEvent => {
      return { kind: 'fault', atMs: fault.atMs, forMs: fault.do === 'forget' ? 0 : fault.forMs, fault };
    }),
  ];
}

/** The load without the points of a curve that the phase does not reach. */
function within(load: Load, { durationMs }: { readonly durationMs: number }): Load {
  const { model } = load;
  if (model.kind !== 'curve' || model.curve.every(({ atMs }) => atMs <= durationMs)) return load;
  const reached = model.curve.filter(({ atMs }) => atMs <= durationMs);
  const end = { atMs: durationMs, perSecond: rateAt(model.curve, durationMs) };
  const [first = end, ...others] = [...reached, end];
  return { ...load, model: { ...model, curve: [first, ...others] } };
}

type PlannedFleet = { readonly agents: number; readonly sizes: AverageBytes };

/** A successful registration is immediately followed by the agent's first check data. */
function plannedLoads({ operation, model }: Load, fleet: PlannedFleet, isDue: boolean): readonly PlannedLoad[] {
  const planned = plannedLoad(operation, model, fleet);
  const own = isDue ? planned : { ...planned, peakPerSecond: 0, bytesPerSecond: 0, variancePerSecond: 0 };
  if (operation !== 'register' || model.kind === 'trace') return [own];
  return [own, { ...plannedLoad('checkdata', model, fleet), slots: undefined }];
}

function plannedLoad(operation: Operation, model: LoadModel, { agents, sizes }: PlannedFleet): PlannedLoad {
  const peakPerSecond = peakRate(model, agents);
  const size = requestBytes(operation, sizes);
  return {
    operation,
    peakPerSecond,
    requestBytes: size,
    bytesPerSecond: peakPerSecond === undefined ? undefined : peakPerSecond * size,
    variancePerSecond: varianceOf(model, peakPerSecond),
    slots: model.kind === 'concurrency' ? model.slots : undefined,
  };
}

function peakRate(model: LoadModel, agents: number): number | undefined {
  switch (model.kind) {
    case 'rate':
      return model.ratePerSecond;
    case 'curve':
      return Math.max(...model.curve.map(({ perSecond }) => perSecond));
    case 'cadence': {
      // Agents that start within less than their interval compress their arrivals into that time, which counts as at least a second.
      const overMs = Math.max(model.spread === 'together' ? 0 : model.spreadMs, 1000);
      return agents / (Math.min(model.everyMs, overMs) / 1000);
    }
    case 'concurrency':
      return undefined;
    case 'trace':
      return model.counts?.mostInSecond;
  }
}

/** Binomial variance of the number of agents that arrive in a given second. */
function varianceOf(model: LoadModel, perSecond: number | undefined): number {
  if (model.kind !== 'cadence' || model.spread !== 'random' || perSecond === undefined) return 0;
  const share = Math.min(1, 1000 / Math.min(model.everyMs, model.spreadMs));
  return perSecond * (1 - share);
}

function mostInSecond(phases: readonly PlannedPhase[]): number | undefined {
  const sums = phases.map(({ loads }) => {
    const perSecond = loads.reduce((sum, { peakPerSecond = Number.NaN }) => sum + peakPerSecond, 0);
    return perSecond + 3 * Math.sqrt(loads.reduce((sum, { variancePerSecond }) => sum + variancePerSecond, 0));
  });
  return sums.some(Number.isNaN) ? undefined : Math.max(0, ...sums);
}

function requestBytes(operation: Operation, sizes: AverageBytes): number {
  const envelope = HEAD_BYTES + ENVELOPE_BYTES;
  switch (operation) {
    case 'register':
    case 'authorize':
      return envelope;
    case 'checkdata':
      return envelope + sizes.checkdata;
    case 'packages':
      return envelope + sizes.packages;
  }
}

/** The highest sum over the loads of a phase; `undefined` if any load is unknown. */
function peak(phases: readonly PlannedPhase[], figure: (load: PlannedLoad) => number | undefined): number | undefined {
  const sums = phases.map(({ loads }) => loads.reduce((sum, load) => sum + (figure(load) ?? Number.NaN), 0));
  return sums.some(Number.isNaN) ? undefined : Math.max(0, ...sums);
}

/** Polls by the embedded server in each phase, measured by agents' answers. */
function plannedPolls(pull: Pull | undefined, { agents, sizes }: PlannedFleet): readonly PlannedLoad[] {
  if (pull === undefined) return [];
  const polls = (operation: 'poll' | 'poll-packages', everyMs: number, bodyBytes: number): PlannedLoad => {
    const peakPerSecond = agents / (everyMs / 1000);
    const requestBytes = ANSWER_HEAD_BYTES + bodyBytes;
    const bytesPerSecond = peakPerSecond * requestBytes;
    return { operation, peakPerSecond, requestBytes, bytesPerSecond, variancePerSecond: 0, slots: undefined };
  };
  return [polls('poll', pull.everyMs, sizes.checkdata), polls('poll-packages', pull.packagesEveryMs, sizes.packages)];
}
