import {
  bootWorkBy,
  busyFactorOf,
  localTimeAt,
  type Rhythm,
  type SiteWeek,
  STEADY_WEEK,
  siteOfHost,
  spellsOf,
  weekAt,
  workBy,
} from './activity.ts';
import { bootBefore, bootWith, type Maintenance, maintenanceOf } from './boots.ts';
import { type Incident, incidentsBy, isRunning } from './incident.ts';
import { hostKeys, inRange, keyOf, streamLabel, unit, type ValueRange } from './noise.ts';
import { type Site, UTC } from './site.ts';

/** Mean share of the otherwise idle CPU time that a runaway process used over the last second, 1, 5 and 15 minutes. */
type Saturation = Readonly<Record<'second' | 'minute' | 'fiveMinutes' | 'quarter', number>>;

const UNSATURATED: Saturation = { second: 0, minute: 0, fiveMinutes: 0, quarter: 0 };

/** The figures of a host before they are filled, in groups: the host, its check run, its boot, its agent, its work and its load. */
const UNFILLED = {
  /** The host's own key, from which `keyOf` derives those of its parts. */
  hostKey: 0,
  /** Index in the fleet. */
  agent: 0,
  /** The fleet's incidents that have started on this host, including those that have ended. */
  incidents: [] as readonly Incident[],
  maintenance: { key: 0, laterMs: 0 } as Maintenance,
  site: UTC as Site,

  /** When the document is complete, and when its check run started. */
  instantMs: 0,
  checkMs: 0,
  /** The host's own clock at these two times. */
  clockEndMs: 0,
  clockMs: 0,
  /** Start of the previous run, whether or not the agent was running then. */
  previousMs: 0,
  /** As configured. */
  checkIntervalSeconds: 0,
  /** Time since the previous run, by the host's clock. */
  intervalSeconds: 0,
  /** This is the first run since the agent's start, or the first by the host's clock. All rates are 0. */
  firstRun: false,

  bootMs: 0,
  /** Changes with every boot. */
  bootKey: 0,
  uptimeSeconds: 0,

  agentStartMs: 0,
  /** When the agent started to run checks: at its start, or at its last reconfiguration. */
  runnerStartMs: 0,
  /** Start of the collection of packages whose result the agent has; NaN if the agent collects on its own schedule. */
  collectionMs: Number.NaN,
  /** Interval between collections of such an agent. */
  collectionIntervalMs: 0,

  /** From boot to the check run. Work is in seconds of mean activity of cores, disks and network. */
  work: 0,
  diskWork: 0,
  networkWork: 0,
  /** From boot to the previous run. */
  previousDiskWork: 0,
  previousNetworkWork: 0,
  /** Work of the cores from the epoch of `calendar.ts` to the check run. */
  workSinceEpoch: 0,
  /** Work of the disks from that epoch to a time in Unix ms, for differences. */
  diskWorkAt: (_unixMs: number): number => 0,
  /** Work of the disks in the last second; the long-term mean is 1. */
  diskRate: 0,
  /** The random stream of the host's spells of work; see `activity.ts`. */
  spells: 0,

  /** Mean load per core over 1, 5 and 15 minutes; may exceed 1. */
  load1: 0,
  load5: 0,
  load15: 0,
  /** Busy share of all cores in the last second, from 0 to 1. */
  busy: 0,
  /** The same without a runaway process. */
  ownBusy: 0,
  /** Mean of `ownBusy` over the last minute. */
  busyMinute: 0,
  /** Mean of `ownBusy` since boot. */
  busySinceBoot: 0,
  saturation: UNSATURATED,
};

/** One host at one time, from which documents are computed. Times are in Unix ms. Refilled for the next host, so callers do not keep it. */
export type HostState = Readonly<Filling>;

type Filling = typeof UNFILLED & {
  /** The same host at an earlier check run (Unix ms), until the next call. */
  earlier: (checkMs: number) => HostState;
};

/** Duration of a check run in milliseconds. See docs/reference/wire.md, "When things are sent". */
export type RunLength = (checkIntervalSeconds: number) => number;

/** At intervals above five seconds, the CPU check first waits three seconds for other checks. Then it measures for a second. */
export const posixRunMs: RunLength = (checkIntervalSeconds) => (checkIntervalSeconds > 5 ? 4000 : 1000);

/** The other checks of Linux and macOS only wait for their system calls. */
export const posixRunWithoutCpuMs: RunLength = () => 0;

/** On Windows, no check waits. A run takes as long as its system calls: about this long. */
export const windowsRunMs: RunLength = () => 700;

type Habits = {
  readonly rhythm: Rhythm;
  readonly runMs: RunLength;
  /** See `calendar.ts`. */
  readonly publishesLaterMs: number;
};

/** When an agent was last reconfigured, and when its process last started separately from its host, both in Unix ms. */
export type AgentStart = { readonly reloadMs: number; readonly startMs: number };

const WITH_HOST: AgentStart = { reloadMs: Number.NEGATIVE_INFINITY, startMs: Number.NEGATIVE_INFINITY };

/** `collectionMs`: the collection that the agent reports. Without `begun`, the agent started with its host. */
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
  /** Interval between collections of packages, for agents on their own schedule. */
  readonly collectionIntervalMs: number;
  readonly incidents: readonly Incident[];
};

/** Refills one object for all hosts: allocating its numbers for each document would be most of the garbage. */
export function createHostStates(input: HostStatesInput): HostStates {
  const now = hostStates(input);
  const before = hostStates(input);
  return (agent, habits, instantMs, collectionMs = Number.NaN, begun = WITH_HOST) => {
    const host = now(agent, habits, instantMs, collectionMs, begun);
    host.earlier = (checkMs) => {
      const endMs = checkMs + habits.runMs(input.checkIntervalSeconds);
      // At that time, the agent did not have the results of a later collection.
      return before(agent, habits, endMs, collectionMs <= endMs ? collectionMs : Number.NaN, begun);
    };
    return host;
  };
}

function hostStates(input: HostStatesInput): Refill {
  const { checkIntervalSeconds, collectionIntervalMs } = input;
  const hostKeyOf = hostKeys(input.seed);
  const incidentsOf = incidentsBy(input.incidents);
  const host: Filling = { ...UNFILLED, checkIntervalSeconds, collectionIntervalMs, earlier: noPast };
  let week = weekAt(UTC, STEADY_WEEK);
  host.diskWorkAt = (unixMs) => {
    const key = keyOf(host.hostKey, ACTIVITY);
    return workBy(week.disk, localTimeAt(key, unixMs / 1000, host.site), host.spells);
  };
  const fill: Refill = (agent, { rhythm, runMs, publishesLaterMs }, instantMs, collectionMs, begun) => {
    host.agent = agent;
    host.collectionMs = collectionMs;
    host.hostKey = hostKeyOf(agent);
    host.instantMs = instantMs;
    host.checkMs = instantMs - runMs(checkIntervalSeconds);
    host.previousMs = host.checkMs - checkIntervalSeconds * 1000;
    host.incidents = incidentsOf(agent, instantMs);
    host.maintenance = maintenanceOf(host.hostKey, publishesLaterMs);
    fillBoot(host, begun);
    host.site = siteOfHost(keyOf(host.hostKey, ACTIVITY), rhythm);
    week = weekAt(host.site, rhythm.week);
    fillActivity(host, rhythm, week);
    fillClock(host);
    return host;
  };
  return fill;
}

type Refill = (...input: Required<Parameters<HostStates>>) => Filling;

function noPast(): HostState {
  throw new Error('a state of the past has no past of its own');
}

const ACTIVITY = streamLabel('activity');

function fillBoot(host: Filling, { reloadMs, startMs }: AgentStart): void {
  const { incidents, maintenance } = host;
  const boot =
    incidents.length === 0 ? bootBefore(maintenance, host.checkMs) : bootWith(incidents, maintenance, host.checkMs);
  const { number, bootMs, agentStartMs, downMs } = boot;
  // While a host is down, its documents stay those of its last run.
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

function fillActivity(host: Filling, rhythm: Rhythm, week: SiteWeek): void {
  const { busy: usual } = rhythm;
  const { site } = host;
  const key = keyOf(host.hostKey, ACTIVITY);
  const seconds = host.checkMs / 1000;
  const now = localTimeAt(key, seconds, site);
  const second = localTimeAt(key, seconds - 1, site);
  const boot = localTimeAt(key, host.bootMs / 1000, site);
  const previous = localTimeAt(key, seconds - host.checkIntervalSeconds, site);
  const spells = spellsOf(key, rhythm);
  host.spells = spells;
  fillWork(host, week, { now, second, boot, previous, spells });
  const busy = usual * busyFactorOf(key, rhythm);
  const since = (windowSeconds: number, ownTime: number) => {
    const done = workBy(week.cpu, now, spells) - workBy(week.cpu, ownTime, spells);
    const booting = bootWorkBy(host.uptimeSeconds) - bootWorkBy(host.uptimeSeconds - windowSeconds);
    return (busy * done + booting) / windowSeconds;
  };
  // Averaging starts at the boot at the earliest.
  const meanOf = (windowSeconds: number) => {
    return since(
      windowSeconds,
      windowSeconds >= host.uptimeSeconds ? boot : localTimeAt(key, seconds - windowSeconds, site),
    );
  };
  host.load1 = meanOf(60);
  host.load5 = meanOf(300);
  host.load15 = meanOf(900);
  host.busy = Math.min(1, since(1, second));
  host.busy += (1 - host.busy) * (rhythm.alike === true ? 0 : spikeAt(key, seconds));
  host.ownBusy = host.busy;
  host.busyMinute = Math.min(1, host.load1);
  host.busySinceBoot = Math.min(1, since(Math.max(1, host.uptimeSeconds), boot));
  if (host.incidents.length === 0) host.saturation = UNSATURATED;
  else {
    const over = (windowSeconds: number) => saturationOver(host.incidents, host.checkMs, windowSeconds);
    host.saturation = { second: over(1), minute: over(60), fiveMinutes: over(300), quarter: over(900) };
    host.busy += (1 - host.busy) * host.saturation.second;
  }
}

/** Mean share of the otherwise idle CPU time that a runaway process used over the last `seconds`, from 0 to 1. */
function saturationOver(incidents: readonly Incident[], unixMs: number, seconds: number): number {
  let elapsedMs = 0;
  for (const { kind, fromMs, toMs } of incidents) {
    if (kind !== 'cpu-saturated') continue;
    elapsedMs += Math.max(0, Math.min(toMs, unixMs) - Math.max(fromMs, unixMs - seconds * 1000));
  }
  return Math.min(1, elapsedMs / (seconds * 1000));
}

/** Something occasionally takes a large share of the idle cores for some seconds: too short to show in the mean of a minute. Chosen. */
const SPIKE_SECONDS = 3;
const SPIKES = 0.012;
const SPIKE: ValueRange = [0.1, 0.55];

function spikeAt(key: number, seconds: number): number {
  const spell = Math.floor(seconds / SPIKE_SECONDS) | 0;
  return unit(key + 5, spell) < SPIKES ? inRange(SPIKE, unit(key + 6, spell)) : 0;
}

type OwnTimes = Readonly<Record<'now' | 'second' | 'boot' | 'previous' | 'spells', number>>;

function fillWork(host: Filling, { cpu, disk, network }: SiteWeek, times: OwnTimes): void {
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

/** How far a host's clock is ahead at a time, in milliseconds. */
export function clockOffsetAt(incidents: readonly Incident[], unixMs: number): number {
  let offsetMs = 0;
  for (const incident of incidents) {
    if (incident.kind === 'clock-skew' && isRunning(incident, unixMs)) offsetMs += incident.offsetSeconds * 1000;
  }
  return offsetMs;
}

function fillClock(host: Filling): void {
  const { incidents, instantMs, checkMs, checkIntervalSeconds } = host;
  const offsetMs = clockOffsetAt(incidents, checkMs);
  host.clockMs = checkMs + offsetMs;
  // A clock change during a run takes effect in the next run.
  host.clockEndMs = instantMs + offsetMs;
  host.intervalSeconds = checkIntervalSeconds;
  if (incidents.length === 0) return;
  const gained = offsetMs - clockOffsetAt(incidents, host.previousMs);
  host.intervalSeconds = checkIntervalSeconds + Math.floor(gained / 1000);
  if (host.intervalSeconds <= 0) host.firstRun = true;
}
