import { filling } from '../../incidents/full-disks.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import type { BlockDevice } from '../../posix/disk-io.ts';
import type { FileSystem } from '../../posix/file-systems.ts';

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
