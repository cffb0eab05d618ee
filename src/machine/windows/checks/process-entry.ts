import { type Cells, nth, type Row, type Table } from '../../document/cells.ts';
import type { Node } from '../../document/nodes.ts';
import type { Program } from '../data/program-table.ts';

const FIGURES = [
  'pid',
  'workingSet',
  'privateWorkingSet',
  'privateBytes',
  'handles',
  'created',
  'memoryPercent',
  'cpu',
] as const;

/** What changes about a process. */
export type ProcessRow = Row<(typeof FIGURES)[number]>;
/** The cells of so many processes, in columns. */
export type ProcessTable = Table<(typeof FIGURES)[number]>;

export function processTable(count: number, cells: Cells): ProcessTable {
  return cells.table(count, ...FIGURES);
}

export function rowOf(table: ProcessTable, index: number): ProcessRow {
  return {
    pid: nth(table.pid, index),
    workingSet: nth(table.workingSet, index),
    privateWorkingSet: nth(table.privateWorkingSet, index),
    privateBytes: nth(table.privateBytes, index),
    handles: nth(table.handles, index),
    created: nth(table.created, index),
    memoryPercent: nth(table.memoryPercent, index),
    cpu: nth(table.cpu, index),
  };
}

export type ProcessValues = {
  readonly pid: Node;
  readonly ppid: Node;
  readonly program: Program;
  readonly cpu: Node;
  readonly memoryPercent: Node;
  readonly handles: Node;
  readonly workingSet: Node;
  readonly privateWorkingSet: Node;
  readonly privateBytes: Node;
  /** Unix seconds; 0 where the agent may not look. */
  readonly created: Node;
};

/** A process in the agent's words. It knows neither users nor states on Windows. */
export function processNode({ program, ...values }: ProcessValues): Node {
  return {
    pid: values.pid,
    ppid: values.ppid,
    username: '',
    name: program.name,
    cpu_percent: values.cpu,
    memory_percent: values.memoryPercent,
    cmdline: program.command,
    status: null,
    exec: program.path,
    nice_level: 0,
    num_fds: values.handles,
    Memory: {
      working_set: values.workingSet,
      working_set_private: values.privateWorkingSet,
      private_bytes: values.privateBytes,
    },
    CreateTime: values.created,
  };
}
