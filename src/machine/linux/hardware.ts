import type { BlockDevice } from '../checks/disk-io.ts';
import type { FileSystem } from '../checks/disks.ts';
import type { NetworkInterface } from '../checks/net.ts';
import type { Counts } from '../profile.ts';
import type { Role } from './roles.ts';

export type Random = () => number;

/** What the hosts of a variant are built from. */
export type Hardware = {
  readonly role: Role;
  readonly physical: boolean;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly swapBytes: number;
  readonly disks: readonly Disk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
};

export type Disk = {
  readonly device: BlockDevice;
  readonly model: string;
  readonly serial: string;
  readonly partitions: readonly Partition[];
};

export type Partition = {
  readonly name: string;
  readonly fileSystem: FileSystem | undefined;
  /** As in `/dev/disk/by-uuid`. */
  readonly uuid: string;
};

export const GIB = 1024 ** 3;
const DISK_MODELS = ['Kestrel DC S41', 'Northlake NX960', 'Orrin Data 7200', 'Fjord P5 Plus', 'Basalt E1920'];
const RELATIME = ['rw', 'relatime'];
const PARTITIONS_PER_DISK = 4;

/** The disks of a host with about so many block devices: a system disk first, data disks after it. */
export function disksOf(deviceCount: number, physical: boolean, random: Random): readonly Disk[] {
  const disks: Disk[] = [];
  let left = deviceCount;
  while (left > 0) {
    const first = disks.length === 0;
    const partitions = Math.min(left - 1, first ? 3 : 1 + Math.floor(random() * PARTITIONS_PER_DISK));
    disks.push(diskOf({ name: diskName(disks.length, physical), partitions, first, random }));
    left -= partitions + 1;
  }
  return disks;
}

type DiskInput = {
  readonly name: string;
  readonly partitions: number;
  readonly first: boolean;
  readonly random: Random;
};

function diskOf({ name, partitions, first, random }: DiskInput): Disk {
  const totalBytes = [60, 120, 240, 480, 960, 1920][Math.floor(random() * 6)] ?? 60;
  const joint = /\d$/.test(name) ? 'p' : '';
  const list = Array.from({ length: partitions }, (_, index): Partition => {
    const mount = first ? SYSTEM_MOUNTS[index] : dataMount(name, index);
    const partition = `${name}${joint}${index + 1}`;
    const fileSystem = mount && { ...mount, device: `/dev/${partition}`, totalBytes: mount.share * totalBytes * 1e9 };
    return { name: partition, uuid: uuidFrom(random), fileSystem: fileSystem && rounded(fileSystem) };
  });
  // Most data disks are there for backups and archives: nothing moves on them for weeks.
  const used = first || random() < 0.35;
  const parts = list.map((partition) => blockDevice(partition, used, random));
  const device = { name, partitions: parts, readsPerSecond: 0, writesPerSecond: 0.4, latencyMs: 1 };
  const model = DISK_MODELS[Math.floor(random() * DISK_MODELS.length)] ?? '';
  return { device, model, serial: hexFrom(random, 12).toUpperCase(), partitions: list };
}

type Mount = Omit<FileSystem, 'device' | 'totalBytes'> & { readonly share: number };

/** The largest file system is the first, so that a host with a single partition has its root there. */
const SYSTEM_MOUNTS: readonly Mount[] = [
  { mountpoint: '/', fstype: 'ext4', options: RELATIME, use: 'filling', reserved: 0.05, share: 0.95 },
  { mountpoint: '/boot', fstype: 'ext4', options: RELATIME, use: 'still', reserved: 0.05, share: 0.02 },
  { mountpoint: '/boot/efi', fstype: 'vfat', options: RELATIME, use: 'still', reserved: 0, share: 0.005 },
];

function dataMount(name: string, index: number): Mount | undefined {
  if (index > 0) return undefined;
  return { mountpoint: `/srv/${name}`, fstype: 'xfs', options: RELATIME, use: 'filling', reserved: 0, share: 0.9 };
}

function rounded({ share: _, ...fileSystem }: Mount & FileSystem): FileSystem {
  return { ...fileSystem, totalBytes: Math.floor(fileSystem.totalBytes / 4096) * 4096 };
}

function blockDevice({ name, fileSystem }: Partition, used: boolean, random: Random): BlockDevice {
  const busy = used && fileSystem?.use === 'filling' ? 1 + 6 * random() ** 2 : 0;
  const writes = busy * (2 + 9 * random());
  return { name, partitions: [], readsPerSecond: busy * 2, writesPerSecond: writes, latencyMs: 0.2 + 0.6 * random() };
}

function diskName(index: number, physical: boolean): string {
  if (!physical) return `vd${String.fromCharCode(97 + index)}`;
  return index === 0 ? 'nvme0n1' : `sd${String.fromCharCode(96 + index)}`;
}

/** The network cards of a host; the loopback device counts, but does not come alone. */
export function interfacesOf(count: number, physical: boolean, random: Random): readonly NetworkInterface[] {
  const card = physical ? { speed: 1000, duplex: 2 as const } : { speed: -1, duplex: 0 as const };
  const packets = (scale: number) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
  const first = physical ? `enp${1 + Math.floor(random() * 5)}s0` : 'ens18';
  const all: readonly NetworkInterface[] = [
    { ...virtual('lo'), up: true, speed: 0, mtu: 65_536, loops: true, packetsPerSecond: packets(0.4) },
    { name: first, up: true, ...card, mtu: 1500, loops: false, packetsPerSecond: packets(6) },
    { ...virtual('docker0'), up: true, packetsPerSecond: packets(0.5) },
    { name: `${first}np1`, up: true, ...card, mtu: 9000, loops: false, packetsPerSecond: packets(2) },
    virtual('virbr0'),
  ];
  const veths = Array.from({ length: Math.max(0, count - all.length) }, () => {
    return { ...virtual(`veth${hexFrom(random, 7)}`), up: true, speed: 10_000, packetsPerSecond: packets(0.5) };
  });
  return count === 1 ? all.slice(1, 2) : [...all, ...veths].slice(0, count);
}

function virtual(name: string): NetworkInterface {
  const packetsPerSecond = { sent: 0, received: 0 };
  return { name, up: false, duplex: 0, speed: -1, mtu: 1500, loops: false, packetsPerSecond };
}

export function hexFrom(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

function uuidFrom(random: Random): string {
  return [8, 4, 4, 4, 12].map((digits) => hexFrom(random, digits)).join('-');
}
