import { type Cell, type Cells, valueAt } from '../../document/nodes.ts';
import type { HostTables } from '../../host-data.ts';
import { type Draw, selectedBy, shareOfHosts } from '../draws.ts';
import { DOWN, disruptionBy, serviceState, takingDown } from '../failures.ts';
import type { Incident } from '../incident.ts';
import { keyOf, streamLabel } from '../noise.ts';
import { type Fill, inTurn } from '../part.ts';
import type { Distribution } from './distribution.ts';
import type { LinuxHardware } from './hardware.ts';
import { kernelThreads } from './kernel-threads.ts';
import { linuxRole, servicesOfRole } from './roles.ts';
import {
  adapted,
  type Child,
  type Daemon,
  exporterServices,
  type LinuxService,
  type PoolLimit,
  servicesOf,
  sharedServices,
} from './services.ts';

/** Services in start order: the system's, those that guests need, then those of the host's role. */
type Services = {
  readonly system: readonly LinuxService[];
  readonly guests: readonly LinuxService[];
  readonly own: readonly LinuxService[];
};

/** A process: its program, the index of its parent in the list (-1 if the parent is not listed), and its service. */
export type Arranged = {
  readonly daemon: Daemon & Partial<Pick<Child, 'lasting'>>;
  readonly parent: number;
  readonly service: LinuxService;
  readonly own: boolean;
};

type Room = {
  /** Whether the list is complete. */
  readonly all: boolean;
  readonly processes: number;
  readonly cores: number;
  readonly gib: number;
};

type Member = { readonly daemon: Arranged['daemon']; readonly service: LinuxService; readonly own: boolean };

/** A large host has longer pools, within the limits of its cores and memory. A small host keeps the most important processes. */
function arrange({ system, guests, own }: Services, room: Room): readonly Arranged[] {
  const members = [
    ...[...system, ...guests].flatMap((service) => family(service, false)),
    ...own.flatMap((service) => family(service, true)),
  ];
  // A process that only some hosts have counts as the share of these hosts.
  const missing = room.processes - members.reduce((sum, { service }) => sum + shareOfHosts(service.draw), 0);
  if (missing >= 0) return placed([...members, ...furtherOf(own, missing, room)]);
  if (room.all) return placed(members);
  return placed(mostImportant(members, room.processes, new Set(guests)));
}

function family(service: LinuxService, own: boolean): readonly Member[] {
  const children = service.children.map((child) => ({ daemon: numbered(child, 1), service, own }));
  return [{ daemon: service, service, own }, ...children];
}

/** Extends the pools in turn until there are enough processes or all pools are at their limit. */
function furtherOf(services: readonly LinuxService[], missing: number, room: Room): readonly Member[] {
  const pools = services.flatMap((service) => {
    return service.children.flatMap((child) => {
      return child.pool === undefined ? [] : [{ service, child, most: longestPool(child.pool, room) }];
    });
  });
  const further: Member[] = [];
  for (let turn = 2; further.length < missing; turn++) {
    const open = pools.filter(({ most }) => turn <= most);
    if (open.length === 0) break;
    for (const { service, child } of open) further.push({ daemon: numbered(child, turn), service, own: true });
  }
  return further.slice(0, Math.max(0, Math.round(missing)));
}

function longestPool({ perCore, perGib, most }: PoolLimit, { cores, gib }: Room): number {
  return Math.min(most, perCore * cores, perGib * gib);
}

/** Each child of a pool has its own arguments. */
function numbered(child: Child, number: number): Child {
  return { ...child, command: child.command.replaceAll('{i}', String(number)) };
}

/** Keeps the services of all hosts, those of the role with a child each, further children, and then those of some hosts. */
function mostImportant(members: readonly Member[], room: number, guests: ReadonlySet<LinuxService>): readonly Member[] {
  const firstChildren = new Set(
    members.filter((_, index) => members[index - 1]?.daemon === members[index - 1]?.service),
  );
  const rank = (member: Member): number => {
    const { daemon, service, own } = member;
    if (own) return daemon === service || firstChildren.has(member) ? 1 : 2;
    return isBasic(service) ? 0 : 3;
  };
  const kept = new Set<Member>();
  let reserved = 0;
  for (const member of [...members].sort((a, b) => rank(a) - rank(b))) {
    if (reserved >= room && rank(member) > 0 && !guests.has(member.service)) continue;
    kept.add(member);
    reserved += shareOfHosts(member.service.draw);
  }
  // A child needs its parent.
  const heads = new Set([...kept].map(({ daemon }) => daemon));
  return members.filter((member) => kept.has(member) && heads.has(member.service));
}

/** Whether nearly all hosts of the distribution have it, or an alternative. */
function isBasic({ draw }: LinuxService): boolean {
  return draw === undefined || draw.name === CLOCK;
}

const CLOCK = 'clock';

export function isAgent({ command }: Daemon): boolean {
  return command.includes('openitcockpit-agent');
}

function placed(members: readonly Member[]): readonly Arranged[] {
  return members.map(({ daemon, service, own }) => {
    const parent = daemon === service ? -1 : members.findIndex((other) => other.daemon === service);
    return { daemon, parent, service, own };
  });
}

type SoftwareInput = {
  readonly data: HostTables;
  readonly distribution: Distribution;
  readonly hardware: LinuxHardware;
  readonly incidents: readonly Incident[];
  /** Approximate number of its guests' processes, which count, too. */
  readonly guestProcesses: number;
};

/** Shares of a list of processes: kernel threads at most, fewer in long lists, and transient processes. */
const MAX_THREAD_SHARE = 0.68;
const MAX_THREAD_SHARE_OF_LONG_LISTS = 0.56;
const MIN_THREAD_SHARE = 0.45;
const LONG = 200;
/** Largest number of additional workers per core of a busy kernel, unless the number of processes is fixed. */
const MAX_WORKERS = 4;
const COMES_AND_GOES = 0.06;
const COMES_AND_IS_THERE = 0.65;

/**
 * What runs on a host: daemons with the states of their services, and the numbers of kernel threads and transient processes.
 * Services and processes come from one table, so that each running unit has its process.
 */
export function runningOn(input: SoftwareInput, cells: Cells) {
  const { data, distribution, hardware, incidents } = input;
  const { cores, memoryGibs, counts } = hardware;
  const { system, guests, own, settled } = servicesOn(data, distribution, hardware);
  const transient = Math.max(1, Math.round(counts.processes * COMES_AND_GOES));
  const processes = Math.max(0, counts.processes - input.guestProcesses);
  const mostThreads = processes < LONG ? MAX_THREAD_SHARE : MAX_THREAD_SHARE_OF_LONG_LISTS;
  // The first process, the listing and the logged-in users.
  const others = Math.ceil(transient * COMES_AND_IS_THERE) + 3;
  const kept = [...system, ...guests, ...own].filter((service) => own.includes(service) || isBasic(service));
  const needed = others + kept.reduce((sum, { children }) => sum + 1 + Math.min(1, children.length), 0);
  const all = (counts.processesPerCore ?? 0) > 0;
  const usual = mostThreads * processes;
  const most = all ? usual : Math.max(MIN_THREAD_SHARE * processes, Math.min(usual, processes - needed));
  // The first thread is the parent of transient workers.
  const threads = Math.max(1, Math.min(kernelThreads(data, hardware, distribution).length, Math.floor(most)));
  const room = Math.max(1, processes - threads - others);
  const daemons = arrange({ system, guests, own }, { all, processes: room, cores, gib: Math.min(...memoryGibs) });
  const reported = new Set(daemons.map(({ service }) => service));
  const services = counts.processes === 0 ? [...system, ...guests, ...own].slice(0, counts.services) : [...reported];
  const expected = daemons.reduce((sum, { service }) => sum + shareOfHosts(service.draw), 0);
  const mostWorkers = counts.fixed?.includes('processes') ? Number.POSITIVE_INFINITY : MAX_WORKERS * cores;
  return {
    daemons,
    states: serviceStates({ services, fragile: own, incidents, settled }, cells),
    threads: threads + Math.min(mostWorkers, Math.max(0, Math.round(room - expected))),
    transient,
  };
}

/** Services that hosts may have. With `settled`, all hosts have the same. */
type ServicesOnHosts = Services & { readonly settled: boolean };

function servicesOn(data: HostTables, distribution: Distribution, hardware: LinuxHardware): ServicesOnHosts {
  const { siblingOf, family, texts } = distribution;
  const { role, serviceRole, physical, counts } = hardware;
  const without = linuxRole(data, role).without.map((service) => `${service}.service`);
  const cards = hardware.interfaces.map(({ name }) => name);
  const [first = '', second] = cards;
  const team = cards.includes('team0') ? 'team' : undefined;
  const platforms = [undefined, physical ? 'metal' : 'virtual', hardware.platform.platform, team];
  const optional = [
    ...sharedServices(data, 'optional'),
    ...(family === 'debian' ? sharedServices(data, 'optional-debian') : []),
  ];
  const basic = adapted(servicesOf(data, siblingOf), { '{card}': second ?? first });
  const here = [...basic, ...adapted(optional, texts.services)].filter(({ on }) => platforms.includes(on));
  const nameOf = ({ unit }: LinuxService) => unit?.name;
  const everywhere = new Set(here.filter(({ draw }) => draw === undefined).map(nameOf));
  const { containers, machines, engine } = hardware.guests;
  const daemons = sharedServices(data, 'containers');
  // Podman has no daemon.
  const elsewhere = new Set(engine === 'podman' ? [...everywhere, ...daemons.map(nameOf)] : everywhere);
  const ofRole = servicesOfRole(data, serviceRole, siblingOf).filter((service) => !elsewhere.has(nameOf(service)));
  const needs = [
    ...(containers > 0 && engine === 'docker' ? daemons : []),
    ...(machines > 0 ? adapted(sharedServices(data, 'machines'), texts.hypervisor) : []),
    ...adapted(exporterServices(data, hardware.exporters), texts.services),
  ];
  const guests = needs.map((service) => ofRole.find((other) => nameOf(other) === nameOf(service)) ?? service);
  const own = ofRole.filter((service) => !guests.includes(service));
  // Services that a role or its guests need are not drawn.
  const needed = new Set([...guests, ...own].map(nameOf));
  const possible = here.filter((service) => !needed.has(nameOf(service)) && !without.includes(nameOf(service) ?? ''));
  const settled = counts.fixed?.includes('services') ?? false;
  const system = settled ? possible.filter((service) => shareOfHosts(service.draw) >= 0.5) : possible;
  return { system, guests, own, settled };
}

/** The same services by name, for the packages that come with them. */
export function servicesHere(
  data: HostTables,
  distribution: Distribution,
  hardware: LinuxHardware,
): ReadonlyMap<string, Draw | 'always'> {
  const { system, guests, own, settled } = servicesOn(data, distribution, hardware);
  return new Map(
    [...system, ...guests, ...own].flatMap(({ unit, draw }) => {
      if (unit === undefined) return [];
      return [[unit.name.replace(/\.service$/, ''), settled || draw === undefined ? 'always' : draw]];
    }),
  );
}

/** State of a service on a host, for both its unit and its processes. A state that cannot change has no cell. */
export type ServiceState = {
  readonly service: LinuxService;
  /** 1 on hosts that have the service. */
  readonly installed: Cell | undefined;
  /** 1 while its processes run. */
  readonly running: Cell | undefined;
  /** Number of its current life since boot; 0 until its first restart. */
  readonly life: Cell | undefined;
};

export type ServiceStates = {
  readonly of: (service: LinuxService) => ServiceState | undefined;
  readonly all: readonly ServiceState[];
  readonly fill: Fill;
};

type StatesInput = {
  readonly services: readonly LinuxService[];
  /** Services of the host's role, which fail spontaneously from time to time. */
  readonly fragile: readonly LinuxService[];
  readonly incidents: readonly Incident[];
  /** Whether every host of the variant has the same services, without draws. */
  readonly settled: boolean;
};

/** Lives after an incident are numbered modulo this. */
const LIVES = 25;

function serviceStates(input: StatesInput, cells: Cells): ServiceStates {
  const fills: Fill[] = [];
  const all = input.services.map((service) => stateOf(service, { ...input, fills }, cells));
  const states = new Map(all.map((state) => [state.service, state]));
  return { all, of: (service) => states.get(service), fill: inTurn(fills) };
}

function stateOf(service: LinuxService, input: StatesInput & { readonly fills: Fill[] }, cells: Cells): ServiceState {
  const { fragile, incidents, settled, fills } = input;
  const causes = service.unit === undefined ? [] : takingDown(incidents, service.unit.name);
  const fails = fragile.includes(service) && service.unit !== undefined;
  const draw = settled ? undefined : service.draw;
  const troubled = fails || causes.length > 0;
  if (!troubled && draw === undefined) return { service, installed: undefined, running: undefined, life: undefined };
  const installed = draw && cells.one();
  const { running, life } = cells.row('running', 'life');
  const has = draw && selectedBy(draw);
  const label = streamLabel(`service.${service.unit?.name ?? service.command}`);
  fills.push((frame, host) => {
    const here = has === undefined || has(host.hostKey);
    const own = fails ? serviceState(keyOf(host.hostKey, label), host) : 0;
    const { down, restoredMs } = disruptionBy(causes, host);
    if (installed !== undefined) frame[installed] = here ? 1 : 0;
    frame[running] = here && own !== DOWN && !down ? 1 : 0;
    const failures = Math.max(0, own);
    frame[life] = restoredMs === 0 ? failures : LIVES + ((Math.floor(restoredMs / 1000) + failures) % LIVES);
  });
  return { service, installed, running, life: troubled ? life : undefined };
}

/** Number of PIDs that are reserved for a process. */
export const LIVES_OF_A_PROCESS = 2 * LIVES;

export function lifeAt(frame: Parameters<Fill>[0], state: ServiceState | undefined): number {
  return state?.life === undefined ? 0 : valueAt(frame, state.life);
}
