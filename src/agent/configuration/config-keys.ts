import { flag, text, whole } from './keys.ts';

/** Keys of config.ini that switch checks, the names of the checks in the check data, and the built-in defaults. */
export const CHECK_KEYS = {
  cpustats: { check: 'cpu', byDefault: true },
  memory: { check: 'memory', byDefault: true },
  swap: { check: 'swap', byDefault: true },
  processstats: { check: 'processes', byDefault: true },
  netstats: { check: 'net_stats', byDefault: true },
  netio: { check: 'net_io', byDefault: true },
  diskstats: { check: 'disks', byDefault: true },
  diskio: { check: 'disk_io', byDefault: true },
  load: { check: 'system_load', byDefault: true },
  systemdservices: { check: 'systemd_services', byDefault: true },
  launchdservices: { check: 'launchd_services', byDefault: false },
  winservices: { check: 'windows_services', byDefault: true },
  wineventlog: { check: 'windows_eventlog', byDefault: true },
  sensorstats: { check: 'sensors', byDefault: false },
  dockerstats: { check: 'docker', byDefault: false },
  libvirt: { check: 'libvirt', byDefault: true },
  userstats: { check: 'users', byDefault: true },
  ntp: { check: 'ntp', byDefault: true },
} as const;

export type CheckKey = keyof typeof CHECK_KEYS;

export const CHECK_KEY_NAMES = Object.keys(CHECK_KEYS) as CheckKey[];

const CHECK_FLAGS = Object.fromEntries(
  Object.entries(CHECK_KEYS).map(([name, { byDefault }]) => [name, flag(byDefault)]),
) as Record<CheckKey, ReturnType<typeof flag>>;

/** The keys of config.ini by section. */
export const CONFIG_KEYS = {
  default: {
    address: text(),
    port: whole(3333),
    'try-autossl': flag(false),
    'tls-security-level': text('lax'),
    'autossl-folder': text(),
    'autossl-csr-file': text(),
    'autossl-crt-file': text(),
    'autossl-key-file': text(),
    'autossl-ca-file': text(),
    certfile: text(),
    keyfile: text(),
    'config-update-mode': flag(false),
    auth: text(),
    interval: whole(30),
    customchecks: text('customchecks.ini'),
    'enable-dev-pprof': flag(false),
    ...CHECK_FLAGS,
    'wineventlog-method': text('WMI'),
    'wineventlog-logtypes': text('System,Application'),
    'wineventlog-age': whole(3600),
    'wineventlog-cache': whole(3600),
  },
  oitc: {
    enabled: flag(false),
    'enable-webserver': flag(false),
    url: text(),
    'verify-server-certificate': flag(false),
    timeout: whole(0),
    apikey: text(),
    proxy: text(),
    authfile: text(),
    hostuuid: text(),
  },
  prometheus: { enabled: flag(false), exporters: text('prometheus_exporters.ini') },
  packagemanager: {
    enabled: flag(true),
    'check-interval': whole(60),
    'enable-update-check': flag(true),
    'enable-alternative-packagemanagers': flag(false),
    'limit-description-length': whole(80),
  },
} as const;

/** Keys of [default] that the agent takes and does nothing with; what stands there still has to be of its type. */
export const RETIRED_KEYS = {
  qemustats: flag(true),
  alfrescostats: flag(true),
  'alfresco-jmxuser': text(),
  'alfresco-jmxpassword': text(),
  'alfresco-jmxaddress': text(),
  'alfresco-jmxport': whole(0),
  'alfresco-jmxpath': text(),
  'alfresco-jmxquery': text(),
  'alfresco-javapath': text(),
};
