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

/** What hosts of a role are. */
export type LinuxRole = {
  readonly rhythm: Rhythm;
  /** Share of memory that programs hold. */
  readonly memoryUsed: number;
  readonly users: number;
  /** Share of them that is metal. */
  readonly metal: number;
  /** Its hosts have one of these, and GiB of memory for each core. */
  readonly cores: readonly number[];
  readonly gibPerCore: readonly number[];
  /** Sets of packages that all of them have. */
  readonly packages: readonly string[];
  /** What all others of its distribution run and have installed, by the name of the service and of the package's source. */
  readonly without: readonly string[];
  /** How many of them are of each class of size. */
  readonly sizes: readonly number[];
  /** What they run besides their own services. */
  readonly guests: 'containers' | 'machines' | undefined;
  /** Where the first of its data disks are mounted. */
  readonly disks: readonly NamedMount[];
  /** What its containers are there for, and what they are called together. */
  readonly containers: readonly string[];
  readonly projects: readonly string[];
  /** Roles of which each variant has the services of one; empty: it has its own. */
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

/** What runs on the hosts of a role, as it is written on a distribution. */
export function servicesOfRole(data: HostTables, name: string, distribution: string): readonly LinuxService[] {
  const file = roleFile(name);
  const services = servicesFrom(file, readSection(data, { file, section: 'linux services' }, SERVICE));
  const texts = readSection(data, { file, section: 'linux texts' }, TEXTS).filter(
    (row) => row.distribution === distribution,
  );
  return adapted(services, Object.fromEntries(texts.map(({ here, there = '' }) => [here, there])));
}
