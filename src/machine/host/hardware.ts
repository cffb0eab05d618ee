import { type FilledBy, filling } from './failures.ts';
import { type Incident, ofKind } from './incident.ts';
import type { Counts } from './profile.ts';

export type Random = () => number;

/** Three variants of each of four roles; the last two are odd ones of which a fleet has few. */
export const VARIANT_WEIGHTS: readonly number[] = [4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 0.4, 0.4];

const DEVIANTS: Readonly<Record<number, number>> = { 10: 0.55, 11: 1.35 };

/** Hosts differ by a fifth either way, a deviant by its own factor, except in what is fixed. */
export function varied(counts: Counts, variant: number, random: Random): Counts {
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

export type NetworkInterface = {
  readonly name: string;
  readonly up: boolean;
  readonly duplex: 0 | 1 | 2;
  /** Mbit/s; -1 where the driver does not say. */
  readonly speed: number;
  readonly mtu: number;
  /** Mean packets per second at usual activity; 0 for a card without traffic. */
  readonly packetsPerSecond: { readonly sent: number; readonly received: number };
  /** What is sent comes back: the loopback device. */
  readonly loops: boolean;
  /** Whether its system counts packets that it did not send. */
  readonly countsUnsent: boolean;
  /** Of a card that was recorded; left out, each host draws its own. */
  readonly measured?: MeasuredCard;
};

/** Mean bytes of a packet, and what is lost of each that moves. */
export type MeasuredCard = Readonly<
  Record<'sentBytes' | 'receivedBytes' | 'errin' | 'errout' | 'dropin' | 'dropout', number>
>;

/** A disk, or what a system counts as one: Windows names it by the letters of its volumes. */
export type PhysicalDisk = {
  readonly name: string;
  /** Requests per second at usual activity; both 0 for a device that nothing uses after boot. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Milliseconds per request. */
  readonly latencyMs: number;
  /** While one of these lasts, nothing is written to it. */
  readonly stalledBy?: FilledBy;
  /** Of a disk that was recorded, with `latencyMs` 1; left out, each host draws its own. */
  readonly measured?: MeasuredDisk;
};

/** Means of a request, and milliseconds that the disk is busy for each that one waits. */
export type MeasuredDisk = Readonly<Record<'readMs' | 'writeMs' | 'readBytes' | 'writeBytes' | 'busyShare', number>> & {
  /** Reads since boot of one that nothing uses after it. */
  readonly stillReads: number;
};

/** A block device; a disk with partitions counts what they count. */
export type BlockDevice = PhysicalDisk & { readonly partitions: readonly BlockDevice[] };

/** Where files are kept: at a path, or under a drive letter. */
type Mounted = {
  readonly mountpoint: string;
  /** File systems of one pool, as subvolumes are, have their space in common. */
  readonly pool?: string;
  readonly filledBy?: FilledBy;
};

export type FileSystem = Mounted & {
  readonly device: string;
  readonly fstype: string;
  readonly options: readonly string[];
  /** Bytes, or what each host draws. */
  readonly total: number | DrawnSize;
  /** `full`: a read-only image. `still`: hardly changes. `empty`: never used. `filling`: grows until somebody cleans up. */
  readonly use: 'full' | 'still' | 'filling' | 'empty';
  /** Blocks only root may use, as a share. */
  readonly reserved: number;
};

/** Bytes of a share of a disk, less what other parts of it have. */
export type DrawnSize = {
  readonly disk: string;
  readonly physical: boolean;
  readonly less: number;
  readonly share: number;
};

/** A drive, or a partition without a letter that starts the machine or repairs it. */
export type Volume = Mounted & {
  /** What it may have, one of these on each host. */
  readonly sizesGb: readonly number[];
};

/** File systems or volumes, each with the incidents that fill it; those of one pool fill together. */
export function withFullDisks<Place extends Mounted>(
  places: readonly Place[],
  incidents: readonly Incident[],
  root: string,
): readonly Place[] {
  const full = ofKind(incidents, 'disk-full');
  if (full.length === 0) return places;
  return places.map((place): Place => {
    const { pool } = place;
    const together = pool === undefined ? [place] : places.filter((other) => other.pool === pool);
    return { ...place, filledBy: together.flatMap(({ mountpoint }) => filling(full, mountpoint, root)) };
  });
}

/** Incidents without the full disks that this host does not have. */
export function possibleOn(places: readonly Mounted[], incidents: readonly Incident[], root: string) {
  const mountpoints = places.map(({ mountpoint }) => mountpoint);
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || mountpoints.includes(incident.mountpoint ?? root);
  });
}

/** Block devices, which are not written to while the file system on them is full. */
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

/** The same of disks that are named by the letters of their volumes. */
export function withStalledDisks(disks: readonly PhysicalDisk[], volumes: readonly Volume[]): readonly PhysicalDisk[] {
  return disks.map((disk) => {
    const on = volumes.filter(({ mountpoint }) => disk.name.split(' ').includes(mountpoint));
    return { ...disk, stalledBy: on.flatMap(({ filledBy = [] }) => filledBy) };
  });
}
