import type { Fault } from '../faults/fault.ts';
import type { Phase } from '../load/timeline.ts';
import type { HostCounts } from '../machine/fleet.ts';
import type { Incident } from '../machine/incidents/incident.ts';
import type { OptionalChecks } from '../machine/optional-checks.ts';
import type { PayloadSize } from '../machine/profile.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { ValidityLimits } from '../metrics/judging/validity.ts';
import type { KeyType, TlsLevel } from '../protocol/pull.ts';
import type { DialectName } from '../protocol/push.ts';
import type { ListenRange } from './listen-range.ts';

/** A checked scenario with every default applied and every quantity in its base unit. Plain data: it crosses threads. */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly target: Target;
  readonly fleet: Fleet;
  /** Undefined: agents do not listen. */
  readonly webServer: WebServer | undefined;
  /** Times in milliseconds from the run's start. */
  readonly incidents: readonly Incident[];
  readonly phases: readonly Phase[];
  readonly thresholds: readonly Threshold[];
  readonly validity: ValidityLimits;
};

export type Target = {
  /** `embedded`, or the base URL of a push server, possibly with a path prefix. */
  readonly url: string;
  readonly apiKey: string;
  /** Host names or addresses other than loopback that may be loaded. */
  readonly allow: readonly string[];
  readonly timeoutMs: number;
  readonly tls: TargetTls;
  /** Of the embedded server; means nothing for another. */
  readonly dialect: DialectName;
  /** Of the embedded server, none for another; times count from the run's start. */
  readonly faults: readonly Fault[];
  /** What the embedded server asks of the agents; undefined: nothing. */
  readonly pull: Pull | undefined;
};

export type Pull = {
  readonly everyMs: number;
  readonly packagesEveryMs: number;
  readonly timeoutMs: number;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** A `config.ini` that every agent is told. */
  readonly configFile: string | undefined;
  /** From the run's start; undefined: right after the exchange of certificates. */
  readonly configAtMs: number | undefined;
};

export type TargetTls = {
  readonly verify: boolean;
  readonly caFile: string | undefined;
  /** How the embedded server speaks HTTPS; undefined: it speaks HTTP. */
  readonly serve: EmbeddedTls | undefined;
};

export type EmbeddedTls =
  /** A certificate made for the run, which the agents trust. */
  { readonly kind: 'self_signed' } | { readonly kind: 'files'; readonly certFile: string; readonly keyFile: string };

export type Fleet = {
  readonly agents: number;
  readonly seed: number;
  /** Profile names and their relative weights, in the order of the file. */
  readonly profiles: Readonly<Record<string, number>>;
  readonly payload: PayloadSize | HostCounts;
  /** What is not named is as in the configuration that is shipped. */
  readonly checks: OptionalChecks;
  readonly connections: Connections;
  /** As written; `sourceAddressesOf` says which they are. None: the system chooses. */
  readonly sourceAddresses: readonly string[];
  readonly identities: Identities;
};

/** The agents' own web servers, by the keys of their configuration (docs/protocol.md, "Agent web server"). */
export type WebServer = {
  readonly listen: ListenRange;
  readonly dialect: DialectName;
  /** `try-autossl` */
  readonly autoTls: boolean;
  /** `config-update-mode` */
  readonly configPush: boolean;
  readonly basicAuth: BasicAuth | undefined;
  readonly tlsLevel: TlsLevel;
  readonly keys: AgentKeys;
  /** `interval` of agents in pull mode; undefined in push mode, where the cadence of check data says it. */
  readonly intervalMs: number | undefined;
};

export type BasicAuth = { readonly user: string; readonly password: string };

/** `unique`: every agent makes a key of its own; else they share so many. */
export type AgentKeys = { readonly type: KeyType; readonly pool: number | 'unique' };

export type Connections = { readonly kind: 'per-agent' } | { readonly kind: 'shared'; readonly size: number };
export type Identities = { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };
