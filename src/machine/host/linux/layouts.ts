import { GIB, MIB } from '../../../kernel/units.ts';
import type { Layout, Mount } from './storage.ts';

const RELATIME = ['rw', 'relatime'];
/** What the agent's library adds where not the root of a file system is mounted but a part of it. */
const SUBVOLUME = [...RELATIME, 'bind'];

const root = (fstype: string, reserved: number): Mount => {
  return { mountpoint: '/', fstype, options: RELATIME, use: 'filling', reserved };
};

const boot = (fstype: string, reserved: number): Mount => {
  return { mountpoint: '/boot', fstype, options: RELATIME, use: 'still', reserved };
};

const firmware = (mountpoint: string): Mount => {
  return { mountpoint, fstype: 'vfat', options: RELATIME, use: 'still', reserved: 0 };
};

/** Cloud images of Ubuntu: everything in one file system, with a boot partition beside it. */
export const EXT4_WITH_BOOT: Layout = [
  { number: 1, bytes: 'rest', mounts: [root('ext4', 0.05)] },
  { number: 16, bytes: GIB, mounts: [boot('ext4', 0.05)] },
  { number: 15, bytes: 106 * MIB, mounts: [firmware('/boot/efi')] },
];

/** The guided installation of Debian: the kernels are in the root, and swap has a partition. */
export const EXT4_WITH_SWAP: Layout = [
  { number: 2, bytes: 'rest', mounts: [root('ext4', 0.05)] },
  { number: 1, bytes: 512 * MIB, mounts: [firmware('/boot/efi')] },
  { number: 3, bytes: GIB, mounts: [] },
];

/** The Red Hat family: XFS on logical volumes for root, swap and home. */
export const XFS_ON_LVM: Layout = [
  {
    number: 3,
    bytes: 'rest',
    mounts: [],
    volumes: [
      { share: 0.6, mounts: [root('xfs', 0)] },
      { share: 0.04, mounts: [] },
      { share: 0.36, mounts: [{ ...root('xfs', 0), mountpoint: '/home' }] },
    ],
  },
  { number: 2, bytes: GIB, mounts: [boot('xfs', 0)] },
  { number: 1, bytes: 600 * MIB, mounts: [firmware('/boot/efi')] },
];

const SUBVOLUMES = [
  '/.snapshots',
  '/boot/grub2/i386-pc',
  '/boot/grub2/x86_64-efi',
  '/home',
  '/opt',
  '/root',
  '/srv',
  '/tmp',
  '/usr/local',
  '/var',
];

/** openSUSE: one Btrfs whose subvolumes are mounted one by one, so that snapshots leave them out. */
export const BTRFS_SUBVOLUMES: Layout = [
  {
    number: 2,
    bytes: 'rest',
    mounts: ['/', ...SUBVOLUMES].map((mountpoint) => {
      return { mountpoint, fstype: 'btrfs', options: SUBVOLUME, use: 'filling', reserved: 0, pool: 'system' };
    }),
  },
  { number: 1, bytes: 512 * MIB, mounts: [firmware('/boot/efi')] },
  { number: 3, bytes: 2 * GIB, mounts: [] },
];

/** Arch as its guide has it: the firmware's partition holds the kernels and is `/boot`. */
export const EXT4_UNDER_FIRMWARE: Layout = [
  { number: 2, bytes: 'rest', mounts: [root('ext4', 0.05)] },
  { number: 1, bytes: GIB, mounts: [firmware('/boot')] },
];
