import type { CustomCheck } from '../../machine/host/configuration.ts';
import type { TlsLevel } from '../../protocol/pull.ts';

// docs/reference/wire.md, "The agent's life".
export const DEFAULT_INTERVAL_SECONDS = 30;

/** What an agent's documents say of it, defaults applied. See docs/reference/wire.md, "Configuration files". */
export type AgentSettings = {
  /** Where its web server listens; an empty address is all addresses, IPv6 stands without brackets, port 0 is any. */
  readonly address: string;
  readonly port: number;
  readonly autoTls: boolean;
  readonly tlsLevel: TlsLevel;
  /** Its own HTTPS, if both files are named. */
  readonly ownCertificate: OwnCertificate | undefined;
  readonly basicAuth: BasicAuth | undefined;
  readonly configPush: boolean;
  /** Whether it listens: in pull mode, and in push mode if it is configured so. */
  readonly webServer: boolean;
  /** Undefined in pull mode. */
  readonly push: PushSettings | undefined;
  readonly intervalSeconds: number;
  /** Names in the check data, such as `disk_io`. */
  readonly disabledChecks: readonly string[];
  readonly packages: PackageSettings;
  /** Those that are enabled and can run, in the order of the file; names are in lower case. */
  readonly customChecks: readonly CustomCheck[];
  /** Those that are enabled, if the agent passes on exporters. */
  readonly exporters: readonly Exporter[];
};

export type OwnCertificate = { readonly certFile: string; readonly keyFile: string };

/** The user has no colon; the password may. */
export type BasicAuth = { readonly user: string; readonly password: string };

export type PushSettings = {
  /** Base URL of the monitoring server. */
  readonly url: string;
  readonly apiKey: string;
  /** Of a whole exchange. Below 0 every request fails at once. */
  readonly timeoutSeconds: number;
  readonly verifyServerCertificate: boolean;
  /** Empty: none. */
  readonly proxy: string;
};

export type PackageSettings = {
  readonly enabled: boolean;
  readonly intervalMinutes: number;
  readonly updateCheck: boolean;
  /** Of a description; -1 is no limit. */
  readonly descriptionBytes: number;
};

export type Exporter = {
  /** In lower case. */
  readonly name: string;
  readonly port: number;
  readonly path: string;
  /** Shorter than the time limit: it is listed, but never scraped. */
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
};
