import { hash32, labelled } from '../../kernel/random.ts';
import { type Cohorts, incidentsBy } from '../incidents/cohorts.ts';
import { clockOffsetAt, saturationOver } from '../incidents/effects.ts';
import type { Incident } from '../incidents/incident.ts';
import {
  bootWorkBy,
  busyFactorOf,
  EPOCH_SECONDS,
  ownTimeAt,
  type Rhythm,
  STEADY_WEEK,
  type Week,
  workBy,
  zoneSecondsOf,
} from './activity.ts';
import { type Boot, bootBefore, bootWith } from './boots.ts';
import { derived } from './noise.ts';
import type { RunLength } from './run-length.ts';

/**
 * What every part of a document is computed from: one host at one instant. Times in Unix ms unless named otherwise. The
 * object is filled anew for the next host, so nothing may keep it.
 */
export type Moment = {
  /** The host's own key; concerns derive theirs with `keyOf`. */
  readonly hostKey: number;
  /** When the document is complete, and when its check run began. */
  readonly instantMs: number;
  readonly checkMs: number;
  /** What the host's own clock shows at these two. */
  readonly clockEndMs: number;
  readonly clockMs: number;
  /** As the agent is configured. */
  readonly checkIntervalSeconds: number;
  /** When the run before this one began, whether the agent was there or not. */
  readonly previousMs: number;
  /** Since the run before, by the host's clock. */
  readonly intervalSeconds: number;
  /** No run came before this one in the agent's life, or none by its clock: every rate is 0. */
  readonly firstRun: boolean;
  readonly bootMs: number;
  readonly agentStartMs: number;
  /** When the agent began to run its checks: at its start, or when it was last given another configuration. */
  readonly runnerStartMs: number;
  /** When the collection of packages began whose result the agent has; NaN: as an agent does that nobody drives. */
  readonly collectionMs: number;
  /** From one collection of such an agent to the next. */
  readonly collectionIntervalMs: number;
  /** Changes with every boot. */
  readonly bootKey: number;
  readonly uptimeSeconds: number;
  /** Activity since boot, in seconds of mean activity, up to the check run: of cores, disks and network. */
  readonly work: number;
  readonly diskWork: number;
  readonly networkWork: number;
  /** The same of disks and network up to the run before it. */
  readonly previousDiskWork: number;
  readonly previousNetworkWork: number;
  /** Activity of the disks from the beginning of all time up to an instant in Unix ms: differences count. */
  readonly diskWorkAt: (unixMs: number) => number;
  /** Activity of the cores from the beginning of all time up to the check run. */
  readonly workSinceEpoch: number;
  /** Activity of the disks in the last second; 1 is the long-term mean. */
  readonly diskRate: number;
  /** Mean number of cores that had something to do, for each that there is, over 1, 5 and 15 minutes; may exceed 1. */
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
  /** Seconds by which the host's own day is ahead of UTC. */
  readonly zoneSeconds: number;
  /** Share of all cores that was busy in the last second, from 0 to 1. */
  readonly busy: number;
  /** The same without what a runaway process took. */
  readonly ownBusy: number;
  /** Mean of `ownBusy` over the last minute. */
  readonly busyMinute: number;
  /** The same over all the time since boot. */
  readonly busySinceBoot: number;
  readonly saturation: Saturation;
  /** What of the fleet's incidents this host has begun to have, whether it is over or not. */
  readonly incidents: readonly Incident[];
};

/** Mean share of what the cores had left that a runaway process took over the last second, 1, 5 and 15 minutes. */
export type Saturation = {
  readonly second: number;
  readonly minute: number;
  readonly fiveMinutes: number;
  readonly quarter: number;
};

/** What of a shape a moment needs. */
export type HostInput = {
  readonly rhythm: Rhythm;
  /** How long a check run takes. */
  readonly runMs: RunLength;
};

/**
 * `collectionMs` and `reloadMs` are what no function of host and time can know of its agent: the collection that it tells
 * of, see `Moment`, and when it was last given another configuration.
 */
export type Moments = (
  agent: number,
  shape: HostInput,
  instantMs: number,
  collectionMs?: number,
  reloadMs?: number,
) => Moment;

export type MomentsInput = {
  readonly seed: number;
  readonly checkIntervalSeconds: number;
  /** From one collection of packages to the next, of agents that nobody drives. */
  readonly collectionIntervalMs: number;
  readonly incidents: readonly Incident[];
  readonly profileOf: (agent: number) => string;
};

/** The moments of a fleet: one object, filled anew for each, because twenty numbers a time would be most of the garbage. */
export function createMoments(input: MomentsInput): Moments {
  const { seed, checkIntervalSeconds, collectionIntervalMs, incidents, profileOf } = input;
  const hostKeyOf = hostKeys(seed);
  const incidentsOf = incidentsBy({ seed, incidents, profileOf });
  const moment = { ...unfilledMoment(checkIntervalSeconds), collectionIntervalMs };
  let { rhythm } = STILL;
  moment.diskWorkAt = (unixMs) => {
    const key = keyOf(moment.hostKey, ACTIVITY);
    return workBy(rhythm.week.disk, ownTimeAt(key, unixMs / 1000) + moment.zoneSeconds);
  };
  return (agent, shape, instantMs, collectionMs = Number.NaN, reloadMs = Number.NEGATIVE_INFINITY) => {
    rhythm = shape.rhythm;
    moment.collectionMs = collectionMs;
    moment.hostKey = hostKeyOf(agent);
    moment.instantMs = instantMs;
    moment.checkMs = instantMs - shape.runMs(checkIntervalSeconds);
    moment.previousMs = moment.checkMs - checkIntervalSeconds * 1000;
    moment.incidents = incidentsOf(agent, instantMs);
    fillBoot(moment, reloadMs);
    fillActivity(moment, shape.rhythm, checkIntervalSeconds);
    fillClock(moment, checkIntervalSeconds);
    return moment;
  };
}

type Filling = { -readonly [Key in keyof Moment]: Moment[Key] };

const STILL: HostInput = { rhythm: { busy: 0, week: STEADY_WEEK }, runMs: () => 0 };
const UNSATURATED: Saturation = { second: 0, minute: 0, fiveMinutes: 0, quarter: 0 };

function unfilledMoment(intervalSeconds: number): Filling {
  const times = {
    instantMs: 0,
    checkMs: 0,
    clockEndMs: 0,
    clockMs: 0,
    previousMs: 0,
    checkIntervalSeconds: intervalSeconds,
    intervalSeconds,
    firstRun: false,
  };
  const start = { bootMs: 0, agentStartMs: 0, runnerStartMs: 0, bootKey: 0, uptimeSeconds: 0 };
  const boot = { ...start, collectionMs: Number.NaN, collectionIntervalMs: 0 };
  const work = {
    work: 0,
    diskWork: 0,
    networkWork: 0,
    previousDiskWork: 0,
    previousNetworkWork: 0,
    workSinceEpoch: 0,
    diskRate: 0,
    zoneSeconds: 0,
    load1: 0,
    load5: 0,
    load15: 0,
    busy: 0,
    ownBusy: 0,
    busyMinute: 0,
    busySinceBoot: 0,
  };
  return { hostKey: 0, ...times, ...boot, ...work, saturation: UNSATURATED, diskWorkAt: () => 0, incidents: [] };
}

function fillBoot(moment: Filling, reloadMs: number): void {
  const { hostKey, incidents } = moment;
  const key = keyOf(hostKey, MAINTENANCE);
  const boot = incidents.length === 0 ? bootBefore(key, moment.checkMs) : bootWith(incidents, key, moment.checkMs);
  const { number, bootMs, agentStartMs, downMs } = boot;
  // While a host is down, its documents stay those of the last run before.
  const lateMs = Math.max(0, moment.instantMs - downMs);
  moment.instantMs -= lateMs;
  moment.checkMs -= lateMs;
  moment.previousMs -= lateMs;
  const { checkMs } = moment;
  moment.bootMs = bootMs;
  moment.agentStartMs = agentStartMs;
  moment.runnerStartMs = Math.max(agentStartMs, reloadMs);
  moment.bootKey = derived(hostKey, number);
  moment.uptimeSeconds = Math.floor((checkMs - bootMs) / 1000);
  moment.firstRun = moment.previousMs < moment.runnerStartMs;
}

function fillActivity(moment: Filling, { busy: usual, week }: Rhythm, intervalSeconds: number): void {
  const key = keyOf(moment.hostKey, ACTIVITY);
  const seconds = moment.checkMs / 1000;
  const zone = zoneSecondsOf(key);
  moment.zoneSeconds = zone;
  const now = ownTimeAt(key, seconds) + zone;
  const second = ownTimeAt(key, seconds - 1) + zone;
  const boot = ownTimeAt(key, moment.bootMs / 1000) + zone;
  const previous = ownTimeAt(key, seconds - intervalSeconds) + zone;
  fillWork(moment, week, { now, second, boot, previous });
  const busy = usual * busyFactorOf(key, usual);
  const since = (windowSeconds: number, ownTime: number) => {
    return (
      (busy * (workBy(week.cpu, now) - workBy(week.cpu, ownTime)) + bootWork(moment, windowSeconds)) / windowSeconds
    );
  };
  // Right after a boot there was nothing before it.
  const began = (windowSeconds: number) => {
    return windowSeconds >= moment.uptimeSeconds ? boot : ownTimeAt(key, seconds - windowSeconds) + zone;
  };
  moment.load1 = since(60, began(60));
  moment.load5 = since(300, began(300));
  moment.load15 = since(900, began(900));
  moment.busy = Math.min(1, since(1, second));
  moment.ownBusy = moment.busy;
  moment.busyMinute = Math.min(1, moment.load1);
  moment.busySinceBoot = Math.min(1, since(Math.max(1, moment.uptimeSeconds), boot));
  if (moment.incidents.length > 0) {
    moment.saturation = saturationOf(moment);
    moment.busy += (1 - moment.busy) * moment.saturation.second;
  } else moment.saturation = UNSATURATED;
}

type OwnTimes = { readonly now: number; readonly second: number; readonly boot: number; readonly previous: number };

function fillWork(moment: Filling, { cpu, disk, network }: Week, { now, second, boot, previous }: OwnTimes): void {
  const diskAtBoot = workBy(disk, boot);
  const networkAtBoot = workBy(network, boot);
  const diskNow = workBy(disk, now);
  moment.workSinceEpoch = workBy(cpu, now);
  moment.work = moment.workSinceEpoch - workBy(cpu, boot);
  moment.diskWork = diskNow - diskAtBoot;
  moment.diskRate = diskNow - workBy(disk, second);
  moment.previousDiskWork = workBy(disk, previous) - diskAtBoot;
  moment.networkWork = workBy(network, now) - networkAtBoot;
  moment.previousNetworkWork = workBy(network, previous) - networkAtBoot;
}

/** What the boot has taken of the cores in a window that ends now. */
function bootWork({ uptimeSeconds }: Moment, windowSeconds: number): number {
  return bootWorkBy(uptimeSeconds) - bootWorkBy(uptimeSeconds - windowSeconds);
}

function saturationOf({ incidents, checkMs }: Moment): Saturation {
  return {
    second: saturationOver(incidents, checkMs, 1),
    minute: saturationOver(incidents, checkMs, 60),
    fiveMinutes: saturationOver(incidents, checkMs, 300),
    quarter: saturationOver(incidents, checkMs, 900),
  };
}

function fillClock(moment: Filling, intervalSeconds: number): void {
  const { incidents, instantMs, checkMs } = moment;
  const offsetMs = clockOffsetAt(incidents, checkMs);
  moment.clockMs = checkMs + offsetMs;
  // A clock that moves during a run counts from the next.
  moment.clockEndMs = instantMs + offsetMs;
  moment.intervalSeconds = intervalSeconds;
  if (incidents.length === 0) return;
  const gained = offsetMs - clockOffsetAt(incidents, moment.previousMs);
  moment.intervalSeconds = intervalSeconds + Math.floor(gained / 1000);
  if (moment.intervalSeconds <= 0) moment.firstRun = true;
}

export type UpInput = Partial<Cohorts> & { readonly seed: number; readonly incidents?: readonly Incident[] };

/** Whether a host's agent runs at an instant: between two boots it does not. */
export function isUp(fleet: UpInput, agent: number, instantMs: number): boolean {
  const { seed, incidents = [], profileOf = unknownProfile } = fleet;
  const key = keyOf(hostKeys(seed)(agent), MAINTENANCE);
  return instantMs < bootWith(incidentsBy({ seed, incidents, profileOf })(agent, instantMs), key, instantMs).downMs;
}

function unknownProfile(): never {
  throw new Error('whether a cohort is a profile can only be told with profileOf');
}

/** Since when a host's agent runs at an instant, and when its host goes down, as `Boot` has them. */
export function agentRuns({ seed, incidents = [], profileOf = unknownProfile }: UpInput) {
  const hostKeyOf = hostKeys(seed);
  const incidentsOf = incidentsBy({ seed, incidents, profileOf });
  return (agent: number, unixMs: number): Pick<Boot, 'agentStartMs' | 'downMs'> =>
    bootWith(incidentsOf(agent, unixMs), keyOf(hostKeyOf(agent), MAINTENANCE), unixMs);
}

/** The keys of a fleet's hosts, signed. */
export function hostKeys(seed: number): (agent: number) => number {
  const hash = labelled(seed, 'machine');
  return (agent) => hash(agent) | 0;
}

/** The label of a random stream as a number, made once; `keyOf` then gives each host its own stream for it. */
export function streamLabel(label: string): number {
  return hash32(0, label);
}

export function keyOf(hostKey: number, label: number): number {
  return derived(hostKey, label);
}

/** Whole seconds since the epoch that slow processes such as package releases are counted from. */
export function secondsSinceEpoch(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_SECONDS;
}

const ACTIVITY = streamLabel('activity');
/** Hosts restart for their updates, so boots and updates follow from one stream. */
export const MAINTENANCE = streamLabel('maintenance');
