import type { Address } from '../../base/kernel/address.ts';
import type { Clock } from '../../base/kernel/clock.ts';
import type { AgentDocuments } from '../../base/protocol/agent-files.ts';
import type { ExchangeRecord, PullClient } from '../../base/protocol/pull.ts';
import type { Phase } from '../../load/timeline.ts';
import type { Outcome } from '../../metrics/recording/outcomes.ts';
import type { Recorder } from '../../metrics/recording/recorder.ts';
import type { Trace } from '../../metrics/recording/trace.ts';
import type { Signer } from './authority.ts';
import type { ExchangeFailure } from './exchange.ts';

/** Plan of a monitoring server in pull mode. Times are milliseconds since the start of the run. */
export type PollerPlan = {
  readonly agents: readonly PulledAgent[];
  /** A poll belongs to the phase in which it is due; none is due after the last phase. */
  readonly phases: readonly Pick<Phase, 'name' | 'startMs' | 'durationMs'>[];
  readonly security: PullSecurity;
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  /** Limit for exchanges and configuration pushes in flight; polls are not limited. */
  readonly concurrency: number;
  readonly configuration: PushedConfiguration | undefined;
};

/**
 * `auto-tls`: certificates are exchanged first, and plain HTTP is not used afterward. `https`: agents have their own
 * certificates, which are not verified.
 */
export type PullSecurity =
  /** `exchangeAgain`: an agent that has lost its certificates gets new ones automatically. */
  | { readonly kind: 'auto-tls'; readonly exchangeAgain: boolean }
  | { readonly kind: 'https' }
  | { readonly kind: 'http' };

/** Pushed to each agent once: at `fromMs`, or as soon as the agent is ready for polls. */
export type PushedConfiguration = { readonly documents: AgentDocuments; readonly fromMs: number | undefined };

export type PulledAgent = {
  readonly address: Address;
  /** Index in the fleet, which determines the agent's position in the interval, across all shards. */
  readonly index: number;
  /** `user:password`. */
  readonly basicAuth: string | undefined;
  /** Whether certificates were exchanged in an earlier run. */
  readonly exchanged: boolean;
};

/** Agents are numbered as in the plan. */
export type PollerPorts = {
  readonly clock: Clock;
  readonly client: PullClient;
  /** `undefined` only without Auto-TLS. */
  readonly signer: Signer | undefined;
  readonly recorder: PullRecorder;
  /** Set if requests to agents and their answers are traced. */
  readonly trace?: Trace | undefined;
  /** Stores the state of the agent's certificates; resolves when it would survive a restart. */
  readonly remember: (agent: number, record: ExchangeRecord) => Promise<void>;
  readonly changed: (agent: number, change: PollerChange) => void;
};

export type PullRecorder = Pick<Recorder, 'series'>;

export type PollerChange =
  /** The agent received certificates, or earlier ones were confirmed. */
  | { readonly kind: 'exchanged' | 'confirmed' }
  /** The exchange failed for the first time, or in a different way than before. */
  | { readonly kind: 'not_exchanged'; readonly failure: ExchangeFailure; readonly outcome: Outcome }
  /** The agent will get new certificates. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'configured' }
  | { readonly kind: 'not_configured'; readonly outcome: Outcome }
  /** The agent answers with check data, for the first time or again. */
  | { readonly kind: 'data' }
  /** The agent does not, or no longer, answer with check data, or fails in a different way than before. */
  | { readonly kind: 'no_data'; readonly outcome: Outcome };

/**
 * State of an agent. `waiting`: no result so far. `exchange_failed`: the exchange will be repeated. `ready`: to be
 * polled. `answering`, `failing`: result of the last poll.
 */
export const POLLED_STATES = ['waiting', 'exchange_failed', 'ready', 'answering', 'failing'] as const;
export type PolledState = (typeof POLLED_STATES)[number];

export type PollerCounts = {
  readonly states: Readonly<Record<PolledState, number>>;
  readonly agents: number;
  /** Agents with certificates of this server. */
  readonly exchanged: number;
  readonly configured: number;
  /** Agents that answered the last poll with check data. */
  readonly answering: number;
};
