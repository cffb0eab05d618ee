import { hash32 } from '../../../kernel/random.ts';
import type { FileSystem } from '../../posix/file-systems.ts';
import type { Hardware } from './hardware.ts';
import type { Partition } from './storage.ts';

/** An image of a package that is mounted as a file system. */
export type Snap = { readonly name: string; readonly revision: number };

/** The file systems that a host tells of, the root first. */
export function mountedOn({ disks, counts }: Hardware): readonly FileSystem[] {
  return disks.flatMap(({ partitions }) => partitions.flatMap(fileSystemsOn)).slice(0, counts.disks);
}

/** What the kernel itself mounts and agents do not leave out; on Debian the device of `/dev` has another name. */
export function kernelFileSystems(family: string, { counts }: Hardware): readonly FileSystem[] {
  if (counts.fixed?.includes('disks') || counts.disks < 2) return [];
  const kernel = { options: ['rw', 'nosuid', 'nodev', 'noexec', 'relatime'], reserved: 0 };
  const mountpoint = '/sys/firmware/efi/efivars';
  const firmware: FileSystem = {
    ...kernel,
    device: 'efivarfs',
    mountpoint,
    fstype: 'efivarfs',
    total: 262_144,
    use: 'still',
  };
  const devices: FileSystem = {
    ...kernel,
    device: 'devtmpfs',
    mountpoint: '/dev',
    fstype: 'devtmpfs',
    total: 4_194_304,
    use: 'empty',
  };
  return family === 'rhel' || family === 'suse' ? [devices, firmware] : [firmware];
}

function fileSystemsOn({ fileSystems, volumes }: Partition): readonly FileSystem[] {
  return [...fileSystems, ...volumes.flatMap(fileSystemsOn)];
}

export function snapImage({ name, revision }: Snap, index: number): FileSystem {
  const total = 131_072 * (8 + (hash32(0, name, revision) % 900));
  const options = ['ro', 'nodev', 'relatime'];
  const mountpoint = `/snap/${name}/${revision}`;
  return { device: `/dev/loop${index}`, mountpoint, fstype: 'squashfs', options, total, use: 'full', reserved: 0 };
}
