import { once } from '../../ground/kernel/memoize.ts';
import { agentCheck } from '../checks/agent.ts';
import { posixCpuCheck, windowsCpuCheck } from '../checks/cpu.ts';
import { swapCheck } from '../checks/memory.ts';
import { ntpCheck, unsynchronizedNtpCheck } from '../checks/ntp.ts';
import { systemLoadCheck } from '../checks/system-load.ts';
import type { Cells, Node } from '../document/nodes.ts';
import { ALWAYS_WEEK, curveOf, type Rhythm, type Week } from '../host/activity.ts';
import { type Fill, fixedPart, inTurn, type Part } from '../host/part.ts';
import type { AverageBytes, Profile, Variant, VariantInput } from '../host/profile.ts';
import { packageManagerCheck, packagesDocument } from '../packages/document.ts';
import { fitted } from './fitting.ts';
import { identities } from './identities.ts';
import { recordedMemory } from './memory.ts';
import { recordedNetIo } from './network.ts';
import { recordedProcesses } from './processes.ts';
import type { RecordedHost, RecordedHosts } from './recorded-hosts.ts';
import { recordedJobs, recordedServices, recordedUnits, serviceStates } from './services.ts';
import {
  type RecordedCheckdata,
  type RecordedPackages,
  type RecordedStats,
  type RecordedValue,
  told,
} from './shapes.ts';
import {
  recordedCustomChecks,
  recordedDocker,
  recordedEventLog,
  recordedSensors,
  recordedUsers,
} from './small-checks.ts';
import { recordedSoftware } from './software.ts';
import { possibleHere, recordedDiskIo, recordedDisks } from './storage.ts';

/** Hosts as they were recorded. Each document is a build, which is described at its first use, like those of any other profile. */
export function recordedProfile(name: string, { hosts }: RecordedHosts): Profile {
  const builds = hosts.flatMap((host) => host.checkdata.map((_, place) => ({ host, place })));
  const counts = { processes: 0, services: 0, devices: 0, disks: 0, interfaces: 0, packages: 0 };
  const figures = { counts, averageBytes: averageBytes(hosts) };
  return {
    ...{ name, roles: [], usualRoles: [], sizeWeights: undefined },
    payloads: () => ({ full: figures, typical: figures, lean: figures }),
    systemOf: (variant) => builds[variant]?.host.system ?? 'linux',
    variantWeights: builds.map(({ host }) => 1 / host.checkdata.length),
    variant(input) {
      const { host, place } = builds[input.variant] as (typeof builds)[number];
      return variantOf(host, place, input);
    },
  };
}

function averageBytes(hosts: readonly RecordedHost[]): AverageBytes {
  const mean = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  return {
    checkdata: mean(hosts.map(({ checkdata }) => mean(checkdata.map(byteLength)))),
    packages: mean(hosts.map(({ packages }) => byteLength(packages ?? ''))),
  };
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}

function variantOf(host: RecordedHost, place: number, input: VariantInput): Variant {
  const document = once(() => parsed(host, place));
  const software = once(() => {
    const packages = host.packages === undefined ? undefined : (JSON.parse(host.packages) as RecordedPackages);
    return recordedSoftware({ data: input.data, system: host.system, stats: statsOf(document()), packages });
  });
  const rhythm: Rhythm = { busy: Math.max(LEAST_BUSY, host.levels.busy.mean), week: weekOf(host), alike: true };
  return {
    rhythm,
    checkdata: (cells) => checkdataOf({ document: document(), host, place, input, software: software() }, cells),
    packages: (cells) => packagesDocument(software(), cells),
  };
}

/** No host is completely idle. */
const LEAST_BUSY = 0.002;
const LEAST_HOUR = 0.02;

function weekOf({ levels: { week } }: RecordedHost): Week {
  if (week === undefined) return ALWAYS_WEEK;
  const curve = (hourly: readonly number[]) => {
    const mean = hourly.reduce((sum, level) => sum + level, 0) / hourly.length;
    return curveOf(hourly.map((level) => (mean === 0 ? 1 : Math.max(LEAST_HOUR, level / mean))));
  };
  return { cpu: curve(week.cpu), disk: curve(week.disk), network: curve(week.network) };
}

function parsed({ checkdata }: RecordedHost, place: number): RecordedCheckdata {
  return JSON.parse(checkdata[place] ?? '{}') as RecordedCheckdata;
}

function statsOf({ packagemanager }: RecordedCheckdata): RecordedStats | undefined {
  return told(packagemanager)?.Stats;
}

type Build = {
  readonly document: RecordedCheckdata;
  readonly host: RecordedHost;
  readonly place: number;
  readonly input: VariantInput;
  readonly software: ReturnType<typeof recordedSoftware>;
};

function checkdataOf({ document, host, place, input, software }: Build, cells: Cells): Part {
  const { levels } = host;
  const { goos } = document.agent;
  const storage = { document, levels, incidents: input.incidents };
  const incidents = possibleHere(storage);
  const ids = identities(cells);
  const { memory, check: memoryCheck } = recordedMemory(document, levels, cells);
  const states = serviceStates(document, incidents, cells);
  const passing = passingIn(host, place, document);
  const processes = recordedProcesses({ document, levels, memory, incidents, passing, states, identities: ids }, cells);
  const services = { document, states, identities: ids, pidOf: processes.pidOf };
  const cores = told(document.cpu)?.cpu_percentage.length ?? 1;
  const models: Readonly<Record<string, () => Part>> = {
    agent: () => agentPart(document, cells),
    cpu: () =>
      goos === 'windows'
        ? windowsCpuCheck({ cores }, cells)
        : posixCpuCheck({ cores, iowait: goos === 'linux' }, cells),
    customchecks: () => recordedCustomChecks(checkOf(document, 'customchecks'), cells),
    disk_io: () => recordedDiskIo(storage, cells),
    disks: () => recordedDisks(storage, cells),
    docker: () => recordedDocker(checkOf(document, 'docker'), ids, cells),
    launchd_services: () => recordedJobs(services, cells),
    memory: () => memoryCheck,
    net_io: () => recordedNetIo(document, cells),
    ntp: () =>
      isUnsynchronized(document) ? unsynchronizedNtpCheck(undefined, cells) : ntpCheck({ perSecond: 1e9 }, cells),
    packagemanager: () => packageManagerCheck(software, cells),
    processes: () => processes,
    sensors: () => recordedSensors(checkOf(document, 'sensors'), levels.busy.mean, cells),
    swap: () => swapCheck(memory, cells),
    system_load: () => {
      return systemLoadCheck({ cores, grain: goos === 'linux' ? 100 : 2048, tasksPerCore: levels.tasksPerCore }, cells);
    },
    systemd_services: () => fixedPart(recordedUnits(services)),
    users: () => recordedUsers(checkOf(document, 'users'), goos === 'windows', cells),
    windows_eventlog: () => {
      return recordedEventLog(checkOf(document, 'windows_eventlog'), document.agent.last_updated_timestamp, cells);
    },
    windows_services: () => recordedServices(services, cells),
  };
  const fills: Fill[] = [memory.fill, states.fill, processes.fill];
  const members = Object.entries(document as Readonly<Record<string, RecordedValue>>).map(([check, recorded]) => {
    const model = models[check];
    if (model === undefined || hasFailed(recorded)) return [check, recorded] as const;
    const part = model();
    if (part !== processes) fills.push(part.fill);
    return [check, check === 'packagemanager' ? part.node : fitted(recorded, part.node)] as const;
  });
  // Last, because texts with identities are known once everything is described.
  return { node: Object.fromEntries(members) as Node, fill: inTurn([...fills, ids.fill]) };
}

/** Whether the system does not report synchronization, or the host has no time server. */
function isUnsynchronized(document: RecordedCheckdata): boolean {
  const { SyncStatus, Offset } = checkOf<{ SyncStatus: boolean; Offset: number }>(document, 'ntp');
  return !SyncStatus && Offset === 0;
}

/** A reported check, by name. */
function checkOf<Value>(document: RecordedCheckdata, check: string): Value {
  return (document as Readonly<Record<string, unknown>>)[check] as Value;
}

/** Failed checks stay failed, and a disabled software check stays disabled. */
function hasFailed(recorded: RecordedValue): boolean {
  return typeof recorded === 'object' && recorded !== null && ('error' in recorded || 'enabled' in recorded);
}

function agentPart({ agent }: RecordedCheckdata, cells: Cells): Part {
  return agentCheck(
    {
      system: agent.system,
      kernelVersion: agent.kernel_version,
      platformVersion: agent.mac_version,
      windowsReleaseId: agent.windows_release_id,
      windowsBuild: agent.windows_current_build,
      family: agent.family,
      goos: agent.goos,
      goarch: agent.goarch,
      goVersion: agent.goversion,
      clockStepNs: CLOCK_STEPS_NS[agent.goos],
    },
    cells,
  );
}

const CLOCK_STEPS_NS = { linux: 1, windows: 100, darwin: 1000 } as const;

/**
 * PIDs of transient processes: those that neither the previous nor the next document of the same boot has. With a single document,
 * only `ps`.
 */
function passingIn(host: RecordedHost, place: number, document: RecordedCheckdata): ReadonlySet<number> {
  const others = [place - 1, place + 1].filter((other) => host.checkdata[other] !== undefined);
  const pids = others.flatMap((other) => (told(parsed(host, other).processes) ?? []).map(({ pid }) => pid));
  const own = (told(document.processes) ?? []).filter(({ exec }) => LISTING.test(exec)).map(({ pid }) => pid);
  if (others.length === 0) return new Set(own);
  const kept = new Set(pids);
  const gone = (told(document.processes) ?? []).filter(({ pid }) => !kept.has(pid)).map(({ pid }) => pid);
  return new Set([...own, ...gone]);
}

/** The program with which the agent lists processes. */
const LISTING = /^(\/usr)?\/?(bin\/)?ps$/;
