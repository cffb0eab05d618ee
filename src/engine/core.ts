import type { Clock } from '../kernel/clock.ts';
import type { Shard } from '../load/shard.ts';
import type { Phase } from '../load/timeline.ts';
import type { FleetPayloads, PayloadWriter } from '../machine/payloads.ts';
import type { ProfileRecorder, Recorder, SeriesRecorder } from '../metrics/recording/recorder.ts';
import type { Transport, TransportSink } from '../protocol/exchange.ts';
import type { Operation } from '../protocol/operations.ts';
import type { AgentTable } from './agent-table.ts';
import type { DeliveryCounter } from './delivery-counter.ts';
import type { Life } from './life.ts';
import type { Outages } from './outages.ts';
import type { Schedule } from './schedule.ts';
import type { SlotPool } from './slots.ts';
import type { WaitingArrivals } from './waiting-arrivals.ts';

/** What one shard has to do. Instants are milliseconds since the start of the run. */
export type EnginePlan = {
  readonly seed: number;
  /** Agents of the whole fleet. */
  readonly agents: number;
  readonly shard: Shard;
  readonly phases: readonly Phase[];
  /** For one exchange, dialling included; a registration and the submit right after it share one. */
  readonly timeoutMs: number;
};

export type EnginePorts = {
  /** Milliseconds since the start of the run. */
  readonly clock: Clock;
  /** Unix time in milliseconds of the start of the run. */
  readonly epochMs: () => number;
  readonly openTransport: (sink: TransportSink) => Transport;
  readonly payloads: PayloadWriter;
  readonly recorder: Recorder;
  readonly profileRecorder: ProfileRecorder;
  /** Makes a password durable; the agent uses it once `credentialStored` is called. */
  readonly storeCredential: (agent: number, password: string) => void;
  /** Present if the agents have web servers. */
  readonly listening?: ListeningPorts;
};

/** What agents that listen need besides; agents are numbered within the shard. */
export type ListeningPorts = {
  /** Of the fleet's agents, while no phase has a load. */
  readonly checkIntervalMs: number;
  readonly reloaded: FleetPayloads['reloaded'];
  /** Its process ends: what it listens on is closed at once. */
  readonly hostDown: (agent: number) => void;
  /** Its process has started again. */
  readonly hostUp: (agent: number) => void;
};

/** Everything an engine knows, for the functions of this room. */
export type Core = {
  readonly plan: EnginePlan;
  readonly ports: EnginePorts;
  readonly table: AgentTable;
  readonly waiting: WaitingArrivals;
  readonly schedule: Schedule;
  readonly outages: Outages;
  /** Agents whose life began after the run did; the others have none here. */
  readonly lives: Map<number, Life>;
  /** No phase has a load: agents run their checks on their own grids, and wait to be asked. */
  readonly pulled: boolean;
  readonly transport: Transport;
  readonly delivery: DeliveryCounter;
  /** Counters by index of the phase. */
  readonly series: readonly Readonly<Record<Operation, SeriesRecorder>>[];
  /** Deadlines of agents whose password is being stored. */
  readonly storing: Map<number, number>;
  readonly slotOf: Map<number, SlotPool>;
  slots: readonly SlotPool[];
  stopped: boolean;
  /** The hosts of agents that listen are watched from the first turn on. */
  watching: boolean;
  nextSweepMs: number;
};

/** The counters of an operation in a phase. */
export function seriesOf(core: Core, phase: number, operation: Operation): SeriesRecorder {
  const series = core.series[phase];
  if (series === undefined) throw new RangeError(`no phase ${phase}`);
  return series[operation];
}
