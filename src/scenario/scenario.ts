import type { Threshold } from '../metrics/thresholds.ts';
import type { Operation } from '../protocol/operations.ts';

/** A checked scenario with every default applied and every quantity in its base unit. Plain data: it crosses threads. */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly target: Target;
  readonly fleet: Fleet;
  readonly phases: readonly Phase[];
  readonly thresholds: readonly Threshold[];
};

export type Target = {
  /** `embedded`, or the base URL of a push server, possibly with a path prefix. */
  readonly url: string;
  readonly apiKey: string;
  /** Host names or addresses other than loopback that may be loaded. */
  readonly allow: readonly string[];
  readonly timeoutMs: number;
  readonly tls: { readonly verify: boolean; readonly caFile: string | undefined };
};

export type Fleet = {
  readonly agents: number;
  readonly seed: number;
  /** Profile names and their relative weights, in the order of the file. */
  readonly profiles: Readonly<Record<string, number>>;
  readonly payload: PayloadSize;
  readonly connections: Connections;
  readonly identities: Identities;
};

export type PayloadSize = 'full' | 'typical' | 'lean';
export type Connections = { readonly kind: 'per-agent' } | { readonly kind: 'shared'; readonly size: number };
export type Identities = { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };

/** A named stretch of the timeline: instants from `startMs` until before `startMs + durationMs`. */
export type Phase = {
  readonly name: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Left out of thresholds and of the overall percentiles. */
  readonly excluded: boolean;
  readonly loads: readonly Load[];
};

/** What drives one operation during a phase. */
export type Load = { readonly operation: Operation; readonly model: LoadModel };

/** When operations are due. Rates and slots are for the whole fleet, never multiplied by workers. */
export type LoadModel =
  /** `limit` arrivals at most: registration asks every agent once. */
  | { readonly kind: 'rate'; readonly ratePerSecond: number; readonly limit: number | undefined }
  | {
      readonly kind: 'ramp';
      readonly fromPerSecond: number;
      readonly toPerSecond: number;
      readonly limit: number | undefined;
    }
  /** As fast as answers come, with this many operations under way at once. */
  | { readonly kind: 'concurrency'; readonly slots: number; readonly limit: number | undefined }
  | {
      readonly kind: 'cadence';
      readonly everyMs: number;
      /** Largest deviation from the grid, as a share of `everyMs` (0.1: up to 5 % early or late). */
      readonly jitter: number;
      /** From an agent's start to its first arrival; the grid of the further ones still counts from the start. */
      readonly firstMs: number;
      /** Timeline instant from which agents' starts are spread; shared by neighbouring phases with the same cadence. */
      readonly originMs: number;
      /** Length of the window over which the agents' starts are spread. */
      readonly spreadMs: number;
    };
