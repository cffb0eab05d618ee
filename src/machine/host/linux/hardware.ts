import { hash32, randomStream } from '../../../kernel/random.ts';
import type { OptionalChecks } from '../configuration.ts';
import { type FileSystem, type NetworkInterface, type Random, varied } from '../hardware.ts';
import type { Build, Counts, VariantInput } from '../profile.ts';
import { coresIn, streamOf } from '../sizes.ts';
import { linuxRole } from './roles.ts';
import { type Disk, disksOf, hexFrom, type Layout, type Partition, withDataDisks } from './storage.ts';

/** What Linux hosts usually are for; three variants of each have so many of all hosts. The last two are odd ones. */
export const USUAL_LINUX_ROLES: readonly string[] = ['web', 'database', 'build', 'desktop'];
export const LINUX_VARIANT_WEIGHTS: readonly number[] = [7, 5, 1.2, 3, 5, 4, 0.8, 2.4, 3, 2, 0.2, 0.4];

/** What the machines of a distribution have in common. */
export type LinuxPlatform = {
  readonly name: string;
  readonly layout: Layout;
  readonly interfaces: InterfaceNames;
  readonly snaps: readonly Snap[];
};

/** What the hosts of a variant are built from. */
export type LinuxHardware = {
  readonly role: string;
  /** The role whose services it has. */
  readonly runs: string;
  readonly physical: boolean;
  readonly cores: number;
  /** Each host has one of these. */
  readonly memoryGibs: readonly number[];
  readonly swapGibs: readonly number[];
  readonly disks: readonly Disk[];
  readonly interfaces: readonly NetworkInterface[];
  readonly counts: Counts;
  readonly guests: GuestCounts;
};

/** How many containers and virtual machines there are. */
export type GuestCounts = { readonly containers: number; readonly machines: number };

/** How a distribution calls its network cards and the bridges that its software makes. */
export type InterfaceNames = {
  readonly virtual: readonly [string, string];
  readonly bridges: readonly [string, string];
};

type CardInput = { readonly physical: boolean; readonly names: InterfaceNames; readonly random: Random };

/** The network cards of a host; the loopback device counts, but does not come alone. */
function linuxInterfaces(count: number, { physical, names, random }: CardInput): readonly NetworkInterface[] {
  const card = physical ? { speed: 1000, duplex: 2 as const } : { speed: -1, duplex: 0 as const };
  const packets = (scale: number) => ({ sent: scale * (4 + 20 * random()), received: scale * (6 + 24 * random()) });
  const slot = 1 + Math.floor(random() * 5);
  const [first, second] = physical ? [`enp${slot}s0`, `enp${slot + 1}s0`] : names.virtual;
  const all: readonly NetworkInterface[] = [
    {
      ...virtual('lo'),
      up: true,
      speed: 0,
      mtu: 65_536,
      loops: true,
      countsUnsent: true,
      packetsPerSecond: packets(0.4),
    },
    { name: first, up: true, ...card, mtu: 1500, loops: false, countsUnsent: true, packetsPerSecond: packets(6) },
    { name: second, up: true, ...card, mtu: 9000, loops: false, countsUnsent: true, packetsPerSecond: packets(2) },
  ];
  // Of what there is more are networks of the first card, and tunnels.
  const further = Array.from({ length: Math.max(0, count - all.length) }, (_, index) => {
    const name = index < TUNNELS.length && index % 2 === 1 ? (TUNNELS[index] ?? '') : `${first}.${100 * (index + 1)}`;
    return { ...virtual(name), up: true, packetsPerSecond: packets(0.5) };
  });
  return count === 1 ? all.slice(1, 2) : [...all, ...further].slice(0, count);
}

const TUNNELS = ['', 'wg0', '', 'tun0', '', 'tailscale0'];

/** The bridge that software of a host makes, and a card at it for each guest, which is drawn per variant. */
export function guestCards(
  { guests }: LinuxHardware,
  { bridges }: InterfaceNames,
  random: Random,
): {
  readonly docker: NetworkInterface;
  readonly containers: readonly NetworkInterface[];
  readonly machines: readonly NetworkInterface[];
} {
  const [docker, machines] = bridges;
  const card = (name: string, scale: number) => {
    const packetsPerSecond = { sent: scale * (1 + 12 * random()), received: scale * (1 + 12 * random()) };
    return { ...virtual(name), up: true, speed: 10_000, packetsPerSecond };
  };
  const each = (count: number, one: (index: number) => NetworkInterface) =>
    Array.from({ length: count }, (_, index) => one(index));
  return {
    docker: { ...card(docker, guests.containers > 0 ? 0.4 : 0), speed: -1, up: guests.containers > 0 },
    containers: each(guests.containers, () => card(`veth${hexFrom(random, 7)}`, 0.6)),
    machines:
      guests.machines === 0
        ? []
        : [{ ...card(machines, 0.3), speed: -1 }, ...each(guests.machines, (index) => card(`vnet${index}`, 0.8))],
  };
}

function virtual(name: string): NetworkInterface {
  const packetsPerSecond = { sent: 0, received: 0 };
  return { name, up: false, duplex: 0, speed: -1, mtu: 1500, loops: false, countsUnsent: true, packetsPerSecond };
}

/** A disk, and the partition with the root. */
const LEAST_DEVICES = 2;

/** What a host is does not depend on how much it tells: everything but the counts is drawn in the same order. */
export function linuxHardware(
  distribution: LinuxPlatform,
  { data, seed, variant, build, counts, checks }: VariantInput,
): LinuxHardware {
  const { name, layout, interfaces } = distribution;
  const stream = streamOf(name, build);
  const random = randomStream(hash32(seed, `variant.${stream}`, variant));
  const role = build?.role ?? USUAL_LINUX_ROLES[variant % USUAL_LINUX_ROLES.length] ?? 'web';
  const { cores: usualCores, gibPerCore, metal, oneOf, disks, guests } = linuxRole(data, role);
  const choices = coresIn(build, usualCores);
  const runs =
    oneOf[(build === undefined ? Math.floor(variant / USUAL_LINUX_ROLES.length) : variant) % oneOf.length] ?? role;
  const physical = metal === 1 || random() < (build?.size.metal ?? metal);
  const cores = choices[Math.floor(random() * choices.length)] ?? 4;
  const swapGibs = random() < 0.25 ? [0] : [1, 2, 4, 8];
  const own = countedOn(cores, varied(counts, variant, random), counts);
  const named = build === undefined ? [] : disks;
  const storage = { physical, layout, named, random: randomStream(hash32(seed, `storage.${stream}`, variant)) };
  const cards = randomStream(hash32(seed, `cards.${stream}`, variant));
  const hardware = {
    role,
    runs,
    physical,
    cores,
    memoryGibs: gibPerCore.map((gib) => gib * cores),
    swapGibs,
    disks: disksOf(Math.max(LEAST_DEVICES, own.devices), storage),
    interfaces: linuxInterfaces(own.interfaces, { physical, names: interfaces, random: cards }),
    counts: own,
    guests: guestCounts(checks, { role, physical, build, kind: guests }),
  };
  if (!own.fixed?.includes('disks')) return hardware;
  const missing = own.disks - mountedOn(hardware).length - distribution.snaps.length;
  return { ...hardware, disks: withDataDisks(hardware.disks, missing, storage) };
}

/** With what there is for each core. */
function countedOn(cores: number, counts: Counts, { processesPerCore = 0 }: Counts): Counts {
  return { ...counts, processes: counts.processes + Math.round(processesPerCore * cores) };
}

/** Build hosts have some whether the agent tells of them or not. */
const BUILD_CONTAINERS = 3;

type GuestInput = Pick<LinuxHardware, 'role' | 'physical'> & {
  readonly build: Build | undefined;
  readonly kind: 'containers' | 'machines' | undefined;
};

/** A host has so many times as many containers as it would have virtual machines. */
const MACHINE_FACTOR = 3;

/** Containers are there as many as their check tells of; machines, too, but on none that is one itself. */
function guestCounts({ docker, libvirt }: OptionalChecks, { role, physical, build, kind }: GuestInput): GuestCounts {
  if (build === undefined) {
    const usual = role === 'build' ? BUILD_CONTAINERS : 0;
    return { containers: docker ?? usual, machines: physical ? (libvirt ?? 0) : 0 };
  }
  const { guests } = build.size;
  const machines = kind === 'machines' ? Math.ceil(guests / MACHINE_FACTOR) : 0;
  return { containers: docker ?? (kind === 'containers' ? guests : 0), machines: physical ? (libvirt ?? machines) : 0 };
}

/** An image of a package that is mounted as a file system. */
type Snap = { readonly name: string; readonly revision: number };

/** The file systems that a host tells of, the root first. */
export function mountedOn({ disks, counts }: LinuxHardware): readonly FileSystem[] {
  return disks.flatMap(({ partitions }) => partitions.flatMap(fileSystemsOn)).slice(0, counts.disks);
}

/** What the kernel itself mounts and agents do not leave out; on Debian the device of `/dev` has another name. */
export function kernelFileSystems(family: string, { counts }: LinuxHardware): readonly FileSystem[] {
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
