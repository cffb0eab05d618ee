import { formatDuration } from '../../base/kernel/units.ts';
import type { Validity } from '../../metrics/judging/validity-schema.ts';
import { countedPhases, measure } from '../../metrics/merging/measurement.ts';
import type { Totals } from '../../metrics/merging/totals.ts';
import { scenarioFrom } from '../../scenario/file.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { Delay } from '../../server/faults/delay.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { planRequest } from '../../server/injection/request-plan.ts';
import { uuidOf } from '../../wire/agent/identity.ts';
import { ALONE, startRun } from '../run.ts';
import {
  compareWithTruth,
  countAbove,
  isWithin,
  type Tolerance,
  type TruthComparison,
  timesUnderFreeze,
} from './truth.ts';

/** A trial and the exact times that it must show, in milliseconds. */
type KnownTrial = {
  readonly name: string;
  readonly trial: Trial;
  readonly truth: { readonly response: readonly number[]; readonly service: readonly number[] };
  readonly tolerance: Tolerance;
};

/** How much a percentile may exceed the truth: both ends wait for timers and a core. An otherwise idle machine stays well below. */
export const SCHEDULING_ERROR_MS = 10;

/** After a freeze, the server must first work through its backlog. */
export const BACKLOG_MS = 50;

const DELAYS_PER_SECOND = 200;
const DELAYS_MS = 1500;
// Shorter than the time that a result waits for its agent, so that none is dropped.
const FREEZE = { ratePerSecond: 80, durationMs: 3000, freezeMs: 2000, afterMs: 400 };

/** Delays each push by a draw from the distribution. */
export function delayTrial(name: string, distribution: Delay): KnownTrial {
  // Only pushes are delayed: registrations must be complete before the measurement.
  const faults = [{ do: 'latency', delay: distribution, atMs: 0, share: 1, operations: [OPERATION] } as const];
  const drawn = drawnDelays(faults, (DELAYS_PER_SECOND * DELAYS_MS) / 1000 / AGENTS);
  return {
    name,
    trial: { ratePerSecond: DELAYS_PER_SECOND, durationMs: DELAYS_MS, faults },
    // No agent has two pushes at the same time, so response equals service, apart from the generator's lag.
    truth: { response: drawn, service: drawn },
    tolerance: { belowMs: 0, aboveMs: SCHEDULING_ERROR_MS },
  };
}

/** The server freezes for two seconds during a constant rate. */
export function freezeTrial(): KnownTrial {
  const { ratePerSecond, durationMs, freezeMs, afterMs } = FREEZE;
  const faults = [{ do: 'freeze', atMs: afterMs, forMs: freezeMs } as const];
  const { responseMs, serviceMs } = timesUnderFreeze({ ratePerSecond, agents: AGENTS, durationMs, freezeMs });
  return {
    name: `frozen for ${freezeMs / 1000} s`,
    trial: { ratePerSecond, durationMs, faults },
    truth: { response: responseMs, service: serviceMs },
    // The freeze starts at an unknown position between two arrivals, and ends within one tick of the server's timer.
    tolerance: { belowMs: 1000 / ratePerSecond + 2, aboveMs: SCHEDULING_ERROR_MS + BACKLOG_MS },
  };
}

/** The trials of `muster doctor --calibrate`, about fifteen seconds in total. */
export function allTrials(): readonly KnownTrial[] {
  return [
    delayTrial('20 ms', { kind: 'constant', ms: 20 }),
    delayTrial('5 to 80 ms', { kind: 'uniform', lowMs: 5, highMs: 80 }),
    delayTrial('lognormal, 20 ms', { kind: 'lognormal', medianMs: 20, sigma: 0.6 }),
    freezeTrial(),
  ];
}

/** The delays that the server will draw: they depend on its seed, the agent and the number of its attempt. */
function drawnDelays(faults: readonly Fault[], pushes: number): readonly number[] {
  const holding = faults.flatMap((fault, index) => (fault.do === 'latency' ? [{ index, fault }] : []));
  return Array.from({ length: AGENTS * pushes }, (_, n) => {
    const attempt = WARM_UP_PUSHES + 1 + Math.floor(n / AGENTS);
    const target = { operation: OPERATION, uuid: uuidOf(SEED, n % AGENTS), attempt } as const;
    return planRequest(SEED, holding, target)?.delayMs ?? 0;
  });
}

const SEED = 1;
const AGENTS = 100;
const OPERATION = 'checkdata';

/** Pushes of an agent before the measurement: the one after its registration. */
const WARM_UP_PUSHES = 1;
const WARM_UP_MS = 500;
const WARM_UP_PER_SECOND = 400;

/** A load at a constant rate on a server with faults. */
type Trial = {
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** Faults of the server. Times count from the start of the measured phase, except that 0 is the start of the run. */
  readonly faults: readonly Fault[];
};

/** Measurements of a trial, and whether the generator kept up. */
export type TrialRun = { readonly totals: Totals; readonly validity: Validity };

/**
 * Runs a trial like a scenario: real connections, one worker thread, the server in its own thread. Each agent opens its connection before
 * the measured phase.
 * @throws Error if the run is incomplete or the server is unreachable.
 */
export async function measureTrial(trial: Trial): Promise<TrialRun> {
  const run = startRun({ ...ALONE, scenario: trialScenario(trial), workers: 1, resultsFolder: undefined }, () => {});
  const { recording, summary } = await run.outcome;
  const failed = summary.verdict.reasons.find(({ kind }) => kind === 'incomplete' || kind === 'unreachable');
  if (failed !== undefined) throw new Error(`the calibration did not complete: ${failed.text}`);
  const { totals } = measure(recording, OPERATION, countedPhases(recording));
  return { totals, validity: summary.validity };
}

function trialScenario({ ratePerSecond, durationMs, faults }: Trial): Scenario {
  const { target, ...rest } = scenarioFrom({
    name: 'calibration',
    target: { timeout: '10s' },
    fleet: { agents: AGENTS, seed: SEED, payload: 'lean' },
    phases: [
      {
        name: 'warm-up',
        duration: formatDuration(WARM_UP_MS),
        exclude: true,
        register: { rate: `${WARM_UP_PER_SECOND}/s` },
      },
      { name: 'measured', duration: formatDuration(durationMs), [OPERATION]: { rate: `${ratePerSecond}/s` } },
    ],
  });
  const later = faults.map((fault) => ({ ...fault, atMs: fault.atMs === 0 ? 0 : WARM_UP_MS + fault.atMs }));
  return { ...rest, target: { ...target, faults: later } };
}

type ClockError = {
  readonly trial: string;
  readonly clock: 'response' | 'service';
  readonly comparisons: readonly TruthComparison[];
  readonly within: boolean;
};

export type Calibration = {
  readonly clocks: readonly ClockError[];
  /** Arrivals that waited longer than a second, as computed and as measured. */
  readonly overOneSecond: { readonly expected: number; readonly measured: number };
};

const ONE_SECOND_MS = 1000;

export async function calibrate(known: KnownTrial): Promise<Calibration> {
  const { totals } = await measureTrial(known.trial);
  const expected = known.truth.response.filter((milliseconds) => milliseconds > ONE_SECOND_MS).length;
  return {
    clocks: (['service', 'response'] as const).map((clock): ClockError => {
      const comparisons = compareWithTruth(known.truth[clock], totals.histograms[clock]);
      const within = comparisons.every((comparison) => isWithin(comparison, known.tolerance));
      return { trial: known.name, clock, comparisons, within };
    }),
    overOneSecond: { expected, measured: countAbove(totals.histograms.response, ONE_SECOND_MS) },
  };
}
