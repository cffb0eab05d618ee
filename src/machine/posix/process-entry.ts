import { MIB } from '../../kernel/units.ts';
import { type Cells, nth, type Row, type Table } from '../document/cells.ts';
import type { Node } from '../document/nodes.ts';

/** A running program as `ps` tells it. */
export type Program = {
  readonly user: string;
  readonly command: string;
  readonly virtualMib: number;
  readonly nice?: number;
};

export type ProcessValues = {
  readonly pid: Node;
  readonly ppid: Node;
  readonly daemon: Program;
  /** Where it is not the same on every host. */
  readonly username?: Node;
  readonly cmdline?: Node;
  readonly cpu: Node;
  readonly memory: Node;
  readonly rss: Node;
  readonly status?: string;
};

/** What changes about a process. */
export type ProcessRow = Row<'pid' | 'rss' | 'memory' | 'cpu'>;

/** The cells of so many processes, in columns: a list of rows takes twice the time, most of it to reach them. */
export type ProcessTable = Table<keyof ProcessRow>;

export function processTable(count: number, cells: Cells): ProcessTable {
  return cells.table(count, 'pid', 'rss', 'memory', 'cpu');
}

export function rowOf({ pid, rss, memory, cpu }: ProcessTable, index: number): ProcessRow {
  return { pid: nth(pid, index), rss: nth(rss, index), memory: nth(memory, index), cpu: nth(cpu, index) };
}

/** A process in the agent's words: `exec` is the first word of the command, `name` the last part of its path. */
export function processNode(values: ProcessValues): Node {
  const { pid, ppid, daemon, cpu, memory, rss, status = 'Sleep', username, cmdline = daemon.command } = values;
  const exec = daemon.command.split(' ')[0] ?? '';
  const vms = daemon.virtualMib * MIB;
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
    Memory: { rss, vms, hwm: 0, data: 0, stack: 0, locked: 0, swap: 0 },
    CreateTime: 0,
  };
}

/** The share of memory in tenths of a percent: `ps` gives percentages with one decimal. */
export function memoryTenths(rss: number, memoryBytes: number): number {
  return Math.round((rss / memoryBytes) * 1000);
}
