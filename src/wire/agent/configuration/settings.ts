import type { TlsLevel } from '../../../base/protocol/pull.ts';
import type { CustomCheck, OptionalChecks } from '../../../hosts/host/configuration.ts';
import { customCheckEntries, exporterEntries } from '../../../hosts/host/configured-checks.ts';
import { systemNamed } from '../../../hosts/profiles.ts';
import { CHECK_KEY_NAMES, CHECK_KEYS } from './config-keys.ts';

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

/** Splits `user:password` at the first colon, as the agent does; `undefined` without a colon. */
export function basicAuthOf(text: string): BasicAuth | undefined {
  const colon = text.indexOf(':');
  return colon < 0 ? undefined : { user: text.slice(0, colon), password: text.slice(colon + 1) };
}

export type PushSettings = {
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

/** Known properties of a simulated agent without documents. */
type AgentFacts = {
  readonly intervalSeconds: number;
  /** `undefined` in pull mode. */
  readonly push: PushSettings | undefined;
  /** `undefined`: the agent pushes and does not listen. */
  readonly webServer: WebServerFacts | undefined;
  readonly profile: string;
  readonly checks: OptionalChecks;
};

export type WebServerFacts = Pick<
  AgentSettings,
  'address' | 'port' | 'autoTls' | 'tlsLevel' | 'basicAuth' | 'configPush'
>;

// As in the shipped configuration.
const SHIPPED_WEB_SERVER: WebServerFacts = {
  address: '0.0.0.0',
  port: 3333,
  autoTls: true,
  tlsLevel: 'intermediate',
  basicAuth: undefined,
  configPush: false,
};
const SHIPPED_PACKAGES = { enabled: true, intervalMinutes: 60, updateCheck: true, descriptionBytes: 80 };
const SHIPPED_EXPORTER = { path: '/metrics', intervalSeconds: 15, timeoutSeconds: 5 };

/** Initial settings of a simulated agent: the shipped ones, except for the known facts. */
export function simulatedSettings({ intervalSeconds, push, webServer, profile, checks }: AgentFacts): AgentSettings {
  const off = switchedOff(checks);
  return {
    webServer: push === undefined || webServer !== undefined,
    ...(webServer ?? SHIPPED_WEB_SERVER),
    ownCertificate: undefined,
    intervalSeconds,
    disabledChecks: CHECK_KEY_NAMES.map((name) => CHECK_KEYS[name].check).filter((check) => off.has(check)),
    push,
    packages: SHIPPED_PACKAGES,
    customChecks: customCheckEntries(profile, checks.customchecks ?? 0),
    exporters: exporterEntries(systemNamed(profile), checks.prometheus_exporters ?? 0).map((entry) => ({
      ...entry,
      ...SHIPPED_EXPORTER,
    })),
  };
}

function switchedOff({ docker, libvirt, windows_eventlog, sensors = true }: OptionalChecks): ReadonlySet<string> {
  const on = { docker: docker ?? 0, libvirt: libvirt ?? 0, windows_eventlog: windows_eventlog ?? 0, sensors };
  return new Set(Object.entries(on).flatMap(([check, value]) => (value === 0 || value === false ? [check] : [])));
}
