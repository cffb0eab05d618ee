import type { Address } from '../kernel/address.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Phase } from '../load/timeline.ts';
import type { Outcome } from '../metrics/recording/outcomes.ts';
import type { Recorder } from '../metrics/recording/recorder.ts';
import type { Trace } from '../metrics/recording/trace.ts';
import type { AgentDocuments } from '../protocol/agent-files.ts';
import type { ExchangeRecord, PullClient } from '../protocol/pull.ts';
import type { Signer } from './authority.ts';
import type { ExchangeFailure } from './exchange.ts';

/** What one monitoring server in pull mode has to do. Instants are milliseconds since the start of the run. */
export type PollerPlan = {
  readonly agents: readonly PulledAgent[];
  /** A poll belongs to the phase in which it is due; none is due after the last one. */
  readonly phases: readonly Pick<Phase, 'name' | 'startMs' | 'durationMs'>[];
  readonly security: PullSecurity;
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  /** Most exchanges and configuration pushes in flight; polls are not limited. */
  readonly concurrency: number;
  readonly configuration: PushedConfiguration | undefined;
};

/**
 * `auto-tls`: certificates are exchanged first, and plain HTTP is not used again. `https`: agents have certificates of
 * their own, which are not verified.
 */
export type PullSecurity =
  /** `exchangeAgain`: an agent that has lost its certificates gets new ones, without anybody being asked. */
  | { readonly kind: 'auto-tls'; readonly exchangeAgain: boolean }
  | { readonly kind: 'https' }
  | { readonly kind: 'http' };

/** Pushed to each agent once: from `fromMs` on, or as soon as it can be polled. */
export type PushedConfiguration = { readonly documents: AgentDocuments; readonly fromMs: number | undefined };

export type PulledAgent = {
  readonly address: Address;
  /** Its index in the fleet: agents of all shards are spread over the interval by it. */
  readonly index: number;
  /** `user:password`. */
  readonly basicAuth: string | undefined;
  /** Certificates were exchanged in an earlier run. */
  readonly exchanged: boolean;
};

/** Agents are numbered as in the plan. */
export type PollerPorts = {
  /** Milliseconds since the start of the run. */
  readonly clock: Clock;
  readonly client: PullClient;
  /** Undefined only without Auto-TLS. */
  readonly signer: Signer | undefined;
  readonly recorder: PullRecorder;
  /** Present while requests to agents and their answers are traced. */
  readonly trace?: Trace | undefined;
  /** Keeps what a restart has to know of the agent's certificates; resolves when it would. */
  readonly remember: (agent: number, record: ExchangeRecord) => Promise<void>;
  /** Hears what changes with an agent. */
  readonly changed: (agent: number, change: PollerChange) => void;
};

/** The part of a recorder that a poller uses. */
export type PullRecorder = Pick<Recorder, 'series'>;

export type PollerChange =
  /** Certificates were handed over, or were found to hold. */
  | { readonly kind: 'exchanged' | 'confirmed' }
  /** The exchange failed, or fails in another way than before. */
  | { readonly kind: 'not_exchanged'; readonly failure: ExchangeFailure; readonly outcome: Outcome }
  /** It will get new certificates. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'configured' }
  | { readonly kind: 'not_configured'; readonly outcome: Outcome }
  /** It answers with check data: for the first time, or again. */
  | { readonly kind: 'data' }
  /** It does not, or not any more, or in another way than before. */
  | { readonly kind: 'no_data'; readonly outcome: Outcome };

/**
 * Where an agent stands. `waiting`: nothing has come of it yet. `exchange_failed`: it has to be asked again. `ready`: to be
 * polled. `answering`, `failing`: what its last poll came to.
 */
export const POLLED_STATES = ['waiting', 'exchange_failed', 'ready', 'answering', 'failing'] as const;
export type PolledState = (typeof POLLED_STATES)[number];

/** How many agents have got how far. */
export type PollerCounts = {
  readonly states: Readonly<Record<PolledState, number>>;
  readonly agents: number;
  /** Have certificates of this server. */
  readonly exchanged: number;
  readonly configured: number;
  /** Answered the last poll with check data. */
  readonly answering: number;
};
