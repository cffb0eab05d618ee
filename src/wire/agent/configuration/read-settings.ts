import { UserError } from '../../../base/kernel/errors.ts';
import type { AgentDocuments, AgentFileTexts } from '../../../base/protocol/agent-files.ts';
import { TLS_LEVELS } from '../../../base/protocol/pull.ts';
import type { CustomCheck } from '../../../hosts/host/configuration.ts';
import { isParsableUrl } from '../redirects.ts';
import {
  CHECK_KEY_NAMES,
  CHECK_KEYS,
  CONFIG_FILE,
  type ConfigValues,
  CUSTOM_CHECKS_FILE,
  EXPORTERS_FILE,
  flagKey,
  type Keys,
  readConfigValues,
  readKeys,
  textKey,
  type Values,
  wholeKey,
} from './config-keys.ts';
import { iniTree, readIni, shown, trimmed } from './ini.ts';
import {
  type AgentSettings,
  basicAuthOf,
  type Exporter,
  type PackageSettings,
  type PushSettings,
  type WebServerFacts,
} from './settings.ts';

export type SettingsRead =
  | {
      readonly kind: 'settings';
      readonly settings: AgentSettings;
      /** Problems that the agent logs and survives, one sentence each. */
      readonly ignored: readonly string[];
    }
  /** The agent's process would end; `reason` is one sentence. */
  | { readonly kind: 'death'; readonly reason: string };

/** Reads documents as an agent does when it starts or reloads; see docs/reference/documents.md, "Configuration files". */
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
    enabled,
    intervalMinutes,
    updateCheck: packagemanager['enable-update-check'],
    descriptionBytes: packagemanager['limit-description-length'],
  };
}

// The agent's timers count nanoseconds in 64 bits. An interval that is not positive in that unit ends the process.
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

type WebServerSettings = WebServerFacts & Pick<AgentSettings, 'ownCertificate'>;

/** Settings of the web server; errors matter only if it listens. @throws UserError if the agent would end. */
function webServerSettings(main: ConfigValues['default'], listens: boolean): WebServerSettings {
  const { certfile: certFile, keyfile: keyFile, port } = main;
  const address = listenHostOf(main.address);
  const basicAuth = basicAuthOf(main.auth);
  if (listens) {
    if (address === undefined)
      refuseDefault(`address = ${shown(main.address)}: expected a name, IPv4, or IPv6 in brackets`);
    if (port < 0 || port > 65_535) refuseDefault(`port: expected a whole number from 0 to 65535, found ${port}`);
    if (main.auth !== '' && basicAuth === undefined) refuseDefault('auth: expected user:password, found no colon');
  }
  return {
    address: address ?? main.address,
    port,
    autoTls: main['try-autossl'],
    // Any other word or spelling means lax.
    tlsLevel: TLS_LEVELS.find((level) => level === main['tls-security-level']) ?? 'lax',
    ownCertificate: certFile === '' || keyFile === '' ? undefined : { certFile, keyFile },
    basicAuth,
    configPush: main['config-update-mode'],
  };
}

/** The agent joins address and port with a colon, so an IPv6 address needs its own brackets. */
function listenHostOf(address: string): string | undefined {
  const bracketed = /^\[([^[\]]*)\]$/.exec(address)?.[1];
  return bracketed ?? (/[:[\]]/.test(address) ? undefined : address);
}

function refuseDefault(what: string): never {
  throw new UserError(`${CONFIG_FILE}: [default] ${what}.`);
}

/** @throws UserError if Go does not parse the text as a URL, which ends an agent in push mode. */
function requireParsableUrl(text: string, name: string): void {
  if (isParsableUrl(text)) return;
  throw new UserError(`${name} = ${shown(text)}: expected a URL such as https://monitoring.example.org.`);
}

const CUSTOM_CHECK_KEYS = {
  command: textKey(),
  interval: wholeKey(0),
  timeout: wholeKey(0),
  enabled: flagKey(false),
  shell: textKey(),
  powershell_exe: textKey(),
};

const EXPORTER_KEYS = {
  enabled: flagKey(false),
  method: textKey(),
  port: wholeKey(0),
  path: textKey(),
  interval: wholeKey(0),
  timeout: wholeKey(0),
};

const DEFAULT_TIMEOUT_SECONDS = 15;
const DEFAULT_INTERVAL_SECONDS = 60;

/** Enabled custom checks, except those that the agent never starts. @throws UserError if the agent would ignore the whole file. */
function readCustomChecks(document: string): readonly CustomCheck[] {
  const checks = readEntries(document, { file: CUSTOM_CHECKS_FILE, keys: CUSTOM_CHECK_KEYS, required: 'command' });
  return checks
    .filter(([, { enabled }]) => enabled)
    .map(([name, { command, interval, timeout }]) => ({
      name,
      command,
      intervalSeconds: interval > 0 ? interval : DEFAULT_INTERVAL_SECONDS,
      timeoutSeconds: timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
    }))
    .filter(({ intervalSeconds, timeoutSeconds }) => timeoutSeconds <= intervalSeconds);
}

/** Enabled exporters. @throws UserError if the agent would ignore the whole file. */
function readExporters(document: string): readonly Exporter[] {
  const exporters = readEntries(document, { file: EXPORTERS_FILE, keys: EXPORTER_KEYS, required: 'path' });
  return exporters
    .filter(([, { enabled }]) => enabled)
    .map(([name, { port, path, interval, timeout }]) => ({
      name,
      port,
      path,
      intervalSeconds: interval,
      timeoutSeconds: timeout > 0 ? timeout : DEFAULT_TIMEOUT_SECONDS,
    }));
}

type Format<K extends Keys> = { readonly file: string; readonly keys: K; readonly required: string & keyof K };

/** One entry per section, with the section's name. The section `default` must be well-formed too, but is not an entry. */
function readEntries<K extends Keys>(
  document: string,
  { file, keys, required }: Format<K>,
): readonly (readonly [string, Values<K>])[] {
  const sections = [...iniTree(readIni(document, file))].flatMap(([name, section]) =>
    typeof section === 'string' ? [] : [[name, readKeys(keys, section, `${file}: [${name}]`)] as const],
  );
  const entries = sections.filter(([name]) => name !== 'default');
  const lacking = entries.find(([, values]) => trimmed(`${values[required]}`) === '');
  if (lacking === undefined) return entries;
  throw new UserError(`${file}: [${lacking[0]}]: expected a ${required}, found none.`);
}

/** Documents that were pushed to an agent; `undefined` if there are none. A missing file counts as empty. */
export function storedDocuments(files: AgentFileTexts): AgentDocuments | undefined {
  const configuration = files['config.ini'];
  if (configuration === undefined) return undefined;
  const { 'customchecks.ini': customChecks = '', 'prometheus_exporters.ini': exporters = '' } = files;
  return { configuration, customChecks, exporters };
}

/** The initial settings of an agent with these files; `first` if there are no documents. */
export function settingsFrom(files: AgentFileTexts, first: AgentSettings): SettingsRead {
  const documents = storedDocuments(files);
  return documents === undefined ? { kind: 'settings', settings: first, ignored: [] } : readSettings(documents);
}

export function filesOf({ configuration, customChecks, exporters }: AgentDocuments): AgentFileTexts {
  return { 'config.ini': configuration, 'customchecks.ini': customChecks, 'prometheus_exporters.ini': exporters };
}
