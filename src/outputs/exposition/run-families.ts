import { readFileSync } from 'node:fs';
import { VERSION } from '../../base/kernel/version.ts';
import type { AddressCounts } from '../../base/protocol/exchange.ts';
import type { VerdictKind } from '../../metrics/judging/verdict.ts';
import { inCohort } from '../../metrics/merging/measurement.ts';
import { type PhaseSpan, phaseAt } from '../../metrics/merging/phases.ts';
import { createRecordedTotals, type TotalsReading } from '../../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { Totals } from '../../metrics/merging/totals.ts';
import type { AttackCounts } from '../../metrics/recording/attacks.ts';
import { type Histogram, valueCount } from '../../metrics/recording/histogram.ts';
import type { ListenerCounts } from '../../metrics/recording/schema.ts';
import { plainTally } from '../../metrics/recording/tally.ts';
import type { Family, Labels, Sample, Spread } from './families.ts';

/** Identifies a run for scrapers. */
export type RunIdentity = { readonly scenario: string; readonly seed: number; readonly phases: readonly PhaseSpan[] };

export type RunFigures = ReturnType<typeof createRunFigures>;

/** Agents of a kept fleet by what their last exchanges say, and its events. */
export type FleetObservation = {
  readonly health: readonly { readonly state: string; readonly outcome?: string; readonly agents: number }[];
  readonly events: readonly { readonly name: string; readonly kind: string; readonly isActive: boolean }[];
};

/** Figures whose counters count from `startedAt`; `undefined` if the run has not started. */
export type DatedFamilies = { readonly startedAt: Date | undefined; readonly families: readonly Family[] };

export type PublishedRuns = ReturnType<typeof createPublishedRuns>;

/** Runs whose figures are exposed or sent. */
export function createPublishedRuns() {
  const runs = new Map<string, RunFigures>();
  const readings = () => [...runs.values()].map((run) => run.read());
  return {
    /** Adds a run. It replaces an earlier one of the same scenario. */
    begin: (identity: RunIdentity): RunFigures => {
      const figures = createRunFigures(identity);
      runs.set(identity.scenario, figures);
      return figures;
    },
    families: () => runFamilies(readings()),
    /** Current figures by run, each with the time from which its counters count. */
    byRun: (): readonly DatedFamilies[] =>
      readings().map((reading) => ({ startedAt: reading.startedAt, families: runFamilies([reading]) })),
  };
}

/** A view of the figures since the start of the run; its histograms are not copies. */
type RunReading = {
  readonly identity: RunIdentity;
  readonly startedAt: Date | undefined;
  /** At the end of the last complete second; `undefined` before the first phase and after the last. */
  readonly phase: string | undefined;
  /** `undefined` until the run has ended. */
  readonly verdict: VerdictKind | undefined;
  readonly totals: TotalsReading;
  /** In the order of their first report. */
  readonly workers: readonly WorkerSums[];
  readonly fleet: FleetObservation;
};

function isRunning({ startedAt, verdict }: RunReading): boolean {
  return startedAt !== undefined && verdict === undefined;
}

/** Sums over all seconds, including excluded ones. */
type WorkerSums = {
  readonly shard: number;
  readonly cpuMs: number;
  readonly gcMs: number;
  /** Of the last second only. */
  readonly loopUtilization: number;
};

/** Figures of one run for scrapers, updated every second. */
export function createRunFigures(identity: RunIdentity) {
  const { phases } = identity;
  const totals = createRecordedTotals(phases);
  const workers = new Map<number, WorkerSums>();
  let startedAt: Date | undefined;
  let fleet: FleetObservation = { health: [], events: [] };
  let verdict: VerdictKind | undefined;
  let elapsedMs = 0;
  return {
    started: (at: Date): void => {
      startedAt = at;
    },
    /** Adds each second of the timeline once. */
    add: (seconds: readonly TimelineFrame[]): void => {
      for (const second of seconds) {
        totals.add(second);
        for (const { shard, cpuMs, gcMs, loopUtilization } of second.workers) {
          const sums = workers.get(shard) ?? { cpuMs: 0, gcMs: 0 };
          workers.set(shard, { shard, cpuMs: sums.cpuMs + cpuMs, gcMs: sums.gcMs + gcMs, loopUtilization });
        }
        elapsedMs = Math.max(elapsedMs, (second.second + 1) * 1000);
      }
    },
    /** What is known of a kept fleet in addition; replaces what was known before. */
    observe: (observed: FleetObservation): void => {
      fleet = observed;
    },
    ended: (kind: VerdictKind): void => {
      verdict = kind;
    },
    read: (): RunReading => ({
      identity,
      startedAt,
      verdict,
      fleet,
      phase: phaseAt(phases, elapsedMs)?.name,
      totals: totals.read(),
      workers: [...workers.values()],
    }),
  };
}

type Labeled<Item> = { readonly item: Item; readonly labels: Labels };

/** The samples of a metric that an item has, or its only value. */
type Reader<Item> = (item: Item, labels: Labels) => number | readonly Sample<number | Spread>[];

/** By name. Types and descriptions are in `metrics.tsv`. */
type Metrics<Item> = Readonly<Record<string, Reader<Item>>>;

const DESCRIBED: ReadonlyMap<string | undefined, readonly string[]> = new Map(
  readFileSync(new URL('metrics.tsv', import.meta.url), 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .map((cells) => [cells[0], cells]),
);

function familiesOf<Item>(metrics: Metrics<Item>, items: readonly Labeled<Item>[]): Family[] {
  return Object.entries(metrics).map(([name, read]) => {
    const [, type, help] = DESCRIBED.get(name) ?? [];
    if (help === undefined) throw new Error(`metrics.tsv has no ${name}`);
    const samples = items.flatMap(({ item, labels }): readonly Sample<number | Spread>[] => {
      const found = read(item, labels);
      return typeof found === 'number' ? [{ labels, value: found }] : found;
    });
    return { name, type, help, samples } as Family;
  });
}

/** A sample for each key of a tally, which becomes a label. */
function by<Item>(label: string, tallyOf: (item: Item) => Readonly<Record<string, number>>): Reader<Item> {
  return (item, labels) =>
    Object.entries(tallyOf(item)).map(([key, value]) => ({ labels: { ...labels, [label]: key }, value }));
}

/** Returns no sample for an empty histogram: requests to agents have no lag. */
function spread<Item>(histogramOf: (item: Item) => Histogram | undefined): Reader<Item> {
  return (item, labels) => {
    const histogram = histogramOf(item);
    if (histogram === undefined || valueCount(histogram) === 0) return [];
    return [{ labels, value: { kind: 'recorded', histogram } }];
  };
}

/** Of an operation in a phase. */
const SERIES_METRICS: Metrics<Totals> = {
  muster_operations_planned: ({ planned }) => planned,
  muster_operations_started: ({ started }) => started,
  muster_operations_dropped: by('reason', ({ dropped }) => plainTally(dropped)),
  muster_operations_finished: by('outcome', ({ outcomes }) => plainTally(outcomes)),
  muster_sent_bytes: ({ sentBytes }) => sentBytes,
  muster_received_bytes: ({ receivedBytes }) => receivedBytes,
  muster_response_seconds: spread(({ histograms }) => histograms.response),
  muster_unanswered_seconds: spread(({ histograms }) => histograms.unanswered),
  muster_service_seconds: spread(({ histograms }) => histograms.service),
  muster_lag_seconds: spread(({ histograms }) => histograms.lag),
  muster_scheduling_delay_seconds: spread(({ histograms }) => histograms.delay),
};

/** Of an operation in a phase, by the agents of a cohort. Cohorts may overlap, so they have names of their own. */
const COHORT_METRICS: Metrics<Totals> = {
  muster_cohort_operations_planned: ({ planned }) => planned,
  muster_cohort_operations_dropped: by('reason', ({ dropped }) => plainTally(dropped)),
  muster_cohort_operations_finished: by('outcome', ({ outcomes }) => plainTally(outcomes)),
  muster_cohort_response_seconds: spread(({ histograms }) => histograms.response),
};

const ADDRESS_COUNTERS: Metrics<AddressCounts> = {
  muster_address_connections: ({ connections }) => connections,
  muster_address_failed_dials: ({ failedDials }) => failedDials,
  muster_address_requests: ({ requests }) => requests,
  muster_address_failed_requests: ({ failed }) => failed,
};

const ATTACK_METRICS: Metrics<AttackCounts<Histogram>> = {
  muster_attacks_ended: by('ending', ({ endings }) => endings),
  muster_attack_sent_bytes: ({ sentBytes }) => sentBytes,
  muster_attack_seconds: spread(({ latency }) => latency),
};

const LISTENER_COUNTERS: Metrics<ListenerCounts> = {
  muster_agent_connections_accepted: ({ accepted }) => accepted,
  muster_agent_connections_late: ({ late }) => late,
  muster_agent_handshakes: ({ handshakes }) => handshakes,
  muster_agent_connections_refused: by('reason', ({ refused }) => plainTally(refused)),
  muster_agent_requests_unanswered: ({ unanswered }) => unanswered,
};

const PULL_METRICS: Metrics<PullReading> = {
  muster_pulled_agents: by('state', ({ states }) => states),
  muster_pulled_agents_exchanged: ({ exchanged }) => exchanged,
  muster_pulled_agents_configured: ({ configured }) => configured,
};

const STATE_METRICS: Metrics<RunReading> = {
  muster_run_info: ({ identity }, labels) => [
    { labels: { ...labels, seed: identity.seed, version: VERSION }, value: 1 },
  ],
  muster_run_start_time_seconds: ({ startedAt }) => (startedAt === undefined ? [] : startedAt.getTime() / 1000),
  muster_run_phase: by('phase', (run) => {
    const phases = isRunning(run) ? run.identity.phases : [];
    return Object.fromEntries(phases.map(({ name }) => [name, name === run.phase ? 1 : 0]));
  }),
  muster_run_verdict: by('verdict', ({ verdict }) => (verdict === undefined ? {} : { [verdict]: 1 })),
};

const FLEET_METRICS: Metrics<RunReading> = {
  muster_operations_in_flight: ({ totals }) => totals.inFlight,
  muster_agents: by('state', ({ totals }) => totals.agents),
  muster_agents_health: ({ fleet: { health } }, labels) =>
    health.map(({ state, outcome = '', agents }) => ({ labels: { ...labels, state, outcome }, value: agents })),
  muster_event_active: ({ fleet: { events } }, labels) =>
    events.map(({ name, kind, isActive }) => ({ labels: { ...labels, event: name, kind }, value: Number(isActive) })),
  muster_agents_listening: ({ totals }) => totals.listening,
  muster_agents_down: ({ totals }) => totals.down,
};

const WORKER_COUNTERS: Metrics<WorkerSums> = {
  muster_worker_cpu_seconds: ({ cpuMs }) => cpuMs / 1000,
  muster_worker_gc_seconds: ({ gcMs }) => gcMs / 1000,
};

const WORKER_GAUGES: Metrics<WorkerSums> = {
  muster_worker_loop_utilization_ratio: ({ loopUtilization }) => loopUtilization,
};

/** Metrics of all runs of a command line. Counters of an ended run remain; gauges only describe the run in progress. */
export function runFamilies(readings: readonly RunReading[]): Family[] {
  const runs = readings.map((item) => ({ item, labels: { scenario: item.identity.scenario } }));
  const live = runs.filter(({ item }) => isRunning(item));
  return [
    ...familiesOf(STATE_METRICS, runs),
    ...familiesOf(SERIES_METRICS, runs.flatMap(seriesOf)),
    ...familiesOf(COHORT_METRICS, runs.flatMap(cohortsOf)),
    ...familiesOf(ADDRESS_COUNTERS, runs.flatMap(addressesOf)),
    ...familiesOf(LISTENER_COUNTERS, runs.flatMap(listenersOf)),
    ...familiesOf(ATTACK_METRICS, runs.flatMap(attacksOf)),
    ...familiesOf(FLEET_METRICS, live),
    ...familiesOf(WORKER_COUNTERS, runs.flatMap(workersOf)),
    ...familiesOf(WORKER_GAUGES, live.flatMap(workersOf)),
  ];
}

/** Figures of a polling server: its agents and its operations. */
export type PullReading = {
  readonly states: Readonly<Record<string, number>>;
  readonly exchanged: number;
  readonly configured: number;
  readonly operations: readonly { readonly operation: string; readonly totals: Totals }[];
};

/** Operations have the same metric names as in a run. */
export function pullFamilies(reading: PullReading): Family[] {
  return [
    ...familiesOf(PULL_METRICS, [{ item: reading, labels: {} }]),
    ...familiesOf(
      SERIES_METRICS,
      reading.operations.map(({ operation, totals }) => ({ item: totals, labels: { operation } })),
    ),
  ];
}

const seriesOf = ({ item, labels }: Labeled<RunReading>) =>
  item.totals.series.map(({ operation, phase, totals }) => ({ item: totals, labels: { ...labels, operation, phase } }));

/** Nothing for a scenario without cohorts. */
const cohortsOf = ({ item, labels }: Labeled<RunReading>) => {
  const { totals: run, identity } = item;
  const names = [...new Set(run.segments.flatMap(({ cohorts }) => cohorts))];
  return names.flatMap((cohort) =>
    inCohort({ phases: identity.phases, elapsedMs: 0, run }, cohort).run.series.map(({ operation, phase, totals }) => {
      return { item: totals, labels: { ...labels, cohort, operation, phase } };
    }),
  );
};

const workersOf = ({ item, labels }: Labeled<RunReading>) =>
  item.workers.map((worker) => ({ item: worker, labels: { ...labels, worker: worker.shard } }));

/** Nothing for a fleet without client connections. */
const listenersOf = ({ item, labels }: Labeled<RunReading>) =>
  item.totals.listeners.accepted === 0 ? [] : [{ item: item.totals.listeners, labels }];

/** Nothing for a target with a single address. */
const addressesOf = ({ item: { totals }, labels }: Labeled<RunReading>) =>
  (totals.addresses ?? []).map((item) => ({
    item,
    labels: { ...labels, host: item.host, port: item.port, address: item.address },
  }));

const attacksOf = ({ item, labels }: Labeled<RunReading>) =>
  item.totals.attacks.map((attacks) => ({ item: attacks, labels: { ...labels, how: attacks.how } }));
