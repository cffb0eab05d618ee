import type { OptionalChecks } from '../../../hosts/host/configuration.ts';
import { customCheckEntries, exporterEntries } from '../../../hosts/host/configured-checks.ts';
import { systemNamed } from '../../../hosts/profiles.ts';
import { CHECK_KEY_NAMES, CHECK_KEYS } from './config-keys.ts';
import type { AgentSettings, PushSettings } from './settings.ts';

/** Known properties of a simulated agent without documents. */
export type AgentFacts = {
  readonly intervalSeconds: number;
  /** `undefined` in pull mode. */
  readonly push: PushSettings | undefined;
  /** `undefined`: the agent pushes and does not listen. */
  readonly webServer: WebServerFacts | undefined;
  /** Profile and optional checks of its host. */
  readonly profile: string;
  readonly checks: OptionalChecks;
};

export type WebServerFacts = Pick<
  AgentSettings,
  'address' | 'port' | 'autoTls' | 'tlsLevel' | 'basicAuth' | 'configPush'
>;

// As in the shipped configuration.
const SHIPPED_WEB_SERVER: WebServerFacts = {
  ...{ address: '0.0.0.0', port: 3333, autoTls: true, tlsLevel: 'intermediate' },
  ...{ basicAuth: undefined, configPush: false },
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
