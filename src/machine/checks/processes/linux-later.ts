import { MIB } from '../../../kernel/units.ts';
import {
  type Cell,
  type Cells,
  either,
  integer,
  type Node,
  type Optional,
  optional,
  type Row,
  tenths,
  valueAt,
} from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { HostMemory } from '../../host/memory.ts';
import { type Fill, inTurn } from '../../host/part.ts';
import type { LoginSession } from '../users.ts';
import { memoryTenths, type PosixProgram, processNode } from './posix.ts';
import { shortLivedProcesses } from './short-lived.ts';

export type LaterInput = {
  /** Places for what comes and goes. */
  readonly count: number;
  /** Numbers of what starts after the boot is done begin here. */
  readonly lowestPid: number;
  /** The agent, which makes the listing. */
  readonly parent: Cell | undefined;
  readonly memory: HostMemory;
  readonly cronJob: string;
  /** Who is logged in: each login has its processes. */
  readonly sessions: readonly LoginSession[];
  readonly names: readonly string[];
};

type Small = PosixProgram & { readonly memoryMib: number };

const PIDS = 4_000_000;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command --columns 10000';

const KERNEL_WORKERS = [
  '[kworker/u16:2-events_unbound]',
  '[kworker/0:3-cgroup_destroy]',
  '[kworker/1:2-events_freezable]',
  '[kworker/u16:0-flush-252:0]',
  '[kworker/1:1H-kblockd]',
  '[kworker/0:1-mm_percpu_wq]',
];

const PER_SESSION = 3;

/** What starts after the boot: processes with a life of minutes, those of logins, and the listing itself. */
export function laterProcesses(input: LaterInput, cells: Cells): { nodes: readonly (Node | Optional)[]; fill: Fill } {
  const { count, lowestPid, cronJob, sessions } = input;
  const perSecond = count + PER_SESSION * sessions.length + 1;
  const pidOf = (host: HostState, startSeconds: number, index: number) => {
    const sinceBoot = startSeconds - secondsSinceEpoch(host.bootMs);
    return lowestPid + ((sinceBoot * perSecond + index) % PIDS);
  };
  const workers = KERNEL_WORKERS.map((command): Small => ({ user: 'root', command, memoryMib: 0, virtualMib: 0 }));
  const kinds = [...workers, { user: 'root', command: cronJob, memoryMib: 3, virtualMib: 10 }];
  const short = shortLivedProcesses(
    {
      count,
      kinds: kinds.length,
      // Lives are halves of one another, so a later place in the list never starts before an earlier one.
      lifeSeconds: (place) => 2 ** (12 - ((place % 12) >> 1)) * (place < 12 ? 16 : 1),
      pid: ({ host, startSeconds, place }) => pidOf(host, startSeconds, place),
    },
    cells,
  );
  const small = smallMemory(input.memory, cells);
  const nodes = short.rows.map(({ present, kind, pid }) => {
    return optional(
      present,
      either(
        kind,
        kinds.map((program) => small.node(program, integer(pid))),
      ),
    );
  });
  const logins = sessions.map((session, index) => {
    return loginPart(session, { input, small, cells, pid: (host, start) => pidOf(host, start, count + 3 * index) });
  });
  const listing = cells.one();
  const ps = { user: 'root', command: LISTING, memoryMib: 4, virtualMib: 9 };
  const ppid = input.parent === undefined ? 1 : integer(input.parent);
  const tell: Fill = (frame, host) => {
    frame[listing] = pidOf(host, secondsSinceEpoch(host.checkMs), perSecond - 1);
  };
  return {
    nodes: [
      ...nodes,
      ...logins.flatMap((login) => login.nodes),
      small.node(ps, integer(listing), { ppid, status: 'Running' }),
    ],
    fill: inTurn([small.fill, short.fill, ...logins.map(({ fill }) => fill), tell]),
  };
}

type Own = { readonly ppid?: Node; readonly status?: string; readonly cmdline?: Node; readonly username?: Node };

type SmallMemory = { readonly node: (program: Small, pid: Node, own?: Own) => Node; readonly fill: Fill };

/** Processes that hold as much as their table says; shares of memory depend on the host, one cell for each size. */
function smallMemory({ total }: HostMemory, cells: Cells): SmallMemory {
  const sizes = new Map<number, Cell>();
  const shareOf = (memoryMib: number): Node => {
    if (memoryMib === 0) return 0;
    const cell = sizes.get(memoryMib) ?? cells.one();
    sizes.set(memoryMib, cell);
    return tenths(cell);
  };
  return {
    node(program, pid, own = {}) {
      const kernel = program.command.startsWith('[');
      const usual = { ppid: kernel ? 2 : 1, status: kernel ? 'Idle' : 'Sleep' };
      const memory = shareOf(program.memoryMib);
      return processNode({ pid, daemon: program, cpu: 0, memory, rss: program.memoryMib * MIB, ...usual, ...own });
    },
    fill(frame) {
      for (const [mib, cell] of sizes) frame[cell] = memoryTenths(mib * MIB, valueAt(frame, total));
    },
  };
}

type LoginInput = {
  readonly input: LaterInput;
  readonly small: SmallMemory;
  readonly cells: Cells;
  /** The first of three numbers for a login that began at an instant, in seconds since the epoch. */
  readonly pid: (host: HostState, startSeconds: number) => number;
};

/** The two processes of a login over SSH, and its shell. */
function loginPart({ row, terminal }: LoginSession, { input, small, cells, pid }: LoginInput) {
  const pids: Row<'monitor' | 'session' | 'shell'> = cells.row('monitor', 'session', 'shell');
  const { names } = input;
  const named = (before: string, after: string) =>
    either(
      row.name,
      names.map((name) => `${before}${name}${after}`),
    );
  const user = either(row.name, names);
  const ssh = { user: 'root', command: 'sshd:', memoryMib: 10, virtualMib: 15 };
  const shell = { user: '', command: '-bash', memoryMib: 5, virtualMib: 9 };
  const nodes = [
    small.node(ssh, integer(pids.monitor), { cmdline: named('sshd: ', ' [priv]') }),
    small.node({ ...ssh, memoryMib: 6 }, integer(pids.session), {
      ppid: integer(pids.monitor),
      username: user,
      cmdline: named('sshd: ', `@${terminal}`),
    }),
    small.node(shell, integer(pids.shell), { ppid: integer(pids.session), username: user }),
  ].map((node) => optional(row.present, node));
  const fill: Fill = (frame, host) => {
    const first = pid(host, valueAt(frame, row.started) - EPOCH_SECONDS);
    frame[pids.monitor] = first;
    frame[pids.session] = first + 1;
    frame[pids.shell] = first + 2;
  };
  return { nodes, fill };
}
