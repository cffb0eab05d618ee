import type { TlsLevel } from '../../../ground/protocol/pull.ts';
import type { CustomCheck } from '../../../hosts/host/configuration.ts';

// Source: docs/reference/wire.md, "The agent's life".
export const DEFAULT_INTERVAL_SECONDS = 30;

/** Settings from an agent's documents, with defaults applied. See docs/reference/documents.md, "Configuration files". */
export type AgentSettings = {
  /** Address of its web server: empty means all addresses, IPv6 has no brackets, and port 0 means any port. */
  readonly address: string;
  readonly port: number;
  readonly autoTls: boolean;
  readonly tlsLevel: TlsLevel;
  /** The agent's own HTTPS certificate, if both files are named. */
  readonly ownCertificate: OwnCertificate | undefined;
  readonly basicAuth: BasicAuth | undefined;
  readonly configPush: boolean;
  /** Whether the agent listens: always in pull mode, on request in push mode. */
  readonly webServer: boolean;
  /** `undefined` in pull mode. */
  readonly push: PushSettings | undefined;
  readonly intervalSeconds: number;
  /** Names as in the check data, such as `disk_io`. */
  readonly disabledChecks: readonly string[];
  readonly packages: PackageSettings;
  /** Enabled custom checks that can run, in the order of the file, with names in lower case. */
  readonly customChecks: readonly CustomCheck[];
  /** Enabled exporters, if the agent forwards exporters at all. */
  readonly exporters: readonly Exporter[];
};

export type OwnCertificate = { readonly certFile: string; readonly keyFile: string };

/** The user name contains no colon; the password may. */
export type BasicAuth = { readonly user: string; readonly password: string };

export type PushSettings = {
  /** Base URL of the monitoring server. */
  readonly url: string;
  readonly apiKey: string;
  /** Timeout of a whole exchange. If negative, every request fails immediately. */
  readonly timeoutSeconds: number;
  readonly verifyServerCertificate: boolean;
  /** Empty if there is none. */
  readonly proxy: string;
};

export type PackageSettings = {
  readonly enabled: boolean;
  readonly intervalMinutes: number;
  readonly updateCheck: boolean;
  /** Maximum length of a description; -1 means no limit. */
  readonly descriptionBytes: number;
};

export type Exporter = {
  /** In lower case. */
  readonly name: string;
  readonly port: number;
  readonly path: string;
  /** If it is shorter than the timeout, the exporter is listed, but never scraped. */
  readonly intervalSeconds: number;
  readonly timeoutSeconds: number;
};
