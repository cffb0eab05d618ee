import { MIB } from '../base/kernel/units.ts';
import type { DialectName } from '../base/protocol/push.ts';
import type { BodyLimits } from '../wire/http/body.ts';
import type { HttpTimeouts } from '../wire/http/server.ts';
import type { TlsCredentials } from '../wire/http/tls.ts';
import type { Fault } from './faults/schema.ts';

/**
 * When a registered agent becomes a monitored host. Before that, its pushes are stored but answered with 400. On a real
 * server, this is a step in the web interface (docs/reference/wire.md, "submit_checkdata.json").
 */
export type HostAssignment =
  | { readonly kind: 'automatic' }
  | { readonly kind: 'delayed'; readonly delayMs: number }
  | { readonly kind: 'manual' };

/** What the user of the key may do with hosts of a container: see them, or not even that. */
export type ContainerRight = 'read' | 'none';

export type Credentials = { readonly uuid: string; readonly password: string };

/** Credentials created at each start, or given ones. */
export type ServerTls = { readonly kind: 'self_signed' } | ({ readonly kind: 'given' } & TlsCredentials);

/** Plain data that crosses threads. */
export type MonitoringServerSettings = {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** `undefined`: plain HTTP. */
  readonly tls: ServerTls | undefined;
  /** Empty: none is required. */
  readonly apiKey: string;
  readonly dialect: DialectName;
  /** Release that the shipped dialect imitates; before 5.5, there is no package endpoint. */
  readonly version: '5.3' | '5.5';
  readonly hostAssignment: HostAssignment;
  /** Containers in which the user of the key may not edit hosts. */
  readonly restricted: readonly { readonly id: number; readonly right: ContainerRight }[];
  /** Agents that are known as monitored hosts from the start. */
  readonly registrations: readonly Credentials[];
  /** File that keeps registrations across restarts; `undefined`: none. */
  readonly dataFile: string | undefined;
  /** Whether to compare every document with the agent's shapes, which costs several times as much as serving it. */
  readonly verify: boolean;
  readonly faults: readonly Fault[];
  readonly seed: number;
  /** `undefined`: no admin endpoint. */
  readonly admin: AdminSettings | undefined;
  readonly limits: ServerLimits;
  readonly timeouts: ServerTimeouts;
};

/** The admin endpoint listens on loopback; requests carry the token as `Authorization: Bearer`. */
export type AdminSettings = { readonly port: number; readonly token: string };

/** Larger bodies are answered with 413; concurrent bodies above the total limit with 503. */
export type ServerLimits = BodyLimits & {
  /** Limit for agents; more are refused with 503, so that no client can fill the memory. */
  readonly agents: number;
};

export type ServerTimeouts = HttpTimeouts & {
  readonly drainMs: number;
};

/** Limits and timeouts of a default installation (docs/developers/server.md, "Capacity of a default installation"). */
export const DEFAULT_SETTINGS: MonitoringServerSettings = {
  host: '127.0.0.1',
  port: 0,
  tls: undefined,
  apiKey: '',
  dialect: 'documented',
  version: '5.5',
  hostAssignment: { kind: 'automatic' },
  restricted: [],
  registrations: [],
  dataFile: undefined,
  verify: false,
  faults: [],
  seed: 1,
  admin: undefined,
  limits: { bodyBytes: 50 * MIB, allBodiesBytes: 256 * MIB, agents: 1_000_000 },
  timeouts: { headMs: 60_000, requestMs: 60_000, idleMs: 65_000, drainMs: 5_000 },
};
