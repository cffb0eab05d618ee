import { hash32 } from '../../../base/kernel/random.ts';
import { HOUR_SECONDS, MIB } from '../../../base/kernel/units.ts';
import { type Cell, type Cells, slot, valueAt } from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import type { HostMemory } from '../../host/memory.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn } from '../../host/part.ts';
import type { LoginSession } from '../users.ts';
import { joined, type ProcessList, shortLivedProcesses } from './common.ts';
import { type SmallProcess, smallProcesses } from './posix.ts';

export type TransientInput = {
  /** Number of those that live for minutes. */
  readonly count: number;
  /** Each process has an index below `transientCount`. */
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

/** Returns the PID of a process that starts after the boot, by its start in seconds since the epoch. */
export type PidOf = (host: HostState, startSeconds: number, index: number) => number;

const PIDS = 4_000_000;
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

const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command --columns 10000';

/** Work of kernel workers that are not bound to a core. */
function worksOn(disk: string): readonly string[] {
  const pages = `flush-${disk}`;
  return ['events_unbound', 'events_power_efficient', pages, 'writeback', 'events_long', 'events_freezable'];
}

const PROCESSES_OF_A_LOGIN = 3;

/** The number of these processes that may start at the same time. */
export function transientCount({ count, sessions }: Pick<TransientInput, 'count' | 'sessions'>): number {
  return count + PROCESSES_OF_A_LOGIN * sessions.length + 2;
}

/** Transient processes, which start after the boot: those that live for minutes, those of logins, and `ps` itself. */
export function transientProcesses(input: TransientInput, cells: Cells): ProcessList {
  const { count, cores, memory, pidOf, cronJob, sessions } = input;
  const reserved = transientCount(input);
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
      pid: (frame, host) => pidOf(host, valueAt(frame, started) - EPOCH_SECONDS, count + PROCESSES_OF_A_LOGIN * index),
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
  const named = (text: (name: string) => string) => slot.either(row.name, names.map(text));
  const username = named((name) => name);
  const sshd = (memoryMib: number) => program('root', 'sshd:', { memoryMib, virtualMib: 15 });
  return [
    { ...sshd(10), cmdline: named((name) => `sshd: ${name} [priv]`) },
    { ...sshd(6), cmdline: named((name) => `sshd: ${name}@${terminal}`), username },
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
