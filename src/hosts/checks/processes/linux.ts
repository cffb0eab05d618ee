import { hash32 } from '../../../base/kernel/random.ts';
import { HOUR_SECONDS, MIB } from '../../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Column,
  nth,
  slot,
  type Text,
  valueAt,
} from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import { disruptionBy } from '../../host/failures.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Incident } from '../../host/incident.ts';
import type { Distribution } from '../../host/linux/distribution.ts';
import type { HostGuests } from '../../host/linux/guests.ts';
import type { LinuxHardware } from '../../host/linux/hardware.ts';
import { busyThreads, type KernelThread, kernelThreads, WORKING_THREAD } from '../../host/linux/kernel-threads.ts';
import { DOCKER_UNIT, type Lasting } from '../../host/linux/services.ts';
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
import { type LoginSession, PERSON } from '../users.ts';
import { type Leak, type Listed, leakOf, shortLivedProcesses } from './common.ts';
import { containerProcesses, machineProcesses, PIDS_OF_A_CONTAINER, PIDS_OF_A_MACHINE } from './linux-guests.ts';
import {
  firstProcess,
  inOrderOfPids,
  type PosixResident,
  type ProcessTable,
  processNode,
  processTable,
  residentProcesses,
  runawayProcesses,
  type SmallProcess,
  smallProcesses,
} from './posix.ts';

type LinuxProcessesInput = {
  readonly data: HostTables;
  readonly distribution: Distribution;
  readonly hardware: LinuxHardware;
  readonly memory: HostMemory;
  /** Processes that run from boot, and the states of their services. */
  readonly daemons: readonly Arranged[];
  readonly states: ServiceStates;
  /** Number of kernel threads. */
  readonly threads: number;
  readonly later: Pick<LaterInput, 'count' | 'sessions'>;
  /** The user of a desktop. */
  readonly person: Text;
  readonly partsOf: (pattern: string) => Text['parts'];
  /** Incidents that can affect the processes. */
  readonly incidents: readonly Incident[];
  readonly guests: HostGuests;
};

const PORTS = streamLabel('processes.ports');
/** Daemons start after the kernel threads. The PIDs of transient processes are far higher. */
const PID_GAP = 19;
const BOOT_SPREAD = 400;
const LATER_PIDS = 21_000;
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
  const { jobs, later, jobAt } = startedLater(input, { daemons, table, pids }, cells);
  const first = firstProcess({ ...distribution.init, spread: 0.2, workTenths: 0 }, memory, cells);
  const kernel = threadPart({ threads, cores, worked }, cells);
  const runaway = runawayProcesses({ incidents, cores, memory, firstPid: pids.runaway, worked }, cells);
  const guestsHere = guestParts(input, { daemons, table, pids }, cells);
  const residents = residentProcesses(
    {
      memory,
      cores,
      busy: 'busySinceBoot',
      leak,
      guests: guests.all,
      around: -1,
      worked,
      residents: daemons.map((arranged, place) => {
        return residentOf(arranged, { place, marks, job: jobAt.get(place), ...input });
      }),
    },
    table,
    cells,
  );
  const all = inOrderOfPids(
    [...residents.listed, ...guestsHere.flatMap(({ listed }) => listed), ...runaway.listed, ...later.listed],
    cells,
  );
  return {
    node: [first.node, ...kernel.nodes, all.node],
    fill: inTurn([
      first.fill,
      jobs.presence,
      residents.fill,
      kernel.fill,
      marksFill(daemons, marks),
      pidFill({ daemons, table, pids }, marks, leak),
      jobs.numbers,
      ...guestsHere.map(({ fill }) => fill),
      runaway.fill,
      later.fill,
      all.fill,
    ]),
  };
}

/** Processes that start after the boot: successors of daemons and their jobs, and transient ones. */
function startedLater(input: LinuxProcessesInput, { daemons, table, pids }: Started, cells: Cells) {
  const { distribution, hardware, memory } = input;
  const followers = daemons.flatMap(({ daemon: { lasting = 'always' }, state }, place) => {
    return lasting === 'always' ? [] : [{ place, lasting, running: state?.running }];
  });
  const count = laterCount(input.later);
  const pidOf = risingPids(pids.later, count + followers.length);
  const jobPid = (host: HostState, start: number, index: number) => pidOf(host, start, count + index);
  const jobs = jobProcesses({ followers, pid: table.pid, pidOf: jobPid }, cells);
  const agent = daemons.findIndex(({ daemon }) => isAgent(daemon));
  const later = laterProcesses(
    {
      ...input.later,
      cronJob: distribution.cronJob,
      memory,
      cores: hardware.cores,
      disk: diskNumber(input),
      pidOf,
      parent: agent < 0 ? undefined : nth(table.pid, agent),
    },
    cells,
  );
  return { jobs, later, jobAt: new Map(followers.map(({ place }, index) => [place, jobs.rows[index]])) };
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
  readonly place: number;
  readonly marks: Marks;
  readonly job: JobRow | undefined;
} & Pick<LinuxProcessesInput, 'person' | 'partsOf'>;

function residentOf(arranged: Stated, { place, marks, job, person, partsOf }: ResidentInput): PosixResident {
  const { daemon, parent, own } = arranged;
  const parts = daemon.command.split(MARKS).flatMap((piece): Text['parts'] => {
    if (piece === '{p}') return [slot.integer(nth(marks.ports, place))];
    if (piece === '{n}') return [slot.integer(marks.network)];
    if (piece === '{m}') return marks.machineId.map((cell) => slot.hex(cell, 8));
    if (piece === '{j}' && job !== undefined) return [slot.integer(job.number)];
    if (piece === '{f}' && job !== undefined) return [slot.word(job.file, SOURCE_FILES)];
    return piece === '{c}' ? [slot.integer(nth(marks.clients, place))] : partsOf(piece);
  });
  return {
    ...daemon,
    parent,
    running: job?.present ?? arranged.state?.running,
    steady: !own,
    command: daemon.command.replaceAll(MARKS, ''),
    cmdline: parts.length > 1 ? slot.text(...parts) : undefined,
    username: daemon.user === PERSON ? person : undefined,
    pageIns: slot.integer(nth(marks.pageIns, place)),
  };
}

type PidPlan = Readonly<Record<'boot' | 'restarted' | 'containers' | 'machines' | 'runaway' | 'later', number>>;

/** Ranges of PIDs: processes that start at boot, restarted ones, those of guests, runaway ones, and later ones. */
function pidPlan(lastThread: number, daemons: number, guests: HostGuests): PidPlan {
  const boot = lastThread + 120;
  const restarted = boot + BOOT_SPREAD + daemons * PID_GAP;
  const containers = restarted + LIVES_OF_A_PROCESS * daemons;
  const machines = containers + PIDS_OF_A_CONTAINER * (guests.containers?.list.length ?? 0);
  const end = machines + PIDS_OF_A_MACHINE * (guests.machines?.list.length ?? 0);
  const later = Math.max(LATER_PIDS, end + RUNAWAY_PIDS);
  return { boot, restarted, containers, machines, runaway: later - RUNAWAY_PIDS, later };
}

type Started = { readonly daemons: readonly Stated[]; readonly table: ProcessTable; readonly pids: PidPlan };

/** Processes of containers and of virtual machines. */
function guestParts(input: LinuxProcessesInput, { daemons, table, pids }: Started, cells: Cells) {
  const { memory, distribution } = input;
  const { containers, machines } = input.guests;
  const place = daemons.findIndex(({ daemon, service }) => daemon === service && service.unit?.name === DOCKER_UNIT);
  const engine = { pid: place < 0 ? undefined : nth(table.pid, place), state: daemons[place]?.state };
  const { cores } = input.hardware;
  return [
    containers && containerProcesses({ containers, memory, firstPid: pids.containers, engine }, cells),
    machines && machineProcesses({ machines, distribution, memory, cores, firstPid: pids.machines }, cells),
  ].filter((part) => part !== undefined);
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
  const ported = daemons.flatMap(({ daemon }, place) => (daemon.command.includes('{p}') ? [place] : []));
  return (frame, host) => {
    const key = keyOf(host.hostKey, PORTS);
    frame[network] = Math.floor(NETWORKS * unit(key, -9));
    for (const [place, cell] of machineId.entries()) frame[cell] = scramble(key, -20 - place);
    for (const i of ported) {
      frame[nth(ports, i)] = FIRST_PORT + i * PORT_GAP + Math.floor(PORT_GAP * unit(key, i));
      // A host has few clients, and each has several connections.
      frame[nth(clients, i)] = FIRST_CLIENT + Math.floor(CLIENTS * unit(key, ~(i % 4)));
    }
  };
}

/** PIDs, and what processes had to read from disks. */
function pidFill({ daemons, table, pids }: Started, { pageIns }: Marks, leak: Leak): Fill {
  const states = daemons.map(({ state }) => state);
  return (frame, host) => {
    const { bootKey } = host;
    const key = keyOf(host.hostKey, PORTS);
    const cached = FULLY_CACHED[0] + (FULLY_CACHED[1] - FULLY_CACHED[0]) * unit(keyOf(bootKey, WARMTH), 0);
    const offset = pids.boot + Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    const leakEndSeconds = Math.floor(disruptionBy(leak.causes, host).restoredMs / 1000);
    for (let i = 0; i < daemons.length; i++) {
      const life = lifeAt(frame, states[i]) + (i === leak.place ? leakEndSeconds : 0);
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

/**
 * Bytes that a process had to read from disks before it could continue, as 256 quantiles. `ps` reports the number of page-ins,
 * which the agent counts as KiB.
 */
const PAGE_INS = Float64Array.from(
  { length: 256 },
  (_, place) => 1024 * Math.floor(2000 ** (((place + 1) / 256) ** 1.6)),
);

/** Threads that are in uninterruptible sleep while they wait for a busy disk. */
const WAITING = /^\[(jbd2\/|xfsaild\/|btrfs-transaction)/;
const THREADS = streamLabel('processes.threads');
/** Maximum CPU time of one such thread, in tenths of a percent of a core for each busy core. */
const MOST_TENTHS = 7;

type ThreadInput = {
  readonly threads: readonly KernelThread[];
  readonly cores: number;
  /** CPU time of all processes, to which these threads add theirs. */
  readonly worked: Cell;
};

function threadPart({ threads, cores, worked }: ThreadInput, cells: Cells) {
  const working = threads.flatMap((thread, place) => {
    if (!WORKING_THREAD.test(thread.command)) return [];
    return [{ place, row: cells.row('cpu', 'waits'), waits: WAITING.test(thread.command) ? 1 : 0 }];
  });
  const rows = new Map(working.map((one) => [one.place, one]));
  const nodes = threads.map(({ pid, command, nice, status }, place) => {
    const daemon = { user: 'root', command, virtualMib: 0, nice };
    const one = rows.get(place);
    const own = one === undefined ? { cpu: 0 } : { cpu: slot.tenths(one.row.cpu) };
    // `ps` has a letter for this state, but the agent has no word for it.
    const statusNode = one?.waits === 1 ? slot.either(one.row.waits, [status, '']) : status;
    return processNode({ pid, ppid: place === 0 ? 0 : 2, daemon, memory: 0, rss: 0, status: statusNode, ...own });
  });
  const fill: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, THREADS);
    const second = Math.floor(host.checkMs / 1000) | 0;
    const busyCores = cores * host.busySinceBoot;
    const waiting = Math.min(0.3, 0.015 * host.diskRate);
    for (let i = 0; i < working.length; i++) {
      const { place, row, waits } = working[i] as (typeof working)[number];
      const cpu = Math.floor(MOST_TENTHS * busyCores * unit(key, place) ** 2);
      frame[row.cpu] = cpu;
      frame[worked] = valueAt(frame, worked) + cpu;
      frame[row.waits] = waits === 1 && unit(key - place, second) < waiting ? 1 : 0;
    }
  };
  return { nodes, fill };
}

// ---- Processes that start after the boot ----

type LaterInput = {
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
};

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
function risingPids(lowest: number, perSecond: number): PidOf {
  // Even at the slowest pace, a second has PIDs for all.
  const rate = Math.ceil((perSecond + 1) / (1 - MOST_BEHIND_SECONDS / SPELL_SECONDS));
  return (host, startSeconds, index) => {
    const sinceBoot = startSeconds - secondsSinceEpoch(host.bootMs);
    return lowest + ((Math.floor(rate * unevenly(host.bootKey, sinceBoot)) + index) % PIDS);
  };
}

/** The number of these processes that may start at the same time. */
function laterCount({ count, sessions }: Pick<LaterInput, 'count' | 'sessions'>): number {
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
function laterProcesses(input: LaterInput, cells: Cells): { listed: readonly Listed[]; fill: Fill } {
  const { count, cores, memory, pidOf, cronJob, sessions } = input;
  const places = laterCount(input);
  const works = worksOn(input.disk);
  const small = smallProcesses(memory, cells);
  const agent = input.parent === undefined ? 1 : slot.integer(input.parent);
  const short = shortLivedProcesses(
    {
      count,
      // Each place has its own worker number, so that none appears twice. The first number exists from boot.
      programsAt: (place) => [
        ...works.map((work) => kernelWorker(`[kworker/u${2 * cores}:${place + 1}-${work}]`)),
        program('root', cronJob, { memoryMib: 3, virtualMib: 10 }),
      ],
      node: (process, { pid }) => small.node(pid, process),
      // Lifetimes differ by powers of two, so a process never starts before one that is earlier in the list.
      lifeSeconds: (place) => 2 ** (12 - ((place % 12) >> 1)) * (place < 12 ? 16 : 1),
      pid: ({ host, startSeconds, place }) => pidOf(host, startSeconds, place),
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
    pid: (_, host) => pidOf(host, defunctTurn(host) * DEFUNCT_SECONDS, places - 2),
  });
  const listing = small.sequence({
    processes: [{ ...program('root', LISTING, { memoryMib: 4, virtualMib: 9 }), ppid: agent, status: 'Running' }],
    pid: (_, host) => pidOf(host, secondsSinceEpoch(host.checkMs), places - 1),
  });
  const all = [defunct, short, ...logins, listing];
  const presence: Fill = (frame, host) => {
    frame[isDefunct] = hasDefunct(host) ? 1 : 0;
  };
  return {
    listed: all.flatMap(({ listed }) => listed),
    fill: inTurn([small.fill, presence, ...all.map(({ fill }) => fill)]),
  };
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
type JobRow = { readonly present: Cell; readonly file: Cell; readonly number: Cell };

/** Files that build hosts compile. */
const SOURCE_FILES =
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
function jobProcesses({ followers, pid, pidOf }: JobsInput, cells: Cells) {
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
