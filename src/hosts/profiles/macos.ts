import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type AboutHost, agentCheck, NOT_WINDOWS } from '../checks/agent.ts';
import { posixCpuCheck, systemLoadCheck } from '../checks/cpu.ts';
import { posixDiskIoCheck } from '../checks/disk-io.ts';
import { apfsCheck, DATA_VOLUME } from '../checks/disks.ts';
import { launchdServicesCheck } from '../checks/launchd-services.ts';
import { ntpCheck } from '../checks/ntp.ts';
import { guidTexts } from '../checks/processes/common.ts';
import { macProcesses } from '../checks/processes/macos.ts';
import { macSensors, sensorsCheck } from '../checks/sensors.ts';
import { macUsers } from '../checks/users.ts';
import type { Cells } from '../document/nodes.ts';
import { desktopContainers } from '../host/containers.ts';
import { filling } from '../host/failures.ts';
import { VARIANT_WEIGHTS } from '../host/hardware.ts';
import { ofKind } from '../host/incident.ts';
import { type MacHardware, macHardware, macRole, USUAL_MAC_ROLES } from '../host/macos/hardware.ts';
import { applicationsOf, chosenJobs, passingJobs, waitingJobs, withExporterJobs } from '../host/macos/jobs.ts';
import { hostMemory, macosMemory } from '../host/memory.ts';
import { type Fill, fixedPart, inTurn, membersAfter, type Part } from '../host/part.ts';
import type { Profile, VariantInput } from '../host/profile.ts';
import { profileFile, rolesOn } from '../host/roles.ts';
import { sitesOf } from '../host/site.ts';
import { payloadFigures } from '../host/sizes.ts';
import { column, type HostTables, oncePerData, readRecord, readSection } from '../host-data.ts';
import { listedApps } from '../packages/apps.ts';
import { channelTexts } from '../packages/channels.ts';
import { packagesDocument, type Software } from '../packages/document.ts';
import {
  type Language,
  type MacSystem,
  macApps,
  macSoftware,
  macSystem,
  runningText,
  systemVersion,
} from '../packages/macos.ts';
import { commonChecks } from './common-checks.ts';

const RELEASE = {
  /** Such as `Tahoe`. */
  title: column.text,
  /** Share of variants with Intel processors. */
  intelShare: column.number,
  users: column.names,
  goVersion: column.text,
};
const COMPONENT = {
  name: column.text,
  description: column.text,
  version: column.text,
  days: column.number,
  phase: column.number,
  security: column.yesOrNo,
};

type MacRelease = ReturnType<typeof readRelease>;

function readRelease(data: HostTables, name: string) {
  const file = profileFile(name);
  const components = readSection(data, { file, section: 'components' }, COMPONENT);
  return {
    ...readRecord(data, { file, section: 'release' }, RELEASE),
    components: components.map(({ days, phase, security, ...texts }) => {
      return { ...texts, releases: { periodSeconds: days * DAY_SECONDS, phase, security } };
    }),
  };
}

/** The kernel stores load averages in units of 1/2048. */
const LOAD_GRAIN = 2048;

export function macProfile(name: string): Profile {
  const releaseIn = oncePerData((data) => readRelease(data, name));
  return {
    name,
    systemOf: () => 'macos',
    roles: rolesOn('macos'),
    usualRoles: USUAL_MAC_ROLES,
    sizeWeights: (data, role) => macRole(data, role).sizes,
    payloads: (data) => payloadFigures(data, name),
    variantWeights: VARIANT_WEIGHTS,
    variant(input) {
      const release = releaseIn(input.data);
      const hardware = macHardware(name, release.intelShare, input);
      const language: Language = input.variant % 3 === 1 ? 'de' : 'en';
      const running = applicationsOf(input.data, hardware.role, (input.checks.docker ?? 0) > 0);
      const apps = macApps(input.data, { role: hardware.role, language, running });
      const listed = listedApps(apps, hardware.counts.packages);
      const system = macSystem(input.data, name, release.title);
      const software = macSoftware({ system, components: release.components, listed, data: input.data });
      return {
        rhythm: macRole(input.data, hardware.role).rhythm,
        checkdata: (cells) => checkdata({ release, system, hardware, software, input }, cells),
        packages: (cells) => packagesDocument(software, cells),
      };
    },
  };
}

type MacHost = {
  readonly release: MacRelease;
  readonly system: MacSystem;
  readonly hardware: MacHardware;
  readonly software: Software;
  readonly input: VariantInput;
};

function checkdata(host: MacHost, cells: Cells): Part {
  const { release, hardware, software, input } = host;
  const { role, arm, cores, counts } = hardware;
  const { memoryUsed: usedShare, terminals } = macRole(input.data, role);
  const memory = hostMemory({ ...hardware, rules: macosMemory(arm), withheld: 0, usedShare }, cells);
  const { users: userNames } = release;
  const users = macUsers({ names: userNames, terminals }, cells);
  const exact = counts.fixed?.includes('services') ?? false;
  const { data, incidents, checks } = input;
  const containers = desktopContainers(input, { cores, memory, images: 'linux' }, cells);
  const jobs = withExporterJobs(chosenJobs(data, role, counts.processes, containers !== undefined), checks);
  const channels = channelTexts(data, cells);
  const guids = guidTexts(cells);
  const processes = macProcesses(
    {
      textOf: (pattern) => guids.of(channels.of(pattern)),
      jobs,
      passingJobs: passingJobs(data),
      containers,
      cores,
      memory,
      arm,
      userNames,
      user: users.user,
      terminals: users.terminals,
      incidents,
    },
    cells,
  );
  const filledBy = filling(ofKind(incidents, 'disk-full'), DATA_VOLUME, DATA_VOLUME);
  const devices = hardware.devices.map((device, index) => (index === 0 ? { ...device, stalledBy: filledBy } : device));
  const docker = containers && { containers, memory, answers: undefined, system: 'macos' as const };
  // Memory, logins and containers are filled first, because processes read them.
  const fillChannels: Fill = (frame, host) => channels.fill(frame, host.hostKey, host.checkMs);
  const first = [fillChannels, guids.fill, memory.fill, users.fill, ...(containers ? [containers.fill] : [])];
  return membersAfter(first, {
    ...commonChecks({ memory, interfaces: hardware.interfaces, software, checks, docker }, cells),
    agent: agentPart(host, cells),
    cpu: posixCpuCheck({ cores, iowait: false }, cells),
    disk_io: posixDiskIoCheck({ devices, unitBytes: 1 }, cells),
    disks: apfsCheck({ data, count: counts.disks, filledBy }, cells),
    launchd_services: launchdServicesCheck(
      { jobs, waitingJobs: waitingJobs(data), count: counts.services, exact, ...processes },
      cells,
    ),
    ntp: ntpCheck({ stepsPerSecond: undefined }, cells),
    processes,
    sensors: sensorsCheck(macSensors(hardware), cells),
    system_load: systemLoadCheck({ cores, grain: LOAD_GRAIN }, cells),
    users: fixedPart(users.node),
  });
}

function agentPart({ release, system, hardware, input }: MacHost, cells: Cells): Part {
  const version = systemVersion(system, cells);
  const kernel = runningText(system, cells, (one) => one.kernel);
  const about: AboutHost = {
    system: 'darwin',
    kernel_version: kernel.node,
    mac_version: version.node,
    ...NOT_WINDOWS,
    family: 'Standalone Workstation',
    goos: 'darwin',
    goarch: hardware.arm ? 'arm64' : 'amd64',
    goversion: release.goVersion,
  };
  const agent = agentCheck({ about, clockStepNs: 1000, sites: sitesOf(input.data) }, cells);
  return { node: agent.node, fill: inTurn([version.fill, kernel.fill, agent.fill]) };
}
