import { uniform } from '../../../base/kernel/random.ts';
import { HOUR_SECONDS } from '../../../base/kernel/units.ts';
import type { Cell, Cells, CellValues, Row } from '../../document/nodes.ts';
import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../../host-data.ts';
import { secondsSinceEpoch } from '../calendar.ts';
import { type Draw, selectedBy, shareOfHosts } from '../draws.ts';
import { disruptionBy, takingDown } from '../failures.ts';
import type { HostState } from '../host-state.ts';
import type { Incident } from '../incident.ts';
import { inRange, keyOf, streamLabel, unit, type ValueRange } from '../noise.ts';
import type { Fill } from '../part.ts';
import type { ItemCounts } from '../profile.ts';
import { roleFile } from '../roles.ts';
import type { WindowsHardware } from './hardware.ts';
import { commandLine, programOf, type WindowsProgram } from './programs.ts';

const STATE = {
  name: column.text,
  display: column.text,
  start: column.oneOf('Auto', 'Manual', 'Disabled'),
  /** `wakes`: events start it from time to time, and it stops some minutes later. */
  state: column.oneOf('runs', 'rests', 'wakes'),
};
/** A group of `svchost.exe` or the path of its own program, and a description. */
const HOST = { host: column.text, about: column.text };
/** The process of a service, if it is known to be large or busy. Other processes are small and idle. */
const PROCESS = {
  memoryMib: column.orEmpty(column.number),
  handles: column.orEmpty(column.wholeNumber),
  work: column.orEmpty(column.number),
};
const SERVICE = { on: column.orEmpty(column.oneOf('client')), ...STATE, ...PROCESS, ...HOST };
const OPTIONAL = {
  on: column.oneOf('client', 'server', 'both', 'hyper-v', 'kvm', 'vmware'),
  chance: column.orEmpty(column.text),
  from: column.orEmpty(column.number),
  to: column.number,
  ...STATE,
  ...HOST,
};

const LISTED = { list: column.oneOf('running', 'stopped', 'user', 'containers'), ...SERVICE };

/** A service as in the registry. */
export type WindowsService = Omit<TableRow<typeof STATE & typeof HOST>, 'line'> & Partial<TableRow<typeof PROCESS>>;

export type OptionalService = {
  readonly line: WindowsService;
  readonly draw: Draw;
  /** Workplaces only, servers only, both, or the guests of a hypervisor. */
  readonly on: TableRow<typeof OPTIONAL>['on'];
};

const services = oncePerData((data) => readTable(data, 'services/windows.tsv', LISTED));

const readOptional = oncePerData((data): readonly OptionalService[] => {
  return readTable(data, 'services/windows-optional.tsv', OPTIONAL).map((row) => {
    const { on, chance = `windows.${row.name}`, from = 0, to } = row;
    return { line: row, draw: { name: chance, from, to }, on };
  });
});

type ServiceList = TableRow<typeof LISTED>['list'];

type Hosts = Pick<WindowsHardware, 'role' | 'client' | 'platform' | 'exporters' | 'counts'>;

/** Services by importance. Short lists use the first ones. */
function servicesOf(data: HostTables, name: ServiceList, client: boolean): readonly WindowsService[] {
  return services(data).flatMap((row) => (row.list === name && (client || row.on === undefined) ? [row] : []));
}

function servicesForRole(data: HostTables, role: string): readonly WindowsService[] {
  return readSection(data, { file: roleFile(role), section: 'windows services' }, SERVICE);
}

/** The programs of services that every host of a role has, whether or not its list is long enough to tell. */
export function serviceProgramsOf(data: HostTables, { role, client }: Hosts): readonly WindowsProgram[] {
  const lists = (['running', 'stopped', 'user'] as const).flatMap((name) => servicesOf(data, name, client));
  return [...servicesForRole(data, role), ...lists].map(hostProgram);
}

export type ChosenServices = {
  /** Services that only some hosts have. */
  readonly optional: readonly OptionalService[];
  readonly services: readonly WindowsService[];
  readonly userServices: readonly WindowsService[];
};

/** Share of a full list that runs, and that of the role's own services. */
const RUNNING_SHARE = 0.42;
const ROLE_SHARE = 0.1;
/** Share of a full list that exists per user. Each of these services appears twice. */
const USER_SHARE = 0.15;
/** Shorter lists do not include services that only some hosts have. */
const LONG_LIST = 30;

/** About as many services as a host is to report, the important ones first. */
export function chosenServices(data: HostTables, hardware: Hosts): ChosenServices {
  const { role, client, counts } = hardware;
  const { services: count, fixed } = counts;
  const ofRole = servicesForRole(data, role);
  const optional = count < LONG_LIST ? [] : optionalServices(data, hardware);
  const names = new Set([...ofRole, ...optional.map(({ line }) => line)].map(({ name }) => name));
  // A service that the system has at rest may be the purpose of a role, or serve the guest of a hypervisor.
  const listed = (list: ServiceList) => servicesOf(data, list, client).filter(({ name }) => !names.has(name));
  // A user's instances appear and disappear with the user, which a fixed count does not allow.
  const userShare = fixed?.includes('services') ? 0 : USER_SHARE;
  const userServices = listed('user').slice(0, Math.round((count * userShare) / 2));
  const drawn = optional.reduce((sum, { draw }) => sum + shareOfHosts(draw), 0);
  const rest = Math.round(count - drawn) - 2 * userServices.length;
  const own = ofRole.slice(0, Math.ceil(count * ROLE_SHARE));
  const running = listed('running').slice(0, Math.max(0, Math.round(count * RUNNING_SHARE) - own.length));
  const stopped = listed('stopped').slice(0, Math.max(0, rest - own.length - running.length));
  const known = [...running, ...own, ...stopped];
  return {
    optional,
    services: [...known, ...instances(fixed?.includes('services') ? rest - known.length : 0)],
    userServices,
  };
}

/** Adds the exporters that the agent scrapes. They are started with the system. */
export function withExporterServices(chosen: ChosenServices, { exporters }: Hosts): ChosenServices {
  const services = exporters.map(({ name, port }): WindowsService => {
    const host = `${String.raw`C:\exporters`}\\${name}.exe --web.listen-address=:${port}`;
    return { name, display: name, start: 'Auto', state: 'runs', host, about: 'Answers scrapes of Prometheus' };
  });
  return { ...chosen, services: [...chosen.services, ...services] };
}

/** Adds the services that run containers on a server. An exact list has them instead of its last ones. */
export function withContainerServices(data: HostTables, chosen: ChosenServices, counts: ItemCounts): ChosenServices {
  if (counts.services === 0) return chosen;
  const names = new Set(chosen.services.map(({ name }) => name));
  const all = [...servicesOf(data, 'containers', false).filter(({ name }) => !names.has(name)), ...chosen.services];
  return { ...chosen, services: counts.fixed?.includes('services') ? all.slice(0, chosen.services.length) : all };
}

/** Services that only some hosts of a role have. A list of an exact length has none. */
export function optionalServices(data: HostTables, hardware: Hosts): readonly OptionalService[] {
  const { role, client, platform, exporters, counts } = hardware;
  if (counts.fixed?.includes('services')) return [];
  const known = new Set([...servicesForRole(data, role), ...exporters].map(({ name }) => name));
  const here: readonly string[] = ['both', client ? 'client' : 'server', platform];
  return readOptional(data).filter(({ on, line }) => here.includes(on) && !known.has(line.name));
}

/** Hosts with more services than the system provides have many instances of their own service. */
function instances(count: number): readonly WindowsService[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    name: `ShopWorker$${index + 1}`,
    display: `Shop Worker (${index + 1})`,
    start: 'Manual',
    state: 'rests',
    host: String.raw`C:\Program Files\Shop\worker.exe`,
    about: 'Works through orders when there are many',
  }));
}

const SVCHOST = String.raw`C:\Windows\system32\svchost.exe`;
/** Groups whose services share one process. Since memory is plentiful, other services have a process each. */
const SHARED_GROUPS = ['rpcss', 'dcomlaunch', 'localservicenonetworkfirewall', 'unistacksvcgroup'];
const ALONE = ['LSM'];

/** The command of a service, as in the registry. */
export function binPath({ host }: WindowsService): string {
  return host.includes('\\') ? commandLine(host) : `${SVCHOST} -k ${host} -p`;
}

/** Services of the same process have the same key. */
export function processKey({ name, host }: WindowsService): string {
  if (host.includes('\\')) return programOf(host).path.toLowerCase();
  const shared = SHARED_GROUPS.includes(host.toLowerCase()) && !ALONE.includes(name);
  return shared ? host.toLowerCase() : `${host}/${name}`;
}

/** Memory and handles of small services. Chosen, like the other figures of this file. */
const IDLE_MIB: ValueRange = [1.4, 9];
const IDLE_HANDLES: ValueRange = [120, 380];

export function hostProgram(line: WindowsService): WindowsProgram {
  const { name, host, memoryMib, handles = 0, work = 0 } = line;
  const own = host.includes('\\');
  const alone = processKey(line) !== host.toLowerCase();
  const program = own ? programOf(host) : programOf(`${SVCHOST} -k ${host} -p${alone ? ` -s ${name}` : ''}`);
  const chance = uniform(0, `service.${name}`);
  const usual = {
    memoryMib: inRange(IDLE_MIB, chance ** 2),
    handles: Math.floor(inRange(IDLE_HANDLES, chance)),
    work: 0,
  };
  return { ...program, ...(memoryMib === undefined ? usual : { memoryMib, handles, work }) };
}

/** A service that runs from time to time: whether it is running, and since when (seconds since 2024). */
export type Wake = Row<'awake' | 'since'> & { readonly line: WindowsService };

/** A service starts at most once in a window of hours, and runs for some minutes. Each service has its own times. */
const WAKE_HOURS: ValueRange = [3, 45];
const WAKE_LIKELY = 0.7;
const AWAKE_SECONDS: ValueRange = [90, 1100];
/** A service starts in the first part of its window, and not this soon after a boot. */
const LATEST_START = 0.8;
const SETTLED_SECONDS = 30;

/** How often a service starts, and for how long it runs: the same on all hosts. */
type Pace = { readonly windowSeconds: number; readonly awakeSeconds: number };

function paceOf({ name }: WindowsService): Pace {
  const chance = (label: string) => uniform(0, `wakes.${label}.${name}`);
  return {
    windowSeconds: Math.round(HOUR_SECONDS * inRange(WAKE_HOURS, chance('hours'))),
    awakeSeconds: Math.round(inRange(AWAKE_SECONDS, chance('seconds') ** 3)),
  };
}

const WAKES = streamLabel('windows_services.wakes');

/** The services among `lines` that wake from time to time, and the function that fills their state. */
export function wakesOf(
  lines: readonly WindowsService[],
  incidents: readonly Incident[],
  cells: Cells,
): { wakes: readonly Wake[]; fill: Fill } {
  const waking = lines.filter((line) => line.state === 'wakes');
  const wakes = waking.map((line) => ({
    line,
    causes: takingDown(incidents, line.name),
    pace: paceOf(line),
    ...cells.row('awake', 'since'),
  }));
  return {
    wakes,
    fill(frame, host) {
      const key = keyOf(host.hostKey, WAKES);
      wakes.forEach((wake, i) => {
        fillWake(frame, wake, { host, key: key + i, ...wake.pace });
        if (wake.causes.length > 0 && disruptionBy(wake.causes, host).down) frame[wake.awake] = 0;
      });
    },
  };
}

type Waking = Pace & { readonly host: HostState; readonly key: number };

function fillWake(frame: CellValues, { awake, since }: Wake, waking: Waking): void {
  const { host, key, windowSeconds, awakeSeconds } = waking;
  const now = secondsSinceEpoch(host.checkMs);
  const shifted = now + Math.floor(windowSeconds * unit(key, -1));
  const window = Math.floor(shifted / windowSeconds);
  const inWindow = shifted - window * windowSeconds;
  const start = Math.floor(windowSeconds * LATEST_START * unit(key, window));
  const runs = unit(key, ~window) < WAKE_LIKELY && inWindow >= start && inWindow < start + awakeSeconds;
  const startSeconds = now - inWindow + start;
  frame[awake] = runs && startSeconds > secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS ? 1 : 0;
  frame[since] = startSeconds;
}

/** A service that some hosts lack or that incidents stop: whether the host has it, and what stops it. */
export type Stoppable = Wake & { readonly present: Cell; readonly causes: readonly Incident[] };

export type HostServices = {
  readonly services: readonly WindowsService[];
  readonly userServices: readonly WindowsService[];
  readonly wakes: readonly Wake[];
  /** Running services that incidents stop. */
  readonly stops: readonly Wake[];
  /** Services that only some hosts have. */
  readonly installed: readonly Stoppable[];
};

/** Services that some hosts lack (`installed`) or incidents stop are like ones that wake. A `since` of 0: since their usual start. */
export function stoppableServices(
  { services, optional }: ChosenServices,
  incidents: readonly Incident[],
  cells: Cells,
): Pick<HostServices, 'installed' | 'stops'> & { readonly fill: Fill } {
  const causesOf = (line: WindowsService) => (line.state === 'runs' ? takingDown(incidents, line.name) : []);
  const rowOf = (line: WindowsService, has: (hostKey: number) => boolean) => {
    return { line, causes: causesOf(line), has, ...cells.row('present', 'awake', 'since') };
  };
  const installed = optional.map(({ line, draw }) => rowOf(line, selectedBy(draw)));
  const stops = services.filter((line) => causesOf(line).length > 0).map((line) => rowOf(line, () => true));
  const rows = [...installed, ...stops];
  return {
    installed,
    stops,
    fill(frame, host) {
      for (const { present, awake, since, causes, has } of rows) {
        const { down, restoredMs } = disruptionBy(causes, host);
        const here = has(host.hostKey);
        frame[present] = here ? 1 : 0;
        frame[awake] = here && !down ? 1 : 0;
        frame[since] = restoredMs === 0 ? 0 : secondsSinceEpoch(restoredMs);
      }
    },
  };
}
