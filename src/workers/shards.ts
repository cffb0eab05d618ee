import type { DeliveryCounts } from '../metrics/delivery/reconcile.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { ProfileResponses } from '../metrics/recording/recorder.ts';
import type { AgentFileTexts } from '../protocol/agent-files.ts';

/** A password that an agent was issued. */
export type IssuedCredential = { readonly uuid: string; readonly password: string };

/** The workers of a run, as the control plane sees them: built, waiting for the start. */
export type Shards = {
  readonly count: number;
  /** Starts all at one instant of the process-wide monotonic clock. */
  start(atMs: number, epochMs: number): void;
  /** Nothing new is started; what is under way ends by itself. */
  stop(): void;
  /** Everything ends now. */
  cancel(): void;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
};

/** What a shard that ran to its end knows beyond its frames. */
export type ShardAccount = {
  readonly delivery: DeliveryCounts;
  /** Over the counted phases. */
  readonly responses: readonly ProfileResponses[];
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

/** Files of an agent's host. */
export type HostFiles = { readonly hostName: string; readonly files: AgentFileTexts };

export type ShardEvents = {
  frame(frame: Frame): void;
  /** Returns once the passwords are durable. Several calls may share one commit. */
  storeCredentials(credentials: readonly IssuedCredential[]): Promise<void>;
  /** Returns once the files of agents, by host name, would outlive a crash; or why they do not. */
  storeFiles(entries: readonly HostFiles[]): Promise<string | undefined>;
  /** The agent, by its index in the fleet, got certificates of the embedded server, or will get new ones. */
  exchanged(agent: number, isExchanged: boolean): void;
  /** Comes once, before `finished`; never from a shard that is lost. */
  accounted(shard: number, account: ShardAccount): void;
  finished(shard: number): void;
  /** The worker ended without finishing. */
  lost(shard: number, error: Error): void;
};
