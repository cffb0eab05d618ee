import { hash32 } from '../../../kernel/random.ts';
import type { FileSystem } from '../../posix/file-systems.ts';
import type { Hardware } from './hardware.ts';
import { GIB, type Layout, type Partition } from './storage.ts';

/** An image of a package that is mounted as a file system. */
export type Snap = { readonly name: string; readonly revision: number };

/** A host with nothing but a disk has its file system on the whole of it. */
export function mountedOn({ disks, counts }: Hardware, layout: Layout): readonly FileSystem[] {
  const mounted = disks.flatMap(({ partitions }) => partitions.flatMap(fileSystemsOn));
  if (mounted.length > 0) return mounted.slice(0, counts.disks);
  const [root] = layout.flatMap(({ mounts, volumes = [] }) => [...mounts, ...volumes.flatMap((it) => it.mounts)]);
  return root === undefined ? [] : [{ ...root, device: '/dev/vda', totalBytes: 20 * GIB }];
}

function fileSystemsOn({ fileSystems, volumes }: Partition): readonly FileSystem[] {
  return [...fileSystems, ...volumes.flatMap(fileSystemsOn)];
}

export function snapImage({ name, revision }: Snap, index: number): FileSystem {
  const totalBytes = 131_072 * (8 + (hash32(0, name, revision) % 900));
  const options = ['ro', 'nodev', 'relatime'];
  const mountpoint = `/snap/${name}/${revision}`;
  return { device: `/dev/loop${index}`, mountpoint, fstype: 'squashfs', options, totalBytes, use: 'full', reserved: 0 };
}
