import { hash32, randomStream } from '../../../base/kernel/random.ts';
import { MIB } from '../../../base/kernel/units.ts';
import { column, type HostTables, oncePerData, readTable, type TableColumn, type TableRow } from '../../host-data.ts';
import type { BlockDevice, DrawnSize, FileSystem, Random } from '../hardware.ts';
import { byWeight, pick } from '../noise.ts';

export type Disk = {
  readonly device: BlockDevice;
  readonly model: string;
  /** The maker's usual prefix, then a placeholder (`{s0}`) for digits that each host draws. */
  readonly serial: string;
  readonly partitions: readonly Partition[];
};

/** A partition, or a logical volume on one. */
export type Partition = {
  readonly name: string;
  /** Several file systems on one partition are its subvolumes. */
  readonly fileSystems: readonly FileSystem[];
  readonly volumes: readonly Partition[];
  /** As in `/dev/disk/by-uuid` and `by-partuuid`, with a placeholder (`{u0}`) for digits that each host draws. */
  readonly uuid: string;
  readonly partUuid: string;
};

const CARDS: TableColumn<readonly (readonly string[])[]> = {
  expected: 'pairs of network cards with their speed, such as eno1,eno2,1000|ens1f0,ens1f1,10000',
  pattern: /^(\w+,\w+,-?\d+)(\|\w+,\w+,-?\d+)*$/,
  read: (cell) => cell.split('|').map((pair) => pair.split(',')),
};

const MODELS: TableColumn<readonly string[]> = {
  expected: 'models of disks with bars between them',
  pattern: /^.*$/,
  read: (cell) => cell.split('|'),
};

const PLATFORM = {
  platform: column.oneOf('nvme', 'sata', 'raid', 'kvm', 'vmware', 'hyper-v', 'xen', 'cloud'),
  on: column.oneOf('metal', 'virtual'),
  weight: column.wholeNumber,
  /** How the kernel names the first disk and the others: `#` is a letter, and `+` a number. */
  firstDisk: column.text,
  otherDisks: column.text,
  /** Models of disks on NVMe, and of others. */
  nvmeModels: MODELS,
  models: MODELS,
  /** What its network cards are called, and their names. */
  card: column.text,
  cards: CARDS,
};

const platforms = oncePerData((data) => readTable(data, 'platforms.tsv', PLATFORM));

/** What a host's disks and cards are attached to: its own controllers, or those of a hypervisor. */
export type Platform = TableRow<typeof PLATFORM>;

/** How an installer partitions the system disk. The most important slices come first, starting with the root. */
export type Layout = readonly Slice[];

type Slice = {
  readonly number: number;
  readonly bytes: number | 'rest';
  readonly mounts: readonly Mount[];
  readonly volumes: readonly { readonly share: number; readonly mounts: readonly Mount[] }[];
};

type Mount = Pick<FileSystem, 'mountpoint' | 'fstype' | 'options' | 'use' | 'reserved' | 'pool'>;

export type NamedMount = Pick<Mount, 'mountpoint' | 'fstype'>;

type StorageInput = {
  readonly physical: boolean;
  readonly platform: Platform;
  readonly layout: Layout;
  /** Mounts of the first data disks, which have one file system each and are in use. */
  readonly named?: readonly NamedMount[];
  readonly random: Random;
  /** Selects how busy each device is. */
  readonly stream: number;
};

export function platformOf(data: HostTables, physical: boolean, random: Random): Platform {
  const here = platforms(data).filter(({ on }) => on === (physical ? 'metal' : 'virtual'));
  return pick(byWeight(here), random());
}

const PARTITIONS_PER_DISK = 4;
/** Share of a partition that its file system leaves for files. Chosen, like the activity of devices below. */
const YIELD: Readonly<Record<string, number>> = { ext4: 0.983, xfs: 0.994, vfat: 0.998 };

/** The disks of a host with about `deviceCount` block devices: a system disk, then data disks. */
export function disksOf(deviceCount: number, input: StorageInput): readonly Disk[] {
  const system = systemDisk(deviceCount, input);
  const disks = [system];
  let missing = deviceCount - devicesOf(system);
  while (missing > 0) {
    const isNamed = disks.length <= (input.named ?? []).length;
    const partitions = isNamed ? 1 : Math.min(missing - 1, 1 + Math.floor(input.random() * PARTITIONS_PER_DISK));
    disks.push(dataDisk(disks.length, partitions, input));
    missing -= partitions + 1;
  }
  return disks;
}

/** Adds `howMany` data disks, each with one file system. */
export function withDataDisks(disks: readonly Disk[], howMany: number, input: StorageInput) {
  const more = Array.from({ length: Math.max(0, howMany) }, (_, index) => dataDisk(disks.length + index, 1, input));
  return [...disks, ...more];
}

function systemDisk(deviceCount: number, { physical, platform, layout, stream, random }: StorageInput): Disk {
  const name = diskName(0, platform);
  const marks = uuidMarks(0, random);
  const chosen = slicesWithin(layout, deviceCount - 1);
  // The other parts of the layout reduce the root by the same amount, however many devices are reported.
  const fixedBytes = layout.reduce((sum, { bytes }) => sum + (bytes === 'rest' ? 0 : bytes), 0);
  const list = chosen.map(({ number, bytes, mounts, volumes }): Partition => {
    const own = partitionName(name, number);
    const size = bytes === 'rest' ? { disk: name, physical, less: fixedBytes, share: 1 } : bytes;
    return {
      name: own,
      uuid: mounts.some(({ fstype }) => fstype === 'vfat') ? '{f0}' : marks(),
      partUuid: marks(),
      fileSystems: mounts.map((mount) => fileSystemOn(own, mount, size)),
      volumes: volumes.map((volume, index): Partition => {
        const part = typeof size === 'number' ? size * volume.share : { ...size, share: volume.share };
        const fileSystems = volume.mounts.map((mount) => fileSystemOn(`dm-${index}`, mount, part));
        return { name: `dm-${index}`, uuid: marks(), partUuid: '', fileSystems, volumes: [] };
      }),
    };
  });
  return diskOf(name, list, { used: true, platform, stream, random, index: 0 });
}

/** The first slices of a layout that fit into this many devices, including the root if any fits. */
function slicesWithin(layout: Layout, devices: number): Layout {
  let free = devices;
  return layout.filter(({ volumes }, index) => {
    if (free <= 0 || (index > 0 && free < 1 + volumes.length)) return false;
    free -= 1 + volumes.length;
    return true;
  });
}

function dataDisk(
  index: number,
  partitions: number,
  { physical, platform, named = [], stream, random }: StorageInput,
): Disk {
  const name = diskName(index, platform);
  const marks = uuidMarks(16 * index, random);
  // Most data disks hold backups and archives, and are idle for weeks.
  const used = index <= named.length || hash32(stream, `used.${name}`) < USED * 2 ** 32;
  const list = Array.from({ length: partitions }, (_, part): Partition => {
    const partition = partitionName(name, part + 1);
    const options = ['rw', 'relatime'];
    const own = named[index - 1] ?? { mountpoint: folderOf(index, stream), fstype: 'xfs' };
    const mount: Mount = { ...own, options, use: used ? 'filling' : 'idle', reserved: 0 };
    const fileSystems =
      part === 0 ? [fileSystemOn(partition, mount, { disk: name, physical, less: 0, share: 0.9 })] : [];
    return { name: partition, uuid: marks(), partUuid: marks(), fileSystems, volumes: [] };
  });
  return diskOf(name, list, { used, platform, stream, random, index });
}

/** Share of the data disks without a service that are in use. */
const USED = 0.35;

const FOLDERS = ['/data', '/backup', '/mnt/archive', '/srv/media', '/scratch', '/opt/data', '/export'];

/** Where administrators mount a data disk that belongs to no service. */
function folderOf(index: number, stream: number): string {
  return index > FOLDERS.length ? `/data${index}` : (FOLDERS[(index + stream) % FOLDERS.length] ?? '');
}

type DiskState = Pick<StorageInput, 'platform' | 'stream' | 'random'> & {
  readonly used: boolean;
  readonly index: number;
};

function diskOf(name: string, partitions: readonly Partition[], state: DiskState): Disk {
  const parts = partitions.map((partition) => blockDevice(partition, state));
  const device = { name, partitions: parts, readsPerSecond: 0, writesPerSecond: 0.4, latencyMs: 1 };
  const { nvmeModels, models: others } = state.platform;
  const models = name.startsWith('nvme') ? nvmeModels : others;
  const model = models.length === 1 ? (models[0] ?? '') : pick(models, state.random());
  return { device, model, serial: `${hexFrom(state.random, 4).toUpperCase()}{s${state.index}}`, partitions };
}

function fileSystemOn(name: string, mount: Mount, size: number | DrawnSize): FileSystem {
  const share = YIELD[mount.fstype] ?? 1;
  const total =
    typeof size === 'number' ? Math.floor((size * share) / 4096) * 4096 : { ...size, share: size.share * share };
  return { ...mount, device: `/dev/${name}`, total };
}

function blockDevice(partition: Partition, state: DiskState): BlockDevice {
  const { used } = state;
  // Independent of how many other devices a host reports.
  const random = randomStream(hash32(state.stream, partition.name));
  const filling = used && partition.fileSystems.some(({ use }) => use === 'filling');
  const busy = filling ? 1 + 6 * random() ** 2 : 0;
  return {
    name: partition.name,
    partitions: partition.volumes.map((volume) => blockDevice(volume, state)),
    readsPerSecond: busy * 2,
    writesPerSecond: busy * (2 + 9 * random()),
    latencyMs: 0.2 + 0.6 * random(),
  };
}

function devicesOf({ partitions }: Disk): number {
  return 1 + partitions.reduce((sum, { volumes }) => sum + 1 + volumes.length, 0);
}

/** Returns the UUIDs of a disk's partitions, one per call. Each host draws the first and the last digits. */
function uuidMarks(first: number, random: Random): () => string {
  let next = first;
  return () => {
    const middle = `${hexFrom(random, 4)}-4${hexFrom(random, 3)}-${'89ab'.charAt(4 * random())}${hexFrom(random, 3)}`;
    return `{u${next}}-${middle}-${hexFrom(random, 4)}{v${next++}}`;
  };
}

function partitionName(disk: string, number: number): string {
  return `${disk}${/\d$/.test(disk) ? 'p' : ''}${number}`;
}

function diskName(index: number, { firstDisk: first, otherDisks: others }: Platform): string {
  if (index === 0) return first.replace('#', 'a').replace('+', '0');
  return others.replace('#', lettersOf(first.endsWith('#') ? index : index - 1)).replace('+', String(index));
}

/** a to z, then aa, ab and so on. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : lettersOf(Math.floor(index / 26) - 1) + last;
}

function hexFrom(random: Random, digits: number): string {
  return Array.from({ length: digits }, () => Math.floor(random() * 16).toString(16)).join('');
}

const RELATIME = ['rw', 'relatime'];
/** The agent's library adds `bind` if a part of a file system is mounted instead of its root. */
const SUBVOLUME = [...RELATIME, 'bind'];

/** A line of a layout: a mount of a partition, or of a logical volume with a share of one. */
export const PARTITION = {
  number: column.wholeNumber,
  /** If absent, the rest of the disk. */
  mib: column.orEmpty(column.number),
  volume: column.orEmpty(column.number),
  mountpoint: column.orEmpty(column.text),
  fstype: column.orEmpty(column.text),
  use: column.orEmpty(column.oneOf('still', 'filling')),
  reserved: column.orEmpty(column.number),
  pool: column.orEmpty(column.text),
};

type PartitionRow = TableRow<typeof PARTITION>;

export function layoutFrom(rows: readonly PartitionRow[]): Layout {
  return [...Map.groupBy(rows, ({ number }) => number)].map(([number, own]) => {
    const [mib] = own.map((row) => row.mib);
    return {
      number,
      bytes: mib === undefined ? 'rest' : mib * MIB,
      mounts: own.filter(({ volume }) => volume === undefined).flatMap(mountsIn),
      volumes: own.flatMap((row) => (row.volume === undefined ? [] : [{ share: row.volume, mounts: mountsIn(row) }])),
    };
  });
}

function mountsIn({ mountpoint, fstype = '', use = 'still', reserved = 0, pool }: PartitionRow): readonly Mount[] {
  if (mountpoint === undefined) return [];
  return [{ mountpoint, fstype, options: pool === undefined ? RELATIME : SUBVOLUME, use, reserved, pool }];
}
