import {
  bootWorkBy,
  busyFactorOf,
  ownTimeAt,
  type Rhythm,
  STEADY_WEEK,
  spellsOf,
  type Week,
  workBy,
  zoneSecondsOf,
} from './activity.ts';
import { bootBefore, bootWith } from './boots.ts';
import { clockOffsetAt, type Incident, incidentsBy, saturationOver } from './incident.ts';
import { type Care, careOf } from './maintenance.ts';
import { hostKeys, keyOf, streamLabel } from './noise.ts';

/**
 * One host at one instant: what every part of a document is computed from. Times in Unix ms unless named otherwise. The
 * object is flat and filled anew for the next host, so nothing may keep it.
 */
export type HostState = {
  /** The host's own key; concerns derive theirs with `keyOf`. */
  readonly hostKey: number;
  /** What of the fleet's incidents this host has begun to have, whether it is over or not. */
  readonly incidents: readonly Incident[];
  /** How it is looked after. */
  readonly care: Care;
} & CheckRun &
  Uptime &
  AgentRun &
  WorkDone &
  Usage;

type CheckRun = {
  /** When the document is complete, and when its check run began. */
  readonly instantMs: number;
  readonly checkMs: number;
  /** What the host's own clock shows at these two. */
  readonly clockEndMs: number;
  readonly clockMs: number;
  /** When the run before this one began, whether the agent was there or not. */
  readonly previousMs: number;
  /** As the agent is configured. */
  readonly checkIntervalSeconds: number;
  /** Since the run before, by the host's clock. */
  readonly intervalSeconds: number;
  /** No run came before this one since the agent's start, or none by its clock: every rate is 0. */
  readonly firstRun: boolean;
};

type Uptime = {
  readonly bootMs: number;
  /** Changes with every boot. */
  readonly bootKey: number;
  readonly uptimeSeconds: number;
};

type AgentRun = {
  readonly agentStartMs: number;
  /** When the agent began to run its checks: at its start, or when it was last given another configuration. */
  readonly runnerStartMs: number;
  /** When the collection of packages began whose result the agent has; NaN: as an agent does that nobody drives. */
  readonly collectionMs: number;
  /** From one collection of such an agent to the next. */
  readonly collectionIntervalMs: number;
};

/** In seconds of mean activity, of cores, disks and network. */
type WorkDone = {
  /** Since boot, up to the check run. */
  readonly work: number;
  readonly diskWork: number;
  readonly networkWork: number;
  /** The same of disks and network up to the run before it. */
  readonly previousDiskWork: number;
  readonly previousNetworkWork: number;
  /** Of the cores from the beginning of all time up to the check run. */
  readonly workSinceEpoch: number;
  /** Of the disks from the beginning of all time up to an instant in Unix ms: differences count. */
  readonly diskWorkAt: (unixMs: number) => number;
  /** Of the disks in the last second; 1 is the long-term mean. */
  readonly diskRate: number;
  /** The stream of its spells of work, see `activity.ts`. */
  readonly spells: number;
  /** Seconds by which the host's own day is ahead of UTC. */
  readonly zoneSeconds: number;
};

type Usage = {
  /** Mean number of cores that had something to do, for each that there is, over 1, 5 and 15 minutes; may exceed 1. */
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
  /** Share of all cores that was busy in the last second, from 0 to 1. */
  readonly busy: number;
  /** The same without what a runaway process took. */
  readonly ownBusy: number;
  /** Mean of `ownBusy` over the last minute. */
  readonly busyMinute: number;
  /** The same over all the time since boot. */
  readonly busySinceBoot: number;
  readonly saturation: Saturation;
};

/** Mean share of what the cores had left that a runaway process took over the last second, 1, 5 and 15 minutes. */
type Saturation = {
  readonly second: number;
  readonly minute: number;
  readonly fiveMinutes: number;
  readonly quarter: number;
};

/** How long a check run takes, in milliseconds. See docs/reference/wire.md, "When things are sent". */
export type RunLength = (checkIntervalSeconds: number) => number;

/** The CPU check waits for other checks unless runs follow each other closely, and then watches for a second. */
export const posixRunMs: RunLength = (checkIntervalSeconds) => (checkIntervalSeconds > 5 ? 4000 : 1000);

/** Nothing waits on Windows: a run takes as long as its questions to the system. */
export const windowsRunMs: RunLength = () => 700;

/** What the hosts of one variant have in common in time. */
type Habits = {
  readonly rhythm: Rhythm;
  readonly runMs: RunLength;
  /** See `calendar.ts`. */
  readonly publishesLaterMs: number;
};

/** When an agent was last given another configuration, and when its process last began by itself, both in Unix ms. */
export type AgentStart = { readonly reloadMs: number; readonly startMs: number };

const WITH_HOST: AgentStart = { reloadMs: Number.NEGATIVE_INFINITY, startMs: Number.NEGATIVE_INFINITY };

/**
 * `collectionMs` and `begun` are what no function of host and time can know of its agent: the collection that it tells
 * of, see `AgentRun`, and when it began. Left out: with its host.
 */
type HostStates = (
  agent: number,
  habits: Habits,
  instantMs: number,
  collectionMs?: number,
  begun?: AgentStart,
) => HostState;

type HostStatesInput = {
  readonly seed: number;
  readonly checkIntervalSeconds: number;
  /** From one collection of packages to the next, of agents that nobody drives. */
  readonly collectionIntervalMs: number;
  readonly incidents: readonly Incident[];
};

/** The hosts of a fleet: one object, filled anew for each, because twenty numbers a time would be most of the garbage. */
export function createHostStates(input: HostStatesInput): HostStates {
  const { checkIntervalSeconds, collectionIntervalMs } = input;
  const hostKeyOf = hostKeys(input.seed);
  const incidentsOf = incidentsBy(input.incidents);
  const host = { ...UNFILLED, checkIntervalSeconds, collectionIntervalMs };
  let week = STEADY_WEEK;
  host.diskWorkAt = (unixMs) => {
    const key = keyOf(host.hostKey, ACTIVITY);
    return workBy(week.disk, ownTimeAt(key, unixMs / 1000) + host.zoneSeconds, host.spells);
  };
  return (agent, { rhythm, runMs, publishesLaterMs }, instantMs, collectionMs = Number.NaN, begun = WITH_HOST) => {
    week = rhythm.week;
    host.collectionMs = collectionMs;
    host.hostKey = hostKeyOf(agent);
    host.instantMs = instantMs;
    host.checkMs = instantMs - runMs(checkIntervalSeconds);
    host.previousMs = host.checkMs - checkIntervalSeconds * 1000;
    host.incidents = incidentsOf(agent, instantMs);
    host.care = careOf(host.hostKey, publishesLaterMs);
    fillBoot(host, begun);
    fillActivity(host, rhythm);
    fillClock(host);
    return host;
  };
}

const ACTIVITY = streamLabel('activity');
const UNSATURATED: Saturation = { second: 0, minute: 0, fiveMinutes: 0, quarter: 0 };

type Filling = { -readonly [Key in keyof HostState]: HostState[Key] };

const UNFILLED: Filling = {
  hostKey: 0,
  incidents: [],
  care: { key: 0, laterMs: 0 },
  ...{ instantMs: 0, checkMs: 0, clockEndMs: 0, clockMs: 0, previousMs: 0 },
  ...{ checkIntervalSeconds: 0, intervalSeconds: 0, firstRun: false },
  ...{ bootMs: 0, bootKey: 0, uptimeSeconds: 0 },
  ...{ agentStartMs: 0, runnerStartMs: 0, collectionMs: Number.NaN, collectionIntervalMs: 0 },
  ...{ work: 0, diskWork: 0, networkWork: 0, previousDiskWork: 0, previousNetworkWork: 0, workSinceEpoch: 0 },
  ...{ diskWorkAt: () => 0, diskRate: 0, spells: 0, zoneSeconds: 0 },
  ...{ load1: 0, load5: 0, load15: 0, busy: 0, ownBusy: 0, busyMinute: 0, busySinceBoot: 0, saturation: UNSATURATED },
};

function fillBoot(host: Filling, { reloadMs, startMs }: AgentStart): void {
  const { incidents, care } = host;
  const boot = incidents.length === 0 ? bootBefore(care, host.checkMs) : bootWith(incidents, care, host.checkMs);
  const { number, bootMs, agentStartMs, downMs } = boot;
  // While a host is down, its documents stay those of the last run before.
  const lateMs = Math.max(0, host.instantMs - downMs);
  host.instantMs -= lateMs;
  host.checkMs -= lateMs;
  host.previousMs -= lateMs;
  host.bootMs = bootMs;
  host.agentStartMs = Math.max(agentStartMs, startMs);
  host.runnerStartMs = Math.max(agentStartMs, reloadMs);
  host.bootKey = keyOf(host.hostKey, number);
  host.uptimeSeconds = Math.floor((host.checkMs - bootMs) / 1000);
  host.firstRun = host.previousMs < host.runnerStartMs;
}

function fillActivity(host: Filling, rhythm: Rhythm): void {
  const { busy: usual, week } = rhythm;
  const key = keyOf(host.hostKey, ACTIVITY);
  const seconds = host.checkMs / 1000;
  const zone = zoneSecondsOf(key, rhythm);
  host.zoneSeconds = zone;
  const now = ownTimeAt(key, seconds) + zone;
  const second = ownTimeAt(key, seconds - 1) + zone;
  const boot = ownTimeAt(key, host.bootMs / 1000) + zone;
  const previous = ownTimeAt(key, seconds - host.checkIntervalSeconds) + zone;
  const spells = spellsOf(key, rhythm);
  host.spells = spells;
  fillWork(host, week, { now, second, boot, previous, spells });
  const busy = usual * busyFactorOf(key, rhythm);
  const since = (windowSeconds: number, ownTime: number) => {
    return (
      (busy * (workBy(week.cpu, now, spells) - workBy(week.cpu, ownTime, spells)) + bootWork(host, windowSeconds)) /
      windowSeconds
    );
  };
  // Right after a boot there was nothing before it.
  const began = (windowSeconds: number) => {
    return windowSeconds >= host.uptimeSeconds ? boot : ownTimeAt(key, seconds - windowSeconds) + zone;
  };
  host.load1 = since(60, began(60));
  host.load5 = since(300, began(300));
  host.load15 = since(900, began(900));
  host.busy = Math.min(1, since(1, second));
  host.ownBusy = host.busy;
  host.busyMinute = Math.min(1, host.load1);
  host.busySinceBoot = Math.min(1, since(Math.max(1, host.uptimeSeconds), boot));
  if (host.incidents.length > 0) {
    host.saturation = saturationOf(host);
    host.busy += (1 - host.busy) * host.saturation.second;
  } else host.saturation = UNSATURATED;
}

type OwnTimes = Readonly<Record<'now' | 'second' | 'boot' | 'previous' | 'spells', number>>;

function fillWork(host: Filling, { cpu, disk, network }: Week, times: OwnTimes): void {
  const { now, second, boot, previous, spells } = times;
  const diskAtBoot = workBy(disk, boot, spells);
  const networkAtBoot = workBy(network, boot, spells);
  const diskNow = workBy(disk, now, spells);
  host.workSinceEpoch = workBy(cpu, now, spells);
  host.work = host.workSinceEpoch - workBy(cpu, boot, spells);
  host.diskWork = diskNow - diskAtBoot;
  host.diskRate = diskNow - workBy(disk, second, spells);
  host.previousDiskWork = workBy(disk, previous, spells) - diskAtBoot;
  host.networkWork = workBy(network, now, spells) - networkAtBoot;
  host.previousNetworkWork = workBy(network, previous, spells) - networkAtBoot;
}

/** What the boot has taken of the cores in a window that ends now. */
function bootWork({ uptimeSeconds }: HostState, windowSeconds: number): number {
  return bootWorkBy(uptimeSeconds) - bootWorkBy(uptimeSeconds - windowSeconds);
}

function saturationOf({ incidents, checkMs }: HostState): Saturation {
  return {
    second: saturationOver(incidents, checkMs, 1),
    minute: saturationOver(incidents, checkMs, 60),
    fiveMinutes: saturationOver(incidents, checkMs, 300),
    quarter: saturationOver(incidents, checkMs, 900),
  };
}

function fillClock(host: Filling): void {
  const { incidents, instantMs, checkMs, checkIntervalSeconds } = host;
  const offsetMs = clockOffsetAt(incidents, checkMs);
  host.clockMs = checkMs + offsetMs;
  // A clock that moves during a run counts from the next.
  host.clockEndMs = instantMs + offsetMs;
  host.intervalSeconds = checkIntervalSeconds;
  if (incidents.length === 0) return;
  const gained = offsetMs - clockOffsetAt(incidents, host.previousMs);
  host.intervalSeconds = checkIntervalSeconds + Math.floor(gained / 1000);
  if (host.intervalSeconds <= 0) host.firstRun = true;
}
