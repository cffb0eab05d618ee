import { hash32 } from '../../../base/kernel/random.ts';
import { MIB } from '../../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  nth,
  rowAt,
  slot,
  type Table,
  valueAt,
} from '../../document/nodes.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Incident } from '../../host/incident.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import {
  fixedShares,
  type GuestPart,
  guestsSum,
  LARGE_MIB,
  type Leak,
  type Listed,
  mostGrowthOf,
  type ProcessList,
  type Sharer,
  saturatingProcesses,
  sharesOf,
} from './common.ts';

/** A running program as `ps` reports it. */
export type PosixProgram = {
  readonly user: string;
  readonly command: string;
  readonly virtualMib: number;
  readonly nice?: number;
};

type ProcessValues = {
  readonly pid: Node;
  readonly ppid: Node;
  readonly daemon: PosixProgram;
  /** Present if it differs between hosts. */
  readonly username?: Node | undefined;
  readonly cmdline?: Node | undefined;
  readonly cpu: Node;
  readonly memory: Node;
  readonly rss: Node;
  /** Address space, if it grows with the memory. */
  readonly vms?: Node | undefined;
  readonly status?: Node;
  /** Bytes that had to be read from disks before it could continue; 0 if absent. */
  readonly pageIns?: Node | undefined;
};

/** Cells of several processes, in columns: a list of rows takes twice the time, most of it for access. */
export type ProcessTable = Table<'pid' | 'rss' | 'memory' | 'cpu'>;

export function processTable(count: number, cells: Cells): ProcessTable {
  return cells.table(count, 'pid', 'rss', 'memory', 'cpu');
}

/** A process as the agent reports it: `exec` is the first word of the command, `name` the last part of its path. */
export function processNode({ daemon, cpu, memory, rss, status = 'Sleep', pageIns = 0, ...own }: ProcessValues): Node {
  const exec = daemon.command.split(' ')[0] ?? '';
  return {
    pid: own.pid,
    ppid: own.ppid,
    username: own.username ?? daemon.user,
    name: exec.slice(exec.lastIndexOf('/') + 1),
    cpu_percent: cpu,
    memory_percent: memory,
    cmdline: own.cmdline ?? daemon.command,
    status: [status],
    exec,
    nice_level: daemon.nice ?? 0,
    num_fds: 0,
    Memory: { rss, vms: own.vms ?? virtualBytes(daemon), hwm: 0, data: 0, stack: 0, locked: 0, swap: pageIns },
    CreateTime: 0,
  };
}

export function listedAt(
  table: ProcessTable,
  index: number,
  { present, ...values }: Omit<ProcessValues, 'pid' | 'memory' | 'rss'> & Pick<Listed, 'present'>,
): Listed {
  const { pid, memory, rss } = rowAt(table, index);
  const figures = { pid: slot.integer(pid), memory: slot.tenths(memory), rss: slot.integer(rss) };
  return { pid, present, node: processNode({ ...values, ...figures }) };
}

const PAGE_BYTES = 4096;

/** Virtual memory of a program and its forks, hardly ever whole MiB. Kernel threads map nothing. */
function virtualBytes({ virtualMib, command }: Pick<PosixProgram, 'virtualMib' | 'command'>): number {
  if (virtualMib === 0) return 0;
  const [program = ''] = command.split(' ');
  return virtualMib * MIB + PAGE_BYTES * (1 + (hash32(0, program) % 254));
}

/** Share of memory in whole tenths of a percent, as `ps` reports it: Linux truncates, macOS rounds. */
export function memoryTenths(rss: number, memoryBytes: number, rounding = Math.floor): number {
  return rounding((rss / memoryBytes) * 1000);
}

/** A process that runs from boot, or while its service does. */
export type PosixResident = PosixProgram &
  Sharer &
  Pick<ProcessValues, 'username' | 'cmdline' | 'pageIns'> & {
    /** Index of its parent; -1 if the first process is its parent. */
    readonly parent: number;
  };

type ResidentsInput = GuestPart & {
  readonly residents: readonly PosixResident[];
  readonly memory: HostMemory;
  readonly cores: number;
  /** The mean share of all cores that `ps` reports, from 0 to 1: Linux divides CPU time by age, macOS has the last minute. */
  readonly busy: 'busySinceBoot' | 'busyMinute';
  readonly leak: Leak;
  /** Filled with the CPU time of all, in tenths of a percent of a core. */
  readonly worked: Cell;
};

/** A program whose address space follows its memory: large ones, and the one that leaks. `leastBytes` is its usual size. */
type Growing = { readonly index: number; readonly vms: Cell; readonly leastBytes: number };

/** Slightly more than the largest deviation of a program's memory from its usual size. */
const MAX_NOISE = 1.2;

/** The residents of a host. Their figures are filled, but not their PIDs. */
export function residentProcesses(input: ResidentsInput, table: ProcessTable, cells: Cells) {
  const { residents, leak } = input;
  const mostGrowth = MAX_NOISE * mostGrowthOf(residents);
  const growing: Growing[] = [];
  const listed = residents.map((resident, index) => {
    const { memoryMib, work, steady, running: present, parent, username, cmdline, pageIns } = resident;
    const grows = memoryMib >= LARGE_MIB || index === leak.index;
    const vms = grows ? cells.one() : undefined;
    if (vms !== undefined) growing.push({ index, vms, leastBytes: virtualBytes(resident) });
    const roomyMib = Math.max(resident.virtualMib, Math.ceil(memoryMib * mostGrowth));
    return listedAt(table, index, {
      present,
      username,
      cmdline,
      pageIns,
      ppid: parent < 0 ? 1 : slot.integer(nth(table.pid, parent)),
      daemon: steady ? resident : { ...resident, virtualMib: roomyMib },
      cpu: work === 0 ? 0 : slot.tenths(nth(table.cpu, index)),
      vms: vms && slot.integer(vms),
    });
  });
  return { listed, fill: figuresFill(input, growing, table) };
}

/** Address space of a program: a little more than its memory, and its libraries. Chosen. */
const MAPPED_FACTOR = 1.03;
const MAPPED_BYTES = 90 * MIB;

function figuresFill(input: ResidentsInput, growing: readonly Growing[], table: ProcessTable): Fill {
  const { residents, memory, cores, busy, leak, guests, runner, worked } = input;
  const shares = sharesOf(residents, memory, input);
  const count = residents.length;
  const leaking = leak.index;
  const { pageBytes, shares: rounding } = memory.rules;
  const fill: Fill = (frame, host) => {
    const total = valueAt(frame, memory.total);
    const tenthsOfCores = 1000 * cores * host[busy];
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const leaked = i === leaking ? valueAt(frame, memory.leaked) : 0;
      const rss = pages((shares.heldBytes[i] as number) + leaked, pageBytes);
      const cpu = Math.floor(tenthsOfCores * (shares.workShares[i] as number));
      sum += cpu;
      frame[nth(table.rss, i)] = rss;
      frame[nth(table.memory, i)] = memoryTenths(rss, total, rounding);
      frame[nth(table.cpu, i)] = cpu;
    }
    for (const { index, vms, leastBytes } of growing)
      frame[vms] = Math.max(leastBytes, pages(MAPPED_FACTOR * valueAt(frame, nth(table.rss, index)) + MAPPED_BYTES));
    const tenths = guestsSum(frame, guests, 'tenths');
    frame[worked] = sum + tenths;
    if (runner < 0) return;
    const rss = valueAt(frame, nth(table.rss, runner)) + pages(guestsSum(frame, guests, 'bytes'), pageBytes);
    frame[nth(table.rss, runner)] = rss;
    frame[nth(table.memory, runner)] = memoryTenths(rss, total, rounding);
    frame[nth(table.cpu, runner)] = valueAt(frame, nth(table.cpu, runner)) + tenths;
  };
  return inTurn([shares.fill, fill]);
}

type FirstProgram = PosixProgram & {
  readonly memoryMib: number;
  /** Range of its memory on different hosts above 0.9 of the usual. */
  readonly spread: number;
  /** CPU time in tenths of a percent of a core while the cores are busy. */
  readonly workTenths: number;
};

const PROCESSES = streamLabel('processes');

/** The process with PID 1, such as systemd or launchd. */
export function firstProcess(program: FirstProgram, memory: HostMemory, cells: Cells): Part {
  const row = cells.row('rss', 'memory', 'cpu');
  const figures = { cpu: slot.tenths(row.cpu), memory: slot.tenths(row.memory), rss: slot.integer(row.rss) };
  return {
    node: processNode({ pid: 1, ppid: 0, daemon: program, ...figures }),
    fill(frame, { hostKey, busyMinute }) {
      const held = program.memoryMib * MIB * (0.9 + program.spread * unit(keyOf(hostKey, PROCESSES), -1));
      const rss = pages(held, memory.rules.pageBytes);
      frame[row.rss] = rss;
      frame[row.memory] = memoryTenths(rss, valueAt(frame, memory.total), memory.rules.shares);
      frame[row.cpu] = Math.round(program.workTenths * busyMinute);
    },
  };
}

/** A process that holds the same memory on all hosts. */
export type SmallProcess = Pick<ProcessValues, 'daemon'> &
  Partial<Pick<ProcessValues, 'ppid' | 'cpu' | 'status' | 'username' | 'cmdline'>> & { readonly rss: number };

type SequenceInput = {
  readonly present?: Cell;
  readonly processes: readonly SmallProcess[];
  /** Returns the PID of the first one. */
  readonly pid: (frame: CellValues, host: HostState) => number;
};

export function smallProcesses(memory: HostMemory, cells: Cells) {
  const shareOf = (rss: number, total: number) => memoryTenths(rss, total, memory.rules.shares);
  const shares = fixedShares(memory, { slotOf: slot.tenths, shareOf }, cells);
  const node = (pid: Cell, process: SmallProcess): Node =>
    processNode({ pid: slot.integer(pid), ppid: 1, cpu: 0, memory: shares.of(process.rss), ...process });
  return {
    node,
    /** Processes with PIDs in a row. Each starts the next one. */
    sequence({ present, processes, pid }: SequenceInput): ProcessList {
      const pids = cells.list(processes.length);
      const listed = processes.map((process, index): Listed => {
        const [own, parent] = [pids[index] as Cell, pids[index - 1]];
        const ppid = parent === undefined ? 1 : slot.integer(parent);
        return { pid: own, present, node: node(own, { ppid, ...process }) };
      });
      const fill: Fill = (frame, host) => {
        const first = pid(frame, host);
        for (let index = 0; index < pids.length; index++) frame[pids[index] as Cell] = first + index;
      };
      return { listed, fill };
    },
    fill: shares.fill,
  };
}

const RUNAWAY = { user: 'root', command: '/usr/bin/python3 /opt/shop/bin/report.py --all', virtualMib: 210 };
const RUNAWAY_BYTES = 60 * MIB;

type RunawayInput = {
  readonly incidents: readonly Incident[];
  readonly cores: number;
  readonly memory: HostMemory;
  readonly firstPid: number;
  /** CPU time of all other processes, in tenths of a percent of a core. */
  readonly worked: Cell;
};

/** Processes that take the remaining CPU time, one for each incident of this kind. */
export function runawayProcesses(
  { incidents, cores, memory, firstPid, worked }: RunawayInput,
  cells: Cells,
): ProcessList {
  const small = smallProcesses(memory, cells);
  const program = { daemon: RUNAWAY, rss: RUNAWAY_BYTES, status: 'Running' };
  const saturating = saturatingProcesses(
    {
      incidents,
      pidAt: (index) => firstPid + index,
      node: ({ pid, cpu }) => small.node(pid, { ...program, cpu: slot.tenths(cpu) }),
      idleTime: (frame, { busyMinute }) =>
        Math.min(1000 * cores * (1 - busyMinute), 1000 * cores - valueAt(frame, worked)),
    },
    cells,
  );
  return { listed: saturating.listed, fill: inTurn([small.fill, saturating.fill]) };
}
