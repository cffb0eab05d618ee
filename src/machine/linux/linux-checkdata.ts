import { agentCheck } from '../common/agent.ts';
import { memoryCheck, swapCheck } from '../common/memory.ts';
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
import { inTurn, type Part, sortedMembers } from '../part.ts';
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
import { ROLE_TRAITS } from './data/roles.ts';
import type { UnitState } from './data/units.ts';
import type { Distribution } from './distribution.ts';
import type { Hardware } from './hardware/hardware.ts';
import { mountedOn, snapImage } from './hardware/mounts.ts';
import { serviceHealth } from './software/service-health.ts';
import { possible, withFullDisks, withStalls } from './software/trouble.ts';

const RUNNING: UnitState = ['active', 'loaded', 'running'];

export type Described = {
  readonly distribution: Distribution;
  readonly hardware: Hardware;
  readonly inventory: Inventory;
  readonly input: VariantInput;
};

/** The check data of a host. */
export function linuxCheckdata({ distribution, hardware, inventory, input }: Described, cells: Cells): Part {
  const { cores, memoryBytes, swapBytes, disks, interfaces, physical, role, counts } = hardware;
  const memory = { totalBytes: memoryBytes, usedShare: ROLE_TRAITS[role].memoryUsed };
  const { snaps, init, cronJob, units: set } = distribution;
  const mounted = mountedOn(hardware, distribution.layout);
  const fileSystems = withFullDisks(mounted, input.incidents);
  const incidents = possible(input.incidents, fileSystems);
  const images = snaps.slice(0, Math.max(0, counts.disks - mounted.length));
  const own = distribution.roleDaemons(role);
  const programs = { system: distribution.daemons, own };
  const units = own.flatMap(({ unit }) => (unit === undefined ? [] : [{ ...unit, state: RUNNING }]));
  const exact = counts.fixed?.includes('services') ?? false;
  const health = serviceHealth(
    units.map(({ name }) => name),
    cells,
  );
  const all = disks.map((disk) => disk.device);
  const devices = counts.devices === 0 ? [] : withStalls(all, fileSystems);
  const { usedShare } = memory;
  const document = sortedMembers({
    agent: linuxAgent(distribution, inventory, { input, cells }),
    cpu: cpuCheck({ cores, iowait: true }, cells),
    disk_io: diskIoCheck({ devices, unitBytes: SECTOR_BYTES }, cells),
    disks: disksCheck([...fileSystems, ...images.map(snapImage)], cells),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    packagemanager: packageManagerCheck(linuxSoftware(inventory), cells),
    processes: processesCheck(
      { cores, memoryBytes, usedShare, init, programs, health, cronJob, count: counts.processes, incidents },
      cells,
    ),
    swap: swapCheck({ ...memory, swapBytes }, cells),
    system_load: systemLoadCheck({ cores, grain: 100 }, cells),
    systemd_services: systemdServicesCheck(
      { own: units, set, health, disks, physical, snaps: images, count: counts.services, exact, incidents },
      cells,
    ),
    ...optionalChecks(input, hardware, cells),
    users: usersCheck({ names: distribution.userNames, sessions: ROLE_TRAITS[role].users }, cells),
  });
  return { node: document.node, fill: inTurn([health.fill, document.fill]) };
}

function optionalChecks({ checks }: VariantInput, hardware: Hardware, cells: Cells): Record<string, Part> {
  const { cores, memoryBytes, physical } = hardware;
  const { libvirt = 0, sensors = true } = checks;
  const labels = physical ? ['coretemp_package_id_0', ...coreLabels(cores)] : [];
  return {
    ...commonOptionalChecks(checks, { memoryBytes, cells }),
    ...(sensors && { sensors: sensorsCheck({ labels, high: 80, critical: 100 }, cells) }),
    ...(libvirt > 0
      ? { libvirt: libvirtCheck({ count: libvirt, cores }, cells) }
      : { ntp: ntpCheck({ perSecond: 1e9 }, cells) }),
  };
}

/** The running kernel is the one that was installed at boot; the version of a rolling system is the last update's. */
function linuxAgent(distribution: Distribution, inventory: Inventory, { input, cells }: Place): Part {
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
      checkIntervalSeconds: input.checkIntervalSeconds,
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

type Place = { readonly input: VariantInput; readonly cells: Cells };

function coreLabels(cores: number): readonly string[] {
  return Array.from({ length: cores / 2 }, (_, core) => `coretemp_core_${core}`);
}
