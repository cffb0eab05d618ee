import type { Fault } from '../faults/fault.ts';
import type { Phase } from '../load/timeline.ts';
import type { HostCounts, PayloadSize } from '../machine/host-counts.ts';
import type { Incident } from '../machine/incidents/incident.ts';
import type { OptionalChecks } from '../machine/optional-checks.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { DialectName } from '../protocol/dialect-names.ts';

/** A checked scenario with every default applied and every quantity in its base unit. Plain data: it crosses threads. */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly target: Target;
  readonly fleet: Fleet;
  /** Times in milliseconds from the run's start. */
  readonly incidents: readonly Incident[];
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
  readonly tls: TargetTls;
  /** Of the embedded server; means nothing for another. */
  readonly dialect: DialectName;
  /** Of the embedded server, none for another; times count from the run's start. */
  readonly faults: readonly Fault[];
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
  readonly identities: Identities;
};

export type Connections = { readonly kind: 'per-agent' } | { readonly kind: 'shared'; readonly size: number };
export type Identities = { readonly kind: 'ephemeral' } | { readonly kind: 'file'; readonly path: string };
