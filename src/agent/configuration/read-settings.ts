import { UserError } from '../../kernel/errors.ts';
import type { AgentDocuments } from '../../protocol/agent-files.ts';
import { CHECK_KEY_NAMES, CHECK_KEYS } from './config-keys.ts';
import { CONFIG_FILE, type ConfigValues, readConfigValues } from './config-values.ts';
import { requireParsableUrl } from './go-url.ts';
import { readCustomChecks, readExporters } from './listed-things.ts';
import type { AgentSettings, PackageSettings, PushSettings } from './settings.ts';
import { webServerSettings } from './web-server-settings.ts';

export type SettingsRead =
  | {
      readonly kind: 'settings';
      readonly settings: AgentSettings;
      /** What the agent writes to its log and lives on without: a sentence each. */
      readonly ignored: readonly string[];
    }
  /** The agent's process would end; one sentence says why. */
  | { readonly kind: 'death'; readonly reason: string };

/** What an agent makes of its documents when it starts or reloads; see docs/protocol.md, "Configuration files". */
export function readSettings(documents: AgentDocuments): SettingsRead {
  const ignored: string[] = [];
  try {
    const settings = settingsOf(readConfigValues(documents.configuration), documents, ignored);
    return { kind: 'settings', settings, ignored };
  } catch (error) {
    if (error instanceof UserError) return { kind: 'death', reason: error.message };
    throw error;
  }
}

function settingsOf(values: ConfigValues, documents: AgentDocuments, ignored: string[]): AgentSettings {
  const { default: main, oitc, prometheus } = values;
  const listens = !oitc.enabled || oitc['enable-webserver'];
  const namesExporters = prometheus.enabled && prometheus.exporters !== '';
  return {
    webServer: listens,
    ...webServerSettings(main, listens),
    intervalSeconds: requireTickable(main.interval, { name: '[default] interval', secondsEach: 1 }),
    disabledChecks: CHECK_KEY_NAMES.filter((name) => !main[name]).map((name) => CHECK_KEYS[name].check),
    push: oitc.enabled ? pushSettings(values) : undefined,
    packages: packageSettings(values),
    customChecks:
      main.customchecks === '' ? [] : unlessUnreadable(() => readCustomChecks(documents.customChecks), ignored),
    exporters: namesExporters ? unlessUnreadable(() => readExporters(documents.exporters), ignored) : [],
  };
}

function pushSettings({ oitc, default: { interval } }: ConfigValues): PushSettings {
  requireParsableUrl(oitc.url, `${CONFIG_FILE}: [oitc] url`);
  if (oitc.proxy !== '') requireParsableUrl(oitc.proxy, `${CONFIG_FILE}: [oitc] proxy`);
  return {
    url: oitc.url,
    apiKey: oitc.apikey,
    timeoutSeconds: oitc.timeout === 0 ? Math.max(1, interval - 1) : oitc.timeout,
    verifyServerCertificate: oitc['verify-server-certificate'],
    proxy: oitc.proxy,
  };
}

function packageSettings({ packagemanager }: ConfigValues): PackageSettings {
  const { enabled, 'check-interval': intervalMinutes } = packagemanager;
  if (enabled) requireTickable(intervalMinutes, { name: '[packagemanager] check-interval', secondsEach: 60 });
  return {
    ...{ enabled, intervalMinutes, updateCheck: packagemanager['enable-update-check'] },
    descriptionBytes: packagemanager['limit-description-length'],
  };
}

// The agent's timers count nanoseconds in 64 bits and end the process if they shall not go forward.
const MAX_TICK_SECONDS = Number(2n ** 63n / 1_000_000_000n);

function requireTickable(value: number, { name, secondsEach }: { name: string; secondsEach: number }): number {
  const most = Math.floor(MAX_TICK_SECONDS / secondsEach);
  if (value >= 1 && value <= most) return value;
  throw new UserError(`${CONFIG_FILE}: ${name}: expected a whole number from 1 to ${most}, found ${value}.`);
}

function unlessUnreadable<T>(read: () => readonly T[], ignored: string[]): readonly T[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    ignored.push(error.message);
    return [];
  }
}
