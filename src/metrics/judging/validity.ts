import { countedPhases, type Recording } from '../merging/measurement.ts';
import { maxMs, percentileMs } from '../recording/histogram.ts';
import { rounded } from '../results/latency.ts';
import type { Validity } from './judgement.ts';

/**
 * One arrival in a hundred this late is the generator's doing and no fine print: it moves the response p99, the figure
 * most thresholds are about, by as much. A hundred milliseconds is far above timer and garbage collection noise
 * (a few milliseconds), and of the size of the thresholds people set.
 */
const SCHEDULING_DELAY_LIMIT_MS = 100;

/** Above this a worker has no reserve: any slower garbage collection turns into lag. */
const LOOP_UTILISATION_LIMIT = 0.95;

/** Was the generator the bottleneck of the counted phases? Any fault makes the run invalid; warnings do not. */
export function assessValidity(recording: Recording): Validity {
  const { schedulingDelay, loopUtilisations } = recording.run;
  const p99Ms = percentileMs(schedulingDelay, 99);
  const means = loopUtilisations.map((worker) => worker.mean);
  return {
    schedulingDelayP99Ms: p99Ms,
    schedulingDelayMaxMs: maxMs(schedulingDelay),
    busiestLoopUtilisation: means.length === 0 ? undefined : rounded(Math.max(...means)),
    faults: p99Ms !== undefined && p99Ms > SCHEDULING_DELAY_LIMIT_MS ? [delayFault(p99Ms)] : [],
    warnings: loopWarnings(recording),
  };
}

function delayFault(p99Ms: number): string {
  return (
    `the generator was the bottleneck: 1% of arrivals were picked up more than ${Math.round(p99Ms)} ms late ` +
    `(limit ${SCHEDULING_DELAY_LIMIT_MS} ms); use more workers or machines, or a lower load`
  );
}

function loopWarnings(recording: Recording): string[] {
  const closed = countedPhases(recording).filter(({ loads }) =>
    loads.some((load) => load.model.kind === 'concurrency'),
  );
  const names = closed.map((phase) => phase.name).join(', ');
  const ceiling = closed.length === 0 ? '' : `; the rates of ${names} are the generator's ceiling, not the target's`;
  return recording.run.loopUtilisations
    .filter((worker) => worker.mean > LOOP_UTILISATION_LIMIT)
    .map(({ shard, mean }) => `worker ${shard} was busy ${Math.round(mean * 100)}% of the time${ceiling}`);
}
