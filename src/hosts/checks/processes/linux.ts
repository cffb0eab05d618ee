import { type Cell, type Cells, nth, slot, type Text, valueAt } from '../../document/nodes.ts';
import { disruptionBy } from '../../host/failures.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Incident } from '../../host/incident.ts';
import type { Distribution } from '../../host/linux/distribution.ts';
import type { HostGuests } from '../../host/linux/guests.ts';
import type { LinuxHardware } from '../../host/linux/hardware.ts';
import { busyThreads, type KernelThread, kernelThreads, WORKING_THREAD } from '../../host/linux/kernel-threads.ts';
import { DOCKER_UNIT } from '../../host/linux/services.ts';
import {
  type Arranged,
  isAgent,
  LIVES_OF_A_PROCESS,
  lifeAt,
  type ServiceState,
  type ServiceStates,
} from '../../host/linux/software.ts';
import type { HostMemory } from '../../host/memory.ts';
import { keyOf, scramble, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import type { HostTables } from '../../host-data.ts';
import { PERSON } from '../users.ts';
import { joined, type Leak, leakOf } from './common.ts';
import { containerProcesses, machineProcesses, PIDS_OF_A_CONTAINER, PIDS_OF_A_MACHINE } from './linux-guests.ts';
import { type JobRow, jobProcesses, SOURCE_FILES } from './linux-jobs.ts';
import { risingPids, type TransientInput, transientCount, transientProcesses } from './linux-transient.ts';
import { inOrderOfPids } from './pid-order.ts';
import {
  firstProcess,
  type PosixResident,
  type ProcessTable,
  processNode,
  processTable,
  residentProcesses,
  runawayProcesses,
} from './posix.ts';

type LinuxProcessesInput = {
  readonly data: HostTables;
  readonly distribution: Distribution;
  readonly hardware: LinuxHardware;
  readonly memory: HostMemory;
  /** Processes that run from boot, and the states of their services. */
  readonly daemons: readonly Arranged[];
  readonly states: ServiceStates;
  readonly threads: number;
  readonly transient: Pick<TransientInput, 'count' | 'sessions'>;
  readonly person: Text;
  readonly partsOf: (pattern: string) => Text['parts'];
  readonly incidents: readonly Incident[];
  readonly guests: HostGuests;
};

const PORTS = streamLabel('processes.ports');
/** Daemons start after the kernel threads. The PIDs of transient processes are far higher. */
const PID_GAP = 19;
const BEFORE_DAEMONS = 120;
const BOOT_SPREAD = 400;
const TRANSIENT_PIDS = 21_000;
const RUNAWAY_PIDS = 100;

/** The check `processes` of a Linux host: kernel threads, daemons, and a few transient processes. */
export function linuxProcesses(input: LinuxProcessesInput, cells: Cells): Part {
  const { data, distribution, hardware, memory, states, incidents, guests } = input;
  const { cores } = hardware;
  const threads = busyThreads(kernelThreads(data, hardware, distribution), cores, input.threads);
  const table = processTable(input.daemons.length, cells);
  const daemons = input.daemons.map((arranged) => ({ ...arranged, state: states.of(arranged.service) }));
  const leak = leakOf(incidents, daemons.map(leakableMib));
  const pids = pidPlan(threads.at(-1)?.pid ?? 1, daemons.length, guests);
  const worked = cells.one();
  const marks = markCells(daemons.length, cells);
  const { jobs, transient, jobAt } = successorsOf(input, { daemons, table, pids }, cells);
  const first = firstProcess({ ...distribution.init, spread: 0.2, workTenths: 0 }, memory, cells);
  const kernel = threadPart({ threads, cores, worked }, cells);
  const runaway = runawayProcesses({ incidents, cores, memory, firstPid: pids.runaway, worked }, cells);
  const guestsHere = joined(guestLists(input, { daemons, table, pids }, cells));
  const residents = residentProcesses(
    {
      memory,
      cores,
      busy: 'busySinceBoot',
      leak,
      guests: guests.all,
      runner: -1,
      worked,
      residents: daemons.map((arranged, index) => {
        return residentOf(arranged, { index, marks, job: jobAt.get(index), ...input });
      }),
    },
    table,
    cells,
  );
  const all = inOrderOfPids([...residents.listed, ...guestsHere.listed, ...runaway.listed, ...transient.listed], cells);
  return {
    node: [first.node, ...kernel.nodes, all.node],
    fill: inTurn([
      first.fill,
      jobs.presence,
      residents.fill,
      kernel.fill,
      marksFill(daemons, marks),
      pidFill({ daemons, table, pids }, marks, leak),
      jobs.pids,
      guestsHere.fill,
      runaway.fill,
      transient.fill,
      all.fill,
    ]),
  };
}

/** Processes that start after the boot: successors of daemons' processes, and transient ones. */
function successorsOf(input: LinuxProcessesInput, { daemons, table, pids }: Started, cells: Cells) {
  const { distribution, hardware, memory } = input;
  const recurring = daemons.flatMap(({ daemon: { lasting = 'always' }, state }, index) => {
    return lasting === 'always' ? [] : [{ index, lasting, running: state?.running }];
  });
  const count = transientCount(input.transient);
  const pidOf = risingPids(pids.transient, count + recurring.length);
  const jobPid = (host: HostState, start: number, index: number) => pidOf(host, start, count + index);
  const jobs = jobProcesses({ recurring, pid: table.pid, pidOf: jobPid }, cells);
  const agent = daemons.findIndex(({ daemon }) => isAgent(daemon));
  const transient = transientProcesses(
    {
      ...input.transient,
      cronJob: distribution.cronJob,
      memory,
      cores: hardware.cores,
      disk: diskNumber(input),
      pidOf,
      parent: agent < 0 ? undefined : nth(table.pid, agent),
    },
    cells,
  );
  return { jobs, transient, jobAt: new Map(recurring.map(({ index }, i) => [index, jobs.rows[i]])) };
}

/** Disks of hypervisors get the first device number that is free when their driver starts, others have a fixed one. */
function diskNumber({ hardware, distribution }: LinuxProcessesInput): string {
  const [first] = hardware.disks.map(({ device }) => device.name);
  if (first?.startsWith('sd')) return '8:0';
  if (first?.startsWith('nvme')) return '259:0';
  return distribution.siblingOf === 'debian-12' ? '254:0' : '252:0';
}

type Stated = Arranged & { readonly state: ServiceState | undefined };

/** Only a program that is a service of its own leaks. */
function leakableMib({ daemon, service, parent }: Stated): number {
  return parent >= 0 || service.children.length > 0 || service.draw !== undefined ? 0 : daemon.memoryMib;
}

/** Parts of commands that differ between hosts, and what processes had to read from disks. */
type Marks = ReturnType<typeof markCells>;

function markCells(count: number, cells: Cells) {
  const columns = { ports: cells.column(count), clients: cells.column(count), pageIns: cells.column(count) };
  return { ...columns, network: cells.one(), machineId: cells.list(4) };
}

type ResidentInput = {
  readonly index: number;
  readonly marks: Marks;
  readonly job: JobRow | undefined;
} & Pick<LinuxProcessesInput, 'person' | 'partsOf'>;

function residentOf(arranged: Stated, { index, marks, job, person, partsOf }: ResidentInput): PosixResident {
  const { daemon, parent, own } = arranged;
  const parts = daemon.command.split(MARKS).flatMap((piece): Text['parts'] => {
    if (piece === '{p}') return [slot.integer(nth(marks.ports, index))];
    if (piece === '{n}') return [slot.integer(marks.network)];
    if (piece === '{m}') return marks.machineId.map((cell) => slot.hex(cell, 8));
    if (piece === '{j}' && job !== undefined) return [slot.integer(job.number)];
    if (piece === '{f}' && job !== undefined) return [slot.word(job.file, SOURCE_FILES)];
    return piece === '{c}' ? [slot.integer(nth(marks.clients, index))] : partsOf(piece);
  });
  return {
    ...daemon,
    parent,
    running: job?.present ?? arranged.state?.running,
    steady: !own,
    command: daemon.command.replaceAll(MARKS, ''),
    cmdline: parts.length > 1 ? slot.text(...parts) : undefined,
    username: daemon.user === PERSON ? person : undefined,
    pageIns: slot.integer(nth(marks.pageIns, index)),
  };
}

type PidPlan = Readonly<Record<'boot' | 'restarted' | 'containers' | 'machines' | 'runaway' | 'transient', number>>;

/** Ranges of PIDs: processes that start at boot, restarted ones, those of guests, runaway ones, and transient ones. */
function pidPlan(lastThread: number, daemons: number, guests: HostGuests): PidPlan {
  const boot = lastThread + BEFORE_DAEMONS;
  const restarted = boot + BOOT_SPREAD + daemons * PID_GAP;
  const containers = restarted + LIVES_OF_A_PROCESS * daemons;
  const machines = containers + PIDS_OF_A_CONTAINER * (guests.containers?.list.length ?? 0);
  const end = machines + PIDS_OF_A_MACHINE * (guests.machines?.list.length ?? 0);
  const transient = Math.max(TRANSIENT_PIDS, end + RUNAWAY_PIDS);
  return { boot, restarted, containers, machines, runaway: transient - RUNAWAY_PIDS, transient };
}

type Started = { readonly daemons: readonly Stated[]; readonly table: ProcessTable; readonly pids: PidPlan };

function guestLists(input: LinuxProcessesInput, { daemons, table, pids }: Started, cells: Cells) {
  const { memory, distribution } = input;
  const { containers, machines } = input.guests;
  const index = daemons.findIndex(({ daemon, service }) => daemon === service && service.unit?.name === DOCKER_UNIT);
  const engine = { pid: index < 0 ? undefined : nth(table.pid, index), state: daemons[index]?.state };
  const { cores } = input.hardware;
  return [
    containers && containerProcesses({ containers, memory, firstPid: pids.containers, engine }, cells),
    machines && machineProcesses({ machines, distribution, memory, cores, firstPid: pids.machines }, cells),
  ].filter((list) => list !== undefined);
}

const PORT_GAP = 97;
const FIRST_PORT = 32_768;
const FIRST_CLIENT = 11;
const CLIENTS = 200;
const NETWORKS = 64;
/** Of 256 processes, this many found all their pages in memory: few after a cold start, nearly all after a warm one. */
const FULLY_CACHED = [60, 235] as const;
const WARMTH = streamLabel('processes.warmth');
const LIVES_APART = 17;
/** Parts of a command that differ between hosts. */
const MARKS = /(\{[pcnjfm]\})/g;

function marksFill(daemons: readonly Stated[], { ports, clients, network, machineId }: Marks): Fill {
  const ported = daemons.flatMap(({ daemon }, index) => (daemon.command.includes('{p}') ? [index] : []));
  return (frame, host) => {
    const key = keyOf(host.hostKey, PORTS);
    frame[network] = Math.floor(NETWORKS * unit(key, -9));
    for (const [index, cell] of machineId.entries()) frame[cell] = scramble(key, -20 - index);
    for (const i of ported) {
      frame[nth(ports, i)] = FIRST_PORT + i * PORT_GAP + Math.floor(PORT_GAP * unit(key, i));
      // A host has few clients, and each has several connections.
      frame[nth(clients, i)] = FIRST_CLIENT + Math.floor(CLIENTS * unit(key, ~(i % 4)));
    }
  };
}

function pidFill({ daemons, table, pids }: Started, { pageIns }: Marks, leak: Leak): Fill {
  const states = daemons.map(({ state }) => state);
  return (frame, host) => {
    const { bootKey } = host;
    const key = keyOf(host.hostKey, PORTS);
    const cached = FULLY_CACHED[0] + (FULLY_CACHED[1] - FULLY_CACHED[0]) * unit(keyOf(bootKey, WARMTH), 0);
    const offset = pids.boot + Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    const leakEndSeconds = Math.floor(disruptionBy(leak.causes, host).restoredMs / 1000);
    for (let i = 0; i < daemons.length; i++) {
      const life = lifeAt(frame, states[i]) + (i === leak.index ? leakEndSeconds : 0);
      const first = offset + i * PID_GAP + Math.floor(unit(bootKey, i + 1) * PID_GAP);
      // No life has the PID of the one before.
      const later = LIVES_OF_A_PROCESS * i + ((scramble(bootKey, ~i) + LIVES_APART * life) % LIVES_OF_A_PROCESS);
      const pid = life === 0 ? first : pids.restarted + later;
      frame[nth(table.pid, i)] = pid;
      // A function of the PID, so that a process keeps its value.
      const draw = Math.imul(pid ^ key, 0x9e37_79b1);
      frame[nth(pageIns, i)] = draw >>> 24 < cached ? 0 : (PAGE_INS[(draw >>> 16) & 0xff] as number);
    }
  };
}

/** Bytes that a process had to read from disks, as 256 quantiles. `ps` reports page-ins, which the agent counts as KiB. */
const PAGE_INS = Float64Array.from(
  { length: 256 },
  (_, index) => 1024 * Math.floor(2000 ** (((index + 1) / 256) ** 1.6)),
);

/** Threads that are in uninterruptible sleep while they wait for a busy disk. */
const WAITING = /^\[(jbd2\/|xfsaild\/|btrfs-transaction)/;
const THREADS = streamLabel('processes.threads');
/** Maximum CPU time of one such thread, in tenths of a percent of a core for each busy core. */
const MAX_TENTHS = 7;
/** Share of the seconds in which a thread waits for disks: in proportion to their work, up to a limit. Chosen. */
const WAITING_PER_RATE = 0.015;
const MAX_WAITING = 0.3;

type ThreadInput = {
  readonly threads: readonly KernelThread[];
  readonly cores: number;
  /** CPU time of all processes, to which these threads add theirs. */
  readonly worked: Cell;
};

function threadPart({ threads, cores, worked }: ThreadInput, cells: Cells) {
  const working = threads.flatMap((thread, index) => {
    if (!WORKING_THREAD.test(thread.command)) return [];
    return [{ index, row: cells.row('cpu', 'waits'), waits: WAITING.test(thread.command) ? 1 : 0 }];
  });
  const rows = new Map(working.map((one) => [one.index, one]));
  const nodes = threads.map(({ pid, command, nice, status }, index) => {
    const daemon = { user: 'root', command, virtualMib: 0, nice };
    const one = rows.get(index);
    const own = one === undefined ? { cpu: 0 } : { cpu: slot.tenths(one.row.cpu) };
    // `ps` has a letter for this state, but the agent has no word for it.
    const statusNode = one?.waits === 1 ? slot.either(one.row.waits, [status, '']) : status;
    return processNode({ pid, ppid: index === 0 ? 0 : 2, daemon, memory: 0, rss: 0, status: statusNode, ...own });
  });
  const fill: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, THREADS);
    const second = Math.floor(host.checkMs / 1000) | 0;
    const busyCores = cores * host.busySinceBoot;
    const waiting = Math.min(MAX_WAITING, WAITING_PER_RATE * host.diskRate);
    for (const { index, row, waits } of working) {
      const cpu = Math.floor(MAX_TENTHS * busyCores * unit(key, index) ** 2);
      frame[row.cpu] = cpu;
      frame[worked] = valueAt(frame, worked) + cpu;
      frame[row.waits] = waits === 1 && unit(key - index, second) < waiting ? 1 : 0;
    }
  };
  return { nodes, fill };
}
