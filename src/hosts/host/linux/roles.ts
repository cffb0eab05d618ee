import {
  type HostTables,
  NAMES,
  NUMBER,
  NUMBERS,
  oncePerData,
  oneOf,
  orEmpty,
  readSection,
  TEXT,
  WHOLE_NUMBER,
} from '../../host-data.ts';
import type { Rhythm } from '../activity.ts';
import { roleFile, WEEK } from '../roles.ts';
import { SIZE_WEIGHTS } from '../sizes.ts';
import { adapted, type LinuxService, SERVICE, servicesFrom } from './services.ts';
import type { NamedMount } from './storage.ts';

/** Properties of a role's hosts. */
export type LinuxRole = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs use. */
  readonly memoryUsed: number;
  readonly users: number;
  /** Share of physical hosts. */
  readonly metal: number;
  /** Each host has one of these core counts, and one of these amounts of memory per core. */
  readonly cores: readonly number[];
  readonly gibPerCore: readonly number[];
  /** Groups of packages that all its hosts have. */
  readonly packages: readonly string[];
  /** Services that other hosts of the distribution run and these lack, with their packages: names of services and of source packages. */
  readonly without: readonly string[];
  /** Relative numbers of hosts in each size class. */
  readonly sizes: readonly number[];
  /** Guests that its hosts run in addition to their services. */
  readonly guests: 'containers' | 'machines' | undefined;
  /** Mounts of the first data disks. */
  readonly disks: readonly NamedMount[];
  /** The first services of its containers, and the names of their projects. */
  readonly containers: readonly string[];
  readonly projects: readonly string[];
  /** Roles whose services the variants have, one role each. If empty, the role has its own services. */
  readonly oneOf: readonly string[];
};

const HOSTS = {
  week: WEEK,
  busy: NUMBER,
  memory_used: NUMBER,
  sizes: SIZE_WEIGHTS,
  users: WHOLE_NUMBER,
  metal: NUMBER,
  cores: NUMBERS,
  gib_per_core: NUMBERS,
  packages: NAMES,
  without: NAMES,
  projects: NAMES,
  guests: orEmpty(oneOf('containers', 'machines')),
  containers: NAMES,
  one_of: NAMES,
};
const DISK = { mountpoint: TEXT, fstype: oneOf('ext4', 'xfs') };
const TEXTS = { distribution: TEXT, here: TEXT, there: orEmpty(TEXT) };

const known = oncePerData(() => new Map<string, LinuxRole>());

export function linuxRole(data: HostTables, name: string): LinuxRole {
  const roles = known(data);
  const role = roles.get(name) ?? readRole(data, name);
  roles.set(name, role);
  return role;
}

function readRole(data: HostTables, name: string): LinuxRole {
  const [row] = readSection(data, { file: roleFile(name), section: 'linux hosts' }, HOSTS);
  if (row === undefined) throw new Error(`${roleFile(name)}: expected a section [linux hosts] with a row, found none`);
  const { week, busy, memory_used: memoryUsed, gib_per_core: gibPerCore, one_of, ...rest } = row;
  const disks = readSection(data, { file: roleFile(name), section: 'linux disks' }, DISK);
  return { ...rest, disks, rhythm: { busy, week }, memoryUsed, gibPerCore, oneOf: one_of };
}

/** Services of a role, as spelled in a distribution. */
export function servicesOfRole(data: HostTables, name: string, distribution: string): readonly LinuxService[] {
  const file = roleFile(name);
  const services = servicesFrom(file, readSection(data, { file, section: 'linux services' }, SERVICE));
  const texts = readSection(data, { file, section: 'linux texts' }, TEXTS).filter(
    (row) => row.distribution === distribution,
  );
  return adapted(services, Object.fromEntries(texts.map(({ here, there = '' }) => [here, there])));
}
