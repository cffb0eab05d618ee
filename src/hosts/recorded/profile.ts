import { isFailure, parseExactly, valueIn } from '../../base/protocol/exact-json.ts';
import { agentCheck } from '../checks/agent.ts';
import { posixCpuCheck, systemLoadCheck, windowsCpuCheck } from '../checks/cpu.ts';
import { swapCheck } from '../checks/memory.ts';
import { ntpCheck } from '../checks/ntp.ts';
import type { Cells, Node } from '../document/nodes.ts';
import { ALWAYS_WEEK, curveOf, type Week } from '../host/activity.ts';
import type { Part } from '../host/part.ts';
import type { AverageBytes, Profile, Variant, VariantInput } from '../host/profile.ts';
import { packageManagerCheck, packagesDocument, type Software } from '../packages/document.ts';
import {
  liveContainers,
  liveCustomChecks,
  liveDisks,
  liveEventLog,
  liveMemory,
  liveSensors,
  liveUsers,
  possibleHere,
  recordedDiskIo,
  recordedMemory,
  recordedNetIo,
} from './checks.ts';
import { identities } from './identities.ts';
import { liveProcesses } from './processes.ts';
import { type RecordedBuild, type RecordedHost, type RecordedHosts, recordedText } from './recorded-hosts.ts';
import { liveServices, troubledServices } from './services.ts';
import { recordedSoftware } from './software.ts';
import { type Live, liveCells, type RecordedChecks, type RecordedValue, template } from './template.ts';

/** Hosts as they were recorded. Each document is a variant, which is described at its first use, like those of any other profile. */
export function recordedProfile(name: string, { hosts }: RecordedHosts): Profile {
  const variants = hosts.flatMap((host) => host.checkdata.map((_, index) => ({ host, index })));
  const counts = { processes: 0, services: 0, devices: 0, disks: 0, interfaces: 0, packages: 0 };
  const figures = { counts, averageBytes: averageBytes(hosts) };
  return {
    name,
    roles: [],
    usualRoles: [],
    sizeWeights: undefined,
    payloads: () => ({ full: figures, typical: figures, lean: figures }),
    systemOf: (variant) => variants[variant]?.host.system ?? 'linux',
    variantWeights: variants.map(({ host }) => 1 / host.checkdata.length),
    variant(input) {
      const { host, index } = variants[input.variant] as (typeof variants)[number];
      return variantOf(host, index, input);
    },
  };
}

function averageBytes(hosts: readonly RecordedHost[]): AverageBytes {
  const mean = (sizes: readonly number[]) => sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  return {
    checkdata: mean(hosts.map(({ checkdata }) => mean(checkdata.map(({ sizeBytes }) => sizeBytes)))),
    packages: mean(hosts.map(({ packages }) => packages?.sizeBytes ?? 0)),
  };
}

function variantOf(host: RecordedHost, index: number, { data, incidents }: VariantInput): Variant {
  // Made again for each document, because a document keeps little of it.
  const software = () => {
    const stats = () => modeled(host, index).packagemanager?.Stats;
    return recordedSoftware({ data, system: host.system, stats, packages: host.packages });
  };
  return {
    rhythm: { busy: demandOf(host.levels.busy.mean), week: weekOf(host), alike: true },
    checkdata: (cells) => checkdataOf({ host, index, incidents, software: software() }, cells),
    packages: (cells) => packagesOf(host, packagesDocument(software(), cells)),
  };
}

/** In odd package information, only times and the release of the agent change. */
function packagesOf({ packages }: RecordedHost, part: Part): Part {
  if (packages === undefined || packages.verbatimParts.length === 0) return part;
  const { LastUpdate, Stats } = part.node as {
    readonly LastUpdate: Node;
    readonly Stats: Readonly<Record<string, Node>>;
  };
  const { AgentVersion = null, Uptime = null } = Stats;
  const recorded = parseExactly(recordedText(packages)) as RecordedDocument;
  return { ...part, node: template(recorded, { LastUpdate, Stats: { AgentVersion, Uptime } }) as Node };
}

/** No host is completely idle. */
const MIN_BUSY = 0.002;
/** Mean demand, and mean busy share: demand varies, but cores cannot do more than all of it. Measured; below the first, both are equal. */
const DEMANDS = [0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.5, 2, 3, 4];
const SHARES = [0.5, 0.594, 0.681, 0.756, 0.816, 0.863, 0.924, 0.967, 0.991, 0.999, 1];

/** The demand that keeps a host as busy as this, in the mean. */
function demandOf(busy: number): number {
  const above = SHARES.findIndex((share) => share >= busy);
  const { [above]: demand = 4, [above - 1]: demandBelow = 0 } = DEMANDS;
  const { [above]: share = 1, [above - 1]: shareBelow = 0 } = SHARES;
  const between = demandBelow + ((demand - demandBelow) * (busy - shareBelow)) / (share - shareBelow);
  return Math.max(MIN_BUSY, Math.min(demand, between));
}
const MIN_HOUR = 0.02;

function weekOf({ levels: { week } }: RecordedHost): Week {
  if (week === undefined) return ALWAYS_WEEK;
  const curve = (hourly: readonly number[]) => {
    const mean = hourly.reduce((sum, level) => sum + level, 0) / hourly.length;
    return curveOf(hourly.map((level) => (mean === 0 ? 1 : Math.max(MIN_HOUR, level / mean))));
  };
  return { cpu: curve(week.cpu), disk: curve(week.disk), network: curve(week.network) };
}

type RecordedDocument = { readonly [check: string]: RecordedValue };

/** The checks with which the model computes: those that did not fail, without the parts that stay as recorded. */
function modeled({ checkdata }: RecordedHost, index: number): RecordedChecks {
  const build = checkdata[index] as RecordedBuild;
  const { verbatimParts } = build;
  const document: Members = JSON.parse(recordedText(build));
  // From the last to the first, so that places in lists stay valid.
  for (const unit of verbatimParts.toReversed()) {
    const [holder, name] = [valueIn(document, unit.slice(0, -1)) as Members, unit.at(-1) ?? ''];
    if (Array.isArray(holder)) holder.splice(Number(name), 1);
    else delete holder[name];
  }
  const checks = Object.entries(document).filter(([name, check]) => {
    if (typeof check !== 'object' || check === null || (name === 'packagemanager' && !('Stats' in check))) return false;
    return !isFailure(check);
  });
  const { agent = {}, ...others } = Object.fromEntries(checks) as { readonly agent?: Members };
  return { ...others, agent: { ...agent, ...saneAgent(agent) } } as unknown as RecordedChecks;
}

type Members = { [member: string]: unknown };

const LATEST_SECONDS = 4e9;

function saneAgent({ goos, last_updated_timestamp, system_uptime }: Members) {
  const seconds = (value: unknown) => (Number(value) > 0 && Number(value) <= LATEST_SECONDS ? Number(value) : 0);
  return {
    goos: goos === 'windows' || goos === 'darwin' ? goos : 'linux',
    last_updated_timestamp: seconds(last_updated_timestamp),
    system_uptime: seconds(system_uptime),
  } as const;
}

type CheckdataInput = Pick<VariantInput, 'incidents'> & {
  readonly host: RecordedHost;
  readonly index: number;
  readonly software: Software;
};

function checkdataOf({ host, index, incidents: all, software }: CheckdataInput, cells: Cells): Part {
  const { levels } = host;
  const build = host.checkdata[index] as RecordedBuild;
  const { verbatimParts } = build;
  const document = parseExactly(recordedText(build)) as RecordedDocument;
  const recorded = modeled(host, index);
  const { agent, ntp } = recorded;
  const isWindows = agent.goos === 'windows';
  const isLinux = agent.goos === 'linux';
  const cores = recorded.cpu?.cpu_percentage?.length ?? 1;
  const live = liveCells(cells);
  const incidents = possibleHere(recorded, all);
  const storage = { recorded, levels, incidents };
  const own = identities(live);
  const memory = recordedMemory(recorded, levels, live);
  live.add(memory.fill);
  const troubled = troubledServices(recorded, incidents, live);
  const passing = passingIn(host, index, recorded);
  const processes = liveProcesses(
    { recorded, exact: document.processes, levels, memory, incidents, passing, troubled, own },
    live,
  );
  const services = { troubled, own, pidOf: processes.pidOf };
  const grain = isLinux ? 100 : 2048;
  // Tasks that wait for a core are part of the demand.
  const tasksPerCore = (levels.tasksPerCore * Math.max(MIN_BUSY, levels.busy.mean)) / demandOf(levels.busy.mean);
  const checks: Readonly<Record<string, () => Live>> = {
    agent: () =>
      live.part(agentCheck({ about: document.agent as never, clockStepNs: CLOCK_STEPS_NS[agent.goos] }, cells)),
    cpu: () =>
      live.part(
        isWindows
          ? windowsCpuCheck({ cores }, cells)
          : posixCpuCheck({ cores, iowait: isLinux, recorded: true }, cells),
      ),
    customchecks: () => liveCustomChecks(live),
    disk_io: () => live.part(recordedDiskIo(storage, live)),
    disks: () => liveDisks(storage, live),
    docker: () => liveContainers(own, live),
    launchd_services: () => liveServices({ check: 'launchd_services', ...services }),
    memory: () => liveMemory(memory, levels, live),
    net_io: () => live.part(recordedNetIo(recorded, levels, live)),
    // Some systems do not report synchronization, and some hosts have no time server.
    ntp: () => {
      const isSynchronized = ntp?.SyncStatus === true || ntp?.Offset !== 0;
      return live.part(ntpCheck({ stepsPerSecond: isSynchronized ? 1e9 : undefined }, cells));
    },
    packagemanager: () => live.part(packageManagerCheck(software, cells)),
    processes: () => processes.live,
    sensors: () => liveSensors(levels.busy.mean, live),
    swap: () => live.part(swapCheck(memory, cells)),
    system_load: () => live.part(systemLoadCheck({ cores, grain, tasksPerCore }, cells)),
    systemd_services: () => liveServices({ check: 'systemd_services', ...services }),
    users: () => liveUsers(isWindows, live),
    windows_eventlog: () => liveEventLog(agent.last_updated_timestamp, live),
    windows_services: () => liveServices({ check: 'windows_services', ...services }),
  };
  const members = Object.fromEntries(Object.entries(checks).filter(([check]) => Object.hasOwn(recorded, check)));
  const kept = new Set(verbatimParts.map((unit) => valueIn(document, unit)));
  return { node: template(document, members, kept) as Node, fill: live.fill };
}

const CLOCK_STEPS_NS = { linux: 1, windows: 100, darwin: 1000 } as const;

/** PIDs that neither the previous nor the next document of the same boot has; with a single document, those of `ps`. */
function passingIn(host: RecordedHost, index: number, { processes = [] }: RecordedChecks): ReadonlySet<number> {
  const others = [index - 1, index + 1].filter((other) => host.checkdata[other] !== undefined);
  const kept = new Set(others.flatMap((other) => (modeled(host, other).processes ?? []).map(({ pid }) => pid)));
  const passing = processes.filter(({ exec, pid }) => LISTING.test(exec) || (others.length > 0 && !kept.has(pid)));
  return new Set(passing.map(({ pid }) => pid));
}

const LISTING = /^(\/usr)?\/?(bin\/)?ps$/;
