import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from '../../src/base/kernel/memoize.ts';
import { checkdataText, type Parsed, packagesText, usualFleet } from '../hosts/any-machine.ts';

/* Texts with planted ⟦secrets⟧ and ‹names›, made up for this purpose, and documents of hosts that contain them. */

export type PlantedText = {
  readonly place: string;
  readonly text: string;
  readonly secrets: readonly string[];
  readonly names: readonly string[];
};

const ESCAPED: Readonly<Record<string, string>> = { n: '\n', t: '\t' };

/** Reads lines with a place and a text. */
function plantedIn(file: string): readonly PlantedText[] {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
  return lines.map((line) => {
    const [place = '', cell = ''] = line.split('\t');
    const marked = cell.replace(/\\(.)/g, (_, letter: string) => ESCAPED[letter] ?? letter);
    const marks = (pattern: RegExp) => [...marked.matchAll(pattern)].map(([, inner = '']) => inner);
    const text = marked.replace(/[⟦⟧‹›]/g, '');
    return { place, text, secrets: marks(/⟦([^⟧]*)⟧/g), names: marks(/‹([^›]*)›/g) };
  });
}

export const PLANTED = plantedIn(process.env.PLANTED ?? join(import.meta.dirname, 'planted.tsv'));

const ONE = { agent: 1, instantMs: Date.UTC(2026, 5, 1) };
const PLUGIN = { stdout: '', rc: 0, execution_unix_timestamp_sec: 1 };
const CONTAINER = {
  id: 'a652cff1d4',
  name: '/n',
  image: 'i',
  size_rw: 0,
  size_root_fs: 0,
  state: 'running',
  status: 'Up 3 hours',
  network_rx: 1,
  network_tx: 1,
  cpu_percentage: 0,
  memory_percentage: 0,
  disk_read: 0,
  disk_write: 0,
  memory_used: 1,
};
const EVENT = {
  MachineName: 'm',
  Category: 'c',
  CategoryNumber: 0,
  EventID: 1,
  EntryType: 4,
  Message: '',
  Source: 's',
  TimeGenerated: 1,
  TimeWritten: 1,
  Index: 1,
};
const MACHINE = { Name: 'vm', Uuid: 'u', Interfaces: {}, Diskio: {} };
const SENSOR = { label: '', current: 30, high: 80, critical: 100 };

type Documents = Readonly<Record<'linux' | 'windows' | 'mac' | 'packages' | 'apps', Parsed>>;

/** Texts, because making a document takes much longer than parsing it. */
const TEXTS = once(() => {
  const one = (profile: string) => ({ fleet: usualFleet(profile, 'typical'), ...ONE });
  return {
    linux: checkdataText(one('debian-12')),
    windows: checkdataText(one('windows-server-2022')),
    mac: checkdataText(one('macos-26')),
    packages: packagesText(one('debian-12')),
    apps: packagesText(one('windows-server-2022')),
  };
});

/** Documents of three systems, as agents of such hosts write them. */
export function documents(): Documents {
  const { linux, windows, mac, packages, apps } = TEXTS();
  return {
    linux: {
      ...JSON.parse(linux),
      docker: [],
      libvirt: {},
      users: [],
      sensors: { Temperatures: [], Batteries: [] },
    },
    windows: { ...JSON.parse(windows), windows_eventlog: { System: [] } },
    mac: JSON.parse(mac),
    packages: JSON.parse(packages),
    apps: JSON.parse(apps),
  };
}

type Put = (documents: Documents, text: string, id: number) => (sanitized: Documents) => readonly unknown[];

/** Adds a row with the text to a list. */
function row(
  list: (documents: Documents) => Parsed[],
  make: (text: string, id: number, first: Parsed) => Parsed,
  member: string,
): Put {
  return (all, text, id) => {
    const rows = list(all);
    const place = rows.length;
    rows.push(make(text, id, rows[0]));
    return (sanitized) =>
      member
        .split('.')
        .filter((name) => name !== '')
        .reduce<Parsed[]>((found, name) => found.map((value) => value[name]), [list(sanitized)[place]]);
  };
}

/** Adds a member with the text as its name, and a number by which it is found again. */
function key(map: (documents: Documents) => Parsed, value: (id: number) => Parsed): Put {
  return (all, text, id) => {
    map(all)[text] = value(id);
    const own = JSON.stringify(value(id));
    return (sanitized) =>
      Object.entries(map(sanitized)).flatMap(([name, one]) => (JSON.stringify(one) === own ? [name] : []));
  };
}

const processes = ({ linux }: Documents) => linux.processes;
const process_ = (member: string, made: (text: string) => Parsed = (text) => ({ [member]: text })) =>
  row(
    processes,
    (text, id, first) => ({
      ...first,
      pid: 100_000 + id,
      ppid: 1,
      name: 'app',
      exec: '/usr/bin/app',
      cmdline: '/usr/bin/app',
      ...made(text),
    }),
    member,
  );
const event = (member: string) =>
  row(
    ({ windows }) => windows.windows_eventlog.System,
    (text) => ({ ...EVENT, [member]: text }),
    member,
  );
const unit = (member: string) =>
  row(
    ({ linux }) => linux.systemd_services,
    (text, _, first) => ({ ...first, [member]: text }),
    member,
  );
const service = (member: string) =>
  row(
    ({ windows }) => windows.windows_services,
    (text, _, first) => ({ ...first, [member]: text }),
    member,
  );
const disk = (member: string, value = (text: string): Parsed => text) =>
  row(
    ({ linux }) => linux.disks,
    (text, _, first) => ({ ...first, disk: { ...first.disk, [member]: value(text) } }),
    `disk.${member}`,
  );
const NO_MEMORY = { rss: 0, vms: 0, hwm: 0, data: 0, stack: 0, locked: 0, swap: 0 };

const PUTS: Readonly<Record<string, Put>> = {
  cmdline: process_('cmdline'),
  title: process_('name', (text) => ({ name: text, cmdline: text })),
  exec: process_('exec'),
  username: process_('username'),
  kernelname: process_('name', (text) => ({ name: text, exec: `[${text}]`, cmdline: '', ppid: 2, Memory: NO_MEMORY })),
  user: row(
    ({ linux }) => linux.users,
    (text) => ({ name: text, terminal: 'pts/0', host: '', started: 1 }),
    'name',
  ),
  userhost: row(
    ({ linux }) => linux.users,
    (text) => ({ name: 'root', terminal: 'pts/0', host: text, started: 1 }),
    'host',
  ),
  container: row(
    ({ linux }) => linux.docker,
    (text) => ({ ...CONTAINER, name: text }),
    'name',
  ),
  image: row(
    ({ linux }) => linux.docker,
    (text) => ({ ...CONTAINER, image: text }),
    'image',
  ),
  mountpoint: disk('mountpoint'),
  device: disk('device'),
  opts: disk('opts', (text) => [text]),
  unit: unit('Name'),
  description: unit('Description'),
  stdout: ({ linux }, text, id) => {
    linux.customchecks[`check_${id}`] = { ...PLUGIN, stdout: text, rc: id };
    return (sanitized) =>
      Object.values<Parsed>(sanitized.linux.customchecks).flatMap(({ rc, stdout }) => (rc === id ? [stdout] : []));
  },
  error: ({ packages }, text, id) => {
    packages.Stats.LastError += `${id} ${text}\n`;
    return (sanitized) => [sanitized.packages.Stats.LastError];
  },
  check: key(
    ({ linux }) => linux.customchecks,
    (id) => ({ ...PLUGIN, rc: -1 - id }),
  ),
  net: key(
    ({ linux }) => linux.net_stats,
    (id) => ({ isup: true, duplex: 0, speed: 0, mtu: 10_000 + id }),
  ),
  disk: (all, text, id) => {
    all.linux.disk_io[text] = { ...structuredClone(Object.values<Parsed>(all.linux.disk_io)[0]), IoTime: 10_000 + id };
    return (sanitized) =>
      Object.entries<Parsed>(sanitized.linux.disk_io).flatMap(([name, { IoTime }]) =>
        IoTime === 10_000 + id ? [name] : [],
      );
  },
  libvirt: key(
    ({ linux }) => linux.libvirt,
    (id) => ({ ...MACHINE, Memory: { Total: id } }),
  ),
  sensor: row(
    ({ linux }) => linux.sensors.Temperatures,
    (text) => ({ ...SENSOR, label: text }),
    'label',
  ),
  exporter: row(
    ({ linux }) => linux.prometheus_exporters,
    (text) => text,
    '',
  ),
  message: event('Message'),
  machine: event('MachineName'),
  source: event('Source'),
  log: key(
    ({ windows }) => windows.windows_eventlog,
    (id) => [{ ...EVENT, MachineName: '', Category: '', Source: '', EventID: id }],
  ),
  windowsservice: service('Name'),
  display: service('DisplayName'),
  binpath: service('BinPath'),
  label: row(
    ({ mac }) => mac.launchd_services,
    (text) => ({ IsRunning: false, Pid: 0, Status: 0, Label: text }),
    'Label',
  ),
  package: row(
    ({ packages }) => packages.LinuxPackages,
    (text) => ({ Name: text, Version: '1', Description: '' }),
    'Name',
  ),
  version: row(
    ({ packages }) => packages.LinuxPackages,
    (text) => ({ Name: 'acl', Version: text, Description: '' }),
    'Version',
  ),
  packagedescription: row(
    ({ packages }) => packages.LinuxPackages,
    (text) => ({ Name: 'acl', Version: '1', Description: text }),
    'Description',
  ),
  app: row(
    ({ apps }) => apps.WindowsApps,
    (text) => ({ Name: text, Version: '1', Publisher: '' }),
    'Name',
  ),
  publisher: row(
    ({ apps }) => apps.WindowsApps,
    (text) => ({ Name: 'Edge', Version: '1', Publisher: text }),
    'Publisher',
  ),
  osname: ({ apps }, text) => {
    apps.Stats.OsName += ` ${text}`;
    return (sanitized) => [sanitized.apps.Stats.OsName];
  },
};

export const PLACES: readonly string[] = Object.keys(PUTS);

/** Plants a text. @returns a function that reads its place after sanitizing */
export function plant(
  all: Documents,
  { place, text }: PlantedText,
  id: number,
): (sanitized: Documents) => readonly unknown[] {
  const put = PUTS[place];
  if (put === undefined) throw new Error(`no place ${place}`);
  return put(all, text, id);
}
