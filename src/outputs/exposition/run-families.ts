import { VERSION } from '../../ground/kernel/version.ts';
import type { AddressCounts } from '../../ground/protocol/exchange.ts';
import type { VerdictKind } from '../../metrics/judging/verdict.ts';
import { type PhaseSpan, phaseAt } from '../../metrics/merging/phases.ts';
import { createRecordedTotals, type TotalsReading } from '../../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import { plainTally, type Totals } from '../../metrics/merging/totals.ts';
import type { AttackCounts } from '../../metrics/recording/attacks.ts';
import type { ClockName } from '../../metrics/recording/frame.ts';
import { type Histogram, valueCount } from '../../metrics/recording/histogram.ts';
import type { ListenerCounts } from '../../metrics/recording/schema.ts';
import { type Family, familiesOf, type Labeled, type Labels, type Metric, type Sample, type Spread } from './family.ts';

/** Identifies a run for scrapers. */
export type RunIdentity = { readonly scenario: string; readonly seed: number; readonly phases: readonly PhaseSpan[] };

/** Figures of one run for scrapers, updated every second. */
export type RunFigures = {
  started(at: Date): void;
  /** What is known of a kept fleet in addition; replaces what was known before. */
  observe(fleet: FleetObservation): void;
  /** Adds each second of the timeline once. */
  add(seconds: readonly TimelineFrame[]): void;
  ended(verdict: VerdictKind): void;
  read(): RunReading;
};

/** Agents of a kept fleet by what their last exchanges say, and its events. */
export type FleetObservation = {
  readonly health: readonly { readonly state: string; readonly outcome?: string; readonly agents: number }[];
  readonly events: readonly { readonly name: string; readonly kind: string; readonly isActive: boolean }[];
};

/** Runs whose figures are exposed or sent. */
export type ShownRuns = {
  /** Adds a run. It replaces an earlier one of the same scenario. */
  begin(identity: RunIdentity): RunFigures;
  families(): Family[];
  /** Current figures by run, each with the time from which its counters count. */
  byRun(): readonly DatedFamilies[];
};

/** Figures whose counters count from `startedAt`; `undefined` if the run has not started. */
export type DatedFamilies = { readonly startedAt: Date | undefined; readonly families: readonly Family[] };

export function createShownRuns(): ShownRuns {
  const runs = new Map<string, RunFigures>();
  const readings = () => [...runs.values()].map((run) => run.read());
  return {
    begin: (identity) => {
      const figures = createRunFigures(identity);
      runs.set(identity.scenario, figures);
      return figures;
    },
    families: () => runFamilies(readings()),
    byRun: () => readings().map((reading) => ({ startedAt: reading.startedAt, families: runFamilies([reading]) })),
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

export function createRunFigures(identity: RunIdentity): RunFigures {
  const { phases } = identity;
  const totals = createRecordedTotals(phases);
  const workers = new Map<number, WorkerSums>();
  let startedAt: Date | undefined;
  let fleet: FleetObservation = { health: [], events: [] };
  let verdict: VerdictKind | undefined;
  let elapsedMs = 0;
  return {
    started: (at) => {
      startedAt = at;
    },
    add: (seconds) => {
      for (const second of seconds) {
        totals.add(second);
        for (const { shard, cpuMs, gcMs, loopUtilization } of second.workers) {
          const sums = workers.get(shard) ?? { cpuMs: 0, gcMs: 0 };
          workers.set(shard, { shard, cpuMs: sums.cpuMs + cpuMs, gcMs: sums.gcMs + gcMs, loopUtilization });
        }
        elapsedMs = Math.max(elapsedMs, (second.second + 1) * 1000);
      }
    },
    observe: (observed) => {
      fleet = observed;
    },
    ended: (kind) => {
      verdict = kind;
    },
    read: () => ({
      ...{ identity, startedAt, verdict, fleet, phase: phaseAt(phases, elapsedMs) },
      ...{ totals: totals.read(), workers: [...workers.values()] },
    }),
  };
}

type Latency = { readonly name: string; readonly help: string; readonly clock: ClockName };

/** A metric with one value for each item. */
function single<Item>(
  type: 'counter' | 'gauge',
  name: string,
  help: string,
  read: (item: Item) => number,
): Metric<Item> {
  return { name, type, help, samples: (item, labels) => [{ labels, value: read(item) }] };
}

const COUNTERS: readonly Metric<Totals>[] = [
  single('counter', 'muster_operations_planned', 'Operations that were due.', ({ planned }) => planned),
  single('counter', 'muster_operations_started', 'Operations that were started.', ({ started }) => started),
  {
    name: 'muster_operations_dropped',
    type: 'counter',
    help: 'Operations that never started.',
    samples: ({ dropped }, labels) => tallySamples(plainTally(dropped), (reason) => ({ ...labels, reason })),
  },
  {
    name: 'muster_operations_finished',
    type: 'counter',
    help: 'Operations that ended; the outcomes ok and waiting are successes.',
    samples: ({ outcomes }, labels) => tallySamples(plainTally(outcomes), (outcome) => ({ ...labels, outcome })),
  },
  single('counter', 'muster_sent_bytes', 'Bytes of requests, including heads.', ({ sentBytes }) => sentBytes),
  single(
    'counter',
    'muster_received_bytes',
    'Bytes of answers, including heads.',
    ({ receivedBytes }) => receivedBytes,
  ),
];

const LATENCIES: readonly Latency[] = [
  {
    name: 'muster_response_seconds',
    clock: 'response',
    help: 'From the due time of an operation to its answer, including failed operations.',
  },
  {
    name: 'muster_unanswered_seconds',
    clock: 'unanswered',
    help: 'The part of the response without an answer, such as refused connections and timeouts.',
  },
  {
    name: 'muster_service_seconds',
    clock: 'service',
    help: 'From sending a request to its answer, including failed operations.',
  },
  {
    name: 'muster_lag_seconds',
    clock: 'lag',
    help: 'From the due time of an operation to sending its request.',
  },
  {
    name: 'muster_scheduling_delay_seconds',
    clock: 'delay',
    help: 'From the due time of an arrival to its pick-up: the part of the lag caused by the generator.',
  },
];

/** Metrics of an operation in a phase. */
const SERIES_METRICS: readonly Metric<Totals>[] = [
  ...COUNTERS,
  ...LATENCIES.map(({ clock, ...metric }) => ({
    ...metric,
    type: 'histogram' as const,
    samples: ({ histograms }: Totals, labels: Labels) => latencySamples(histograms[clock], labels),
  })),
];

/** Returns no sample for an empty histogram: requests to agents have no lag. */
function latencySamples(histogram: Histogram, labels: Labels): Sample<Spread>[] {
  return valueCount(histogram) === 0 ? [] : [{ labels, value: { kind: 'recorded', histogram } }];
}

function tallySamples(tally: Readonly<Record<string, number>>, labelsOf: (key: string) => Labels): Sample[] {
  return Object.entries(tally).map(([key, value]) => ({ labels: labelsOf(key), value }));
}

/** Metrics of all runs of a command line. Counters of an ended run remain; gauges only describe the run in progress. */
export function runFamilies(readings: readonly RunReading[]): Family[] {
  const runs = readings.map((item) => ({ item, labels: { scenario: item.identity.scenario } }));
  const live = runs.filter(({ item }) => isRunning(item));
  return [
    ...familiesOf(STATE_METRICS, runs),
    ...familiesOf(SERIES_METRICS, runs.flatMap(seriesOf)),
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

const ADDRESS_COUNTERS: readonly Metric<AddressCounts>[] = [
  single(
    'counter',
    'muster_address_connections',
    'Connections opened, by address of the target.',
    (counts) => counts.connections,
  ),
  single(
    'counter',
    'muster_address_failed_dials',
    'Dials, including TLS handshakes, that failed at the address or took too long.',
    (counts) => counts.failedDials,
  ),
  single('counter', 'muster_address_requests', 'Completed requests sent to the address.', (counts) => counts.requests),
  single(
    'counter',
    'muster_address_failed_requests',
    'Completed requests without a full answer of 200 or 201.',
    (counts) => counts.failed,
  ),
];

const attacksOf = ({ item, labels }: Labeled<RunReading>) =>
  item.totals.attacks.map((attacks) => ({ item: attacks, labels: { ...labels, how: attacks.how } }));

const ATTACK_METRICS: readonly Metric<AttackCounts<Histogram>>[] = [
  {
    name: 'muster_attacks_ended',
    type: 'counter',
    help: 'Attacks of misbehaving agents, by ending.',
    samples: ({ endings }, labels) => tallySamples(endings, (ending) => ({ ...labels, ending })),
  },
  single('counter', 'muster_attack_sent_bytes', 'Bytes that attacks sent.', ({ sentBytes }) => sentBytes),
  {
    name: 'muster_attack_seconds',
    type: 'histogram',
    help: 'From the first dial of an attack to its end.',
    samples: ({ latency }, labels) => (latency === undefined ? [] : latencySamples(latency, labels)),
  },
];

const LISTENER_COUNTERS: readonly Metric<ListenerCounts>[] = [
  single(
    'counter',
    'muster_agent_connections_accepted',
    'Connections that agents accepted.',
    ({ accepted }) => accepted,
  ),
  single(
    'counter',
    'muster_agent_connections_late',
    'Connections that may have waited too long until the generator accepted them.',
    ({ late }) => late,
  ),
  single('counter', 'muster_agent_handshakes', 'Completed TLS handshakes.', ({ handshakes }) => handshakes),
  {
    name: 'muster_agent_connections_refused',
    type: 'counter',
    help: 'Connections without a request.',
    samples: ({ refused }, labels) => tallySamples(plainTally(refused), (reason) => ({ ...labels, reason })),
  },
  single(
    'counter',
    'muster_agent_requests_unanswered',
    'Requests and handshakes that ended without an answer.',
    ({ unanswered }) => unanswered,
  ),
];

const PULL_METRICS: readonly Metric<PullReading>[] = [
  {
    name: 'muster_pulled_agents',
    type: 'gauge',
    help: 'Polled agents, by state.',
    samples: ({ states }, labels) =>
      Object.entries(states).map(([state, value]) => ({ labels: { ...labels, state }, value })),
  },
  single('gauge', 'muster_pulled_agents_exchanged', 'Agents with certificates.', ({ exchanged }) => exchanged),
  single(
    'gauge',
    'muster_pulled_agents_configured',
    'Agents that accepted a configuration.',
    ({ configured }) => configured,
  ),
];

const STATE_METRICS: readonly Metric<RunReading>[] = [
  {
    name: 'muster_run_info',
    type: 'gauge',
    help: 'Always 1; its labels identify the run.',
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
    samples: (run, labels) => {
      const phases = isRunning(run) ? run.identity.phases : [];
      return phases.map(({ name }) => ({ labels: { ...labels, phase: name }, value: name === run.phase ? 1 : 0 }));
    },
  },
  {
    name: 'muster_run_verdict',
    type: 'gauge',
    help: '1 for the verdict, once the run has ended.',
    samples: ({ verdict }, labels) => (verdict === undefined ? [] : [{ labels: { ...labels, verdict }, value: 1 }]),
  },
];

const FLEET_METRICS: readonly Metric<RunReading>[] = [
  single('gauge', 'muster_operations_in_flight', 'Operations in flight.', ({ totals }) => totals.inFlight),
  {
    name: 'muster_agents',
    type: 'gauge',
    help: 'Agents of the fleet by state.',
    samples: ({ totals }, labels) =>
      Object.entries(totals.agents).map(([state, value]) => ({ labels: { ...labels, state }, value })),
  },
  {
    name: 'muster_agents_health',
    type: 'gauge',
    help: 'Agents of a kept fleet by what their last exchanges say.',
    samples: ({ fleet: { health } }, labels) =>
      health.map(({ state, outcome = '', agents }) => ({ labels: { ...labels, state, outcome }, value: agents })),
  },
  {
    name: 'muster_event_active',
    type: 'gauge',
    help: '1 while an event of a kept fleet is in progress, else 0.',
    samples: ({ fleet: { events } }, labels) =>
      events.map(({ name, kind, isActive }) => ({ labels: { ...labels, event: name, kind }, value: Number(isActive) })),
  },
  single('gauge', 'muster_agents_listening', 'Agents whose web server listens.', ({ totals }) => totals.listening),
  single('gauge', 'muster_agents_down', 'Agents whose process is down.', ({ totals }) => totals.down),
];

const WORKER_COUNTERS: readonly Metric<WorkerSums>[] = [
  single('counter', 'muster_worker_cpu_seconds', "Processor time of the worker's thread.", ({ cpuMs }) => cpuMs / 1000),
  single(
    'counter',
    'muster_worker_gc_seconds',
    "Time that the worker's thread spent on garbage collection.",
    ({ gcMs }) => gcMs / 1000,
  ),
];

const WORKER_GAUGES: readonly Metric<WorkerSums>[] = [
  single(
    'gauge',
    'muster_worker_loop_utilization_ratio',
    "Share of the last second in which the worker's event loop was busy.",
    ({ loopUtilization }) => loopUtilization,
  ),
];
