import { hash32 } from '../../../ground/kernel/random.ts';
import { MIB } from '../../../ground/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Chain,
  type Node,
  nth,
  type Row,
  slot,
  type Table,
  valueAt,
} from '../../document/nodes.ts';
import type { Guests } from '../../host/containers.ts';
import { type Incident, isActive, ofKind } from '../../host/incident.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { type Fill, inTurn } from '../../host/part.ts';
import { LARGE_MIB, type Sharer, sharesOf } from './common.ts';

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
  readonly username?: Node;
  readonly cmdline?: Node;
  readonly cpu: Node;
  readonly memory: Node;
  readonly rss: Node;
  /** Address space, if it grows with the memory. */
  readonly vms?: Node | undefined;
  readonly status?: Node;
  /** Bytes that had to be read from disks before it could continue; 0 if absent. */
  readonly pageIns?: Node;
};

/** The values of a process that change. */
export type ProcessRow = Row<'pid' | 'rss' | 'memory' | 'cpu'>;

/** Cells of several processes, in columns: a list of rows takes twice the time, most of it for access. */
export type ProcessTable = Table<keyof ProcessRow>;

export function processTable(count: number, cells: Cells): ProcessTable {
  return cells.table(count, 'pid', 'rss', 'memory', 'cpu');
}

/** A process as the agent reports it: `exec` is the first word of the command, `name` the last part of its path. */
export function processNode(values: ProcessValues): Node {
  const {
    pid,
    ppid,
    daemon,
    cpu,
    memory,
    rss,
    status = 'Sleep',
    username,
    cmdline = daemon.command,
    pageIns = 0,
    vms = virtualBytes(daemon),
  } = values;
  const exec = daemon.command.split(' ')[0] ?? '';
  return {
    pid,
    ppid,
    username: username ?? daemon.user,
    name: exec.slice(exec.lastIndexOf('/') + 1),
    cpu_percent: cpu,
    memory_percent: memory,
    cmdline,
    status: [status],
    exec,
    nice_level: daemon.nice ?? 0,
    num_fds: 0,
    Memory: { rss, vms, hwm: 0, data: 0, stack: 0, locked: 0, swap: pageIns },
    CreateTime: 0,
  };
}

/** A listed process: its PID, and the cell that is 0 while it is absent, if it can be. */
export type Listed = { readonly node: Node; readonly pid: Cell; readonly present?: Cell | undefined };

/** Instead of a cell, for processes that are always present. */
const ALWAYS = -1;

/** Processes ordered by PID, as `ps` lists them even after restarts. Filled after the PIDs. */
export function inOrderOfPids(all: readonly Listed[], cells: Cells): { readonly node: Chain; readonly fill: Fill } {
  const first = cells.one();
  const next = cells.column(all.length);
  const pids = Int32Array.from(all, ({ pid }) => pid);
  const presences = Int32Array.from(all, ({ present = ALWAYS }) => present);
  const order = new Int32Array(all.length);
  const numbers = new Float64Array(all.length);
  const fill: Fill = (frame) => {
    let count = 0;
    // Few processes are out of order, so insertions are near the end.
    for (let place = 0; place < pids.length; place++) {
      const present = presences[place] as number;
      if (present !== ALWAYS && valueAt(frame, present as Cell) === 0) continue;
      const pid = valueAt(frame, pids[place] as Cell);
      let at = count++;
      for (; at > 0 && (numbers[at - 1] as number) > pid; at--) {
        order[at] = order[at - 1] as number;
        numbers[at] = numbers[at - 1] as number;
      }
      order[at] = place;
      numbers[at] = pid;
    }
    let last = first;
    for (let at = 0; at < count; at++) {
      const place = order[at] as number;
      frame[last] = place;
      last = nth(next, place);
    }
    frame[last] = pids.length;
  };
  return {
    node: slot.chain(
      first,
      next,
      all.map(({ node }) => node),
    ),
    fill,
  };
}

const PAGE_BYTES = 4096;

/**
 * Virtual memory of a program, hardly ever whole MiB. The extra pages depend on the program and are the same for all its forks.
 * Kernel threads map nothing.
 */
function virtualBytes({ virtualMib, command }: Pick<PosixProgram, 'virtualMib' | 'command'>): number {
  if (virtualMib === 0) return 0;
  const [program = ''] = command.split(' ');
  return virtualMib * MIB + PAGE_BYTES * (1 + (hash32(0, program) % 254));
}

/** Share of memory in whole tenths of a percent, as `ps` reports it: Linux truncates, macOS rounds. */
export function memoryTenths(rss: number, memoryBytes: number, rounding = Math.floor): number {
  return rounding((rss / memoryBytes) * 1000);
}

type FiguresInput = {
  readonly sharers: readonly Sharer[];
  readonly memory: HostMemory;
  readonly cores: number;
  /** The mean share of all cores that `ps` reports, from 0 to 1: Linux divides CPU time by age, macOS has the last minute. */
  readonly busy: 'busySinceBoot' | 'busyMinute';
  /** Place of the program that leaks; -1 if none can. */
  readonly leaking: number;
  readonly guests: readonly Guests[];
  /** Place of the program that the guests run in; -1 if they have processes of their own. */
  readonly around: number;
  /** Programs whose address space follows their memory. */
  readonly growing?: readonly Growing[];
};

/** `least` is the usual address space in bytes. */
type Growing = { readonly place: number; readonly vms: Cell; readonly least: number };

/** Large programs, and the one that leaks, hold any amount of memory. */
export function growingOf(
  sharers: readonly (Pick<PosixProgram, 'virtualMib' | 'command'> & Pick<Sharer, 'memoryMib'>)[],
  leaking: number,
  cells: Cells,
): readonly Growing[] {
  return sharers.flatMap(({ memoryMib, virtualMib, command }, place) => {
    const grows = memoryMib >= LARGE_MIB || place === leaking;
    return grows ? [{ place, vms: cells.one(), least: virtualBytes({ virtualMib, command }) }] : [];
  });
}

/** Address space of libraries. */
const MAPPED = 90 * MIB;

/** Fills the memory and CPU time of processes, but not their PIDs. `worked` is in tenths of a percent of a core. */
export function processFigures(input: FiguresInput, table: ProcessTable, worked: Cell): Fill {
  const { sharers, memory, cores, busy, leaking, guests, around, growing = [] } = input;
  const shares = sharesOf(sharers, guests);
  const count = sharers.length;
  const { pageBytes, shares: rounding } = memory.rules;
  return (frame, host) => {
    const total = valueAt(frame, memory.total);
    shares.divide(frame, host, valueAt(frame, memory.programs));
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
    for (let i = 0; i < growing.length; i++) {
      const { place, vms, least } = growing[i] as Growing;
      frame[vms] = Math.max(least, pages(1.03 * valueAt(frame, nth(table.rss, place)) + MAPPED));
    }
    const tenths = sumOf(frame, guests, 'tenths');
    frame[worked] = sum + tenths;
    if (around < 0) return;
    const rss = valueAt(frame, nth(table.rss, around)) + pages(sumOf(frame, guests, 'bytes'), pageBytes);
    frame[nth(table.rss, around)] = rss;
    frame[nth(table.memory, around)] = memoryTenths(rss, total, rounding);
    frame[nth(table.cpu, around)] = valueAt(frame, nth(table.cpu, around)) + tenths;
  };
}

function sumOf(frame: CellValues, guests: readonly Guests[], figure: 'tenths' | 'bytes'): number {
  let sum = 0;
  for (let i = 0; i < guests.length; i++) sum += valueAt(frame, (guests[i] as Guests)[figure]);
  return sum;
}

const RUNAWAY = { user: 'root', command: '/usr/bin/python3 /opt/shop/bin/report.py --all', virtualMib: 210 };
const RESIDENT_MIB = 60;

type RunawayInput = {
  readonly incidents: readonly Incident[];
  readonly cores: number;
  readonly memory: HostMemory;
  readonly firstPid: number;
  /** CPU time of all other processes, in tenths of a percent of a core. */
  readonly worked: Cell;
};

/** Processes that take the remaining CPU time, one for each incident of this kind. */
export function runawayProcesses({ incidents, cores, memory, firstPid, worked }: RunawayInput, cells: Cells) {
  const rss = RESIDENT_MIB * MIB;
  const saturating = ofKind(incidents, 'cpu-saturated');
  const parts = saturating.map((incident, index) => {
    const row = cells.row('pid', 'present', 'cpu', 'memory');
    const { pid } = row;
    const changing = { cpu: slot.tenths(row.cpu), memory: slot.tenths(row.memory) };
    const node = processNode({ pid: slot.integer(pid), ppid: 1, daemon: RUNAWAY, rss, status: 'Running', ...changing });
    const fill: Fill = (frame, host) => {
      const left = 1000 * cores * (1 - host.busyMinute);
      const runs = saturating.filter((it) => isActive(it, host.incidents, host.checkMs));
      frame[pid] = firstPid + index;
      frame[row.present] = runs.includes(incident) ? 1 : 0;
      frame[row.cpu] = Math.floor(Math.min(left, 1000 * cores - valueAt(frame, worked)) / Math.max(1, runs.length));
      frame[row.memory] = memoryTenths(rss, valueAt(frame, memory.total), memory.rules.shares);
    };
    return { node, pid, present: row.present, fill };
  });
  const listed: readonly Listed[] = parts;
  return { listed, fill: inTurn(parts.map(({ fill }) => fill)) };
}
