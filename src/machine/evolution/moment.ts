import { hash32 } from '../../kernel/random.ts';
import { EPOCH_SECONDS, type Rhythm, workAt } from './activity.ts';
import { bootBefore } from './boots.ts';
import { scramble, unit } from './noise.ts';

/** What every part of a document is computed from: one host at one instant. Times in Unix ms unless named otherwise. */
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

/** What of a fleet and a shape a moment needs. */
export type MomentInput = {
  readonly seed: number;
  readonly agent: number;
  readonly checkIntervalSeconds: number;
  readonly rhythm: Rhythm;
  /** How long a check run takes. */
  readonly runMs: number;
};

export function momentOf(input: MomentInput, instantMs: number): Moment {
  const hostKey = hostKeyOf(input.seed, input.agent);
  const checkMs = instantMs - input.runMs;
  const boot = bootBefore(keyOf(hostKey, BOOTS), checkMs);
  const workKey = keyOf(hostKey, ACTIVITY);
  const work = (ms: number) => workAt(workKey, input.rhythm, ms / 1000);
  const now = work(checkMs);
  const atBoot = work(boot.bootMs);
  const previousMs = checkMs - input.checkIntervalSeconds * 1000;
  // Hosts of one role differ in how busy they are.
  const busy = input.rhythm.busy * (0.4 + 1.2 * unit(workKey, -1));
  const mean = (seconds: number) => (now - work(checkMs - seconds * 1000)) / seconds;
  const load1 = mean(60);
  return {
    hostKey,
    instantMs,
    checkMs,
    intervalSeconds: input.checkIntervalSeconds,
    firstRun: previousMs < boot.agentStartMs,
    bootMs: boot.bootMs,
    agentStartMs: boot.agentStartMs,
    bootKey: scramble(hostKey, boot.number),
    uptimeSeconds: Math.floor((checkMs - boot.bootMs) / 1000),
    work: now - atBoot,
    previousWork: work(previousMs) - atBoot,
    load1,
    load5: mean(300),
    load15: mean(900),
    busy: Math.min(1, busy * mean(1)),
    busyMinute: Math.min(1, busy * load1),
  };
}

export function hostKeyOf(seed: number, agent: number): number {
  return hash32(seed, 'machine', agent);
}

/** A number for a concern's name, made once; `keyOf` then gives each host its own stream for it. */
export function concern(label: string): number {
  return hash32(0, label);
}

export function keyOf(hostKey: number, concernNumber: number): number {
  return scramble(hostKey, concernNumber);
}

/** Whole seconds since the epoch that slow processes such as package releases are counted from. */
export function secondsSinceEpoch(ms: number): number {
  return Math.floor(ms / 1000) - EPOCH_SECONDS;
}

const BOOTS = concern('boots');
const ACTIVITY = concern('activity');
