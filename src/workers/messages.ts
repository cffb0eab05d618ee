import type { PackedPasswords } from '../agent/passwords.ts';
import type { AgentProxy } from '../agent/proxy.ts';
import type { Leaving } from '../engine/agent-hits.ts';
import type { AssumedUuids } from '../engine/agent-table.ts';
import type { ConditionChanges } from '../engine/conditions.ts';
import type { EventHits } from '../engine/fleet-events.ts';
import type { AgentStanding, WebServerStanding } from '../engine/standings.ts';
import type { FleetEvent } from '../events/event.ts';
import type { Fault as ServerFault } from '../faults/fault.ts';
import type { Shard } from '../load/shard.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { SeenMessages } from '../metrics/recording/follower.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { ProfileResponses } from '../metrics/recording/recorder.ts';
import type { TracedMessage, TraceScope } from '../metrics/recording/trace.ts';
import type { ArrivalCounts } from '../monitoring-server/observations/arrival-counts.ts';
import type { Observations, ShownClock } from '../monitoring-server/observations/observer.ts';
import type { Authority } from '../poller/authority.ts';
import type { AgentFile, AgentFileTexts } from '../protocol/agent-files.ts';
import type { ExchangeRecord, KeyType } from '../protocol/pull.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { TlsTrust } from '../transport/dialler.ts';
import type { Sources } from '../transport/source-addresses.ts';

/** A password that an agent was issued. */
export type IssuedCredential = { readonly uuid: string; readonly password: string };

/** A password that an agent, by its number in the shard, was issued. */
export type ShardCredential = IssuedCredential & { readonly agent: number };

/** What a shard needs to run its part of the fleet. Plain data that names no file: it may cross to another machine. */
export type ShardTask = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  /** Its number among the workers of the run, and how many these are when it is opened. */
  readonly worker: number;
  readonly workers: number;
  readonly shard: Shard;
  readonly sources: Sources;
  /** Dials of its agents that may outlast their requests at once. */
  readonly spareDials: number;
  /** Of a fleet that is raised again: its first start, in Unix ms. Undefined: that is this one. */
  readonly raisedMs: number | undefined;
  /** From earlier runs, by the agent's number in the shard. */
  readonly passwords: PackedPasswords;
  /** Those that agents were issued under other uuids than their own. */
  readonly otherPasswords: readonly IssuedCredential[];
  /** True: a new password waits for `stored` before it is used. */
  readonly durableCredentials: boolean;
  /** Undefined: the agents do not listen. */
  readonly listening: ListeningTask | undefined;
  /** Undefined: its agents are not traced. */
  readonly debug: TraceScope | undefined;
};

/** What agents that listen bring with them. */
export type ListeningTask = {
  /** What they kept on their disks, by the agent's number in the shard; agents without files are left out. */
  readonly files: PackedFiles;
  /** True: what they store waits for `files_stored`. */
  readonly durable: boolean;
  readonly keys: KeySupply;
  /** True: the run asks the agents itself, and the shard waits for `polls_over` before it ends. */
  readonly polled: boolean;
  /** Of the process; Infinity: no limit, or unknown. */
  readonly fileDescriptors: number;
};

/**
 * Files of many agents, each text once: agents share keys, authorities and configurations, and a message between threads
 * would copy every mention of a text.
 */
export type PackedFiles = {
  readonly texts: readonly string[];
  /** By the agent's number; a file is its name and the place of its text. */
  readonly agents: readonly (readonly [agent: number, files: readonly (readonly [file: AgentFile, text: number])[]])[];
};

/**
 * Where agents have their keys from: a pool, by their index in the fleet; a pool that each shard fills when an agent needs
 * a key, where agents have Auto-TLS only if a configuration says so; or each makes its own.
 */
export type KeySupply =
  | { readonly kind: 'pool'; readonly pems: readonly string[] }
  | { readonly kind: 'on_demand'; readonly type: KeyType; readonly size: number }
  | { readonly kind: 'unique'; readonly type: KeyType };

/** Files that an agent, by its number in the shard, is about to store. */
export type ShardFiles = { readonly write: number; readonly agent: number; readonly files: AgentFileTexts };

/** Files of an agent's host. */
export type HostFiles = { readonly hostName: string; readonly files: AgentFileTexts };

/** `problem`: why they could not be stored. */
export type FilesStored = { readonly writes: readonly number[]; readonly problem: string | undefined };

/** What the thread that polls needs. */
export type PollerTask = {
  readonly scenario: Scenario;
  /** Its number among the shards. */
  readonly shard: number;
  readonly authority: Authority | undefined;
  /** Indexes of the agents that have certificates of the authority. */
  readonly exchanged: readonly number[];
  /** Changes of certificates outlive the run. */
  readonly durable: boolean;
  /** Text of the configuration that is pushed to every agent; undefined: none. */
  readonly configuration: string | undefined;
  /** Undefined: its requests are not traced. */
  readonly debug: TraceScope | undefined;
};

/** What became of certificates for an agent, by its index in the fleet. */
export type AgentExchange = { readonly agent: number; readonly record: ExchangeRecord };

/** Where a shard sends to; the embedded server has its address by now. */
export type ShardTarget = {
  /** Agent n of the fleet has the one at place n modulo their count; never empty. */
  readonly bases: readonly BaseTarget[];
  readonly tls: TlsTrust;
  /** Where events lead agents to. Left out: nowhere else. */
  readonly otherServers?: readonly BaseTarget[];
};

/** A base URL, and where it leads. */
export type BaseTarget = {
  readonly url: string;
  /** On the way to it; undefined: none. */
  readonly proxy: AgentProxy | undefined;
  /** Of the host that is dialed, the proxy's if there is one, as it was resolved before the start. */
  readonly addresses: readonly string[];
  /** Nothing beyond this machine was allowed by name. */
  readonly loopbackOnly: boolean;
};

/** The password of an agent, by its index in the fleet, of which an event makes copies. */
export type CopiedPassword = { readonly agent: number; readonly password: string };

/** What can be asked of a shard in a run; agents are numbered within the shard. */
export type ShardQuery =
  /** `Standings.conditionCodes` of so many agents from one on. */
  | { readonly kind: 'conditions'; readonly first: number; readonly count: number }
  | { readonly kind: 'changes'; readonly since: number }
  /** Who has another uuid than its own. */
  | { readonly kind: 'assumed_uuids' }
  /** `index`: in the fleet; from now on the agent is followed for a while. */
  | { readonly kind: 'standing'; readonly agent: number; readonly index: number }
  /** What the agent would send at an instant, in Unix ms; undefined: now. */
  | {
      readonly kind: 'document';
      readonly agent: number;
      readonly document: AgentDocument;
      readonly instantMs: number | undefined;
    }
  /** Whom another event would hit now; found out little by little. */
  | { readonly kind: 'find_event'; readonly event: FleetEvent; readonly withAgents: boolean }
  /** These agents are the shard's no more; asked again until none is left. */
  | { readonly kind: 'leave'; readonly agents: Uint32Array; readonly how: Leaving }
  /** What happens under this name is over at an instant. */
  | { readonly kind: 'end_event'; readonly name: string; readonly atMs: number };

/** Whom of a shard an event hits. */
export type FoundAgents = {
  readonly count: number;
  /** By their indices in the fleet; undefined: not requested. */
  readonly agents: readonly number[] | undefined;
};

/** What an agent tells of its host. */
export type AgentDocument = 'checkdata' | 'packages';

/** State of an agent, and its recent traffic. */
export type SeenStanding = AgentStanding & {
  readonly seen: SeenMessages;
  /** Undefined: agents do not listen. */
  readonly webServer: WebServerStanding | undefined;
};

export type ShardAnswers = {
  readonly conditions: Uint8Array;
  readonly changes: ConditionChanges;
  readonly assumed_uuids: AssumedUuids;
  readonly standing: SeenStanding;
  /** JSON in UTF-8. */
  readonly document: Uint8Array;
  readonly find_event: FoundAgents;
  /** How many agents it was under way for. */
  readonly end_event: number;
  /** How many are still there. */
  readonly leave: number;
};

export type ToShard =
  /** Answered by `told` with the same number. */
  | { readonly kind: 'ask'; readonly id: number; readonly query: ShardQuery }
  /** Something else is to happen in the run. */
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly otherServers: readonly BaseTarget[] }
  /** Another shard tells of an agent of its own. */
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  /** A traced message has reached its reader. */
  | { readonly kind: 'trace_shown' }
  /** `atMs` is on the shard's own monotonic clock, `epochMs` the same instant in Unix time, and `hostMs` on the hosts' clocks. */
  | { readonly kind: 'start'; readonly atMs: number; readonly epochMs: number; readonly hostMs: number }
  /** Take up nothing new, wait for what is in flight. */
  | { readonly kind: 'stop' }
  /** End now; what is in flight is canceled. */
  | { readonly kind: 'cancel' }
  | { readonly kind: 'stored'; readonly agents: readonly number[] }
  | ({ readonly kind: 'files_stored' } & FilesStored)
  /** The answer to each `exchanges`, in their order: they are on disk. */
  | { readonly kind: 'exchanges_stored' }
  /** No part of this run polls the agents any more: the shard may end with its timeline. */
  | { readonly kind: 'polls_over' };

export type FromShard =
  | { readonly kind: 'told'; readonly id: number; readonly answer: ShardAnswers[ShardQuery['kind']] }
  /** For the other shards. */
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  | { readonly kind: 'ready' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'credentials'; readonly credentials: readonly ShardCredential[] }
  /** The passwords of these uuids are gone from their agents' disks. */
  | { readonly kind: 'forgotten'; readonly uuids: readonly string[] }
  | { readonly kind: 'files'; readonly writes: readonly ShardFiles[] }
  | { readonly kind: 'exchanges'; readonly exchanges: readonly AgentExchange[] }
  | { readonly kind: 'trace'; readonly message: TracedMessage }
  /** The last one of a shard that ran to its end. */
  | { readonly kind: 'account'; readonly account: ShardAccount };

/** What a shard that ran to its end knows beyond its frames. */
export type ShardAccount = {
  readonly delivery: DeliveryCounts;
  /** Over the counted phases. */
  readonly responses: readonly ProfileResponses[];
  /** Of all events in the order in which they were taken up, but for those that happen to hosts. */
  readonly events: readonly EventHits[];
  /** Agents whose process has ended and was not started again. */
  readonly down: readonly DownAgent[];
};

export type DownAgent = {
  /** Its index in the fleet. */
  readonly agent: number;
  readonly hostName: string;
  /** One sentence. */
  readonly reason: string;
};

export type ToServer =
  /** Say what arrived; answered once nothing more does. */
  | { readonly kind: 'observe' }
  /** Replace the faults; their times count from the message's arrival. */
  | { readonly kind: 'faults'; readonly faults: readonly ServerFault[] }
  /** What the hosts' clocks show. */
  | { readonly kind: 'host_clock'; readonly clock: ShownClock }
  | { readonly kind: 'stop' };

/** What the embedded server received. */
export type ServerAccount = { readonly arrivals: ArrivalCounts; readonly observations: Observations };

export type FromServer =
  /** `certificate`: in PEM; undefined for plain HTTP. */
  | { readonly kind: 'listening'; readonly url: string; readonly certificate: string | undefined }
  | ({ readonly kind: 'account' } & ServerAccount);
