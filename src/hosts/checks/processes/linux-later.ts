import { hash32 } from '../../../ground/kernel/random.ts';
import { HOUR_SECONDS, MIB } from '../../../ground/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Column,
  type Node,
  nth,
  slot,
  valueAt,
} from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Lasting } from '../../host/linux/services.ts';
import type { HostMemory } from '../../host/memory.ts';
import { keyOf, scramble, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn } from '../../host/part.ts';
import type { LoginSession } from '../users.ts';
import { shortLivedProcesses } from './common.ts';
import { type Listed, memoryTenths, type PosixProgram, processNode } from './posix.ts';

export type LaterInput = {
  /** Places for transient processes. */
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
  readonly names: readonly string[];
};

type Small = PosixProgram & { readonly memoryMib: number };

/** Returns the PID of a process by its start, in seconds since the epoch. */
type PidOf = (host: HostState, startSeconds: number, index: number) => number;

const STARTS = streamLabel('processes.starts');
const SPELL_SECONDS = 64;
/** Largest deviation of starts from an even pace. Less than a spell, so that PIDs never decrease. */
const MOST_BEHIND_SECONDS = 0.75 * SPELL_SECONDS;

/** Seconds at an uneven pace, because programs start more often in one minute than in the next. */
function unevenly(bootKey: number, seconds: number): number {
  const key = keyOf(bootKey, STARTS);
  const spell = Math.floor(seconds / SPELL_SECONDS);
  const part = seconds / SPELL_SECONDS - spell;
  const ahead = (1 - part) * unit(key, spell) + part * unit(key, spell + 1);
  return seconds + MOST_BEHIND_SECONDS * ahead;
}

/** PIDs that rise with the start times, at an uneven pace. Up to `perSecond` processes may start at the same time. */
export function risingPids(lowest: number, perSecond: number): PidOf {
  // Even at the slowest pace, a second has PIDs for all.
  const rate = Math.ceil((perSecond + 1) / (1 - MOST_BEHIND_SECONDS / SPELL_SECONDS));
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
export function laterProcesses(input: LaterInput, cells: Cells): { listed: readonly Listed[]; fill: Fill } {
  const { count, pidOf, cronJob, sessions } = input;
  const places = laterCount(input);
  // Each place has its own worker number, so that none appears twice. The first number exists from boot.
  const works = worksOn(input.disk);
  const kindsOf = (place: number): readonly Small[] => {
    const workers = works.map((work): Small => {
      const command = `[kworker/u${2 * input.cores}:${place + 1}-${work}]`;
      return { user: 'root', command, memoryMib: 0, virtualMib: 0 };
    });
    return [...workers, { user: 'root', command: cronJob, memoryMib: 3, virtualMib: 10 }];
  };
  const short = shortLivedProcesses(
    {
      count,
      kinds: works.length + 1,
      // Lifetimes differ by powers of two, so a process never starts before one that is earlier in the list.
      lifeSeconds: (place) => 2 ** (12 - ((place % 12) >> 1)) * (place < 12 ? 16 : 1),
      pid: ({ host, startSeconds, place }) => pidOf(host, startSeconds, place),
    },
    cells,
  );
  const small = smallMemory(input.memory, cells);
  const passing = short.rows.map(({ present, kind, pid }, place): Listed => {
    const forms = kindsOf(place).map((program) => small.node(program, slot.integer(pid)));
    return { present, pid, node: slot.either(kind, forms) };
  });
  const logins = sessions.map((session, index) => {
    return loginPart(session, { input, small, cells, pid: (host, start) => pidOf(host, start, count + 3 * index) });
  });
  const defunct = defunctPart({ input, small, cells, pid: (host, start) => pidOf(host, start, places - 2) });
  const listing = cells.one();
  const ps = { user: 'root', command: LISTING, memoryMib: 4, virtualMib: 9 };
  const ppid = input.parent === undefined ? 1 : slot.integer(input.parent);
  const fillAll: Fill = (frame, host) => {
    frame[listing] = pidOf(host, secondsSinceEpoch(host.checkMs), places - 1);
  };
  return {
    listed: [
      defunct.listed,
      ...passing,
      ...logins.flatMap((login) => login.listed),
      { pid: listing, node: small.node(ps, slot.integer(listing), { ppid, status: 'Running' }) },
    ],
    fill: inTurn([small.fill, defunct.fill, short.fill, ...logins.map(({ fill }) => fill), fillAll]),
  };
}

type Own = Partial<Readonly<Record<'ppid' | 'status' | 'cmdline' | 'username', Node>>>;

type SmallMemory = ReturnType<typeof smallMemory>;

/** Processes whose memory is that of their table. Their share of the host's memory differs: one cell for each size. */
function smallMemory({ total }: HostMemory, cells: Cells) {
  const sizes = new Map<number, Cell>();
  const shareOf = (rss: number): Node => {
    if (rss === 0) return 0;
    const cell = sizes.get(rss) ?? cells.one();
    sizes.set(rss, cell);
    return slot.tenths(cell);
  };
  const fill: Fill = (frame) => {
    for (const [rss, cell] of sizes) frame[cell] = memoryTenths(rss, valueAt(frame, total));
  };
  return {
    node(program: Small, pid: Node, own: Own = {}): Node {
      const kernel = program.command.startsWith('[');
      const usual = { ppid: kernel ? 2 : 1, status: kernel ? 'Idle' : 'Sleep' };
      const rss = residentBytes(program);
      return processNode({ pid, daemon: program, cpu: 0, memory: shareOf(rss), rss, ...usual, ...own });
    },
    fill,
  };
}

const DEFUNCT = streamLabel('processes.defunct');
const DEFUNCT_HOSTS = 0.2;
const DEFUNCT_LIKELY = 0.4;
/** Slightly more than the longest life of a transient process. */
const DEFUNCT_SECONDS = 20 * HOUR_SECONDS;

type PartInput = {
  readonly input: LaterInput;
  readonly small: SmallMemory;
  readonly cells: Cells;
  /** Returns the first PID of the part by its start, in seconds since the epoch. */
  readonly pid: (host: HostState, startSeconds: number) => number;
};

/** A zombie: it exited, and its parent has not reaped it. Some hosts have one for much of a day. */
function defunctPart({ input: { parent }, small, cells, pid }: PartInput) {
  const row = cells.row('present', 'pid');
  const shell: Small = { user: 'root', command: '[sh] <defunct>', memoryMib: 0, virtualMib: 0 };
  const ppid = parent === undefined ? 1 : slot.integer(parent);
  const fill: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, DEFUNCT);
    const turn = Math.floor(secondsSinceEpoch(host.checkMs) / DEFUNCT_SECONDS);
    const startSeconds = turn * DEFUNCT_SECONDS;
    const isThere = unit(key, -1) < DEFUNCT_HOSTS && unit(key, turn) < DEFUNCT_LIKELY;
    frame[row.present] = isThere && startSeconds > secondsSinceEpoch(host.bootMs) ? 1 : 0;
    frame[row.pid] = pid(host, startSeconds);
  };
  const node = small.node(shell, slot.integer(row.pid), { ppid, status: 'Zombie' });
  const listed: Listed = { node, pid: row.pid, present: row.present };
  return { listed, fill };
}

/** Resident memory of a small program: the same on all hosts, as its libraries are. */
function residentBytes({ memoryMib, command }: Small): number {
  return memoryMib === 0 ? 0 : memoryMib * MIB - 4096 * (1 + (hash32(0, command, memoryMib) % 200));
}

/** The two processes of an SSH login, and its shell. */
function loginPart({ row, terminal }: LoginSession, { input, small, cells, pid }: PartInput) {
  const pids = cells.row('monitor', 'session', 'shell');
  const { names } = input;
  const named = (before: string, after: string) =>
    slot.either(
      row.name,
      names.map((name) => `${before}${name}${after}`),
    );
  const user = slot.either(row.name, names);
  const ssh = { user: 'root', command: 'sshd:', memoryMib: 10, virtualMib: 15 };
  const shell = { user: '', command: '-bash', memoryMib: 5, virtualMib: 9 };
  const { present } = row;
  const listedAs = (name: keyof typeof pids, program: Small, own: Own): Listed => {
    return { present, pid: pids[name], node: small.node(program, slot.integer(pids[name]), own) };
  };
  const session = { ppid: slot.integer(pids.monitor), username: user, cmdline: named('sshd: ', `@${terminal}`) };
  const listed = [
    listedAs('monitor', ssh, { cmdline: named('sshd: ', ' [priv]') }),
    listedAs('session', { ...ssh, memoryMib: 6 }, session),
    listedAs('shell', shell, { ppid: slot.integer(pids.session), username: user }),
  ];
  const fill: Fill = (frame, host) => {
    const first = pid(host, valueAt(frame, row.started) - EPOCH_SECONDS);
    frame[pids.monitor] = first;
    frame[pids.session] = first + 1;
    frame[pids.shell] = first + 2;
  };
  return { listed, fill };
}

/** A process with successors. `running` is the cell of its service, if the service can be down. */
type Follower = {
  readonly place: number;
  readonly lasting: Exclude<Lasting, 'always'>;
  readonly running: Cell | undefined;
};

type JobsInput = {
  readonly followers: readonly Follower[];
  /** The PIDs of all processes, including those of the followers. */
  readonly pid: Column;
  /** Returns the PID of a process by its start, in seconds since the epoch. Each follower has an index. */
  readonly pidOf: (host: HostState, startSeconds: number, index: number) => number;
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
/** Durations: `least`, plus up to `more`. A process with turns runs for an hour or more. */
const JOB_SECONDS = { least: 7, more: 83 };
const TURN_SECONDS = { least: 3600, more: 5400 };
/** No job starts this soon after a boot. */
const SETTLED_SECONDS = 90;
/** Jobs per busy core. */
const JOBS_PER_LOAD = 3.2;

/**
 * Jobs, which start when there is work and end after some seconds, and processes that take turns: each successor has its own PID.
 * `presence` runs before work is divided, `numbers` after the processes of the boot have their PIDs.
 */
export function jobProcesses({ followers, pid, pidOf }: JobsInput, cells: Cells) {
  const rows: readonly JobRow[] = followers.map(() => cells.row('present', 'file', 'number'));
  const presence: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, JOBS);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    const likely = Math.min(0.95, 0.03 + JOBS_PER_LOAD * host.load1);
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
      const { place, lasting } = followers[i] as Follower;
      if (valueAt(frame, (rows[i] as JobRow).present) === 0) continue;
      const { startSeconds } = turnOf(key + i, lasting, host);
      if (startSeconds > settled) frame[nth(pid, place)] = pidOf(host, startSeconds, i);
    }
  };
  return { rows, presence, numbers };
}

function turnOf(key: number, lasting: Follower['lasting'], { checkMs }: HostState) {
  const { least, more } = lasting === 'turn' ? TURN_SECONDS : JOB_SECONDS;
  const seconds = Math.floor(least + more * unit(key, -1));
  const phase = Math.floor(seconds * unit(key, -2));
  const turn = Math.floor((secondsSinceEpoch(checkMs) + phase) / seconds);
  return { turn, startSeconds: turn * seconds - phase };
}
