import { randomStream } from '../../base/kernel/random.ts';
import { agentCheck, NOT_WINDOWS } from '../checks/agent.ts';
import { posixCpuCheck, systemLoadCheck } from '../checks/cpu.ts';
import { posixDiskIoCheck, SECTOR_BYTES } from '../checks/disk-io.ts';
import { fileSystemsCheck } from '../checks/disks.ts';
import { libvirtCheck } from '../checks/libvirt.ts';
import { ntpCheck } from '../checks/ntp.ts';
import { linuxProcesses } from '../checks/processes/linux.ts';
import { linuxSensors, sensorsCheck } from '../checks/sensors.ts';
import { systemdServicesCheck, type UnitSet, unitsOf } from '../checks/systemd-services.ts';
import { linuxUsers, personAt } from '../checks/users.ts';
import type { Cells, Text } from '../document/nodes.ts';
import { type BlockDevice, possibleOn, withFullDisks, withStalledDevices } from '../host/hardware.ts';
import { type Distribution, readDistribution } from '../host/linux/distribution.ts';
import { guestCards, type HostCard } from '../host/linux/guest-cards.ts';
import { guestProcesses, guestsOn } from '../host/linux/guests.ts';
import {
  kernelFileSystems,
  LINUX_VARIANT_WEIGHTS,
  type LinuxHardware,
  linuxHardware,
  mountedOn,
  PORT_OF_A_GUEST,
  type Snap,
  snapImage,
  USUAL_LINUX_ROLES,
  virtualCard,
} from '../host/linux/hardware.ts';
import { linuxRole } from '../host/linux/roles.ts';
import { HYPERVISOR_UNIT } from '../host/linux/services.ts';
import { runningOn, servicesHere } from '../host/linux/software.ts';
import { hostMemory, LINUX_MEMORY } from '../host/memory.ts';
import { type Fill, fixedPart, membersAfter, type Part } from '../host/part.ts';
import type { Profile, VariantInput } from '../host/profile.ts';
import { rolesOn } from '../host/roles.ts';
import { sitesOf } from '../host/site.ts';
import { payloadFigures, variantDraws } from '../host/sizes.ts';
import { oncePerData } from '../host-data.ts';
import { channelTexts } from '../packages/channels.ts';
import { packagesDocument } from '../packages/document.ts';
import { bootedKernel, linuxSoftware, osVersionText } from '../packages/linux.ts';
import {
  type Archive,
  type Inventory,
  type ListedPackages,
  packageLister,
  readArchive,
} from '../packages/linux-inventory.ts';
import { installedAt } from '../packages/updates.ts';
import { patternOf, revisionCells } from '../packages/versions.ts';
import { commonChecks } from './common-checks.ts';

/** @param lacking roles that none of its hosts can have */
export function linuxProfile(name: string, lacking: readonly string[] = []): Profile {
  const known = oncePerData((data) => {
    const distribution = readDistribution(data, name);
    const archive = readArchive(data, distribution);
    return { distribution, archive, listPackages: packageLister(data, archive) };
  });
  return {
    name,
    systemOf: () => 'linux',
    roles: rolesOn('linux').filter((role) => !lacking.includes(role)),
    usualRoles: USUAL_LINUX_ROLES,
    sizeWeights: (data, role) => linuxRole(data, role).sizes,
    payloads: (data) => payloadFigures(data, name),
    variantWeights: LINUX_VARIANT_WEIGHTS,
    variant(input) {
      const { distribution, archive, listPackages } = known(input.data);
      const hardware = linuxHardware(distribution, input);
      const role = linuxRole(input.data, hardware.role);
      const listed = listPackages({
        role: hardware.role,
        groups: role.packages,
        without: role.without,
        services: servicesHere(input.data, distribution, hardware),
        count: hardware.counts.packages,
      });
      const inventory = inventoryOf(distribution, archive, listed);
      return {
        rhythm: role.rhythm,
        checkdata: (cells) => linuxCheckdata({ distribution, hardware, inventory, input }, cells),
        packages: (cells) => packagesDocument(linuxSoftware(inventory), cells),
      };
    },
  };
}

function inventoryOf(
  { kernel, system, version, family }: Distribution,
  { updates }: Archive,
  { packages, causes, share, pointReleases }: ListedPackages,
): Inventory {
  // Only the patch series of listed software.
  const patches = updates.patches.slice(0, Math.ceil(updates.patches.length * share));
  const osVersion = pointReleases === undefined ? version : { head: version, releases: pointReleases };
  const names = { osName: system, osVersion, osFamily: family };
  return { ...updates, patches, packages, causes, kernel: kernel.releases, ...names };
}

type LinuxHost = {
  readonly distribution: Distribution;
  readonly hardware: LinuxHardware;
  readonly inventory: Inventory;
  readonly input: VariantInput;
};

/** The service in which the user of a desktop works. */
const DESKTOP_UNIT = 'user@1000.service';

/** What runs on a host and what its checks share, described before the checks. */
function linuxRunning({ distribution, hardware, input }: LinuxHost, cells: Cells) {
  const { role, counts } = hardware;
  const { data } = input;
  const { snaps, users: names } = distribution;
  const { memoryUsed: usedShare, users: sessions } = linuxRole(data, role);
  const memory = hostMemory({ ...hardware, rules: LINUX_MEMORY, withheld: 0.05, usedShare }, cells);
  const mounted = [...mountedOn(hardware), ...kernelFileSystems(distribution.family, hardware)];
  const fileSystems = withFullDisks(mounted, input.incidents, '/');
  const incidents = possibleOn(fileSystems, input.incidents, '/');
  const channels = channelTexts(data, cells);
  const fillChannels: Fill = (frame, host) => channels.fill(frame, host.hostKey, host.checkMs);
  const images = snaps.slice(0, Math.max(0, counts.disks - mounted.length)).map(({ name }): Snap => {
    return { name, revision: channels.partsOf(`{snap-${name}}`) };
  });
  const guests = guestsOn({ data, hardware, memory }, cells);
  const { daemons, states, threads, transient } = runningOn(
    { data, distribution, hardware, incidents, guestProcesses: guestProcesses(guests) },
    cells,
  );
  const desktop = daemons.find(({ service }) => service.unit?.name === DESKTOP_UNIT)?.service;
  const person = personAt(data, cells);
  const seat = desktop && { name: person.name, running: states.of(desktop)?.running };
  const users = linuxUsers({ names, sessions, seat }, cells);
  const processes = linuxProcesses(
    {
      data,
      distribution,
      hardware,
      memory,
      daemons,
      states,
      threads,
      incidents,
      guests,
      transient: { count: transient, sessions: users.sessions },
      person: person.name,
      partsOf: channels.partsOf,
    },
    cells,
  );
  const stateOf = (unit: RegExp) => states.all.find(({ service }) => unit.test(service.unit?.name ?? ''));
  return { fillChannels, memory, fileSystems, images, guests, states, stateOf, users, processes, person };
}

function linuxCheckdata(host: LinuxHost, cells: Cells): Part {
  const { distribution, hardware, inventory, input } = host;
  const { cores, disks, physical, counts } = hardware;
  const { data, checks } = input;
  const running = linuxRunning(host, cells);
  const { memory, fileSystems, images, guests, states, stateOf, users, processes } = running;
  const all = disks.map((disk) => disk.device);
  const devices = withStalledDevices(all, fileSystems);
  const root = rootOf(devices);
  const { libvirt = 0, sensors = true } = checks;
  const { containers, machines } = guests;
  const engine = stateOf(ENGINE_UNIT);
  const cards = cardsOf(host, running);
  const isThere = engine !== undefined || containers?.engine === 'docker';
  // Cores wait for the root even if the agent reports no disks.
  const reported = counts.devices === 0 ? [root] : [...devices, ...drivesOf(host)];
  const diskIo = posixDiskIoCheck({ devices: reported, unitBytes: SECTOR_BYTES, waitsFor: root.name }, cells);
  const docker =
    isThere && looksForDocker(input)
      ? { containers, memory, answers: engine?.running, system: 'linux' as const }
      : undefined;
  const answers = stateOf(HYPERVISOR_UNIT)?.running;
  // Memory, services, logins, disks and guests are filled first, because other checks read them.
  const first = [
    running.fillChannels,
    memory.fill,
    states.fill,
    running.person.fill,
    users.fill,
    diskIo.fill,
    ...guests.all.map(({ fill }) => fill),
  ];
  return membersAfter(first, {
    ...commonChecks({ memory, interfaces: cards, software: linuxSoftware(inventory), checks, docker }, cells),
    agent: linuxAgent(host, cells),
    cpu: posixCpuCheck({ cores, iowait: diskIo.waitedFor }, cells),
    disk_io: fixedPart(counts.devices === 0 ? {} : diskIo.node),
    disks: fileSystemsCheck([...fileSystems, ...images.map(snapImage)], cells),
    // The agent built with libvirt has no `ntp` check.
    ...(libvirt > 0
      ? { libvirt: libvirtCheck({ machines, cores, answers }, cells) }
      : { ntp: ntpCheck({ stepsPerSecond: 1e9 }, cells) }),
    processes: counts.processes === 0 ? fixedPart([]) : processes,
    ...(sensors && {
      sensors: sensorsCheck(
        linuxSensors({
          data,
          cores,
          physical,
          flash: hardware.platform.platform === 'nvme',
          stream: variantDraws(distribution.name, input)('sensors'),
        }),
        cells,
      ),
    }),
    system_load: systemLoadCheck({ cores, grain: 100 }, cells),
    systemd_services: servicesPart(host, running, cells),
    users: fixedPart(users.node),
  });
}

type Running = ReturnType<typeof linuxRunning>;

function servicesPart({ distribution, hardware, input }: LinuxHost, running: Running, cells: Cells): Part {
  const { states, users, images: snaps } = running;
  const { disks, platform, interfaces, swapGibs, role, counts } = hardware;
  const swapFile = Math.max(...swapGibs) > 0 ? distribution.swapFile : undefined;
  return systemdServicesCheck(
    {
      data: input.data,
      states,
      users,
      disks,
      fileSystems: mountedOn(hardware),
      platform,
      interfaces,
      swapFile,
      snaps,
      serialPorts: distribution.serialPorts,
      set: without(unitsOf(input.data, distribution), linuxRole(input.data, role).without),
      order: variantDraws(distribution.name, input)('units'),
      count: counts.services,
      exact: counts.fixed?.includes('services') ?? false,
    },
    cells,
  );
}

/** The partition or volume with the root, which is the first one of the system disk. */
function rootOf([device]: readonly BlockDevice[]): BlockDevice {
  if (device === undefined) throw new Error('a host has a system disk');
  return device.partitions.length === 0 ? device : rootOf(device.partitions);
}

/** The unused drive that many hypervisors attach to a machine. The kernel counts it as a disk. */
const OPTICAL_DRIVE: BlockDevice = {
  name: 'sr0',
  partitions: [],
  readsPerSecond: 0,
  writesPerSecond: 0,
  latencyMs: 1,
  measured: {
    stillReads: 0,
    readMs: 1,
    writeMs: 1,
    readBytes: SECTOR_BYTES,
    writeBytes: SECTOR_BYTES,
    busyShare: 1,
  },
};

function drivesOf({ distribution, hardware, input }: LinuxHost): readonly BlockDevice[] {
  if (hardware.physical || hardware.counts.devices === 0) return [];
  return variantDraws(distribution.name, input)('optical-drive') % 2 === 0 ? [OPTICAL_DRIVE] : [];
}

/** A configured agent decides itself whether it looks for containers. */
function looksForDocker({ checks, configuration }: VariantInput): boolean {
  if (configuration === undefined) return (checks.docker ?? 0) > 0;
  return !configuration.disabledChecks.includes('docker');
}

function without({ units, timed }: UnitSet, services: readonly string[]): UnitSet {
  const isThere = ({ unit }: { readonly unit: string }) => !services.some((service) => unit.startsWith(service));
  return { units: units.filter(isThere), timed: timed.filter(isThere) };
}

const VPN_UNIT = /^tailscaled\.service$/;
const ENGINE_UNIT = /^docker\.service$/;

/** Network cards, including those of guests and their software while they exist. */
function cardsOf({ distribution, hardware, input }: LinuxHost, { stateOf, guests }: Running): readonly HostCard[] {
  const { interfaces, counts } = hardware;
  if (counts.fixed?.includes('interfaces') || interfaces.length < 2) return interfaces;
  const [docker, vpn] = [stateOf(ENGINE_UNIT), stateOf(VPN_UNIT)];
  const random = randomStream(variantDraws(distribution.name, input)('guest-cards'));
  const tunnel = { ...virtualCard('tailscale0'), ...PORT_OF_A_GUEST, mtu: 1280, up: true, present: vpn?.running };
  return [...interfaces, ...(vpn === undefined ? [] : [tunnel]), ...guestCards({ guests, docker, random })];
}

/** The running kernel is the one that was installed at boot. A rolling release has the version of its last update. */
function linuxAgent({ distribution, inventory, input }: LinuxHost, cells: Cells): Part {
  const { kernel, system, family, goVersion } = distribution;
  const running = revisionCells(cells);
  const version = osVersionText(inventory.osVersion, cells);
  const kernel_version = running.node(patternOf(kernel.running)) as string | Text;
  const about = { system, kernel_version, mac_version: version.node, ...NOT_WINDOWS, family, goversion: goVersion };
  const agent = agentCheck(
    { about: { ...about, goos: 'linux', goarch: 'amd64' }, clockStepNs: 1, sites: sitesOf(input.data) },
    cells,
  );
  return {
    node: agent.node,
    fill(frame, host) {
      running.fill(frame, bootedKernel(inventory, host));
      version.fill(frame, installedAt(host, host.checkMs, inventory.habits));
      agent.fill(frame, host);
    },
  };
}
