import { type FilledBy, filling } from '../incidents/full-disks.ts';
import { type Incident, ofKind } from '../incidents/incident.ts';
import type { Counts } from '../profile.ts';

export type Random = () => number;

/** Three builds of each of four roles; the last two are odd ones of which a fleet has few. */
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
};

/** A disk as the performance counters name it: by the letters of its volumes. */
export type PhysicalDisk = {
  readonly name: string;
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Milliseconds per request. */
  readonly latencyMs: number;
  /** While one of these lasts, nothing is written to it. */
  readonly stalledBy?: FilledBy;
};

/** A block device; a disk with partitions counts what they count. */
export type BlockDevice = {
  readonly name: string;
  readonly partitions: readonly BlockDevice[];
  /** Requests per second at usual activity; both 0 for a device that nothing uses after boot. */
  readonly readsPerSecond: number;
  readonly writesPerSecond: number;
  /** Milliseconds per request. */
  readonly latencyMs: number;
  /** While one of these lasts, nothing is written to it. */
  readonly stalledBy?: FilledBy;
};

export type FileSystem = {
  readonly device: string;
  readonly mountpoint: string;
  readonly fstype: string;
  readonly options: readonly string[];
  /** Bytes, or what each host draws. */
  readonly total: number | DrawnSize;
  /** `full`: a read-only image. `still`: hardly changes. `empty`: never used. `filling`: grows until somebody cleans up. */
  readonly use: 'full' | 'still' | 'filling' | 'empty';
  /** Blocks only root may use, as a share. */
  readonly reserved: number;
  /** File systems of one pool, as subvolumes are, have their space in common. */
  readonly pool?: string;
  readonly filledBy?: FilledBy;
};

/** Bytes of a share of a disk, less what other parts of it have. */
export type DrawnSize = {
  readonly disk: string;
  readonly physical: boolean;
  readonly less: number;
  readonly share: number;
};

/** A drive, or a partition without a letter that starts the machine or repairs it. */
export type Volume = {
  readonly letter: string;
  /** What it may have, one of these on each host. */
  readonly sizesGb: readonly number[];
  readonly filledBy?: FilledBy;
};

/** The file systems of a host, each with the incidents that fill it; those of one pool fill together. */
export function withFullDisks(fileSystems: readonly FileSystem[], incidents: readonly Incident[]) {
  const full = ofKind(incidents, 'disk-full');
  if (full.length === 0) return fileSystems;
  return fileSystems.map((fileSystem): FileSystem => {
    const { pool } = fileSystem;
    const together = pool === undefined ? [fileSystem] : fileSystems.filter((other) => other.pool === pool);
    const filledBy = together.flatMap(({ mountpoint }) => filling(full, mountpoint, '/'));
    return { ...fileSystem, filledBy };
  });
}

/** The devices under them, which are not written to meanwhile. */
export function withStalls(devices: readonly BlockDevice[], fileSystems: readonly FileSystem[]): BlockDevice[] {
  return devices.map((device): BlockDevice => {
    const own = fileSystems.find(({ device: path }) => path === `/dev/${device.name}`);
    const { filledBy: stalledBy = [] } = own ?? {};
    return { ...device, stalledBy, partitions: withStalls(device.partitions, fileSystems) };
  });
}

/** Without the full disks that this host does not have. */
export function possible(incidents: readonly Incident[], fileSystems: readonly FileSystem[]): readonly Incident[] {
  const mountpoints = fileSystems.map(({ mountpoint }) => mountpoint);
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || mountpoints.includes(incident.mountpoint ?? '/');
  });
}

/** The volumes of a host, each with the incidents that fill it. */
export function withFullVolumes(volumes: readonly Volume[], incidents: readonly Incident[]): readonly Volume[] {
  const full = ofKind(incidents, 'disk-full');
  return volumes.map((volume) => ({ ...volume, filledBy: filling(full, volume.letter, 'C:') }));
}

/** The disks under them, which are not written to meanwhile. */
export function withStalledDisks(disks: readonly PhysicalDisk[], volumes: readonly Volume[]): readonly PhysicalDisk[] {
  return disks.map((disk) => {
    const on = volumes.filter(({ letter }) => disk.name.split(' ').includes(letter));
    return { ...disk, stalledBy: on.flatMap(({ filledBy = [] }) => filledBy) };
  });
}

/** Without the full disks that this host does not have. */
export function possibleOnVolumes(incidents: readonly Incident[], volumes: readonly Volume[]): readonly Incident[] {
  const letters = volumes.map(({ letter }) => letter);
  return incidents.filter((incident) => {
    return incident.kind !== 'disk-full' || letters.includes(incident.mountpoint ?? 'C:');
  });
}
