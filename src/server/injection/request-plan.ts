import { hash32, uniform } from '../../base/kernel/random.ts';
import { OPERATIONS, type Operation } from '../../base/protocol/operations.ts';
import type { Delay } from '../faults/delay.ts';
import type { RequestFault } from '../faults/schema.ts';

export type RequestPlan = {
  readonly delayMs: number;
  /** If set, the request is refused without being processed. */
  readonly refusal: Extract<RequestFault, { do: 'status' }> | undefined;
  readonly ending: 'whole' | 'half' | 'reset' | 'reset_unprocessed';
  readonly contentType: string | undefined;
  readonly wrongUuid: boolean;
  readonly emptyPassword: boolean;
  /** Infinity: as fast as the network accepts it. */
  readonly bytesPerSecond: number;
};

/**
 * Identity of a request for fault injection. Random draws depend only on this, not on the order of requests. The same
 * attempt of the same agent therefore gets the same result in every run.
 */
export type FaultTarget = {
  readonly operation: Operation;
  /** Empty if the request names no agent. */
  readonly uuid: string;
  /** Number of the agent's requests for the operation, including this one. */
  readonly attempt: number;
};

/** An active fault, with its index among all that were set. */
export type ActiveFault = { readonly index: number; readonly fault: RequestFault };

export const NO_FAULT: RequestPlan = {
  delayMs: 0,
  refusal: undefined,
  ending: 'whole',
  contentType: undefined,
  wrongUuid: false,
  emptyPassword: false,
  bytesPerSecond: Number.POSITIVE_INFINITY,
};

export function planRequest(seed: number, active: readonly ActiveFault[], target: FaultTarget): RequestPlan {
  const { operation, uuid, attempt } = target;
  let plan = NO_FAULT;
  for (const { index, fault } of active) {
    if (!fault.operations.includes(operation)) continue;
    const draw: Draw = (label) => uniform(seed, label, index, hash32(0, uuid), OPERATIONS.indexOf(operation), attempt);
    if (draw('fault.share') < fault.share) plan = { ...plan, ...effectOf(fault, plan, draw) };
  }
  return plan;
}

type Draw = (label: string) => number;

function effectOf(fault: RequestFault, plan: RequestPlan, draw: Draw): Partial<RequestPlan> {
  switch (fault.do) {
    case 'latency':
      return { delayMs: plan.delayMs + drawDurationMs(fault.delay, draw('fault.value'), draw('fault.other')) };
    case 'status':
      return { refusal: fault };
    case 'reset':
      return { ending: fault.processed ? 'reset' : 'reset_unprocessed' };
    case 'half-answer':
      return { ending: 'half' };
    case 'content-type':
      return { contentType: fault.contentType };
    case 'wrong-uuid':
      return { wrongUuid: true };
    case 'empty-password':
      return { emptyPassword: true };
    case 'drip':
      return { bytesPerSecond: fault.bytesPerSecond };
  }
}

/** Limit for the tail of a lognormal distribution: the longest time of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Draws milliseconds from the distribution, from two independent values in [0, 1). */
export function drawDurationMs(distribution: Delay, value: number, other: number): number {
  switch (distribution.kind) {
    case 'constant':
      return distribution.ms;
    case 'uniform':
      return distribution.lowMs + value * (distribution.highMs - distribution.lowMs);
    case 'lognormal':
      return Math.min(MAX_TIMER_MS, distribution.medianMs * Math.exp(distribution.sigma * normal(value, other)));
    case 'table':
      return interpolate(distribution.quantiles, value);
  }
}

/** Draws from the standard normal distribution (Box-Muller). */
function normal(value: number, other: number): number {
  return Math.sqrt(-2 * Math.log(1 - value)) * Math.cos(2 * Math.PI * other);
}

type Quantile = { readonly share: number; readonly ms: number };

/** Linear between the quantiles; beyond them, the first or last value. */
function interpolate(quantiles: readonly Quantile[], share: number): number {
  const above = quantiles.findIndex((quantile) => quantile.share >= share);
  const upper = quantiles.at(above);
  const lower = above > 0 ? quantiles[above - 1] : undefined;
  if (upper === undefined) return 0;
  if (above < 0 || lower === undefined) return upper.ms;
  return lower.ms + ((share - lower.share) / (upper.share - lower.share)) * (upper.ms - lower.ms);
}
