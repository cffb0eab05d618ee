import { memoized } from '../../../base/kernel/memoize.ts';
import { column, type HostTables, oncePerData, readSection } from '../../host-data.ts';
import { hostsOfRole, roleFile } from '../roles.ts';
import { adapted, type LinuxService, SERVICE, servicesFrom } from './services.ts';

const HOSTS = {
  users: column.wholeNumber,
  /** Share of physical hosts. */
  metal: column.number,
  /** Each host has one of these core counts, and one of these amounts of memory per core. */
  cores: column.numbers,
  gibPerCore: column.numbers,
  /** Groups of packages that all its hosts have. */
  packages: column.names,
  /** Services that other hosts of the distribution run and these lack, with their packages: names of services and of source packages. */
  without: column.names,
  projects: column.names,
  /** Guests that its hosts run in addition to their services. */
  guests: column.orEmpty(column.oneOf('containers', 'machines')),
  containers: column.names,
  /** Roles whose services the variants have, one role each. If empty, the role has its own services. */
  oneOf: column.names,
};
const DISK = { mountpoint: column.text, fstype: column.oneOf('ext4', 'xfs') };
const TEXTS = { distribution: column.text, here: column.text, there: column.orEmpty(column.text) };

/** Properties of a role's hosts. `disks` are the mounts of their first data disks. */
type LinuxRole = ReturnType<typeof readRole>;

const rolesIn = oncePerData((data) => memoized(Number.POSITIVE_INFINITY, (name) => readRole(data, name)));

export function linuxRole(data: HostTables, name: string): LinuxRole {
  return rolesIn(data)(name);
}

function readRole(data: HostTables, role: string) {
  const disks = readSection(data, { file: roleFile(role), section: 'linux disks' }, DISK);
  return { ...hostsOfRole(data, { role, system: 'linux' }, HOSTS), disks };
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
