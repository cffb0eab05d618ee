import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

/** Runs a scenario in this process, with its own threads and without results on disk. */
export async function finishedRun(text: string, workers = 1): Promise<Summary> {
  const { outcome } = startRun({ ...ALONE, scenario: scenarioOf(text), workers, resultsFolder: undefined }, () => {});
  return (await outcome).summary;
}

/** Verdict of a run whose machine stalled, so that some arrivals came too late to be served before the end. */
export const GENERATOR_TOO_SLOW = 'invalid';

/**
 * Verdicts of a run without a fault: pass, done without thresholds, or invalid if the machine stalled so long that the run is
 * correctly reported as invalid. Stalls are not what these tests are about.
 */
export const WITHOUT_FAULT = ['pass', 'done', GENERATOR_TOO_SLOW];

/** Reason for skipping the rest of a test. */
export const NOT_KEPT_UP = 'the generator did not keep up on this machine';
