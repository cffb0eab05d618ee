import { hash32, randomStream } from '../../../base/kernel/random.ts';
import { slot, type Text } from '../../document/nodes.ts';
import type { OptionalChecks } from '../configuration.ts';
import { type ExporterEntry, exporterEntries } from '../configured-checks.ts';
import type { ContainerEngine } from '../containers.ts';
import {
  type FileSystem,
  type Hardware,
  type NetworkInterface,
  networkCard,
  type Random,
  trafficFrom,
  varied,
} from '../hardware.ts';
import { pick } from '../noise.ts';
import type { ItemCounts, SizeClass, VariantInput } from '../profile.ts';
import { coresIn, variantDraws } from '../sizes.ts';
import type { Distribution } from './distribution.ts';
import { linuxRole } from './roles.ts';
import { type Disk, disksOf, type Partition, type Platform, platformOf, withDataDisks } from './storage.ts';

/** Usual roles of Linux hosts. Each has three variants, with these weights. The last two variants are outliers. */
export const USUAL_LINUX_ROLES: readonly string[] = ['web', 'database', 'build', 'desktop'];
export const LINUX_VARIANT_WEIGHTS: readonly number[] = [7, 5, 1.2, 3, 5, 4, 0.8, 2.4, 3, 2, 0.2, 0.4];

export type LinuxHardware = Hardware & {
  /** The role whose services it has. */
  readonly serviceRole: string;
  readonly physical: boolean;
  readonly platform: Platform;
  readonly disks: readonly Disk[];
  readonly guests: GuestCounts;
  readonly exporters: readonly ExporterEntry[];
};

export type GuestCounts = { readonly containers: number; readonly machines: number; readonly engine: ContainerEngine };

type CardInput = {
  readonly platform: Platform;
  /** Name of the bond of its first two cards; `undefined` if they are not bonded. */
  readonly bondName: string | undefined;
  readonly random: Random;
};

/** Network cards of a host. The loopback device counts, but is never the only one. */
function linuxInterfaces(count: number, { platform, bondName, random }: CardInput): readonly NetworkInterface[] {
  const packets = trafficFrom(random);
  const [first = '', second = '', megabits] = pick(platform.cards, random());
  const link = { up: true, speed: Number(megabits), duplex: megabits === '-1' ? (0 as const) : (2 as const) };
  const own = networkCard(first, { ...link, packetsPerSecond: packets(6) });
  const other = networkCard(second, { ...link, packetsPerSecond: packets(bondName === undefined ? 2 : 6) });
  const cards = [own, bondName !== undefined || random() < 0.5 ? other : { ...other, mtu: 9000 }];
  const loopback = networkCard('lo', { up: true, mtu: 65_536, loops: true, packetsPerSecond: packets(0.4) });
  const bond =
    bondName === undefined || count <= cards.length + 1
      ? []
      : [networkCard(bondName, { ...link, speed: 2 * link.speed, members: [first, second] })];
  const all = [loopback, ...cards, ...bond];
  const [carrier = own] = bond;
  // Further cards are VLANs of the first card or the bond, and tunnels.
  const further = Array.from({ length: Math.max(0, count - all.length) }, (_, index) => {
    const name =
      index < TUNNELS.length && index % 2 === 1 ? (TUNNELS[index] ?? '') : `${carrier.name}.${100 * (index + 1)}`;
    const { speed, duplex, mtu } = name.includes('.') ? carrier : TUNNEL;
    return { ...virtualCard(name), speed, duplex, mtu, up: true, on: carrier.name, packetsPerSecond: packets(0.5) };
  });
  return count === 1 ? [own] : [...all, ...further].slice(0, count);
}

/** What the kernel reports for a card that is a program, or that has a guest at its other end. */
export const PORT_OF_A_GUEST = { speed: 10_000, duplex: 2 } as const;

const TUNNELS = ['', 'wg0', '', 'wg1'];
/** The kernel reports nothing for a tunnel of its own. */
const TUNNEL = { speed: 0, duplex: 0, mtu: 1420 } as const;

/** A card without hardware and with nothing attached. */
export function virtualCard(name: string): NetworkInterface {
  return networkCard(name, { speed: -1 });
}

/** A disk, and the root partition. */
const MIN_DEVICES = 2;
const BONDED_SHARE = 0.4;

/** A host does not depend on how much it reports: everything but the counts is drawn in the same order. */
export function linuxHardware(distribution: Distribution, input: VariantInput): LinuxHardware {
  const { data, variant, role, size, counts, checks } = input;
  const { name, layout, bonds } = distribution;
  const draw = variantDraws(name, input);
  const random = randomStream(draw('variant'));
  const { cores: usualCores, gibPerCore, metal, oneOf, disks, guests } = linuxRole(data, role);
  const choices = coresIn(size, usualCores);
  const serviceRole =
    oneOf[(size === undefined ? Math.floor(variant / USUAL_LINUX_ROLES.length) : variant) % oneOf.length] ?? role;
  const physical = metal === 1 || random() < (size?.metal ?? metal);
  const cores = pick(choices, random());
  const swapGibs = random() < 0.25 ? [0] : swapOf(gibPerCore.map((gib) => gib * cores));
  const own = countedOn(cores, varied(counts, variant, random), counts);
  const guestsHere = guestCounts(checks, { role, physical, size, kind: guests, engine: distribution.containerEngine });
  const named =
    size === undefined ? [] : disks.map((disk) => (guestsHere.engine === 'docker' ? disk : withPodman(disk)));
  const platform = platformOf(data, physical, randomStream(draw('platform')));
  const stream = draw('storage');
  const storage = { physical, platform, layout, named, stream, random: randomStream(stream) };
  const cards = randomStream(draw('cards'));
  const bonded = physical && role !== 'desktop' && cards() < BONDED_SHARE;
  const bondName = bonded ? bonds[draw('trunk') % bonds.length] : undefined;
  const hardware = {
    role,
    serviceRole,
    physical,
    platform,
    cores,
    memoryGibs: gibPerCore.map((gib) => gib * cores),
    swapGibs,
    disks: disksOf(Math.max(MIN_DEVICES, own.devices), storage),
    interfaces: linuxInterfaces(own.interfaces, { platform, bondName, random: cards }),
    counts: own,
    guests: guestsHere,
    exporters: exporterEntries('linux', checks.prometheus_exporters ?? 0),
  };
  if (!own.fixed?.includes('disks')) return hardware;
  const missing = own.disks - mountedOn(hardware).length - distribution.snaps.length;
  return { ...hardware, disks: withDataDisks(hardware.disks, missing, storage) };
}

/** Sizes of swap as installers propose them: fixed ones, and some that follow from the memory. */
function swapOf(memoryGibs: readonly number[]): readonly number[] {
  const some = memoryGibs.flatMap((gib) => [Math.min(8, gib / 2), Math.min(16, Math.sqrt(gib)), Math.min(15.875, gib)]);
  return [0.953125, 1.863281, 2, 4, ...some, 7.625];
}

function withPodman<Mount extends { readonly mountpoint: string }>(mount: Mount): Mount {
  return { ...mount, mountpoint: mount.mountpoint.replace('/var/lib/docker', '/var/lib/containers') };
}

function countedOn(cores: number, counts: ItemCounts, { processesPerCore = 0 }: ItemCounts): ItemCounts {
  return { ...counts, processes: counts.processes + Math.round(processesPerCore * cores), processesPerCore };
}

/** Build hosts have containers even if the agent does not report them. */
const BUILD_CONTAINERS = 3;

type GuestInput = Pick<LinuxHardware, 'role' | 'physical'> & {
  readonly size: SizeClass | undefined;
  readonly kind: 'containers' | 'machines' | undefined;
  readonly engine: ContainerEngine;
};

/** Containers in a size class for each virtual machine. */
const MACHINE_FACTOR = 3;

/** Hosts have as many containers as their check reports, and as many machines. Virtual hosts have no machines. */
function guestCounts({ docker, libvirt }: OptionalChecks, input: GuestInput): GuestCounts {
  const { role, physical, size, kind } = input;
  const engine = (docker ?? 0) > 0 ? 'docker' : input.engine;
  if (size === undefined) {
    const usual = role === 'build' ? BUILD_CONTAINERS : 0;
    return { containers: docker ?? usual, machines: physical ? (libvirt ?? 0) : 0, engine };
  }
  const { guests } = size;
  const machines = kind === 'machines' ? Math.ceil(guests / MACHINE_FACTOR) : 0;
  const containers = docker ?? (kind === 'containers' ? guests : 0);
  return { containers, machines: physical ? (libvirt ?? machines) : 0, engine };
}

/** The file systems that a host reports, root first. */
export function mountedOn({ disks, counts }: LinuxHardware): readonly FileSystem[] {
  return disks.flatMap(({ partitions }) => partitions.flatMap(fileSystemsOn)).slice(0, counts.disks);
}

/** Kernel file systems that agents report. On Debian the device of `/dev` has another name. */
export function kernelFileSystems(family: string, { counts }: LinuxHardware): readonly FileSystem[] {
  if (counts.fixed?.includes('disks') || counts.disks < 2) return [];
  const kernel = { options: ['rw', 'nosuid', 'nodev', 'noexec', 'relatime'], reserved: 0 };
  const ofKind = (fstype: string, mountpoint: string, own: Pick<FileSystem, 'total' | 'use'>): FileSystem => {
    return { ...kernel, device: fstype, mountpoint, fstype, ...own };
  };
  const firmware = ofKind('efivarfs', '/sys/firmware/efi/efivars', { total: 262_144, use: 'still' });
  const devices = ofKind('devtmpfs', '/dev', { total: 4_194_304, use: 'empty' });
  return family === 'rhel' || family === 'suse' ? [devices, firmware] : [firmware];
}

function fileSystemsOn({ fileSystems, volumes }: Partition): readonly FileSystem[] {
  return [...fileSystems, ...volumes.flatMap(fileSystemsOn)];
}

/** A package image, whose revision moves with its releases. */
export type Snap = { readonly name: string; readonly revision: Text['parts'] };

export function snapImage({ name, revision }: Snap, index: number): FileSystem {
  const total = 131_072 * (8 + (hash32(0, name) % 900));
  const options = ['ro', 'nodev', 'relatime'];
  const mount = { mountpoint: `/snap/${name}`, reportedName: slot.text(`/snap/${name}/`, ...revision) };
  return { ...mount, device: `/dev/loop${index}`, fstype: 'squashfs', options, total, use: 'full', reserved: 0 };
}
