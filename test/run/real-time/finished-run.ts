import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

/** What a run in this process came to, with threads of its own and without results on disk. */
export async function finishedRun(text: string, workers = 1): Promise<Summary> {
  const { outcome } = startRun({ ...ALONE, scenario: scenarioOf(text), workers, resultsFolder: undefined }, () => {});
  return (await outcome).summary;
}

/** The verdict on a run whose machine stalled: some arrivals came too late to be served before the end. */
export const GENERATOR_TOO_SLOW = 'invalid';

/**
 * Verdicts on a run without a fault: a pass, done without thresholds, or invalid where the machine stalled so long that the run is rightly called
 * so. Whether it stalls is not what these tests are about.
 */
export const WITHOUT_FAULT = ['pass', 'done', GENERATOR_TOO_SLOW];

/** Why the rest of a test's claims are left out, told where a test is skipped. */
export const NOT_KEPT_UP = 'the generator did not keep up on this machine';
