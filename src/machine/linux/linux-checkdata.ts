import { agentCheck } from '../common/agent.ts';
import { type HostMemory, hostMemory, LINUX_MEMORY, memoryCheck, swapCheck } from '../common/memory.ts';
import { netIoCheck, netStatsCheck } from '../common/network.ts';
import { ntpCheck } from '../common/ntp.ts';
import type { Cells } from '../document/cells.ts';
import { integer, text } from '../document/nodes.ts';
import { bootedKernel, type Inventory } from '../inventory/inventory.ts';
import { linuxSoftware } from '../inventory/linux-software.ts';
import { packageManagerCheck } from '../inventory/package-documents.ts';
import { wavesAt } from '../inventory/releases.ts';
import { snapshotVersion } from '../inventory/snapshots.ts';
import { commonOptionalChecks } from '../optional-checks.ts';
import { fixedPart, inTurn, type Part, sortedMembers } from '../part.ts';
import { cpuCheck } from '../posix/cpu.ts';
import { diskIoCheck, SECTOR_BYTES } from '../posix/disk-io.ts';
import { disksCheck } from '../posix/file-systems.ts';
import { systemLoadCheck } from '../posix/system-load.ts';
import type { VariantInput } from '../profile.ts';
import { libvirtCheck } from './checks/libvirt.ts';
import { processesCheck } from './checks/processes.ts';
import { sensorsCheck } from './checks/sensors.ts';
import { systemdServicesCheck } from './checks/systemd-services.ts';
import { usersCheck } from './checks/users.ts';
import { DOCKER_UNIT, HYPERVISOR_UNIT } from './data/hypervisors.ts';
import { ROLE_TRAITS } from './data/roles.ts';
import type { Distribution } from './distribution.ts';
import type { Hardware } from './hardware/hardware.ts';
import { kernelFileSystems, mountedOn, snapImage } from './hardware/mounts.ts';
import { guestProcesses, guestsOn, type HostGuests } from './software/guests.ts';
import { runningOn } from './software/running-software.ts';
import type { ServiceStates } from './software/service-states.ts';
import { possible, withFullDisks, withStalls } from './software/trouble.ts';

export type LinuxHost = {
  readonly distribution: Distribution;
  readonly hardware: Hardware;
  readonly inventory: Inventory;
  readonly input: VariantInput;
};

/** The check data of a host. */
export function linuxCheckdata({ distribution, hardware, inventory, input }: LinuxHost, cells: Cells): Part {
  const { cores, disks, interfaces, physical, role, counts } = hardware;
  const { snaps, init, cronJob, units: set } = distribution;
  const { memoryUsed: usedShare, users: sessions } = ROLE_TRAITS[role];
  const memory = hostMemory(
    { ...hardware, rules: LINUX_MEMORY, gibs: hardware.memoryGibs, withheld: 0.05, usedShare },
    cells,
  );
  const mounted = [...mountedOn(hardware), ...kernelFileSystems(distribution.family, hardware)];
  const fileSystems = withFullDisks(mounted, input.incidents);
  const incidents = possible(input.incidents, fileSystems);
  const images = snaps.slice(0, Math.max(0, counts.disks - mounted.length));
  const guests = guestsOn(hardware, memory, cells);
  const { daemons, states, threads, later } = runningOn(
    { distribution, hardware, incidents, guestProcesses: guestProcesses(guests) },
    cells,
  );
  const users = usersCheck({ names: distribution.userNames, sessions }, cells);
  const all = disks.map((disk) => disk.device);
  const devices = counts.devices === 0 ? [] : withStalls(all, fileSystems);
  const logins = { sessions: users.sessions, names: distribution.userNames };
  const processes = processesCheck(
    {
      ...{ cores, memory, init, daemons, states, threads, incidents, guests },
      later: { count: later, cronJob, ...logins },
      hypervisor: distribution.hypervisor,
    },
    cells,
  );
  const exact = counts.fixed?.includes('services') ?? false;
  const document = sortedMembers({
    agent: linuxAgent(distribution, inventory, cells),
    cpu: cpuCheck({ cores, iowait: true }, cells),
    disk_io: diskIoCheck({ devices, unitBytes: SECTOR_BYTES }, cells),
    disks: disksCheck([...fileSystems, ...images.map(snapImage)], cells),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    packagemanager: packageManagerCheck(linuxSoftware(inventory), cells),
    processes: counts.processes === 0 ? fixedPart([]) : processes,
    swap: swapCheck(memory, cells),
    system_load: systemLoadCheck({ cores, grain: 100 }, cells),
    systemd_services: systemdServicesCheck(
      { states, set, disks, physical, snaps: images, count: counts.services, exact },
      cells,
    ),
    ...optionalChecks(input, { hardware, memory, guests, states }, cells),
    users: fixedPart(users.node),
  });
  // Memory, services, logins and guests come first: other checks look how they stand.
  const first = [memory.fill, states.fill, users.fill, ...guests.all.map(({ fill }) => fill)];
  return { node: document.node, fill: inTurn([...first, document.fill]) };
}

type HostOptions = {
  readonly hardware: Hardware;
  readonly memory: HostMemory;
  readonly guests: HostGuests;
  readonly states: ServiceStates;
};

function optionalChecks(
  { checks }: VariantInput,
  { hardware, memory, guests, states }: HostOptions,
  cells: Cells,
): Record<string, Part> {
  const { cores, physical } = hardware;
  const { libvirt = 0, sensors = true } = checks;
  const { containers, machines } = guests;
  const labels = physical ? ['coretemp_package_id_0', ...coreLabels(cores)] : [];
  const running = (isIt: (unit: string) => boolean) => {
    return states.all.find(({ service }) => isIt(service.unit?.name ?? ''))?.running;
  };
  const docker = containers && { containers, memory, answers: running((unit) => unit === DOCKER_UNIT) };
  const answers = running((unit) => HYPERVISOR_UNIT.test(unit));
  return {
    ...commonOptionalChecks(checks, docker, cells),
    ...(sensors && { sensors: sensorsCheck({ labels, high: 80, critical: 100 }, cells) }),
    ...(libvirt > 0
      ? { libvirt: libvirtCheck({ machines, cores, answers }, cells) }
      : { ntp: ntpCheck({ perSecond: 1e9 }, cells) }),
  };
}

/** The running kernel is the one that was installed at boot; the version of a rolling system is the last update's. */
function linuxAgent(distribution: Distribution, inventory: Inventory, cells: Cells): Part {
  const { kernel, version, system, family, goVersion } = distribution;
  const revision = cells.one();
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
      clockStepNs: 1,
    },
    cells,
  );
  return {
    node: agent.node,
    fill(frame, moment) {
      frame[revision] = bootedKernel(inventory, moment);
      snapshot?.fill(frame, wavesAt(moment, moment.checkMs, inventory.habits));
      agent.fill(frame, moment);
    },
  };
}

function coreLabels(cores: number): readonly string[] {
  return Array.from({ length: cores / 2 }, (_, core) => `coretemp_core_${core}`);
}
