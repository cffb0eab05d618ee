import { MIB } from '../../../kernel/units.ts';
import {
  type Cell,
  type Cells,
  integer,
  type Node,
  nth,
  type Optional,
  optional,
  rowAt,
  tenths,
  text,
  valueAt,
} from '../../document/nodes.ts';
import { disruptionBy } from '../../host/failures.ts';
import type { HostState } from '../../host/host-state.ts';
import { type Incident, ofKind } from '../../host/incident.ts';
import type { HostGuests } from '../../host/linux/guests.ts';
import { type Daemon, DOCKER_UNIT, type Hypervisor } from '../../host/linux/services.ts';
import {
  type Arranged,
  isAgent,
  LIVES_OF_A_PROCESS,
  lifeAt,
  type ServiceState,
  type ServiceStates,
} from '../../host/linux/software.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import { type HostTables, NUMBER, oncePerData, oneOf, readTable, TEXT } from '../../host-data.ts';
import { containerProcesses, machineProcesses, PIDS_OF_A_CONTAINER, PIDS_OF_A_MACHINE } from './linux-guests.ts';
import { type LaterInput, laterProcesses } from './linux-later.ts';
import {
  memoryTenths,
  type ProcessTable,
  processFigures,
  processNode,
  processTable,
  runawayProcesses,
} from './posix.ts';

type LinuxProcessesInput = {
  readonly data: HostTables;
  readonly cores: number;
  readonly memory: HostMemory;
  readonly init: Daemon;
  /** What runs from boot on, and how the services stand that it belongs to. */
  readonly daemons: readonly Arranged[];
  readonly states: ServiceStates;
  /** How many threads the kernel has. */
  readonly threads: number;
  readonly later: Pick<LaterInput, 'count' | 'cronJob' | 'sessions' | 'names'>;
  /** What can happen to them. */
  readonly incidents: readonly Incident[];
  readonly guests: HostGuests;
  readonly hypervisor: Hypervisor;
};

const PROCESSES = streamLabel('processes');
const PORTS = streamLabel('processes.ports');
/** Daemons start after the kernel's threads; what comes and goes later has numbers far above. */
const PID_GAP = 19;
const BOOT_SPREAD = 400;
const LATER_PIDS = 21_000;
const RUNAWAY_PIDS = 100;

/** The check `processes` of a Linux host: kernel threads, daemons that stay, and a few that come and go. */
export function linuxProcesses(input: LinuxProcessesInput, cells: Cells): Part {
  const { memory, states, cores, incidents, guests } = input;
  const threads = kernelThreads(input.data, cores, input.threads);
  const table = processTable(input.daemons.length, cells);
  const daemons = input.daemons.map((arranged) => ({ ...arranged, state: states.of(arranged.service) }));
  const leaking = ofKind(incidents, 'memory-leak').length > 0 ? leakingPlace(daemons) : -1;
  const pids = pidPlan(threads.length, daemons.length, guests);
  const worked = cells.one();
  const ports = cells.column(daemons.length);
  const agent = daemons.findIndex(({ daemon }) => isAgent(daemon));
  const later = laterProcesses(
    { ...input.later, memory, lowestPid: pids.later, parent: agent < 0 ? undefined : nth(table.pid, agent) },
    cells,
  );
  const init = initPart(input, cells);
  const runaway = runawayProcesses({ ...input, firstPid: pids.runaway, worked }, cells);
  const containers = containerPart(input, { daemons, table, firstPid: pids.containers }, cells);
  const machines = machinePart(input, pids.machines, cells);
  const sharers = daemons.map(({ daemon, state }) => ({ ...daemon, running: state?.running }));
  const nodes = daemons.map((listed, place) => {
    const node = daemonNode(listed, { table, place, port: nth(ports, place) });
    return listed.state?.running === undefined ? node : optional(listed.state.running, node);
  });
  return {
    node: [
      init.node,
      ...threads.map(threadNode),
      ...nodes,
      ...containers.nodes,
      ...machines.nodes,
      ...runaway.nodes,
      ...later.nodes,
    ],
    fill: inTurn([
      init.fill,
      processFigures(
        { sharers, memory, cores, busyOf: busySinceBoot, leaking, guests: guests.all, around: -1 },
        table,
        worked,
      ),
      pidFill(daemons, { table, ports, pids, leaking, incidents }),
      containers.fill,
      machines.fill,
      runaway.fill,
      later.fill,
    ]),
  };
}

/** `ps` divides the time that a process has had by its age. */
function busySinceBoot(host: HostState): number {
  return host.busySinceBoot;
}

type Listed = Arranged & { readonly state: ServiceState | undefined };

/** Programs that are their own service leak; the largest of them does. */
function leakingPlace(daemons: readonly Listed[]): number {
  const sizes = daemons.map(({ daemon, service, parent }) => {
    return parent >= 0 || service.children.length > 0 || service.draw !== undefined ? 0 : daemon.memoryMib;
  });
  return sizes.indexOf(Math.max(...sizes));
}

type NodeInput = { readonly table: ProcessTable; readonly place: number; readonly port: Cell };

function daemonNode({ daemon, parent }: Listed, { table, place, port }: NodeInput): Node {
  const row = rowAt(table, place);
  const parts = daemon.command.split('{p}').flatMap((piece, i) => (i === 0 ? [piece] : [integer(port), piece]));
  return processNode({
    pid: integer(row.pid),
    ppid: parent < 0 ? 1 : integer(nth(table.pid, parent)),
    daemon: { ...daemon, command: daemon.command.replaceAll('{p}', '') },
    ...(parts.length > 1 && { cmdline: text(...parts) }),
    cpu: daemon.work === 0 ? 0 : tenths(row.cpu),
    memory: tenths(row.memory),
    rss: integer(row.rss),
  });
}

type PidPlan = Readonly<Record<'boot' | 'restarted' | 'containers' | 'machines' | 'runaway' | 'later', number>>;

/** Ranges of numbers: of what starts at boot, was started anew, belongs to guests, runs away, and comes later. */
function pidPlan(threads: number, daemons: number, guests: HostGuests): PidPlan {
  const boot = threads + 260;
  const restarted = boot + BOOT_SPREAD + daemons * PID_GAP;
  const containers = restarted + LIVES_OF_A_PROCESS * daemons;
  const machines = containers + PIDS_OF_A_CONTAINER * (guests.containers?.list.length ?? 0);
  const end = machines + PIDS_OF_A_MACHINE * (guests.machines?.list.length ?? 0);
  const later = Math.max(LATER_PIDS, end + RUNAWAY_PIDS);
  return { boot, restarted, containers, machines, runaway: later - RUNAWAY_PIDS, later };
}

type GuestPart = { readonly nodes: readonly Optional[]; readonly fill: Fill };

type Engine = { readonly daemons: readonly Listed[]; readonly table: ProcessTable; readonly firstPid: number };

const NONE: GuestPart = { nodes: [], fill: () => {} };

function containerPart(
  { guests, memory }: LinuxProcessesInput,
  { daemons, table, firstPid }: Engine,
  cells: Cells,
): GuestPart {
  const { containers } = guests;
  if (containers === undefined) return NONE;
  const place = daemons.findIndex(({ daemon, service }) => daemon === service && service.unit?.name === DOCKER_UNIT);
  const pid = place < 0 ? undefined : nth(table.pid, place);
  const engine = { pid, state: daemons[place]?.state };
  return containerProcesses({ containers, memory, firstPid, engine }, cells);
}

function machinePart({ guests, ...input }: LinuxProcessesInput, firstPid: number, cells: Cells): GuestPart {
  const { machines } = guests;
  return machines === undefined ? NONE : machineProcesses({ ...input, machines, firstPid }, cells);
}

type PidInput = {
  readonly table: ProcessTable;
  readonly ports: ReturnType<Cells['column']>;
  readonly pids: PidPlan;
  readonly leaking: number;
  readonly incidents: readonly Incident[];
};

const PORT_GAP = 97;
const FIRST_PORT = 32_768;

function pidFill(daemons: readonly Listed[], { table, ports, pids, leaking, incidents }: PidInput): Fill {
  const leaks = ofKind(incidents, 'memory-leak');
  const ported = daemons.flatMap(({ daemon }, place) => (daemon.command.includes('{p}') ? [place] : []));
  const states = daemons.map(({ state }) => state);
  return (frame, host) => {
    const { bootKey } = host;
    const key = keyOf(host.hostKey, PORTS);
    for (const i of ported) frame[nth(ports, i)] = FIRST_PORT + i * PORT_GAP + Math.floor(PORT_GAP * unit(key, i));
    const offset = pids.boot + Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    const leakEndMs = leaking < 0 ? 0 : disruptionBy(leaks, host).restoredMs;
    for (let i = 0; i < daemons.length; i++) {
      const ended = i === leaking ? Math.floor(leakEndMs / 1000) : 0;
      const life = lifeAt(frame, states[i]) + ended;
      const first = offset + i * PID_GAP + Math.floor(unit(bootKey, i + 1) * PID_GAP);
      frame[nth(table.pid, i)] =
        life === 0 ? first : pids.restarted + LIVES_OF_A_PROCESS * i + (life % LIVES_OF_A_PROCESS);
    }
  };
}

function initPart({ init, memory }: LinuxProcessesInput, cells: Cells): Part {
  const row = cells.row('rss', 'memory');
  const node = processNode({
    pid: 1,
    ppid: 0,
    daemon: init,
    cpu: 0,
    memory: tenths(row.memory),
    rss: integer(row.rss),
  });
  const fill: Fill = (frame, { hostKey }) => {
    const rss = pages(init.memoryMib * MIB * (0.9 + 0.2 * unit(keyOf(hostKey, PROCESSES), -1)));
    frame[row.rss] = rss;
    frame[row.memory] = memoryTenths(rss, valueAt(frame, memory.total));
  };
  return { node, fill };
}

function threadNode({ command, nice, status }: ReturnType<typeof kernelThreads>[number], index: number): Node {
  const daemon = { user: 'root', command, virtualMib: 0, nice };
  return processNode({ pid: index + 2, ppid: index === 0 ? 0 : 2, daemon, cpu: 0, memory: 0, rss: 0, status });
}

/** A thread of the kernel as `ps` tells it: the command in brackets. */
type KernelThread = { readonly command: string; readonly nice: number; readonly status: 'Sleep' | 'Idle' };

const threadTable = oncePerData((data) => {
  const rows = readTable(data, 'threads/linux.tsv', { thread: TEXT, nice: NUMBER, status: oneOf('Sleep', 'Idle') });
  const isPerCore = ({ thread }: (typeof rows)[number]) => thread.includes('{core}');
  const first = rows.findIndex(isPerCore);
  const perCore = rows.filter(isPerCore);
  return { before: rows.slice(0, first), perCore, after: rows.slice(first + perCore.length) };
});

/** What busy kernels have started more workers for, on each core. */
const PURPOSES = ['events', 'cgroup_destroy', 'mm_percpu_wq', 'events_freezable', 'rcu_gp', 'xfs-conv'];

/** So many of the kernel's own threads on a host with so many cores, in the order in which they start. */
function kernelThreads(data: HostTables, cores: number, count: number): readonly KernelThread[] {
  const { before, perCore, after } = threadTable(data);
  const ofCores = Array.from({ length: cores }, (_, core) => {
    return perCore.map((row) => ({ ...row, thread: row.thread.replace('{core}', String(core)) }));
  });
  const own = [...before, ...ofCores.flat(), ...after];
  const workers = Array.from({ length: Math.max(0, count - own.length) }, (_, index) => {
    const purpose = PURPOSES[index % PURPOSES.length];
    const thread = `kworker/${index % cores}:${3 + Math.floor(index / cores)}-${purpose}`;
    return { thread, nice: 0, status: 'Idle' as const };
  });
  return [...own, ...workers]
    .slice(0, count)
    .map(({ thread, nice, status }) => ({ command: `[${thread}]`, nice, status }));
}
