import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import type { Leaving } from '../engine/agent-hits.ts';
import type { Shard } from '../load/shard.ts';
import type { PartialSecond } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { TracedMessage } from '../metrics/recording/trace.ts';
import type {
  AgentExchange,
  CopiedPassword,
  FleetMessage,
  HostFiles,
  IssuedCredential,
  ShardAccount,
} from './messages.ts';
import type { AnswerTo, AskAll, ShardQuery } from './shard-query.ts';

/** The workers of a run, as the control plane sees them: built and waiting for the start. Times count from the start of the run. */
export type Shards = {
  /** Current number of shards, which are numbered from 0. */
  readonly count: number;
  /** Name of a shard in messages: `worker 3`. */
  nameOf(shard: number): string;
  /** What a shard that does not end has not reported, and why, in one sentence; `undefined` if that is not known. */
  unreported?(shard: number): string | undefined;
  /** Time that a message needs at most to reach all shards. */
  readonly noticeMs: number;
  /**
   * Sets the start of the run on the process-wide monotonic clock. Waiting shards start at their own offset from it; shards whose agents
   * have all left end.
   */
  start(atMs: number, epochMs: number): void;
  /** Removes agents, by index in the fleet. Resolves with the number of agents that could not leave yet; call again for them. */
  leave(agents: readonly number[], how: Leaving): Promise<number>;
  /** Sends it to all shards. */
  send(message: FleetMessage): void;
  /** Queries a worker. Rejects if it has ended. */
  ask<Query extends ShardQuery>(worker: number, query: Query): Promise<AnswerTo<Query>>;
  readonly askAll: AskAll;
  /** Terminates the threads, even busy ones. */
  close(): Promise<void>;
};

/** Agents that join a running fleet, and the number of shards that share them. */
export type Joining = {
  readonly shard: Shard;
  readonly workers: number;
  /** Opens additional shards, with the next numbers. They wait for `start`. */
  readonly open: () => Promise<void>;
};

/** Agents that move to other shards of a running fleet. */
export type Relocation = {
  /** Indices in the fleet, ascending. */
  readonly agents: readonly number[];
  /** Time to open their shards before they start. */
  readonly leadMs: number;
  /** They start `sinceMs`, in whole seconds, after the run. If their shards cannot be opened, the agents stay where they are. */
  readonly joining: (sinceMs: number) => Joining;
};

export type ShardHandlers = {
  frame(frame: Frame): void;
  /** Seconds of the whole fleet from before the first frame: another process led the run until then. */
  restored(seconds: readonly PartialSecond[]): void;
  /** Returns when the passwords are durable; an empty one means that it was removed. Several calls may share one commit. */
  storeCredentials(credentials: readonly IssuedCredential[]): Promise<void>;
  /** Agents, by index in the fleet, want to register for the first time. Returns an answer for each. */
  claim(requests: readonly ClaimRequest[]): Promise<readonly Claim[]>;
  /** Returns when the files of agents, by host name, are durable, or with the reason why they are not. */
  storeFiles(entries: readonly HostFiles[]): Promise<string | undefined>;
  /** Returns when the certificate exchanges of the embedded server are durable. */
  storeExchanges(exchanges: readonly AgentExchange[]): Promise<void>;
  /** An event clones an agent with this password; shards of other machines need it. */
  copiedPassword(password: CopiedPassword): void;
  /** Moves agents to other shards. Resolves when they have been told to start; rejects if they could not move, or the run ends. */
  relocate(relocation: Relocation): Promise<void>;
  /** A part of the run that no frame shows is missing; one sentence. */
  incomplete(text: string): void;
  /** Returns when the message was shown. */
  traced(message: TracedMessage): Promise<void>;
  /** Called once, before `finished`; never for a shard that is lost. */
  accounted(shard: number, account: ShardAccount): void;
  finished(shard: number): void;
  /** The worker ended before it finished. */
  lost(shard: number, error: Error): void;
};
