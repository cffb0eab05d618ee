import { hash32 } from '../../../base/kernel/random.ts';
import { HOUR_SECONDS, MIB } from '../../../base/kernel/units.ts';
import { type Cell, type Cells, type CellValues, type Column, nth, slot, valueAt } from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Lasting } from '../../host/linux/services.ts';
import type { HostMemory } from '../../host/memory.ts';
import { inRange, keyOf, scramble, streamLabel, unit, type ValueRange } from '../../host/noise.ts';
import { type Fill, inTurn } from '../../host/part.ts';
import type { LoginSession } from '../users.ts';
import { joined, type ProcessList, shortLivedProcesses } from './common.ts';
import { type SmallProcess, smallProcesses } from './posix.ts';

export type LaterInput = {
  readonly count: number;
  /** Returns the PIDs of processes that start after the boot. Each has an index below `laterCount`. */
  readonly pidOf: PidOf;
  /** PID of the agent, which runs `ps`. */
  readonly parent: Cell | undefined;
  readonly memory: HostMemory;
  readonly cores: number;
  /** Device number of the first disk. */
  readonly disk: string;
  readonly cronJob: string;
  readonly sessions: readonly LoginSession[];
};

/** Returns the PID of a process by its start, in seconds since the epoch. */
type PidOf = (host: HostState, startSeconds: number, index: number) => number;

const STARTS = streamLabel('processes.starts');
const SPELL_SECONDS = 64;
/** Largest deviation of starts from an even pace. Less than a spell, so that PIDs never decrease. */
const MAX_BEHIND_SECONDS = 0.75 * SPELL_SECONDS;

/** Seconds at an uneven pace, because programs start more often in one minute than in the next. */
function unevenly(bootKey: number, seconds: number): number {
  const key = keyOf(bootKey, STARTS);
  const spell = Math.floor(seconds / SPELL_SECONDS);
  const part = seconds / SPELL_SECONDS - spell;
  const ahead = (1 - part) * unit(key, spell) + part * unit(key, spell + 1);
  return seconds + MAX_BEHIND_SECONDS * ahead;
}

/** PIDs that rise with the start times, at an uneven pace. Up to `perSecond` processes may start at the same time. */
export function risingPids(lowest: number, perSecond: number): PidOf {
  // Even at the slowest pace, a second has PIDs for all.
  const rate = Math.ceil((perSecond + 1) / (1 - MAX_BEHIND_SECONDS / SPELL_SECONDS));
  return (host, startSeconds, index) => {
    const sinceBoot = startSeconds - secondsSinceEpoch(host.bootMs);
    return lowest + ((Math.floor(rate * unevenly(host.bootKey, sinceBoot)) + index) % PIDS);
  };
}

/** The number of these processes that may start at the same time. */
export function laterCount({ count, sessions }: Pick<LaterInput, 'count' | 'sessions'>): number {
  return count + PER_SESSION * sessions.length + 2;
}

const PIDS = 4_000_000;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command --columns 10000';

/** Work of kernel workers that are not bound to a core. */
function worksOn(disk: string): readonly string[] {
  const pages = `flush-${disk}`;
  return ['events_unbound', 'events_power_efficient', pages, 'writeback', 'events_long', 'events_freezable'];
}

const PER_SESSION = 3;

/** Processes that start after the boot: those that live for minutes, those of logins, and `ps` itself. */
export function laterProcesses(input: LaterInput, cells: Cells): ProcessList {
  const { count, cores, memory, pidOf, cronJob, sessions } = input;
  const reserved = laterCount(input);
  const works = worksOn(input.disk);
  const small = smallProcesses(memory, cells);
  const agent = input.parent === undefined ? 1 : slot.integer(input.parent);
  const short = shortLivedProcesses(
    {
      count,
      // Each index has its own worker number, so that none appears twice. The first number exists from boot.
      programsAt: (index) => [
        ...works.map((work) => kernelWorker(`[kworker/u${2 * cores}:${index + 1}-${work}]`)),
        program('root', cronJob, { memoryMib: 3, virtualMib: 10 }),
      ],
      node: (process, { pid }) => small.node(pid, process),
      // Lifetimes differ by powers of two, so a process never starts before one that is earlier in the list.
      lifeSeconds: (index) => 2 ** (12 - ((index % 12) >> 1)) * (index < 12 ? 16 : 1),
      pid: ({ host, startSeconds, index }) => pidOf(host, startSeconds, index),
    },
    cells,
  );
  const logins = sessions.map((session, index) => {
    const { present, started } = session.row;
    return small.sequence({
      present,
      processes: loginProcesses(session),
      pid: (frame, host) => pidOf(host, valueAt(frame, started) - EPOCH_SECONDS, count + PER_SESSION * index),
    });
  });
  const isDefunct = cells.one();
  const defunct = small.sequence({
    present: isDefunct,
    processes: [{ ...kernelWorker('[sh] <defunct>'), ppid: agent, status: 'Zombie' }],
    pid: (_, host) => pidOf(host, defunctTurn(host) * DEFUNCT_SECONDS, reserved - 2),
  });
  const listing = small.sequence({
    processes: [{ ...program('root', LISTING, { memoryMib: 4, virtualMib: 9 }), ppid: agent, status: 'Running' }],
    pid: (_, host) => pidOf(host, secondsSinceEpoch(host.checkMs), reserved - 1),
  });
  const { listed, fill } = joined([defunct, short, ...logins, listing]);
  const presence: Fill = (frame, host) => {
    frame[isDefunct] = hasDefunct(host) ? 1 : 0;
  };
  return { listed, fill: inTurn([small.fill, presence, fill]) };
}

/** Resident memory of a small program is the same on all hosts, as its libraries are. */
function program(user: string, command: string, size: { memoryMib: number; virtualMib: number }): SmallProcess {
  const { memoryMib, virtualMib } = size;
  const rss = memoryMib * MIB - 4096 * (1 + (hash32(0, command, memoryMib) % 200));
  return { daemon: { user, command, virtualMib }, rss };
}

function kernelWorker(command: string): SmallProcess {
  return { daemon: { user: 'root', command, virtualMib: 0 }, rss: 0, ppid: 2, status: 'Idle' };
}

/** The two processes of an SSH login, and its shell. */
function loginProcesses({ row, terminal, names }: LoginSession): readonly SmallProcess[] {
  const named = (before: string, after: string) => {
    const texts = names.map((name) => `${before}${name}${after}`);
    return slot.either(row.name, texts);
  };
  const username = slot.either(row.name, names);
  const sshd = (memoryMib: number) => program('root', 'sshd:', { memoryMib, virtualMib: 15 });
  return [
    { ...sshd(10), cmdline: named('sshd: ', ' [priv]') },
    { ...sshd(6), cmdline: named('sshd: ', `@${terminal}`), username },
    { ...program('', '-bash', { memoryMib: 5, virtualMib: 9 }), username },
  ];
}

const DEFUNCT = streamLabel('processes.defunct');
const DEFUNCT_HOSTS = 0.2;
const DEFUNCT_LIKELY = 0.4;
/** Slightly more than the longest life of a transient process. */
const DEFUNCT_SECONDS = 20 * HOUR_SECONDS;

function defunctTurn({ checkMs }: HostState): number {
  return Math.floor(secondsSinceEpoch(checkMs) / DEFUNCT_SECONDS);
}

/** Whether there is a zombie: a process that exited, and that its parent has not reaped. Some hosts have one for much of a day. */
function hasDefunct(host: HostState): boolean {
  const key = keyOf(host.hostKey, DEFUNCT);
  const turn = defunctTurn(host);
  const isThere = unit(key, -1) < DEFUNCT_HOSTS && unit(key, turn) < DEFUNCT_LIKELY;
  return isThere && turn * DEFUNCT_SECONDS > secondsSinceEpoch(host.bootMs);
}

/** A process with successors. `running` is the cell of its service, if the service can be down. */
type Follower = {
  readonly index: number;
  readonly lasting: Exclude<Lasting, 'always'>;
  readonly running: Cell | undefined;
};

type JobsInput = {
  readonly followers: readonly Follower[];
  /** The PIDs of all processes, including those of the followers. */
  readonly pid: Column;
  readonly pidOf: PidOf;
};

/** The current state of a follower: whether it exists, which file it works on, and a number of its own. */
export type JobRow = { readonly present: Cell; readonly file: Cell; readonly number: Cell };

/** Files that build hosts compile. */
export const SOURCE_FILES =
  `core/allocator core/arena core/bitset core/checksum core/clock core/config core/errors core/hash_map
  net/acceptor net/address net/buffer_chain net/connection net/dns_cache net/frame_codec net/http2_session net/listener
  net/tls_context store/block_cache store/compaction store/index_reader store/journal store/manifest store/page store/snapshot
  store/table_builder query/ast query/binder query/expression query/lexer query/optimizer query/parser query/plan query/scan
  query/sort query/window sched/executor sched/fiber sched/queue sched/timer_wheel sched/worker api/auth api/export_handler
  api/metrics_handler api/orders_handler api/quota api/router api/search_handler api/session tests/arena_test tests/codec_test
  tests/journal_test tests/parser_test tests/planner_test tests/router_test tests/scan_test tests/snapshot_test
  third_party/lz4 third_party/simdjson third_party/xxhash tools/bench tools/dump tools/migrate`.split(/\s+/);

const JOBS = streamLabel('processes.jobs');
/** Durations. A process with turns runs for an hour or more. Chosen, like the figures below. */
const JOB_SECONDS: ValueRange = [7, 83];
const TURN_SECONDS: ValueRange = [3600, 5400];
/** No job starts this soon after a boot. */
const SETTLED_SECONDS = 90;
/** Jobs per busy core. */
const JOBS_PER_LOAD = 3.2;
/** Probability of a job at any load. */
const MIN_LIKELY = 0.03;
const MAX_LIKELY = 0.95;

/**
 * Jobs, which start when there is work and end after some seconds, and processes that take turns: each successor has its own PID.
 * `presence` runs before work is divided, `numbers` after the processes of the boot have their PIDs.
 */
export function jobProcesses({ followers, pid, pidOf }: JobsInput, cells: Cells) {
  const rows: readonly JobRow[] = followers.map(() => cells.row('present', 'file', 'number'));
  const presence: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    const likely = Math.min(MAX_LIKELY, MIN_LIKELY + JOBS_PER_LOAD * host.load1);
    for (let i = 0; i < followers.length; i++) {
      const { lasting, running } = followers[i] as Follower;
      const { present, file, number } = rows[i] as JobRow;
      const { turn, startSeconds } = turnOf(key + i, lasting, host);
      const serves = running === undefined || frame[running] !== 0;
      const works = lasting === 'turn' || (startSeconds > settled && unit(key + i, turn) < likely);
      const drawn = scramble(key - i, turn);
      frame[present] = serves && works ? 1 : 0;
      frame[file] = drawn % SOURCE_FILES.length;
      frame[number] = 100_000 + ((drawn >>> 8) % 900_000);
    }
  };
  const numbers = (frame: CellValues, host: HostState) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    for (let i = 0; i < followers.length; i++) {
      if (valueAt(frame, (rows[i] as JobRow).present) === 0) continue;
      const { index, lasting } = followers[i] as Follower;
      const { startSeconds } = turnOf(key + i, lasting, host);
      if (startSeconds > settled) frame[nth(pid, index)] = pidOf(host, startSeconds, i);
    }
  };
  return { rows, presence, numbers };
}

function turnOf(key: number, lasting: Follower['lasting'], { checkMs }: HostState) {
  const seconds = Math.floor(inRange(lasting === 'turn' ? TURN_SECONDS : JOB_SECONDS, unit(key, -1)));
  const phase = Math.floor(seconds * unit(key, -2));
  const turn = Math.floor((secondsSinceEpoch(checkMs) + phase) / seconds);
  return { turn, startSeconds: turn * seconds - phase };
}
