import { UserError } from '../../../base/kernel/errors.ts';
import { recordOf } from '../../../base/kernel/records.ts';
import { type IniTree, iniTree, readIni, shown } from './ini.ts';

export const CONFIG_FILE = 'config.ini';
export const CUSTOM_CHECKS_FILE = 'customchecks.ini';
export const EXPORTERS_FILE = 'prometheus_exporters.ini';

/** How the agent reads the value of a key, and its default if the key is absent. An empty value is not absent. */
export type Key<T> = {
  readonly fallback: T;
  readonly expected: string;
  /** Returns `undefined` for an invalid value. */
  readonly read: (text: string) => T | undefined;
};

export function textKey(fallback = ''): Key<string> {
  return { fallback, expected: 'a text', read: (value) => value };
}

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['', '0', 'f', 'F', 'FALSE', 'false', 'False'];

export function flagKey(fallback: boolean): Key<boolean> {
  const read = (value: string) => (TRUE.includes(value) ? true : FALSE.includes(value) ? false : undefined);
  return { fallback, expected: 'True or False', read };
}

/** An integer in Go's syntax: `30`, `0x1E`, `0b1_1110`, and `036`, which is octal. Empty means 0. */
export function wholeKey(fallback: number): Key<number> {
  return { fallback, expected: 'a whole number', read: (value) => (value === '' ? 0 : wholeNumber(value)) };
}

const GO_INTEGER = /^([+-]?)(?:(0x)((?:_?[\da-f])+)|(0b)((?:_?[01])+)|(0o?)((?:_?[0-7])+)|((?:0|[1-9](?:_?\d)*)))$/i;
// 64 bits have at most 64 digits in any base. More would be leading zeros, which take time to parse.
const MAX_CHARACTERS = 100;
const MIN_INTEGER = -(2n ** 63n);

function wholeNumber(value: string): number | undefined {
  if (value.length > MAX_CHARACTERS) return undefined;
  const [, sign, hexPrefix, hex, binaryPrefix, binary, octalPrefix, octal, decimal] = GO_INTEGER.exec(value) ?? [];
  const digits = hex ?? binary ?? octal ?? decimal;
  if (digits === undefined) return undefined;
  const prefix = hexPrefix ?? binaryPrefix ?? (octalPrefix === undefined ? '' : '0o');
  const magnitude = BigInt(`${prefix}${digits.replaceAll('_', '')}`);
  const integer = sign === '-' ? -magnitude : magnitude;
  return integer >= MIN_INTEGER && integer < -MIN_INTEGER ? Number(integer) : undefined;
}

export type Keys = Readonly<Record<string, Key<unknown>>>;
export type Values<K extends Keys> = { readonly [Name in keyof K]: K[Name] extends Key<infer T> ? T : never };

/** The values of a section's keys. @throws UserError that names the file, section and key, what was expected, and what was found. */
export function readKeys<K extends Keys>(keys: K, section: IniTree, location: string): Values<K> {
  const entries = Object.entries(keys).map(([name, { fallback, expected, read }]) => {
    const found = section.get(name);
    if (found === undefined) return [name, fallback];
    if (typeof found !== 'string') throw new UserError(`${location} ${name}: expected ${expected}, found a section.`);
    const value = read(found);
    if (value === undefined) throw new UserError(`${location} ${name} = ${shown(found)}: expected ${expected}.`);
    return [name, value];
  });
  return Object.fromEntries(entries) as Values<K>;
}

/** Keys of config.ini that switch checks, with the checks' names in the check data and the built-in defaults. */
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

const CHECK_FLAGS = recordOf(CHECK_KEY_NAMES, (name) => flagKey(CHECK_KEYS[name].byDefault));

export const CONFIG_KEYS = {
  default: {
    address: textKey(),
    port: wholeKey(3333),
    'try-autossl': flagKey(false),
    'tls-security-level': textKey('lax'),
    'autossl-folder': textKey(),
    'autossl-csr-file': textKey(),
    'autossl-crt-file': textKey(),
    'autossl-key-file': textKey(),
    'autossl-ca-file': textKey(),
    certfile: textKey(),
    keyfile: textKey(),
    'config-update-mode': flagKey(false),
    auth: textKey(),
    interval: wholeKey(30),
    customchecks: textKey('customchecks.ini'),
    'enable-dev-pprof': flagKey(false),
    ...CHECK_FLAGS,
    'wineventlog-method': textKey('WMI'),
    'wineventlog-logtypes': textKey('System,Application'),
    'wineventlog-age': wholeKey(3600),
    'wineventlog-cache': wholeKey(3600),
  },
  oitc: {
    enabled: flagKey(false),
    'enable-webserver': flagKey(false),
    url: textKey(),
    'verify-server-certificate': flagKey(false),
    timeout: wholeKey(0),
    apikey: textKey(),
    proxy: textKey(),
    authfile: textKey(),
    hostuuid: textKey(),
  },
  prometheus: { enabled: flagKey(false), exporters: textKey('prometheus_exporters.ini') },
  packagemanager: {
    enabled: flagKey(true),
    'check-interval': wholeKey(60),
    'enable-update-check': flagKey(true),
    'enable-alternative-packagemanagers': flagKey(false),
    'limit-description-length': wholeKey(80),
  },
} as const;

/** Keys of [default] that the agent reads but does not use; their values must still have the right type. */
const RETIRED_KEYS = {
  qemustats: flagKey(true),
  alfrescostats: flagKey(true),
  'alfresco-jmxuser': textKey(),
  'alfresco-jmxpassword': textKey(),
  'alfresco-jmxaddress': textKey(),
  'alfresco-jmxport': wholeKey(0),
  'alfresco-jmxpath': textKey(),
  'alfresco-jmxquery': textKey(),
  'alfresco-javapath': textKey(),
};

/** Values of all keys of config.ini by section, from the file or by default. */
export type ConfigValues = { readonly [Section in keyof typeof CONFIG_KEYS]: Values<(typeof CONFIG_KEYS)[Section]> };

/** @throws UserError if the agent would reject the file. */
export function readConfigValues(document: string): ConfigValues {
  const tree = iniTree(readIni(document, CONFIG_FILE));
  refuseNamesTakenTwice(tree);
  const read = <K extends Keys>(name: string, keys: K): Values<K> => {
    const section = tree.get(name) ?? new Map();
    return typeof section === 'string'
      ? readKeys(keys, new Map(), '')
      : readKeys(keys, section, `${CONFIG_FILE}: [${name}]`);
  };
  read('default', RETIRED_KEYS);
  return {
    default: read('default', CONFIG_KEYS.default),
    oitc: read('oitc', CONFIG_KEYS.oitc),
    prometheus: read('prometheus', CONFIG_KEYS.prometheus),
    packagemanager: read('packagemanager', CONFIG_KEYS.packagemanager),
  };
}

// The agent reads the whole file and its section [default] into one structure, so a name cannot be both a key and a section.
function refuseNamesTakenTwice(tree: IniTree): void {
  const section = Object.keys({ ...CONFIG_KEYS.default, ...RETIRED_KEYS }).find((name) => tree.has(name));
  if (section !== undefined) {
    throw new UserError(`${CONFIG_FILE}: [${section}]: expected no section with the name of a key of [default].`);
  }
  const defaults = tree.get('default') ?? '';
  const key = Object.keys(CONFIG_KEYS).find(
    (name) => typeof defaults !== 'string' && typeof defaults.get(name) === 'string',
  );
  if (key !== undefined) {
    throw new UserError(`${CONFIG_FILE}: [default] ${key}: expected no key with the name of a section.`);
  }
}
