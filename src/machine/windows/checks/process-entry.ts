import type { Node } from '../../document/nodes.ts';
import type { Program } from '../data/program-table.ts';

export const MIB = 1024 * 1024;

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
