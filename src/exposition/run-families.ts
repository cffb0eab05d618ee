import { VERSION } from '../kernel/version.ts';
import type { Family } from './family.ts';
import { familiesOf, type Labelled, type Metric } from './metric.ts';
import type { RunReading, WorkerSums } from './run-figures.ts';
import { SERIES_METRICS } from './series-metrics.ts';

/**
 * What a scraper reads of the runs of a command line. Counters of a run that is over stay; what describes an instant is
 * told of the run that goes on, and of no other.
 */
export function runFamilies(readings: readonly RunReading[]): Family[] {
  const runs = readings.map((item) => ({ item, labels: { scenario: item.identity.scenario } }));
  const live = runs.filter(({ item }) => item.state.kind === 'running');
  return [
    ...familiesOf(STATE_METRICS, runs),
    ...familiesOf(SERIES_METRICS, runs.flatMap(seriesOf)),
    ...familiesOf(FLEET_METRICS, live),
    ...familiesOf(WORKER_COUNTERS, runs.flatMap(workersOf)),
    ...familiesOf(WORKER_GAUGES, live.flatMap(workersOf)),
  ];
}

const seriesOf = ({ item, labels }: Labelled<RunReading>) =>
  item.totals.series.map(({ operation, phase, totals }) => ({ item: totals, labels: { ...labels, operation, phase } }));

const workersOf = ({ item, labels }: Labelled<RunReading>) =>
  item.workers.map((worker) => ({ item: worker, labels: { ...labels, worker: worker.shard } }));

const STATE_METRICS: readonly Metric<RunReading>[] = [
  {
    name: 'muster_run_info',
    type: 'gauge',
    help: 'Always 1; its labels say what runs.',
    samples: ({ identity }, labels) => [{ labels: { ...labels, seed: identity.seed, version: VERSION }, value: 1 }],
  },
  {
    name: 'muster_run_start_time_seconds',
    type: 'gauge',
    help: 'Start of the timeline, in Unix time.',
    samples: ({ startedAt }, labels) =>
      startedAt === undefined ? [] : [{ labels, value: startedAt.getTime() / 1000 }],
  },
  {
    name: 'muster_run_phase',
    type: 'gauge',
    help: '1 for the phase in which the last whole second ended, 0 for the others.',
    samples: ({ state, identity }, labels) =>
      state.kind !== 'running'
        ? []
        : identity.phases.map(({ name }) => ({
            labels: { ...labels, phase: name },
            value: name === state.phase ? 1 : 0,
          })),
  },
  {
    name: 'muster_run_verdict',
    type: 'gauge',
    help: '1 for the verdict, once the run is over.',
    samples: ({ state }, labels) =>
      state.kind !== 'ended' ? [] : [{ labels: { ...labels, verdict: state.verdict }, value: 1 }],
  },
];

const FLEET_METRICS: readonly Metric<RunReading>[] = [
  {
    name: 'muster_operations_in_flight',
    type: 'gauge',
    help: 'Operations that were started and have not ended.',
    samples: ({ totals }, labels) => [{ labels, value: totals.inFlight }],
  },
  {
    name: 'muster_agents',
    type: 'gauge',
    help: 'Agents of the fleet by state.',
    samples: ({ totals }, labels) =>
      Object.entries(totals.agents).map(([state, value]) => ({ labels: { ...labels, state }, value })),
  },
  {
    name: 'muster_agents_listening',
    type: 'gauge',
    help: 'Agents whose web server listens.',
    samples: ({ totals }, labels) => [{ labels, value: totals.listening }],
  },
  {
    name: 'muster_agents_down',
    type: 'gauge',
    help: 'Agents whose process has ended.',
    samples: ({ totals }, labels) => [{ labels, value: totals.down }],
  },
];

const WORKER_COUNTERS: readonly Metric<WorkerSums>[] = [
  {
    name: 'muster_worker_cpu_seconds',
    type: 'counter',
    help: "Processor time of the worker's thread.",
    samples: ({ cpuMs }, labels) => [{ labels, value: cpuMs / 1000 }],
  },
  {
    name: 'muster_worker_gc_seconds',
    type: 'counter',
    help: "Time that garbage collection took of the worker's thread.",
    samples: ({ gcMs }, labels) => [{ labels, value: gcMs / 1000 }],
  },
];

const WORKER_GAUGES: readonly Metric<WorkerSums>[] = [
  {
    name: 'muster_worker_loop_utilisation_ratio',
    type: 'gauge',
    help: "Share of the last second in which the worker's event loop was busy.",
    samples: ({ loopUtilisation }, labels) => [{ labels, value: loopUtilisation }],
  },
];
