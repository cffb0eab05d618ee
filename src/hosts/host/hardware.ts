import type { Text } from '../document/nodes.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { type FilledBy, filling } from './failures.ts';
import { type Incident, ofKind } from './incident.ts';
import type { ItemCounts } from './profile.ts';

export type Random = () => number;

/** Three variants of each of four roles. The last two are outliers, of which a fleet has few. */
export const VARIANT_WEIGHTS: readonly number[] = [4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 0.4, 0.4];

const DEVIANTS: Readonly<Record<number, number>> = { 10: 0.55, 11: 1.35 };

/** Varies counts by up to a fifth either way, or by an outlier's own factor. Fixed counts do not vary. */
export function varied(counts: ItemCounts, variant: number, random: Random): ItemCounts {
  const factor = DEVIANTS[variant] ?? 0.8 + 0.4 * random();
  const scaled = (count: number, share: number) => Math.round(count * (1 + (factor - 1) * share));
  const free = {
    processes: scaled(counts.processes, 1),
    services: scaled(counts.services, 0.5),
    devices: scaled(counts.devices, 1),
    disks: scaled(counts.disks, 0.5),
    interfaces: scaled(counts.interfaces, 1),
    packages: scaled(counts.packages, 1),
  };
  const { fixed = [] } = counts;
  return { ...free, ...Object.fromEntries(fixed.map((kind) => [kind, counts[kind]])), fixed };
}

export type Hardware = {
  readonly role: string;
  readonly cores: number;
  /** Each host has one of these amounts of memory, and one of these of swap. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: ItemCounts;
};

export type NetworkInterface = {
  readonly name: string;
  readonly up: boolean;
  readonly duplex: 0 | 1 | 2;
  /** Mbit/s; -1 if the driver does not report it. */
  readonly speed: number;
  readonly mtu: number;
  /** Mean packets per second at usual activity; 0 for a card without traffic. */
  readonly packetsPerSecond: { readonly sent: number; readonly received: number };
  /** The card that carries its traffic: that of a VLAN or tunnel. */
  readonly on?: string;
  /** Cards that it bonds: its traffic is theirs. */
  readonly members?: readonly string[];
  /** Receives what it sends: the loopback device. */
  readonly loops: boolean;
  /** Whether the system counts outgoing packets that it dropped. */
  readonly countsUnsent: boolean;
  /** Figures of a recorded card. If absent, each host draws its own. */
  readonly measured?: MeasuredCard;
};

/** A card that is down and has no traffic, except for its own properties. */
export function networkCard(name: string, own: Partial<NetworkInterface> = {}): NetworkInterface {
  const usual = { up: false, duplex: 0, speed: 0, mtu: 1500, loops: false, countsUnsent: true } as const;
  return { name, ...usual, packetsPerSecond: { sent: 0, received: 0 }, ...own };
}

export function trafficFrom(random: Random): (scale: number) => NetworkInterface['packetsPerSecond'] {
  return (scale) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
}

const CARD = {
  list: column.oneOf('windows', 'client', 'client-machines', 'server', 'server-containers', 'macos'),
  name: column.text,
  up: column.yesOrNo,
  speed: column.number,
  mtu: column.wholeNumber,
  packets: column.orEmpty(column.number),
};
const cardRows = oncePerData((data) => readTable(data, 'cards.tsv', CARD));

export function cardsOf(
  data: HostTables,
  lists: readonly TableRow<typeof CARD>['list'][],
  packets: ReturnType<typeof trafficFrom>,
): readonly NetworkInterface[] {
  const rows = cardRows(data).filter(({ list }) => lists.includes(list));
  return rows.map(({ name, up, speed, mtu, packets: scale }) => {
    return networkCard(name, { up, speed, mtu, ...(scale !== undefined && { packetsPerSecond: packets(scale) }) });
  });
}

/** Mean bytes per packet, and mean errors and drops per packet. */
export type MeasuredCard = Readonly<
  Record<'sentBytes' | 'receivedBytes' | 'errin' | 'errout' | 'dropin' | 'dropout', number>
>;

/** A disk, or what the system counts as one. Windows names disks by the letters of their volumes. */
export type PhysicalDisk = {
  readonly name: string;
  /** Requests per second at usual activity; both 0 for a device that is not used after boot. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  readonly latencyMs: number;
  /** Nothing is written to the disk while one of these incidents lasts. */
  readonly stalledBy?: FilledBy;
  /** Figures of a recorded disk, whose `latencyMs` is 1. If absent, each host draws its own. */
  readonly measured?: MeasuredDisk;
};

/** Means per request. */
export type MeasuredDisk = Readonly<Record<'readMs' | 'writeMs' | 'readBytes' | 'writeBytes', number>> & {
  /** The disk's busy time in milliseconds per millisecond of waiting requests; `undefined` if it is not known. */
  readonly busyShare: number | undefined;
  /** Reads during boot, for a disk that is not used afterward. */
  readonly stillReads: number;
};

/** A block device. The counters of a disk with partitions are the sums of theirs. */
export type BlockDevice = PhysicalDisk & { readonly partitions: readonly BlockDevice[] };

/** A mount for files: a path or a drive letter. */
type Mounted = {
  readonly mountpoint: string;
  /** File systems of one pool, such as subvolumes, share their space. */
  readonly pool?: string | undefined;
  readonly filledBy?: FilledBy;
};

export type FileSystem = Mounted & {
  /** The mount point as hosts report it, if it moves with releases. */
  readonly reportedName?: string | Text;
  readonly device: string;
  readonly fstype: string;
  readonly options: readonly string[];
  /** Bytes, or the way in which each host draws its size. */
  readonly total: number | DrawnSize;
  /** `full`: a read-only image. `still`: hardly changes. `empty`: never used. `filling`: grows until a cleanup. `idle`: did once. */
  readonly use: 'full' | 'still' | 'filling' | 'idle' | 'empty';
  /** Share of the blocks reserved for root. */
  readonly reserved: number;
};

/** A share of a disk's bytes, after `less` bytes for its other parts. */
export type DrawnSize = {
  readonly disk: string;
  readonly physical: boolean;
  readonly less: number;
  readonly share: number;
};

/** A drive, or a partition without a letter, for booting or recovery. */
export type Volume = Mounted & {
  /** Possible sizes. Each host has one of them. */
  readonly sizesGb: readonly number[];
};

/** Adds to file systems or volumes the incidents that fill them. Those of one pool fill up together. */
export function withFullDisks<Mount extends Mounted>(
  mounts: readonly Mount[],
  incidents: readonly Incident[],
  root: string,
): readonly Mount[] {
  const full = ofKind(incidents, 'disk-full');
  if (full.length === 0) return mounts;
  return mounts.map((mount): Mount => {
    const { pool } = mount;
    const together = pool === undefined ? [mount] : mounts.filter((other) => other.pool === pool);
    return { ...mount, filledBy: together.flatMap(({ mountpoint }) => filling(full, mountpoint, root)) };
  });
}

/** Removes full-disk incidents on mounts that the host does not have. */
export function possibleOn(mounts: readonly Mounted[], incidents: readonly Incident[], root: string) {
  const mountpoints = mounts.map(({ mountpoint }) => mountpoint);
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || mountpoints.includes(incident.mountpoint ?? root);
  });
}

/** Adds to block devices the incidents that stop writes because their file system is full. */
export function withStalledDevices(
  devices: readonly BlockDevice[],
  fileSystems: readonly FileSystem[],
): readonly BlockDevice[] {
  return devices.map((device): BlockDevice => {
    const own = fileSystems.find(({ device: path }) => path === `/dev/${device.name}`);
    const { filledBy: stalledBy = [] } = own ?? {};
    return { ...device, stalledBy, partitions: withStalledDevices(device.partitions, fileSystems) };
  });
}

/** The same for disks named by the letters of their volumes. */
export function withStalledDisks(disks: readonly PhysicalDisk[], volumes: readonly Volume[]): readonly PhysicalDisk[] {
  return disks.map((disk) => {
    const on = volumes.filter(({ mountpoint }) => disk.name.split(' ').includes(mountpoint));
    return { ...disk, stalledBy: on.flatMap(({ filledBy = [] }) => filledBy) };
  });
}
