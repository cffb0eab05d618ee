import type { Cell, Cells, Frame, Row } from '../../document/cells.ts';
import { either, integer, type Node, optional } from '../../document/nodes.ts';
import { MIB, memoryTenths, processNode } from '../../posix/process-entry.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import type { Daemon } from '../data/daemons.ts';

const TRANSIENT = streamLabel('processes.transient');
const PIDS = 4_000_000;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command --columns 10000';

type TransientInput = {
  /** Numbers of what starts after the boot is done begin here. */
  readonly lowestPid: number;
  readonly parent: Cell | undefined;
  readonly memoryBytes: number;
  readonly cronJob: string;
  readonly cells: Cells;
};

/** Processes with a life of minutes. The older ones stand first, so that numbers rise along the list. */
export function transientPart(count: number, { parent, lowestPid, memoryBytes, cronJob, cells }: TransientInput) {
  const rows = Array.from({ length: count }, () => cells.row('present', 'kind', 'pid'));
  const listing = cells.one();
  const nodes = rows.map(({ present, kind, pid }) => {
    const forms = [...TRANSIENTS, { ...CRON, command: cronJob }].map((daemon) => {
      return transientNode(daemon, { pid, memoryBytes });
    });
    return optional(present, either(kind, forms));
  });
  const ppid = parent === undefined ? 1 : integer(parent);
  const ps = { user: 'root', command: LISTING, memoryMib: 4, virtualMib: 9 };
  const memory = memoryTenths(4 * MIB, memoryBytes) / 10;
  const own = processNode({ pid: integer(listing), ppid, daemon: ps, cpu: 0, memory, rss: 4 * MIB, status: 'Running' });
  const fill = (frame: Frame, moment: Moment) => {
    for (const [index, row] of rows.entries()) fillTransient(frame, row, { moment, lowestPid, index, count });
    frame[listing] = lowestPid + startedBy(moment, secondsSinceEpoch(moment.checkMs), { index: count, count });
  };
  return { node: [...nodes, own], fill };
}

type Numbered = { readonly index: number; readonly count: number };
type Started = Numbered & { readonly moment: Moment; readonly lowestPid: number };

function fillTransient(
  frame: Frame,
  row: Row<'present' | 'kind' | 'pid'>,
  { moment, lowestPid, index, count }: Started,
): void {
  const key = keyOf(moment.hostKey, TRANSIENT) + index;
  // Lives are halves of one another, so a later place in the list never starts before an earlier one.
  const life = 2 ** (12 - ((index % 12) >> 1)) * (index < 12 ? 16 : 1);
  const now = secondsSinceEpoch(moment.checkMs);
  const window = Math.floor(now / life);
  const start = window * life;
  const here = unit(key, window) < 0.7 && start > secondsSinceEpoch(moment.bootMs) + 60;
  frame[row.present] = here ? 1 : 0;
  frame[row.kind] = Math.floor(unit(key, ~window) * (TRANSIENTS.length + 1));
  frame[row.pid] = lowestPid + startedBy(moment, start, { index, count });
}

/**
 * How many processes were started since the boot, up to the kernel's limit: every second as many as there are places in
 * the list, so that no two processes of any time have the same number.
 */
function startedBy({ bootMs }: Moment, startSeconds: number, { index, count }: Numbered): number {
  const sinceBoot = startSeconds - secondsSinceEpoch(bootMs);
  return (sinceBoot * (count + 1) + index) % PIDS;
}

const CRON = { user: 'root', memoryMib: 3, virtualMib: 10 };
const TRANSIENTS: readonly Daemon[] = [
  { user: 'root', command: '[kworker/u16:2-events_unbound]', memoryMib: 0, virtualMib: 0 },
  { user: 'root', command: '[kworker/0:3-cgroup_destroy]', memoryMib: 0, virtualMib: 0 },
  { user: 'root', command: '[kworker/1:2-events_freezable]', memoryMib: 0, virtualMib: 0 },
  { user: 'root', command: '[kworker/u16:0-flush-252:0]', memoryMib: 0, virtualMib: 0 },
  { user: 'root', command: '[kworker/1:1H-kblockd]', memoryMib: 0, virtualMib: 0, nice: -20 },
  { user: 'root', command: 'sshd: robin [priv]', memoryMib: 10, virtualMib: 15 },
  { user: 'robin', command: '-bash', memoryMib: 5, virtualMib: 9 },
];

function transientNode(daemon: Daemon, { pid, memoryBytes }: { pid: Cell; memoryBytes: number }): Node {
  const kernel = daemon.command.startsWith('[');
  const rss = daemon.memoryMib * MIB;
  const memory = memoryTenths(rss, memoryBytes) / 10;
  const status = kernel ? 'Idle' : 'Sleep';
  return processNode({ pid: integer(pid), ppid: kernel ? 2 : 1, daemon, cpu: 0, memory, rss, status });
}
