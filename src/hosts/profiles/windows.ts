import { type AboutHost, agentCheck } from '../checks/agent.ts';
import { windowsCpuCheck } from '../checks/cpu.ts';
import { windowsDiskIoCheck } from '../checks/disk-io.ts';
import { volumesCheck } from '../checks/disks.ts';
import { ntpCheck } from '../checks/ntp.ts';
import { guidTexts } from '../checks/processes/common.ts';
import { windowsProcesses } from '../checks/processes/windows.ts';
import { residentsOf } from '../checks/processes/windows-residents.ts';
import { windowsUsers } from '../checks/users.ts';
import { windowsEventLogCheck } from '../checks/windows-event-log.ts';
import { windowsServicesCheck } from '../checks/windows-services.ts';
import type { Cell, Cells } from '../document/nodes.ts';
import { desktopContainers } from '../host/containers.ts';
import { possibleOn, VARIANT_WEIGHTS, withFullDisks, withStalledDisks } from '../host/hardware.ts';
import { hostMemory, WINDOWS_MEMORY } from '../host/memory.ts';
import { type Fill, fixedPart, membersAfter, type Part } from '../host/part.ts';
import type { Profile, VariantInput } from '../host/profile.ts';
import { profileFile, rolesOn } from '../host/roles.ts';
import { sitesOf } from '../host/site.ts';
import { payloadFigures, variantDraws } from '../host/sizes.ts';
import {
  USUAL_CLIENT_ROLES,
  USUAL_SERVER_ROLES,
  type WindowsHardware,
  windowsHardware,
  windowsRole,
} from '../host/windows/hardware.ts';
import { programsOf, programsOfRole } from '../host/windows/programs.ts';
import {
  type ChosenServices,
  chosenServices,
  stoppableServices,
  wakesOf,
  withContainerServices,
  withExporterServices,
} from '../host/windows/services.ts';
import { column, type HostTables, oncePerData, readRecord, type TableRow } from '../host-data.ts';
import { listedApps } from '../packages/apps.ts';
import { channelTexts } from '../packages/channels.ts';
import { packagesDocument, type Software } from '../packages/document.ts';
import { windowsSoftware } from '../packages/windows.ts';
import { windowsApps } from '../packages/windows-apps.ts';
import { cumulativeUpdates, windowsUpdates } from '../packages/windows-updates.ts';
import { commonChecks } from './common-checks.ts';

const EDITION = {
  /** The registry's `ProductName`, which is still Windows 10 on Windows 11, and `ReleaseId`, which has not changed since 20H2. */
  productName: column.text,
  releaseId: column.text,
  build: column.text,
  osName: column.text,
  displayVersion: column.text,
  /** As in the titles of updates. */
  updateName: column.text,
  users: column.names,
  goVersion: column.text,
};

/** The registry's `InstallationType`. */
type Family = 'Client' | 'Server';

type Edition = TableRow<typeof EDITION> & { readonly name: string; readonly family: Family };

/** The volume that fills up if an incident names none. */
const SYSTEM_VOLUME = 'C:';

export function windowsProfile(name: string, family: Family): Profile {
  const client = family === 'Client';
  const editionIn = oncePerData((data): Edition => {
    return { ...readRecord(data, { file: profileFile(name), section: 'edition' }, EDITION), name, family };
  });
  return {
    name,
    systemOf: () => 'windows',
    roles: rolesOn(client ? 'windows-client' : 'windows-server'),
    usualRoles: client ? USUAL_CLIENT_ROLES : USUAL_SERVER_ROLES,
    sizeWeights: (data, role) => windowsRole(data, role).sizes,
    payloads: (data) => payloadFigures(data, name),
    variantWeights: VARIANT_WEIGHTS,
    variant(input) {
      const edition = editionIn(input.data);
      const hardware = windowsHardware(name, client, input);
      const software = softwareOf(edition, hardware, input);
      const { data, checks } = input;
      const chosen = chosenServices(data, hardware);
      const runsContainers = !client && (checks.docker ?? 0) > 0;
      const services = withExporterServices(
        runsContainers ? withContainerServices(data, chosen, hardware.counts) : chosen,
        hardware,
      );
      return {
        rhythm: windowsRole(input.data, hardware.role).rhythm,
        checkdata: (cells) => checkdata({ edition, hardware, software, services, input }, cells),
        packages: (cells) => packagesDocument(software, cells),
      };
    },
  };
}

function softwareOf(edition: Edition, hardware: WindowsHardware, { data, checks }: VariantInput): Software {
  const cumulative = cumulativeUpdates(data, edition.name);
  const apps = windowsApps(data, { hardware, containers: (checks.docker ?? 0) > 0 });
  return windowsSoftware({
    data,
    osName: edition.osName,
    release: edition.displayVersion,
    build: edition.build,
    cumulative,
    listed: listedApps(apps, hardware.counts.packages),
    updates: windowsUpdates({ data, system: edition.updateName, client: hardware.client, cumulative }),
  });
}

type WindowsHost = {
  readonly edition: Edition;
  readonly hardware: WindowsHardware;
  readonly software: Software;
  readonly services: ChosenServices;
  readonly input: VariantInput;
};

/** What runs on a host and what its checks share, described before the checks. */
function windowsRunning({ edition, hardware, services, input }: Omit<WindowsHost, 'software'>, cells: Cells) {
  const { role, client, cores, counts } = hardware;
  const { data } = input;
  const { memoryUsed: usedShare } = windowsRole(data, role);
  const memory = hostMemory({ ...hardware, rules: WINDOWS_MEMORY, withheld: 0.02, usedShare }, cells);
  const users = windowsUsers({ kind: client ? 'console' : 'remote', names: edition.users }, cells);
  const volumes = withFullDisks(hardware.volumes, input.incidents, SYSTEM_VOLUME);
  const incidents = possibleOn(volumes, input.incidents, SYSTEM_VOLUME);
  const { wakes, fill: wake } = wakesOf(services.services, incidents, cells);
  const { installed, stops, fill: stop } = stoppableServices(services, incidents, cells);
  const containers = desktopContainers(input, { cores, memory, images: client ? 'linux' : 'windows' }, cells);
  const channels = channelTexts(data, cells);
  const guids = guidTexts(cells);
  const textOf = (pattern: string) => guids.of(channels.of(pattern));
  const fillChannels: Fill = (frame, host) => channels.fill(frame, host.hostKey, host.checkMs);
  const states = { ...services, wakes, stops, installed, textOf: channels.of };
  const residents = residentsOf({
    data,
    role,
    client,
    ...states,
    sessions: users.sessions,
    count: counts.processes,
    containers: containers !== undefined,
  });
  const processes = windowsProcesses(
    {
      residents: residents.list,
      parentOf: residents.parentOf,
      textOf,
      changedMs: channels.changedMs,
      passingPrograms: programsOf(data, 'passing'),
      cores,
      memory,
      incidents,
      containers,
    },
    cells,
  );
  const pidOf = (line: ChosenServices['services'][number]) => {
    const index = residents.indexOf(line);
    return index === undefined ? undefined : processes.pidOf(index);
  };
  // Sessions, services and containers are filled first, because other parts check whether they exist.
  const first = [
    fillChannels,
    guids.fill,
    memory.fill,
    users.fill,
    wake,
    stop,
    ...(containers === undefined ? [] : [containers.fill]),
  ];
  return { memory, users, volumes, containers, processes, services: { ...states, pidOf }, first };
}

/** Containers of a server run without Docker Desktop, in an engine that is a service. */
const DOCKER_SERVICE = 'docker';

function checkdata({ software, ...host }: WindowsHost, cells: Cells): Part {
  const { edition, hardware, input } = host;
  const { cores, counts } = hardware;
  const { data, checks } = input;
  const { memory, users, volumes, containers, processes, services, first } = windowsRunning(host, cells);
  // Services need PIDs even if processes are not reported.
  const unreported = counts.services === 0 ? fixedPart([]) : { node: [], fill: processes.fill };
  const { windows_eventlog: eventLog = 0 } = checks;
  const answers = services.stops.find(({ line }) => line.name === DOCKER_SERVICE)?.awake;
  const docker = containers && { containers, memory, answers, system: 'windows' as const };
  return membersAfter(first, {
    ...commonChecks({ memory, interfaces: hardware.interfaces, software, checks, docker }, cells),
    agent: agentPart(edition, data, cells),
    cpu: windowsCpuCheck({ cores }, cells),
    disk_io: windowsDiskIoCheck(withStalledDisks(hardware.disks, volumes), cells),
    disks: volumesCheck(volumes, cells),
    ntp: ntpCheck({ stepsPerSecond: 1e6 }, cells),
    processes: counts.processes === 0 ? unreported : processes,
    ...(eventLog > 0 && {
      windows_eventlog: eventLogOf(
        host,
        { count: eventLog, user: hardware.client ? users.sessions[0]?.name : undefined },
        cells,
      ),
    }),
    users: fixedPart(users.node),
    windows_services: windowsServicesCheck({ ...services, data, session: users.sessions[0] }, cells),
  });
}

/** Programs and services named in event logs, at most. */
const NAMED = 12;

function eventLogOf(
  { edition, hardware, services, input }: Omit<WindowsHost, 'software'>,
  { count, user }: { readonly count: number; readonly user: Cell | undefined },
  cells: Cells,
): Part {
  const { role, client } = hardware;
  const { data, hostNames: names, incidents } = input;
  const programs = [...programsOfRole(data, role), ...programsOf(data, 'passing')].map(({ name }) => name);
  const changing = services.services.filter(({ state }) => state === 'wakes').map(({ display }) => display);
  return windowsEventLogCheck(
    {
      data,
      count,
      role,
      names,
      incidents,
      client,
      users: edition.users,
      user,
      stream: variantDraws(edition.name, input)('events'),
      // Other services hardly ever start or stop.
      services: changing.length === 0 ? ['Windows Update'] : changing.slice(0, NAMED),
      programs: [...new Set(programs)].slice(0, NAMED),
    },
    cells,
  );
}

function agentPart(edition: Edition, data: HostTables, cells: Cells): Part {
  const about: AboutHost = {
    system: edition.productName,
    kernel_version: '',
    mac_version: '',
    windows_release_id: edition.releaseId,
    windows_current_build: edition.build,
    family: edition.family,
    goos: 'windows',
    goarch: 'amd64',
    goversion: edition.goVersion,
  };
  return agentCheck({ about, clockStepNs: 100, sites: sitesOf(data) }, cells);
}
