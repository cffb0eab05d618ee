import { uuidOf } from '../agent/identity.ts';
import type { Delay } from '../faults/delay.ts';
import type { Fault } from '../faults/fault.ts';
import { formatDuration } from '../kernel/units.ts';
import type { Validity } from '../metrics/judging/validity.ts';
import { countedPhases, measure } from '../metrics/merging/run-totals.ts';
import type { Totals } from '../metrics/merging/totals.ts';
import { planRequest } from '../monitoring-server/injection/request-plan.ts';
import { ALONE, startRun } from '../run/run.ts';
import { scenarioFrom } from '../scenario/file.ts';
import type { Scenario } from '../scenario/scenario.ts';
import {
  compareWithTruth,
  countAbove,
  isWithin,
  type Tolerance,
  type TruthComparison,
  timesUnderFreeze,
} from './truth.ts';

/** A trial, and what a perfect generator would measure in it; milliseconds. */
type KnownTrial = {
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
export function delayTrial(name: string, distribution: Delay): KnownTrial {
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

const SEED = 1;
const AGENTS = 100;
const OPERATION = 'checkdata';

/** How many pushes an agent has made before it is measured: the one right after its registration. */
const WARM_UP_PUSHES = 1;
const WARM_UP_MS = 500;
const WARM_UP_PER_SECOND = 400;

/** A load at a constant rate on a server with faults. */
type Trial = {
  readonly ratePerSecond: number;
  readonly durationMs: number;
  /** What the server does wrong; times count from the start of the measured phase, and 0 is the start of all. */
  readonly faults: readonly Fault[];
};

/** What was measured of a trial, and whether its generator kept up. */
export type TrialRun = { readonly totals: Totals; readonly validity: Validity };

/**
 * Runs a trial like any scenario: real connections, one worker thread, the server in a thread of its own. Each agent has
 * opened its connection before the measured phase.
 */
export async function measureTrial(trial: Trial): Promise<TrialRun> {
  const run = startRun({ ...ALONE, scenario: trialScenario(trial), workers: 1, resultsFolder: undefined }, () => {});
  const { recording, summary } = await run.outcome;
  const failed = summary.verdict.reasons.find(({ kind }) => kind === 'incomplete' || kind === 'unreachable');
  if (failed !== undefined) throw new Error(`the calibration did not come to its end: ${failed.text}`);
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
        ...{ name: 'warm-up', duration: formatDuration(WARM_UP_MS), exclude: true },
        register: { rate: `${WARM_UP_PER_SECOND}/s` },
      },
      { name: 'measured', duration: formatDuration(durationMs), [OPERATION]: { rate: `${ratePerSecond}/s` } },
    ],
  });
  const later = faults.map((fault) => ({ ...fault, atMs: fault.atMs === 0 ? 0 : WARM_UP_MS + fault.atMs }));
  return { ...rest, target: { ...target, faults: later } };
}

/** What one clock showed in one trial. */
type ClockError = {
  readonly trial: string;
  readonly clock: 'response' | 'service';
  readonly comparisons: readonly TruthComparison[];
  readonly within: boolean;
};

/** What a trial came to. */
export type Calibration = {
  readonly clocks: readonly ClockError[];
  /** Arrivals that waited longer than a second, by arithmetic and as measured. */
  readonly overOneSecond: { readonly expected: number; readonly measured: number };
};

const ONE_SECOND_MS = 1000;

export async function calibrate(known: KnownTrial): Promise<Calibration> {
  const { totals } = await measureTrial(known.trial);
  const expected = known.truth.response.filter((milliseconds) => milliseconds > ONE_SECOND_MS).length;
  return {
    clocks: (['service', 'response'] as const).map((clock) => clockError(known, clock, totals)),
    overOneSecond: { expected, measured: countAbove(totals.histograms.response, ONE_SECOND_MS) },
  };
}

function clockError(known: KnownTrial, clock: ClockError['clock'], totals: Totals): ClockError {
  const comparisons = compareWithTruth(known.truth[clock], totals.histograms[clock]);
  const within = comparisons.every((comparison) => isWithin(comparison, known.tolerance));
  return { trial: known.name, clock, comparisons, within };
}
