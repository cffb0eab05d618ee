import { HOUR_MS } from '../../base/kernel/units.ts';
import { inOrderOfPids } from '../checks/processes/pid-order.ts';
import { memoryTenths, runawayProcesses } from '../checks/processes/posix.ts';
import { runawayPrograms } from '../checks/processes/windows.ts';
import { type Cell, type Node, nth, slot, type Table, valueAt } from '../document/nodes.ts';
import { SOONEST_AGENT_MS } from '../host/boots.ts';
import { disruptionBy } from '../host/failures.ts';
import { type Incident, ofKind } from '../host/incident.ts';
import { type HostMemory, pages } from '../host/memory.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import type { Fill } from '../host/part.ts';
import type { WithIdentities } from './identities.ts';
import type { Levels } from './recorded-hosts.ts';
import { belongsTo, type TroubledService } from './services.ts';
import {
  type Live,
  type LiveCells,
  type RecordedChecks,
  type RecordedProcess,
  type RecordedValue,
  template,
} from './template.ts';

type ProcessesInput = {
  readonly recorded: RecordedChecks;
  /** The processes with all digits. */
  readonly exact: RecordedValue | undefined;
  readonly levels: Levels;
  readonly memory: HostMemory;
  readonly incidents: readonly Incident[];
  /** PIDs of processes that other documents of the same boot lack. */
  readonly passing: ReadonlySet<number>;
  readonly troubled: readonly TroubledService[];
  readonly own: WithIdentities;
};

const PROCESSES = streamLabel('recorded.processes');
/** On other hosts, a process holds at least this share of what it held. */
const MIN_HELD_SHARE = 0.88;
/** How much the memory of processes varies if that of the host is not known. */
const DRIFT = 0.1;
/** The listed programs do at most this share of the cores' work. */
const MAX_WORK_SHARE = 0.95;
const MIN_BUSY = 0.001;
/** PIDs of transient and restarted processes are above all others. Each process has one PID for each of its turns or lives. */
const PASSING_TURNS = 4000;
const PIDS_BETWEEN = 64;
const LIVES = 1000;
/** All processes start before the agent, because every check run lists all of them. */
const LATEST_SECONDS = SOONEST_AGENT_MS / 1000;

/** The check `processes`, and the cell with the new PID of a recorded process. */
export function liveProcesses(input: ProcessesInput, { cells, add }: LiveCells) {
  const { recorded, exact, memory, incidents, troubled } = input;
  const { agent, processes = [] } = recorded;
  const cores = recorded.cpu?.cpu_percentage?.length ?? 1;
  const table = cells.table(processes.length, ...FIGURES);
  const worked = cells.one();
  const figures = { table, worked, cores };
  const pids = pidsOf(input, cells.column(processes.length));
  const listed = processes.map((process, index) => {
    const members = membersOf(process, { input, pidOf: pids.of, cellOf: (figure) => nth(table[figure], index) });
    const node = template((exact as readonly RecordedValue[])[index] ?? null, members) as Node;
    const present = troubled.find((service) => belongsTo(process, service))?.running;
    return { node, present, pid: pids.of(process.pid) };
  });
  add(pids.fill);
  add(figuresFill(input, figures));
  if (agent.goos === 'windows') {
    add(windowsFill(recorded, figures));
    const runaway = runawayPrograms({ incidents, memory }, cells);
    add(runaway.fill);
    const nodes = listed.map(({ node, present }) => slot.optional(present, node));
    return { live: [...nodes, ...runaway.nodes], pidOf: pids.of };
  }
  const runaway = runawayProcesses({ incidents, cores, memory, firstPid: pids.afterAll, worked }, cells);
  add(runaway.fill);
  const moved = listed.flatMap(({ pid, ...one }) => (pid === undefined ? [] : [{ ...one, pid }]));
  const ordered = inOrderOfPids([...moved, ...runaway.listed], cells);
  add(ordered.fill);
  const kept = listed.filter(({ pid }) => pid === undefined).map(({ node }) => node);
  return { live: [...kept, ordered.node], pidOf: pids.of };
}

const FIGURES = ['held', 'share', 'cpu', 'workingSet', 'private', 'created'] as const;
type Figure = (typeof FIGURES)[number];

type Own = {
  readonly input: ProcessesInput;
  readonly pidOf: Pids['of'];
  readonly cellOf: (figure: Figure) => Cell;
};

function membersOf(process: RecordedProcess, { input, pidOf, cellOf }: Own): Live {
  const number = input.recorded.agent.goos === 'windows' ? slot.float : slot.tenths;
  const [pid, ppid] = [pidOf(process.pid), pidOf(process.ppid)];
  // Kernel threads hold no memory. A process without CPU time in the recording is idle on all hosts.
  return {
    ...(pid !== undefined && { pid: slot.integer(pid) }),
    ...(ppid !== undefined && { ppid: slot.integer(ppid) }),
    cmdline: input.own(process.cmdline),
    ...(process.cpu_percent > 0 && { cpu_percent: number(cellOf('cpu')) }),
    ...(heldBy(process) > 0 && {
      memory_percent: number(cellOf('share')),
      Memory: {
        rss: slot.integer(cellOf('held')),
        working_set_private: slot.integer(cellOf('held')),
        working_set: slot.integer(cellOf('workingSet')),
        private_bytes: slot.integer(cellOf('private')),
      },
    }),
    ...((process.CreateTime ?? 0) > 0 && { CreateTime: slot.integer(cellOf('created')) }),
  };
}

function heldBy({ Memory }: RecordedProcess): number {
  return 'rss' in Memory ? Memory.rss : Memory.working_set_private;
}

type Figures = {
  readonly table: Table<Figure>;
  /** Filled with tenths of a percent of a core. */
  readonly worked: Cell;
  readonly cores: number;
};

/** Memory and CPU time of the processes: the same share of the host's own figures as in the recording. */
function figuresFill({ recorded, levels, memory, incidents }: ProcessesInput, figures: Figures): Fill {
  const { table, worked, cores } = figures;
  const { agent, processes = [] } = recorded;
  const isWindows = agent.goos === 'windows';
  const heldThen = Float64Array.from(processes, heldBy);
  const usedThen = recorded.memory?.used;
  const leaking = ofKind(incidents, 'memory-leak').length > 0 ? heldThen.indexOf(Math.max(...heldThen)) : -1;
  const percent = processes.reduce((sum, { cpu_percent }) => sum + cpu_percent, 0);
  const usual = percent / ((isWindows ? 100 : 100 * cores) * Math.max(MIN_BUSY, levels.busy.mean));
  const works = Float64Array.from(processes, ({ cpu_percent }) => {
    return percent === 0 ? 0 : (Math.min(MAX_WORK_SHARE, usual) * cpu_percent) / percent;
  });
  const { pageBytes, shares: rounding } = memory.rules;
  const shareOf = (held: number, total: number) => {
    return isWindows ? (held / total) * 100 : memoryTenths(held, total, rounding);
  };
  // Windows: whole percentages of one core, divided by the number of cores. A fraction is carried over to the next process.
  const cpuPer = isWindows ? cores : 1;
  return (frame, host) => {
    const key = keyOf(host.hostKey, PROCESSES);
    const grown =
      usedThen === undefined
        ? 1 + DRIFT * smoothNoise(key, host.checkMs / HOUR_MS)
        : valueAt(frame, memory.programs) / usedThen;
    const total = valueAt(frame, memory.total);
    const all = isWindows ? 100 * cores * host.ownBusy : 1000 * cores * host.busySinceBoot;
    let [due, sum] = [0, 0];
    for (let i = 0; i < works.length; i++) {
      const own = (heldThen[i] as number) * grown * (MIN_HELD_SHARE + (1 - MIN_HELD_SHARE) * unit(key, i));
      const held = pages(own + (i === leaking ? valueAt(frame, memory.leaked) : 0), pageBytes);
      due += all * (works[i] as number);
      const whole = Math.floor(Math.min(due, all - sum));
      sum += whole;
      due = isWindows ? due - whole : 0;
      frame[nth(table.held, i)] = held;
      frame[nth(table.share, i)] = shareOf(held, total);
      frame[nth(table.cpu, i)] = whole / cpuPer;
    }
    frame[worked] = sum;
  };
}

/** What only Windows reports. Filled after the other figures. */
function windowsFill({ agent, processes = [] }: RecordedChecks, { table }: Figures): Fill {
  const bootSeconds = agent.last_updated_timestamp - agent.system_uptime;
  const all = processes.map(({ Memory, CreateTime = 0, name }) => ({
    ...('rss' in Memory ? { working_set: 0, working_set_private: 0, private_bytes: 0 } : Memory),
    laterMs: 1000 * Math.max(1, Math.min(LATEST_SECONDS, CreateTime - bootSeconds)),
    isAgent: name.includes('openitcockpit-agent'),
  }));
  return (frame, { bootMs, agentStartMs, checkMs }) => {
    for (const [i, { working_set, working_set_private, private_bytes, laterMs, isAgent }] of all.entries()) {
      const by = working_set_private === 0 ? 1 : valueAt(frame, nth(table.held, i)) / working_set_private;
      frame[nth(table.workingSet, i)] = pages(working_set * by);
      frame[nth(table.private, i)] = pages(private_bytes * by);
      frame[nth(table.created, i)] = Math.floor((isAgent ? agentStartMs : Math.min(checkMs, bootMs + laterMs)) / 1000);
    }
  };
}

type Pids = {
  /** The cell of a process by its recorded PID; `undefined` if all hosts have that PID. */
  readonly of: (pid: number) => Cell | undefined;
  readonly afterAll: number;
  readonly fill: Fill;
};

/** PIDs rise as in the recording, with different gaps in each boot. The first process and the kernel threads keep theirs. */
function pidsOf({ recorded, passing, troubled }: ProcessesInput, column: Table<'pid'>['pid']): Pids {
  const { agent, processes = [] } = recorded;
  const step = agent.goos === 'windows' ? 4 : 1;
  const rising = processes.toSorted((a, b) => a.pid - b.pid);
  const kept = rising.findIndex((process) => !isKept(process, agent));
  const start = (rising[kept - 1]?.pid ?? 0) / step;
  const moved = kept < 0 ? [] : rising.slice(kept);
  const cells = new Map(moved.map(({ pid }, index) => [pid, nth(column, index)]));
  const numbers = moved.map(({ pid }) => pid / step);
  const own = moved.map((process, index) => ({
    gap: Math.max(1, Math.floor(process.pid / step - (numbers[index - 1] ?? start))),
    passes: passing.has(process.pid),
    causes: troubled.find((service) => belongsTo(process, service))?.causes ?? [],
  }));
  const most = start + 2 * own.reduce((sum, { gap }) => sum + gap, 0) + PIDS_BETWEEN;
  const restarted = most + PASSING_TURNS * moved.length;
  const fill: Fill = (frame, host) => {
    let number = start;
    const turn = Math.floor(host.checkMs / 1000) % PASSING_TURNS;
    for (const [i, { gap, passes, causes }] of own.entries()) {
      number += 1 + Math.floor((2 * gap - 1) * unit(host.bootKey, i));
      const restoredAt = causes.length === 0 ? 0 : Math.floor(disruptionBy(causes, host).restoredMs / 1000);
      const free = passes ? most + turn * own.length + i : number;
      frame[nth(column, i)] = step * (restoredAt > 0 ? restarted + LIVES * i + (restoredAt % LIVES) : free);
    }
  };
  return { of: (pid) => cells.get(pid), afterAll: restarted + LIVES * moved.length, fill };
}

/** The kernel and its first threads, and processes with the same PID on all hosts. */
function isKept({ pid, ppid }: RecordedProcess, { goos }: RecordedChecks['agent']): boolean {
  if (goos === 'windows') return pid <= 4;
  return pid <= 1 || (goos === 'linux' && (pid === 2 || ppid === 2));
}
