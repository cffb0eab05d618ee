import type { AgentFile, AgentFileTexts } from '../base/protocol/agent-files.ts';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import type { ExchangeRecord, KeyType } from '../base/protocol/pull.ts';
import type { EventHits } from '../engine/fleet-events.ts';
import type { HostTables } from '../hosts/host-data.ts';
import type { FleetEvent } from '../load/events/event.ts';
import type { Shard } from '../load/shard.ts';
import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { ProfileResponses } from '../metrics/recording/schema.ts';
import type { TracedMessage, TraceScope } from '../metrics/recording/trace.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Fault as ServerFault } from '../server/faults/schema.ts';
import type { ArrivalCounts, HostClockReading, Observations } from '../server/observations/observer.ts';
import type { PackedPasswords } from '../wire/agent/passwords.ts';
import type { AgentProxy } from '../wire/agent/proxy.ts';
import type { Authority } from '../wire/poller/authority.ts';
import type { TlsTrust } from '../wire/transport/dialer.ts';
import type { Sources } from '../wire/transport/source-addresses.ts';
import type { AnswerTo, ShardQuery } from './shard-query.ts';

/** An empty password: it was removed from the agent's disk. */
export type IssuedCredential = { readonly uuid: string; readonly password: string };

/** The same, with the agent's number in the shard. */
export type ShardCredential = IssuedCredential & { readonly agent: number };

/** Everything that a shard needs to run its part of the fleet. Plain data without file names. */
export type ShardTask = {
  readonly scenario: Scenario;
  readonly target: ShardTarget;
  /** The shard's number among the workers of the run, and the number of workers when it is opened. */
  readonly worker: number;
  readonly workers: number;
  readonly shard: Shard;
  readonly sources: Sources;
  /** Number of its dials that may outlast their requests at the same time. */
  readonly spareDials: number;
  /** First start of a fleet that is started again, in Unix ms; `undefined` at the first start. */
  readonly firstStartedMs: number | undefined;
  /** Data about hosts instead of those of this Muster. */
  readonly hostTables?: HostTables | undefined;
  /** From earlier runs, by number in the shard. */
  readonly passwords: PackedPasswords;
  /** Passwords for uuids that are not the agents' own. */
  readonly otherPasswords: readonly IssuedCredential[];
  /** Whether a new password may only be used after `stored`. */
  readonly durableCredentials: boolean;
  /** Open file of this process for a `passwordJournal`; `undefined`: none is kept. */
  readonly journal: number | undefined;
  /** Whether another machine may register the same agents. */
  readonly claims: boolean;
  /** `undefined` if the agents do not listen. */
  readonly listening: ListeningTask | undefined;
  /** `undefined` if its agents are not traced. */
  readonly debug: TraceScope | undefined;
};

export type ListeningTask = {
  /** Files on their disks, by number in the shard; agents without files are left out. */
  readonly files: PackedFiles;
  /** Whether agents wait for `files_stored`. */
  readonly durable: boolean;
  readonly keys: KeySupply;
  /** Whether the run polls the agents itself: the shard then waits for `polls_over` before it ends. */
  readonly polled: boolean;
  /** Limit of the process; `Infinity` if there is none, or it is unknown. */
  readonly fileDescriptors: number;
};

/** Files of many agents, each text once: they share keys, authorities and configurations, which a message would copy each time. */
export type PackedFiles = {
  readonly texts: readonly string[];
  /** By the agent's number. A file is a name and the index of its text. */
  readonly agents: readonly (readonly [agent: number, files: readonly (readonly [file: AgentFile, text: number])[]])[];
};

/**
 * Source of the agents' keys. `pool`: shared keys, by index in the fleet. `on_demand`: a pool that each shard fills when an agent needs a
 * key; used if agents have Auto-TLS only through a configuration. `unique`: each agent generates its own.
 */
export type KeySupply =
  | { readonly kind: 'pool'; readonly pems: readonly string[] }
  | { readonly kind: 'on_demand'; readonly type: KeyType; readonly size: number }
  | { readonly kind: 'unique'; readonly type: KeyType };

/** Files that an agent, by its number in the shard, wants to store. */
export type ShardFiles = { readonly write: number; readonly agent: number; readonly files: AgentFileTexts };

export type HostFiles = { readonly hostName: string; readonly files: AgentFileTexts };

/** `problem` is the reason if they could not be stored. */
export type FilesStored = { readonly writes: readonly number[]; readonly problem: string | undefined };

export type PollerTask = {
  readonly scenario: Scenario;
  /** Its number among the shards. */
  readonly shard: number;
  readonly authority: Authority | undefined;
  /** Indices of the agents with certificates of the authority. */
  readonly exchanged: readonly number[];
  /** Whether changes of certificates are kept after the run. */
  readonly durable: boolean;
  /** Text of the configuration to push to all agents; `undefined` if there is none. */
  readonly configuration: string | undefined;
  /** `undefined` if its requests are not traced. */
  readonly debug: TraceScope | undefined;
};

/** Result of a certificate exchange with an agent, by its index in the fleet. */
export type AgentExchange = { readonly agent: number; readonly record: ExchangeRecord };

/** The target of a shard's requests; an embedded server already has its address. */
export type ShardTarget = {
  /** Agent n of the fleet uses entry n modulo their count; never empty. */
  readonly bases: readonly BaseTarget[];
  readonly tls: TlsTrust;
  /** Servers to which events direct agents; absent if there are none. */
  readonly otherServers?: readonly BaseTarget[];
};

export type BaseTarget = {
  readonly url: string;
  /** `undefined` if requests go directly to the server. */
  readonly proxy: AgentProxy | undefined;
  /** Addresses of the dialed host, the proxy's if there is one, resolved before the start. */
  readonly addresses: readonly string[];
  readonly reachedFrom: ReadonlyMap<string, string>;
  /** Whether no host beyond this machine was allowed by name. */
  readonly loopbackOnly: boolean;
};

/** The password of an agent, by its index in the fleet, that an event clones. */
export type CopiedPassword = { readonly agent: number; readonly password: string };

/** A change of the events of a running fleet, on its way to the shards. */
export type FleetEventChange =
  /** Its past part takes effect immediately. */
  | { readonly kind: 'event'; readonly event: FleetEvent; readonly otherServers: readonly BaseTarget[] }
  | { readonly kind: 'end_event'; readonly name: string; readonly atMs: number };

/** A message to all shards of a running fleet, be they threads or machines. */
export type FleetMessage =
  | FleetEventChange
  /** Another shard reports the password of one of its agents. */
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  /** Start nothing new; wait for operations in flight. */
  | { readonly kind: 'stop' }
  /** End now; operations in flight are canceled. */
  | { readonly kind: 'cancel' };

export type ToShard =
  | FleetMessage
  /** Answered by `answer` with the same number. */
  | { readonly kind: 'query'; readonly id: number; readonly query: ShardQuery }
  | { readonly kind: 'trace_shown' }
  /** `atMs` is on the shard's own monotonic clock. `epochMs` and `hostMs` are the same time in Unix ms and on the hosts' clocks. */
  | { readonly kind: 'start'; readonly atMs: number; readonly epochMs: number; readonly hostMs: number }
  /** Before the start: replaces the passwords of the task. */
  | { readonly kind: 'passwords'; readonly passwords: PackedPasswords }
  /** No operation may start after this time on the shard's own monotonic clock. */
  | { readonly kind: 'lease'; readonly untilMs: number }
  /** The next entries of `credentials`, this many, are durable; the agents may use the passwords among them. */
  | { readonly kind: 'stored'; readonly entries: number; readonly agents: readonly number[] }
  /** Answers `claims`, in the same order. */
  | { readonly kind: 'claimed'; readonly requests: readonly ClaimRequest[]; readonly claims: readonly Claim[] }
  | ({ readonly kind: 'files_stored' } & FilesStored)
  /** Confirms one `exchanges` message, in order: its entries are durable. */
  | { readonly kind: 'exchanges_stored' }
  /** The agents are no longer polled: the shard may end with its timeline. */
  | { readonly kind: 'polls_over' };

export type FromShard =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: AnswerTo }
  /** For the other shards. */
  | ({ readonly kind: 'copied_password' } & CopiedPassword)
  | { readonly kind: 'ready' }
  | { readonly kind: 'frame'; readonly frame: Frame }
  | { readonly kind: 'claims'; readonly requests: readonly ClaimRequest[] }
  | { readonly kind: 'credentials'; readonly credentials: readonly ShardCredential[] }
  | { readonly kind: 'files'; readonly writes: readonly ShardFiles[] }
  | { readonly kind: 'exchanges'; readonly exchanges: readonly AgentExchange[] }
  | { readonly kind: 'trace'; readonly message: TracedMessage }
  /** The last message of a shard that ran to its end. */
  | { readonly kind: 'account'; readonly account: ShardAccount };

export type ShardAccount = {
  readonly delivery: DeliveryCounts;
  /** Responses in the counted phases. */
  readonly responses: readonly ProfileResponses[];
  /** All events in the order in which they were added, except for those on hosts. */
  readonly events: readonly EventHits[];
  /** Agents whose process has ended and was not started again. */
  readonly down: readonly DownAgent[];
};

export type DownAgent = {
  /** Index in the fleet. */
  readonly agent: number;
  readonly hostName: string;
  /** One sentence. */
  readonly reason: string;
};

export type ToServer =
  /** Report what arrived; answered when nothing more arrives. */
  | { readonly kind: 'observe' }
  /** Replace the faults; their times count from the arrival of the message. */
  | { readonly kind: 'faults'; readonly faults: readonly ServerFault[] }
  | { readonly kind: 'host_clock'; readonly clock: HostClockReading }
  | { readonly kind: 'stop' };

export type ServerAccount = { readonly arrivals: ArrivalCounts; readonly observations: Observations };

export type FromServer =
  /** `certificate` is in PEM; `undefined` for plain HTTP. */
  | { readonly kind: 'listening'; readonly url: string; readonly certificate: string | undefined }
  | ({ readonly kind: 'account' } & ServerAccount);
