import { UserError } from '../../../base/kernel/errors.ts';
import { recordOf } from '../../../base/kernel/records.ts';
import type { AgentDocuments } from '../../../base/protocol/agent-files.ts';
import type { OperatingSystem } from '../../../hosts/host/profile.ts';
import { CHECK_KEY_NAMES, CHECK_KEYS, type ConfigValues, CUSTOM_CHECKS_FILE, EXPORTERS_FILE } from './config-keys.ts';
import { trimmed } from './ini.ts';
import type { AgentSettings } from './settings.ts';

/**
 * The documents of an agent with these settings, as on a host with this operating system: every key, in the order of the shipped example
 * files. `readSettings` reverses this.
 * @throws UserError if an INI file of the agent cannot hold a value.
 */
export function writeDocuments(settings: AgentSettings, system: OperatingSystem): AgentDocuments {
  const sections = settings.customChecks.map(({ name, command, intervalSeconds, timeoutSeconds }) =>
    sectionText(name, { command, interval: intervalSeconds, timeout: timeoutSeconds, enabled: true }),
  );
  const exporters = settings.exporters.map(({ name, port, path, intervalSeconds, timeoutSeconds }) =>
    sectionText(name, {
      enabled: true,
      method: 'http',
      port,
      path,
      interval: intervalSeconds,
      timeout: timeoutSeconds,
    }),
  );
  return {
    configuration: writeConfiguration(settings, system),
    customChecks: ['[default]\n', ...sections].join('\n'),
    exporters: exporters.join('\n'),
  };
}

export function writeConfiguration(settings: AgentSettings, system: OperatingSystem): string {
  const sections = Object.entries(configValues(settings, system));
  return sections.map(([name, values]) => sectionText(name, values)).join('\n');
}

type IniValue = string | number | boolean;

function sectionText(name: string, values: Readonly<Record<string, IniValue>>): string {
  const lines = Object.entries(values).map(([key, value]) =>
    value === '' ? `${key} =` : `${key} = ${valueText(key, value)}`,
  );
  return `[${name}]\n${lines.join('\n')}\n`;
}

function valueText(key: string, value: IniValue): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value === 'number') return String(value);
  refuseUnwritable(key, value);
  const isPlain = value === trimmed(value) && !/[#;\n]|^["'`]|\\$/.test(value);
  return isPlain ? value : `\`${value}\``;
}

// Backquotes protect everything except references, and line feeds only if no other backquote precedes them. The message does not show the
// value, which may be a key or a password: messages end up in logs.
function refuseUnwritable(key: string, value: string): void {
  if (!/%\([^)]+\)s/.test(value) && !(value.includes('\n') && value.includes('`'))) return;
  const expected = 'a value without %(name)s, and without both line feeds and backquotes';
  throw new UserError(`An agent's INI file cannot contain this ${key}: expected ${expected}; choose another one.`);
}

const DIRECTORIES = {
  linux: '/etc/openitcockpit-agent/',
  windows: 'C:\\Program Files\\it-novum\\openitcockpit-agent\\',
  macos: '/Applications/openitcockpit-agent/',
} as const;

function configValues(settings: AgentSettings, system: OperatingSystem): ConfigValues {
  const { push, packages } = settings;
  const directory = DIRECTORIES[system];
  return {
    default: { ...webServerValues(settings, directory), ...checkValues(settings, directory) },
    oitc: {
      enabled: push !== undefined,
      'enable-webserver': push !== undefined && settings.webServer,
      url: push?.url ?? '',
      'verify-server-certificate': push?.verifyServerCertificate ?? false,
      timeout: push?.timeoutSeconds ?? 1,
      apikey: push?.apiKey ?? '',
      proxy: push?.proxy ?? '',
      authfile: `${directory}auth.json`,
      hostuuid: '',
    },
    prometheus: { enabled: true, exporters: `${directory}${EXPORTERS_FILE}` },
    packagemanager: {
      enabled: packages.enabled,
      'check-interval': packages.intervalMinutes,
      'enable-update-check': packages.updateCheck,
      'enable-alternative-packagemanagers': false,
      'limit-description-length': packages.descriptionBytes,
    },
  };
}

function webServerValues({ address, basicAuth, ...settings }: AgentSettings, directory: string) {
  return {
    address: address.includes(':') ? `[${address}]` : address,
    port: settings.port,
    'try-autossl': settings.autoTls,
    'tls-security-level': settings.tlsLevel,
    'autossl-folder': directory.slice(0, -1),
    'autossl-csr-file': `${directory}agent.csr`,
    'autossl-crt-file': `${directory}agent.crt`,
    'autossl-key-file': `${directory}agent.key`,
    'autossl-ca-file': `${directory}server_ca.crt`,
    certfile: settings.ownCertificate?.certFile ?? '',
    keyfile: settings.ownCertificate?.keyFile ?? '',
    'config-update-mode': settings.configPush,
    auth: basicAuth === undefined ? '' : `${basicAuth.user}:${basicAuth.password}`,
    'enable-dev-pprof': false,
  };
}

function checkValues({ intervalSeconds, disabledChecks }: AgentSettings, directory: string) {
  const isEnabled = recordOf(CHECK_KEY_NAMES, (name) => !disabledChecks.includes(CHECK_KEYS[name].check));
  const { sensorstats, dockerstats, libvirt, userstats, ntp, ...first } = isEnabled;
  return {
    interval: intervalSeconds,
    customchecks: `${directory}${CUSTOM_CHECKS_FILE}`,
    ...first,
    'wineventlog-method': 'WMI',
    'wineventlog-logtypes': 'System,Application,Security',
    'wineventlog-age': 3600,
    'wineventlog-cache': 3600,
    sensorstats,
    dockerstats,
    libvirt,
    userstats,
    ntp,
  };
}
