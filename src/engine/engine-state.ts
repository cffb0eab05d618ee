import type { Clock } from '../base/kernel/clock.ts';
import type { Attacker, AttackName } from '../base/protocol/attacks.ts';
import type { AgentClient, Transport, TransportSink } from '../base/protocol/exchange.ts';
import type { Operation } from '../base/protocol/operations.ts';
import type { FleetPayloads, PayloadWriter } from '../hosts/payloads.ts';
import type { CohortFacts } from '../load/cohorts/cohort.ts';
import type { Durations } from '../load/durations.ts';
import type { FleetEvent } from '../load/events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { Phase } from '../load/timeline.ts';
import type { OpenTrace } from '../load/traces/reader.ts';
import type { ProfileRecorder, Recorder, SharedSeries } from '../metrics/recording/recorder.ts';
import type { Trace } from '../metrics/recording/trace.ts';
import type { ActiveEffects } from './active-effects.ts';
import type { AgentTable, Identities } from './agent-table.ts';
import type { ConditionLog } from './conditions.ts';
import type { FleetEvents } from './fleet-events.ts';
import type { HostOutages } from './host-outages.ts';
import type { Reconfigurations } from './reconfigurations.ts';
import type { Schedule } from './schedule.ts';
import type { SlotPool } from './slots.ts';

/** The work of one shard. Times count from the start of the run. */
export type EnginePlan = {
  readonly seed: number;
  /** Number of agents in the whole fleet. */
  readonly agents: number;
  readonly shard: Shard;
  readonly phases: readonly Phase[];
  /** Timeout of one exchange, including dialing. A registration and the push that follows it share one. */
  readonly timeoutMs: number;
};

export type EnginePorts = {
  /** Milliseconds since the start of the run. */
  readonly clock: Clock;
  /** Time on the hosts' clocks at the start of the run, in Unix ms. */
  readonly epochMs: () => number;
  /** Speed of the hosts' clocks relative to the run's clock. */
  readonly clockFactor: number;
  readonly openTransport: (sink: TransportSink) => Transport;
  readonly payloads: PayloadWriter;
  readonly durations: Durations;
  /** Opens the trace of a load, by its path. Absent if no load has one. */
  readonly openTrace?: (file: string) => OpenTrace;
  /** Whether operations must not start now, as another machine may run these agents. */
  readonly isFenced: () => boolean;
  /**
   * Whether the agent, which the server may have refused before, may register now. If it returns false, `takeClaim` follows. Absent if no
   * other machine can register it.
   */
  readonly mayRegister?: ((agent: number, isRefused: boolean) => boolean) | undefined;
  readonly recorder: Recorder;
  readonly profileRecorder: ProfileRecorder;
  /** Makes a password durable. The agent uses it after `credentialStored` is called. */
  readonly storeCredential: (agent: number, password: string) => void;
  /** Removes the agent's password from its disk. */
  readonly forgetCredential: (agent: number) => void;
  /** Present while the requests and answers of agents are traced. */
  readonly trace?: Pick<Trace, 'follows' | 'request' | 'answer'> | undefined;
  /** Documents of agents that start during the run. */
  readonly reloaded: FleetPayloads['reloaded'];
  /** Present if the agents have web servers. */
  readonly listening?: ListeningPorts;
  readonly attacks: AttackPorts;
  readonly events: EventPorts;
};

export type EventPorts = {
  /** Events that are known at the start. */
  readonly events: readonly FleetEvent[];
  /** Facts about agents, by their index in the fleet; the engine adds their states. */
  readonly facts: Omit<CohortFacts, 'state' | 'agents'>;
  /** Whether the host of an agent, by its index in the fleet, has a service. */
  readonly hasService: (index: number, service: string) => boolean;
  /** The known password of an agent, by its index in the fleet; empty if there is none. */
  readonly passwordOf: (index: number) => string;
  /** The password that a generated uuid received before the run; empty if there is none. */
  readonly passwordIssuedTo: (uuid: string) => string;
  /** Makes the agent, numbered within the shard, another client of the push API; `undefined`: a client like the rest of the fleet. */
  readonly become: (agent: number, client: AgentClient | undefined) => void;
  /** Source of new identities, which makes them unknown to the server. */
  readonly drawnFrom: () => number;
  /** When the fleet first started, in time of the run: 0, or negative if the fleet has started again. */
  readonly firstStartMs: () => number;
};

/** Attacks by agents, numbered within the shard. */
export type AttackPorts = {
  /** Does nothing while the agent's previous attack is in progress. */
  readonly attack: (how: AttackName, attacker: Attacker) => void;
  readonly leave: (agent: number) => void;
  readonly close: () => void;
};

/** Ports for agents that listen, numbered within the shard. */
export type ListeningPorts = {
  /** Check interval of the fleet's agents if no phase has a load. */
  readonly checkIntervalMs: number;
  /** The agent's process ended; its port closes. */
  readonly hostDown: (agent: number) => void;
  /** The agent's process started again. */
  readonly hostUp: (agent: number) => void;
};

/** Replays events before the start of a run, such as in a restarted fleet, to restore the agents' state. */
export type Replay = {
  isInProgress: boolean;
  /** Call when the replay is complete. */
  settle(): void;
};

/** The state of an engine, and the ports through which it acts. */
export type EngineState = {
  readonly plan: EnginePlan;
  readonly ports: EnginePorts;
  readonly table: AgentTable;
  readonly transport: Transport;
  readonly schedule: Schedule;
  readonly outages: HostOutages;
  readonly reconfigurations: Reconfigurations;
  readonly activeEffects: ActiveEffects;
  readonly conditions: ConditionLog;
  readonly identities: Identities;
  readonly events: FleetEvents;
  readonly replay: Replay;
  /** No phase has a load: agents run their checks on their own grids and wait for requests. */
  readonly pulled: boolean;
  /** Counters by phase index. */
  readonly series: readonly Readonly<Record<Operation, SharedSeries>>[];
  /** Arrivals by the tenth of the second in which they were due, since they were last taken. */
  readonly dueTenths: Uint32Array;
  /** Closed loads of the current phase. */
  slots: readonly SlotPool[];
  /** Arrivals before this time are skipped. */
  skippedBeforeMs: number;
  /** No new operations are taken. */
  stopped: boolean;
};
