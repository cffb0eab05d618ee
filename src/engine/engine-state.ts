import type { CohortFacts } from '../cohorts/cohort.ts';
import type { FleetEvent } from '../events/event.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Durations } from '../load/durations.ts';
import type { Shard } from '../load/shard.ts';
import type { Phase } from '../load/timeline.ts';
import type { FleetPayloads, PayloadWriter } from '../machine/payloads.ts';
import type { ProfileRecorder, Recorder, SeriesRecorder } from '../metrics/recording/recorder.ts';
import type { Trace, TraceSubject } from '../metrics/recording/trace.ts';
import type { AttackName } from '../protocol/attacks.ts';
import type { AgentClient, Transport, TransportSink } from '../protocol/exchange.ts';
import type { Operation } from '../protocol/operations.ts';
import type { AgentTable } from './agent-table.ts';
import type { Circumstances } from './circumstances.ts';
import type { ConditionLog } from './conditions.ts';
import type { FleetEvents } from './fleet-events.ts';
import type { HostOutages } from './host-outages.ts';
import type { Identities } from './identities.ts';
import type { Past } from './past.ts';
import type { Reconfigurations } from './reconfigurations.ts';
import type { Schedule, SlotPool } from './schedule.ts';

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
  /** What the hosts' clocks show at the start of the run, in Unix ms. */
  readonly epochMs: () => number;
  /** So many times as fast as the run's clock do they go. */
  readonly clockFactor: number;
  readonly openTransport: (sink: TransportSink) => Transport;
  readonly payloads: PayloadWriter;
  /** How long check runs and collections take. */
  readonly durations: Durations;
  readonly recorder: Recorder;
  readonly profileRecorder: ProfileRecorder;
  /** Makes a password durable; the agent uses it once `credentialStored` is called. */
  readonly storeCredential: (agent: number, password: string) => void;
  /** The agent's password is gone from its disk. Absent: it has none. */
  readonly forgetCredential?: (agent: number) => void;
  /** Present while requests and answers of agents are traced. */
  readonly trace?: Pick<Trace, 'follows' | 'request' | 'answer'> | undefined;
  /** Documents of agents that begin in the run; present if any may. */
  readonly reloaded?: FleetPayloads['reloaded'];
  /** Present if the agents have web servers. */
  readonly listening?: ListeningPorts;
  /** Present if agents may misbehave. */
  readonly attacks?: AttackPorts;
  /** Present if anything may happen to agents. */
  readonly events?: EventPorts;
};

/** What events need besides. */
export type EventPorts = {
  /** Those that are known from the start. */
  readonly events: readonly FleetEvent[];
  /** Of agents by their index in the fleet; where they stand in their lives is the engine's own. */
  readonly facts: Omit<CohortFacts, 'state'>;
  /** The password that an agent, by its index in the fleet, is known to have; empty: none. */
  readonly passwordOf: (index: number) => string;
  /** The password that was issued before the run to a uuid that an agent made up; empty: none. */
  readonly passwordIssuedTo: (uuid: string) => string;
  /** From now on the agent, by its number in the shard, is another client of the push API; undefined: that of the fleet. */
  readonly become: (agent: number, client: AgentClient | undefined) => void;
  /** Whom an event would hit that was asked about, by their indices in the fleet. */
  readonly found: (name: string, agents: readonly number[]) => void;
  /** What new identities are drawn from, so that a server has not seen them before. */
  readonly drawnFrom: () => number;
};

/** How agents, numbered within the shard, misbehave on the wire. */
export type AttackPorts = {
  /** Does nothing while its last attack is under way. */
  readonly attack: (how: AttackName, attacker: Attacker) => void;
  /** The agent leaves the attack that is under way. */
  readonly leave: (agent: number) => void;
  /** All leave. */
  readonly close: () => void;
};

/** An agent that attacks, and what it would send if it did not. */
export type Attacker = {
  readonly agent: number;
  readonly uuid: string;
  readonly password: string;
  /** An unused uuid. */
  readonly strangeUuid: string;
  /** The body of a push of check data, as it would have been so long ago. */
  readonly checkdata: (ageMs: number) => Buffer;
};

/** What agents that listen need besides; agents are numbered within the shard. */
export type ListeningPorts = {
  /** Of the fleet's agents, while no phase has a load. */
  readonly checkIntervalMs: number;
  /** Its process ends and closes its port. */
  readonly hostDown: (agent: number) => void;
  /** Its process has started again. */
  readonly hostUp: (agent: number) => void;
};

/** Everything an engine knows: what the states of its agents are made of, and the ports through which they act. */
export type EngineState = {
  readonly plan: EnginePlan;
  readonly ports: EnginePorts;
  readonly table: AgentTable;
  readonly transport: Transport;
  readonly schedule: Schedule;
  readonly outages: HostOutages;
  readonly reconfigurations: Reconfigurations;
  readonly circumstances: Circumstances;
  readonly conditions: ConditionLog;
  readonly identities: Identities;
  readonly events: FleetEvents;
  readonly past: Past;
  /** No phase has a load: agents run their checks on their own grids, and wait to be asked. */
  readonly pulled: boolean;
  /** Counters by index of the phase. */
  readonly series: readonly Readonly<Record<Operation, SeriesRecorder>>[];
  /** Of the closed loads of the present phase. */
  slots: readonly SlotPool[];
  /** Nothing new is taken up any more. */
  stopped: boolean;
};

/** The counters of an operation in a phase. */
export function seriesOf({ series }: EngineState, phase: number, operation: Operation): SeriesRecorder {
  const ofPhase = series[phase];
  if (ofPhase === undefined) throw new RangeError(`no phase ${phase}`);
  return ofPhase[operation];
}

/** What goes over the wire for an agent now, for its trace. */
export function traceSubjectOf({ plan, ports, table }: EngineState, agent: number): TraceSubject {
  const { busy } = table;
  return {
    agent: table.fleetIndex(agent),
    phase: plan.phases[busy.phase(agent)]?.name ?? '',
    operation: busy.operation(agent),
    atMs: ports.clock(),
    secrets: [table.password(agent)],
  };
}
