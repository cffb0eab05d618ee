import { hash32, integerBetween, randomStream } from '../../kernel/random.ts';
import { VARIANT_WEIGHTS, varied } from '../builds.ts';
import { agentCheck } from '../checks/agent.ts';
import { cpuCheck } from '../checks/cpu.ts';
import { diskIoCheck, SECTOR_BYTES } from '../checks/disk-io.ts';
import { disksCheck, type FileSystem } from '../checks/disks.ts';
import { memoryCheck, swapCheck } from '../checks/memory.ts';
import { netIoCheck, netStatsCheck } from '../checks/net.ts';
import { ntpCheck } from '../checks/ntp.ts';
import { sensorsCheck } from '../checks/sensors.ts';
import { systemLoadCheck } from '../checks/system-load.ts';
import { usersCheck } from '../checks/users.ts';
import { type Cells, integer, text } from '../document/nodes.ts';
import { posixRunMs } from '../evolution/runs.ts';
import type { Inventory, InventoryPackage, Revised } from '../inventory/inventory.ts';
import { linuxSoftware } from '../inventory/linux-software.ts';
import { packageManagerCheck, packagesDocument } from '../inventory/package-documents.ts';
import { installed, type Releases, wavesAt } from '../inventory/releases.ts';
import { fixedPart, members, type Part } from '../part.ts';
import type { Profile, VariantInput } from '../profile.ts';
import type { Daemon } from './daemons.ts';
import { disksOf, GIB, type Hardware, interfacesOf } from './hardware.ts';
import { processesCheck } from './processes.ts';
import { ROLE_TRAITS, ROLES, type Role } from './roles.ts';
import { systemdServicesCheck } from './systemd-services.ts';

/** What tells one Linux distribution from another. */
export type Distribution = {
  readonly name: string;
  /** As the agent says it: `ubuntu`, `24.04`, `debian`. */
  readonly system: string;
  readonly version: string;
  readonly family: string;
  readonly goVersion: string;
  /** The text around a kernel's revision, and when its revisions come. */
  readonly kernel: Revised & { readonly releases: Releases };
  readonly init: Daemon;
  readonly daemons: (role: Role) => readonly Daemon[];
  readonly packages: readonly InventoryPackage[];
  readonly packageManager: string;
  readonly snaps: readonly { readonly name: string; readonly revision: number }[];
  readonly userNames: readonly string[];
  readonly averageBytes: Profile['averageBytes'];
};

const SIZES: Profile['sizes'] = {
  full: { processes: 305, services: 560, devices: 36, disks: 28, interfaces: 8, packages: 795, cores: 8 },
  typical: { processes: 72, services: 82, devices: 4, disks: 5, interfaces: 3, packages: 145, cores: 4 },
  lean: { processes: 0, services: 0, devices: 0, disks: 1, interfaces: 1, packages: 8, cores: 1 },
};

export function linuxProfile(distribution: Distribution): Profile {
  return {
    name: distribution.name,
    sizes: SIZES,
    averageBytes: distribution.averageBytes,
    runMs: posixRunMs,
    variantWeights: VARIANT_WEIGHTS,
    variant(input) {
      const hardware = hardwareOf(distribution, input);
      const inventory = inventoryOf(distribution, hardware);
      return {
        rhythm: ROLE_TRAITS[hardware.role].rhythm,
        checkdata: (cells) => checkdata({ distribution, hardware, inventory, input }, cells),
        packages: (cells) => packagesDocument(linuxSoftware(inventory), cells),
      };
    },
  };
}

function hardwareOf({ name }: Distribution, { seed, variant, counts }: VariantInput): Hardware {
  const random = randomStream(hash32(seed, `variant.${name}`, variant));
  const role = ROLES[variant % ROLES.length] ?? 'web';
  const physical = role === 'desktop' || random() < 0.3;
  const own = varied(counts, variant, random);
  const cores = Math.max(1, own.cores === 1 ? 1 : 2 * Math.round((own.cores * (0.6 + 0.9 * random())) / 2));
  const memoryBytes = Math.floor(cores * (1 + Math.floor(random() * 4)) * GIB - random() * 0.2 * GIB);
  return {
    role,
    physical,
    cores,
    memoryBytes: memoryBytes - (memoryBytes % 4096),
    swapBytes: counts.cores === 1 || random() < 0.25 ? 0 : integerBetween(1, 4, random()) * GIB - 4096,
    disks: disksOf(Math.max(1, own.devices), physical, random),
    interfaces: interfacesOf(own.interfaces, physical, random),
    counts: own,
  };
}

function inventoryOf(distribution: Distribution, { counts }: Hardware): Inventory {
  const { kernel, packages, packageManager, system, version, family } = distribution;
  const chosen = packages.slice(0, counts.packages);
  const sorted = [...chosen].sort((a, b) => (nameText(a) < nameText(b) ? -1 : 1));
  const names = { packageManager, osName: system, osVersion: version, osFamily: family };
  return { packages: sorted, kernel: kernel.releases, ...names };
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
  const { snaps, init } = distribution;
  const images = snaps.slice(0, Math.max(0, counts.disks - mountedOn(hardware).length));
  const labels = physical ? ['coretemp_package_id_0', ...coreLabels(cores)] : [];
  const daemons = distribution.daemons(role);
  const devices = counts.devices === 0 ? [] : disks.map((disk) => disk.device);
  return members({
    agent: linuxAgent(distribution, input, cells),
    cpu: cpuCheck({ cores, iowait: true }, cells),
    customchecks: fixedPart({}),
    disk_io: diskIoCheck({ devices, unitBytes: SECTOR_BYTES }, cells),
    disks: disksCheck([...mountedOn(hardware), ...images.map(snapImage)], cells),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    ntp: ntpCheck({ perSecond: 1e9 }, cells),
    packagemanager: packageManagerCheck(linuxSoftware(inventory), cells),
    processes: processesCheck({ cores, memoryBytes, init, daemons, count: counts.processes }, cells),
    prometheus_exporters: fixedPart([]),
    sensors: sensorsCheck({ labels, high: 80, critical: 100 }, cells),
    swap: swapCheck({ ...memory, swapBytes }, cells),
    system_load: systemLoadCheck({ cores, grain: 100 }, cells),
    systemd_services: systemdServicesCheck({ disks, physical, snaps: images, count: counts.services }, cells),
    users: usersCheck({ names: distribution.userNames, sessions: ROLE_TRAITS[role].users }, cells),
  });
}

/** The running kernel is the one that was installed at boot. */
function linuxAgent({ kernel, ...distribution }: Distribution, input: VariantInput, cells: Cells): Part {
  const revision = cells.take();
  const agent = agentCheck(
    {
      system: distribution.system,
      kernelVersion: text(kernel.head, integer(revision), kernel.tail),
      platformVersion: distribution.version,
      windowsReleaseId: '',
      windowsBuild: '',
      family: distribution.family,
      goos: 'linux',
      goarch: 'amd64',
      goVersion: distribution.goVersion,
      checkIntervalSeconds: input.checkIntervalSeconds,
    },
    cells,
  );
  return {
    node: agent.node,
    fill(frame, moment) {
      frame[revision] = installed(kernel.releases, wavesAt(moment.hostKey, moment.bootMs));
      agent.fill(frame, moment);
    },
  };
}

/** A host with nothing but a disk has its file system on the whole of it. */
function mountedOn({ disks, counts }: Hardware): readonly FileSystem[] {
  const mounted = disks.flatMap(({ partitions }) => partitions.flatMap(({ fileSystem }) => fileSystem ?? []));
  if (mounted.length > 0) return mounted.slice(0, counts.disks);
  const options = ['rw', 'relatime'];
  const place = { device: '/dev/vda', mountpoint: '/', fstype: 'ext4', options };
  return [{ ...place, totalBytes: 20 * GIB, use: 'filling', reserved: 0.05 }];
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
