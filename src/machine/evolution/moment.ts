import { hash32, labelled } from '../../kernel/random.ts';
import { EPOCH_SECONDS, type Rhythm, workAt } from './activity.ts';
import { bootBefore } from './boots.ts';
import { derived, unit } from './noise.ts';

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
  readonly intervalSeconds: number;
  /** No run came before this one in the agent's life: every rate is 0. */
  readonly firstRun: boolean;
  readonly bootMs: number;
  readonly agentStartMs: number;
  /** Changes with every boot. */
  readonly bootKey: number;
  readonly uptimeSeconds: number;
  /** Activity since boot, in seconds of mean activity, up to the check run and up to the run before it. */
  readonly work: number;
  readonly previousWork: number;
  /** Mean activity before the check run over 1, 5 and 15 minutes; 1 is the host's long-term mean. */
  readonly load1: number;
  readonly load5: number;
  readonly load15: number;
  /** Share of all cores that was busy in the last second, from 0 to 1. */
  readonly busy: number;
  /** Mean of `busy` over the last minute. */
  readonly busyMinute: number;
};

/** What of a shape a moment needs. */
export type HostInput = {
  readonly rhythm: Rhythm;
  /** How long a check run takes. */
  readonly runMs: number;
};

export type Moments = (agent: number, shape: HostInput, instantMs: number) => Moment;

/** The moments of a fleet: one object, filled anew for each, because fifteen numbers a time would be most of the garbage. */
export function createMoments(fleet: { readonly seed: number; readonly checkIntervalSeconds: number }): Moments {
  const hostKeyOf = hostKeys(fleet.seed);
  const moment = unfilledMoment(fleet.checkIntervalSeconds);
  return (agent, shape, instantMs) => {
    moment.hostKey = hostKeyOf(agent);
    moment.instantMs = instantMs;
    moment.checkMs = instantMs - shape.runMs;
    fillBoot(moment);
    fillActivity(moment, shape.rhythm);
    return moment;
  };
}

type Filling = { -readonly [Key in keyof Moment]: Moment[Key] };

function unfilledMoment(intervalSeconds: number): Filling {
  const times = { instantMs: 0, checkMs: 0, intervalSeconds, firstRun: false, bootMs: 0, agentStartMs: 0 };
  const work = { work: 0, previousWork: 0, load1: 0, load5: 0, load15: 0, busy: 0, busyMinute: 0 };
  return { hostKey: 0, ...times, bootKey: 0, uptimeSeconds: 0, ...work };
}

function fillBoot(moment: Filling): void {
  const { hostKey } = moment;
  const { number, bootMs, agentStartMs, downMs } = bootBefore(keyOf(hostKey, BOOTS), moment.checkMs);
  // While a host is down, its documents stay those of the last run before.
  const lateMs = Math.max(0, moment.instantMs - downMs);
  moment.instantMs -= lateMs;
  moment.checkMs -= lateMs;
  const { checkMs } = moment;
  moment.bootMs = bootMs;
  moment.agentStartMs = agentStartMs;
  moment.bootKey = derived(hostKey, number);
  moment.uptimeSeconds = Math.floor((checkMs - bootMs) / 1000);
  moment.firstRun = checkMs - moment.intervalSeconds * 1000 < agentStartMs;
}

function fillActivity(moment: Filling, rhythm: Rhythm): void {
  const key = keyOf(moment.hostKey, ACTIVITY);
  const seconds = moment.checkMs / 1000;
  const now = workAt(key, rhythm, seconds);
  const atBoot = workAt(key, rhythm, moment.bootMs / 1000);
  moment.work = now - atBoot;
  moment.previousWork = workAt(key, rhythm, seconds - moment.intervalSeconds) - atBoot;
  moment.load1 = (now - workAt(key, rhythm, seconds - 60)) / 60;
  moment.load5 = (now - workAt(key, rhythm, seconds - 300)) / 300;
  moment.load15 = (now - workAt(key, rhythm, seconds - 900)) / 900;
  // Hosts of one role differ in how busy they are.
  const busy = rhythm.busy * (0.4 + 1.2 * unit(key, -1));
  moment.busy = Math.min(1, busy * (now - workAt(key, rhythm, seconds - 1)));
  moment.busyMinute = Math.min(1, busy * moment.load1);
}

/** Whether a host's agent runs at an instant: between two boots it does not. */
export function isUp(fleet: { readonly seed: number }, agent: number, instantMs: number): boolean {
  return instantMs < bootBefore(keyOf(hostKeys(fleet.seed)(agent), BOOTS), instantMs).downMs;
}

/** The keys of a fleet's hosts, signed. */
export function hostKeys(seed: number): (agent: number) => number {
  const hash = labelled(seed, 'machine');
  return (agent) => hash(agent) | 0;
}

/** A number for a concern's name, made once; `keyOf` then gives each host its own stream for it. */
export function concern(label: string): number {
  return hash32(0, label);
}

export function keyOf(hostKey: number, concernNumber: number): number {
  return derived(hostKey, concernNumber);
}

/** Whole seconds since the epoch that slow processes such as package releases are counted from. */
export function secondsSinceEpoch(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_SECONDS;
}

const BOOTS = concern('boots');
const ACTIVITY = concern('activity');
