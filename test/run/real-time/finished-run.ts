import type { TimelineFrame } from '../../../src/metrics/merging/timeline.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { ALONE, type Run, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const MAX_ATTEMPTS = 3;

/** Repeats a measurement, up to twice, if it reports that other work on the machine held the generator up. */
export async function repeatedIfBusy<T>(measure: () => Promise<T>, wasBusy: (measured: T) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const measured = await measure();
    if (!wasBusy(measured) || attempt === MAX_ATTEMPTS) return measured;
  }
}

/** Runs a scenario in this process, with its own threads and without results on disk. */
export async function finishedRun(text: string, workers = 1): Promise<Summary> {
  const { outcome } = startRun({ ...ALONE, scenario: scenarioOf(text), workers, resultsFolder: undefined }, () => {});
  return (await outcome).summary;
}

/** Runs a scenario in this process until one of its seconds is as wanted, or to its end. */
export async function runUntil(text: string, isWanted: (second: TimelineFrame) => boolean): Promise<Summary> {
  const run: Run = startRun({ ...ALONE, scenario: scenarioOf(text), workers: 1, resultsFolder: undefined }, (event) => {
    if (event.kind === 'seconds' && event.seconds.some(isWanted)) run.send('stop');
  });
  return (await run.outcome).summary;
}

/** Runs a scenario until it has measured what it should, in this process. */
export function measuredRun(text: string, workers = 1): Promise<Summary> {
  return repeatedIfBusy(
    () => finishedRun(text, workers),
    ({ verdict }) => verdict.kind === GENERATOR_TOO_SLOW,
  );
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
