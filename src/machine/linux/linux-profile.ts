import { hash32, integerBetween, randomStream } from '../../kernel/random.ts';
import { agentCheck } from '../checks/agent.ts';
import { cpuCheck } from '../checks/cpu.ts';
import { diskIoCheck } from '../checks/disk-io.ts';
import { disksCheck, type FileSystem } from '../checks/disks.ts';
import { memoryCheck, swapCheck } from '../checks/memory.ts';
import { netIoCheck, netStatsCheck } from '../checks/net.ts';
import { ntpCheck } from '../checks/ntp.ts';
import { sensorsCheck } from '../checks/sensors.ts';
import { systemLoadCheck } from '../checks/system-load.ts';
import { usersCheck } from '../checks/users.ts';
import { type Cells, integer, text } from '../document/nodes.ts';
import { bootedKernel, type Inventory, type InventoryPackage, type Revised } from '../inventory/inventory.ts';
import { linuxPackagesDocument, packageManagerCheck } from '../inventory/package-documents.ts';
import { type Releases, wavesAt } from '../inventory/releases.ts';
import { snapshotVersion } from '../inventory/snapshots.ts';
import { fixedPart, members, type Part } from '../part.ts';
import type { Counts, Profile, VariantInput } from '../profile.ts';
import type { Daemon } from './daemons.ts';
import { type Hardware, type InterfaceNames, interfacesOf } from './hardware.ts';
import type { Random } from './identifiers.ts';
import { processesCheck } from './processes.ts';
import { ROLE_TRAITS, ROLES, type Role } from './roles.ts';
import { disksOf, GIB, type Layout, type Partition } from './storage.ts';
import { systemdServicesCheck } from './systemd-services.ts';
import type { UnitSet } from './unit-sets.ts';
import type { UnitState } from './units.ts';

/** What tells one Linux distribution from another. */
export type Distribution = {
  readonly name: string;
  /** As the agent says it: `ubuntu`, `24.04` (or `rolling`: the date of the last update), `debian`. */
  readonly system: string;
  readonly version: string;
  readonly family: string;
  readonly goVersion: string;
  /** The text around a kernel's revision, and when its revisions come. */
  readonly kernel: Revised & { readonly releases: Releases };
  readonly init: Daemon;
  /** What runs on every host, and what a role adds. */
  readonly daemons: readonly Daemon[];
  readonly roleDaemons: (role: Role) => readonly Daemon[];
  /** The command of a job that runs at a set time. */
  readonly cronJob: string;
  readonly units: UnitSet;
  readonly layout: Layout;
  readonly interfaces: InterfaceNames;
  readonly packages: readonly InventoryPackage[];
  readonly updates: Pick<Inventory, 'packageManager' | 'tellsReboots' | 'habits' | 'patches'>;
  readonly snaps: readonly { readonly name: string; readonly revision: number }[];
  readonly userNames: readonly string[];
  /** Where its hosts have more or less of something than those of Ubuntu. */
  readonly sizes: Readonly<Record<'full' | 'typical' | 'lean', Partial<Counts>>>;
  readonly averageBytes: Profile['averageBytes'];
};

const SIZES: Profile['sizes'] = {
  full: { processes: 305, services: 560, devices: 36, disks: 28, interfaces: 8, packages: 795, cores: 8 },
  typical: { processes: 72, services: 82, devices: 4, disks: 5, interfaces: 3, packages: 145, cores: 4 },
  lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 8, cores: 1 },
};

const RUNNING: UnitState = ['active', 'loaded', 'running'];
/** Three builds of each role; the last two are odd ones of which a fleet has few. */
const VARIANT_WEIGHTS = [4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 0.4, 0.4];
const DEVIANTS: Readonly<Record<number, number>> = { 10: 0.55, 11: 1.35 };

export function linuxProfile(distribution: Distribution): Profile {
  return {
    name: distribution.name,
    sizes: {
      full: { ...SIZES.full, ...distribution.sizes.full },
      typical: { ...SIZES.typical, ...distribution.sizes.typical },
      lean: { ...SIZES.lean, ...distribution.sizes.lean },
    },
    averageBytes: distribution.averageBytes,
    variantWeights: VARIANT_WEIGHTS,
    variant(input) {
      const hardware = hardwareOf(distribution, input);
      const inventory = inventoryOf(distribution, hardware);
      return {
        rhythm: ROLE_TRAITS[hardware.role].rhythm,
        checkdata: (cells) => checkdata({ distribution, hardware, inventory, input }, cells),
        packages: (cells) => linuxPackagesDocument(inventory, cells),
      };
    },
  };
}

function hardwareOf({ name, layout, interfaces }: Distribution, { seed, variant, counts }: VariantInput): Hardware {
  const random = randomStream(hash32(seed, `variant.${name}`, variant));
  const role = ROLES[variant % ROLES.length] ?? 'web';
  const physical = role === 'desktop' || random() < 0.3;
  const own = varied(counts, DEVIANTS[variant], random);
  const cores = Math.max(1, own.cores === 1 ? 1 : 2 * Math.round((own.cores * (0.6 + 0.9 * random())) / 2));
  const memoryBytes = Math.floor(cores * (1 + Math.floor(random() * 4)) * GIB - random() * 0.2 * GIB);
  return {
    role,
    physical,
    cores,
    memoryBytes: memoryBytes - (memoryBytes % 4096),
    swapBytes: counts.cores === 1 || random() < 0.25 ? 0 : integerBetween(1, 4, random()) * GIB - 4096,
    disks: disksOf(Math.max(1, own.devices), { physical, layout, random }),
    interfaces: interfacesOf(own.interfaces, { physical, names: interfaces, random }),
    counts: own,
  };
}

/** Hosts differ by a fifth either way; a deviant by its own factor. */
function varied(counts: Counts, deviation: number | undefined, random: Random): Counts {
  const factor = deviation ?? 0.8 + 0.4 * random();
  const scaled = (count: number, share: number) => Math.round(count * (1 + (factor - 1) * share));
  return {
    processes: scaled(counts.processes, 1),
    services: scaled(counts.services, 0.5),
    devices: scaled(counts.devices, 1),
    disks: scaled(counts.disks, 0.5),
    interfaces: scaled(counts.interfaces, 1),
    packages: scaled(counts.packages, 1),
    cores: counts.cores,
  };
}

function inventoryOf(distribution: Distribution, { counts }: Hardware): Inventory {
  const { kernel, packages, updates, system, version, family } = distribution;
  const chosen = packages.slice(0, counts.packages);
  const sorted = [...chosen].sort((a, b) => (nameText(a) < nameText(b) ? -1 : 1));
  const names = { osName: system, osVersion: version, osFamily: family };
  // The series of patches are those of the software that is installed.
  const patches = updates.patches.slice(0, Math.ceil((updates.patches.length * chosen.length) / packages.length));
  return { ...updates, patches, packages: sorted, kernel: kernel.releases, ...names };
}

function nameText({ name }: InventoryPackage): string {
  return typeof name === 'string' ? name : name.head;
}

type Described = {
  readonly distribution: Distribution;
  readonly hardware: Hardware;
  readonly inventory: Inventory;
  readonly input: VariantInput;
};

/** The check data of a host; keys in the order of the alphabet, as the agent's encoder sorts them. */
function checkdata({ distribution, hardware, inventory, input }: Described, cells: Cells): Part {
  const { cores, memoryBytes, swapBytes, disks, interfaces, physical, role, counts } = hardware;
  const memory = { totalBytes: memoryBytes, usedShare: ROLE_TRAITS[role].memoryUsed };
  const { snaps, init, cronJob, units: set } = distribution;
  const mounted = mountedOn(hardware, distribution.layout);
  const images = snaps.slice(0, Math.max(0, counts.disks - mounted.length));
  const labels = physical ? ['coretemp_package_id_0', ...coreLabels(cores)] : [];
  const own = distribution.roleDaemons(role);
  const daemons = [...distribution.daemons, ...own];
  const units = own.flatMap(({ unit }) => (unit === undefined ? [] : [{ ...unit, state: RUNNING }]));
  return members({
    agent: linuxAgent(distribution, inventory, { input, cells }),
    cpu: cpuCheck({ cores }, cells),
    customchecks: fixedPart({}),
    disk_io: diskIoCheck(counts.devices === 0 ? [] : disks.map((disk) => disk.device), cells),
    disks: disksCheck([...mounted, ...images.map(snapImage)], cells),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    ntp: ntpCheck(undefined, cells),
    packagemanager: packageManagerCheck(inventory, cells),
    processes: processesCheck({ cores, memoryBytes, init, daemons, cronJob, count: counts.processes }, cells),
    prometheus_exporters: fixedPart([]),
    sensors: sensorsCheck({ labels, high: 80, critical: 100 }, cells),
    swap: swapCheck({ ...memory, swapBytes }, cells),
    system_load: systemLoadCheck({ cores }, cells),
    systemd_services: systemdServicesCheck(
      { own: units, set, disks, physical, snaps: images, count: counts.services },
      cells,
    ),
    users: usersCheck({ names: distribution.userNames, sessions: ROLE_TRAITS[role].users }, cells),
  });
}

/** The running kernel is the one that was installed at boot; the version of a rolling system is the last update's. */
function linuxAgent(distribution: Distribution, inventory: Inventory, { input, cells }: Place): Part {
  const { kernel, version, system, family, goVersion } = distribution;
  const revision = cells.take();
  const snapshot = version === 'rolling' ? snapshotVersion(cells) : undefined;
  const agent = agentCheck(
    {
      system,
      kernelVersion: text(kernel.head, integer(revision), kernel.tail),
      platformVersion: snapshot?.node ?? version,
      windowsReleaseId: '',
      windowsBuild: '',
      family,
      goos: 'linux',
      goarch: 'amd64',
      goVersion,
      checkIntervalSeconds: input.checkIntervalSeconds,
    },
    cells,
  );
  return {
    node: agent.node,
    fill(frame, moment) {
      frame[revision] = bootedKernel(inventory, moment);
      snapshot?.fill(frame, wavesAt(moment.hostKey, moment.checkMs, inventory.habits));
      agent.fill(frame, moment);
    },
  };
}

type Place = { readonly input: VariantInput; readonly cells: Cells };

/** A host with nothing but a disk has its file system on the whole of it. */
function mountedOn({ disks, counts }: Hardware, layout: Layout): readonly FileSystem[] {
  const mounted = disks.flatMap(({ partitions }) => partitions.flatMap(fileSystemsOn));
  if (mounted.length > 0) return mounted.slice(0, counts.disks);
  const [root] = layout.flatMap(({ mounts, volumes = [] }) => [...mounts, ...volumes.flatMap((it) => it.mounts)]);
  return root === undefined ? [] : [{ ...root, device: '/dev/vda', totalBytes: 20 * GIB }];
}

function fileSystemsOn({ fileSystems, volumes }: Partition): readonly FileSystem[] {
  return [...fileSystems, ...volumes.flatMap(fileSystemsOn)];
}

function snapImage(
  { name, revision }: { readonly name: string; readonly revision: number },
  index: number,
): FileSystem {
  const totalBytes = 131_072 * (8 + (hash32(0, name, revision) % 900));
  const options = ['ro', 'nodev', 'relatime'];
  const mountpoint = `/snap/${name}/${revision}`;
  return { device: `/dev/loop${index}`, mountpoint, fstype: 'squashfs', options, totalBytes, use: 'full', reserved: 0 };
}

function coreLabels(cores: number): readonly string[] {
  return Array.from({ length: cores / 2 }, (_, core) => `coretemp_core_${core}`);
}
