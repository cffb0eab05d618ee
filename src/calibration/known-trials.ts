import { uuidOf } from '../agent/identity.ts';
import type { Distribution } from '../faults/delay.ts';
import type { Fault } from '../faults/fault.ts';
import { planRequest } from '../monitoring-server/injection/request-plan.ts';
import { AGENTS, OPERATION, SEED, type Trial, WARM_UP_PUSHES } from './trial.ts';
import { type Tolerance, timesUnderFreeze } from './truth.ts';

/** A trial, and what a perfect generator would measure in it; milliseconds. */
export type KnownTrial = {
  readonly name: string;
  readonly trial: Trial;
  readonly truth: { readonly response: readonly number[]; readonly service: readonly number[] };
  readonly tolerance: Tolerance;
};

/**
 * How much later than the truth a percentile may be: both ends wait for timers of whole milliseconds, and for a core.
 * A machine that does nothing else stays well below.
 */
export const SCHEDULING_ERROR_MS = 10;

/** After a freeze the server first has to work off what has piled up. */
export const BACKLOG_MS = 50;

const DELAYS_PER_SECOND = 200;
const DELAYS_MS = 1500;
// Shorter than a result waits for its agent: none is dropped.
const FREEZE = { ratePerSecond: 80, durationMs: 3000, freezeMs: 2000, afterMs: 400 };

/** Every push is delayed by a draw from the distribution. */
export function delayTrial(name: string, distribution: Distribution): KnownTrial {
  // Only pushes: the registrations before them are to be over when they are measured.
  const faults = [{ do: 'latency', delay: distribution, atMs: 0, share: 1, operations: [OPERATION] } as const];
  const drawn = drawnDelays(faults, (DELAYS_PER_SECOND * DELAYS_MS) / 1000 / AGENTS);
  return {
    name,
    trial: { ratePerSecond: DELAYS_PER_SECOND, durationMs: DELAYS_MS, faults },
    // No agent is asked again before its answer is there: response is service, but for the generator's own lag.
    truth: { response: drawn, service: drawn },
    tolerance: { belowMs: 0, aboveMs: SCHEDULING_ERROR_MS },
  };
}

/** The server stops for two seconds in the middle of a constant rate. */
export function freezeTrial(): KnownTrial {
  const { ratePerSecond, durationMs, freezeMs, afterMs } = FREEZE;
  const faults = [{ do: 'freeze', atMs: afterMs, forMs: freezeMs } as const];
  const { responseMs, serviceMs } = timesUnderFreeze({ ratePerSecond, agents: AGENTS, durationMs, freezeMs });
  return {
    name: `frozen for ${freezeMs / 1000} s`,
    trial: { ratePerSecond, durationMs, faults },
    truth: { response: responseMs, service: serviceMs },
    // Where between two arrivals the freeze begins is not known, nor its end within the tick of the server's timer.
    tolerance: { belowMs: 1000 / ratePerSecond + 2, aboveMs: SCHEDULING_ERROR_MS + BACKLOG_MS },
  };
}

/** What `muster doctor --calibrate` does: about fifteen seconds in all. */
export function allTrials(): readonly KnownTrial[] {
  return [
    delayTrial('20 ms', { kind: 'constant', ms: 20 }),
    delayTrial('5 to 80 ms', { kind: 'uniform', lowMs: 5, highMs: 80 }),
    delayTrial('lognormal, 20 ms', { kind: 'lognormal', medianMs: 20, sigma: 0.6 }),
    freezeTrial(),
  ];
}

/** The very delays that the server draws: they depend on its seed, the agent and the number of its attempt. */
function drawnDelays(faults: readonly Fault[], pushes: number): readonly number[] {
  const holding = faults.flatMap((fault, index) => (fault.do === 'latency' ? [{ index, fault }] : []));
  return Array.from({ length: AGENTS * pushes }, (_, n) => {
    const attempt = WARM_UP_PUSHES + 1 + Math.floor(n / AGENTS);
    const target = { operation: OPERATION, uuid: uuidOf(SEED, n % AGENTS), attempt } as const;
    return planRequest(SEED, holding, target)?.delayMs ?? 0;
  });
}
