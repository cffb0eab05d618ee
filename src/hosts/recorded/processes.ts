import { inOrderOfPids, type Listed, memoryTenths, runawayProcesses } from '../checks/processes/posix.ts';
import { runawayPrograms } from '../checks/processes/windows.ts';
import {
  type Cell,
  type Cells,
  type Element,
  float,
  integer,
  type Node,
  nth,
  type Optional,
  optional,
  tenths,
  valueAt,
} from '../document/nodes.ts';
import { SOONEST_AGENT_MS } from '../host/boots.ts';
import { disruptionBy } from '../host/failures.ts';
import type { HostState } from '../host/host-state.ts';
import { type Incident, ofKind } from '../host/incident.ts';
import { type HostMemory, pages } from '../host/memory.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { type Fill, fixedPart, inTurn, type Part } from '../host/part.ts';
import { fitted } from './fitting.ts';
import type { OwnIdentities } from './identities.ts';
import type { Levels } from './recorded-hosts.ts';
import type { TroubledServices } from './services.ts';
import { type RecordedCheckdata, type RecordedProcess, type RecordedValue, told, type WorkingSet } from './shapes.ts';

type ProcessesInput = {
  readonly document: RecordedCheckdata;
  readonly levels: Levels;
  readonly memory: HostMemory;
  readonly incidents: readonly Incident[];
  /** PIDs of processes that other documents of the same boot lack. */
  readonly passing: ReadonlySet<number>;
  readonly states: TroubledServices;
  readonly identities: OwnIdentities;
};

/** The check `processes`, and the cell with the new PID of a recorded process. */
type Processes = Part & { readonly pidOf: (pid: number) => Cell | undefined };

const PROCESSES = streamLabel('recorded.processes');
/** On other hosts, a process holds at least this share of what it held. */
const LEAST_HELD = 0.88;
/** The listed programs do at most this share of the cores' work. */
const MOST_WORKED = 0.95;
/** PIDs of transient and restarted processes are above all others. */
const PASSING_TURNS = 4000;
const BEHIND = 64;
const LIVES = 1000;

export function recordedProcesses(input: ProcessesInput, cells: Cells): Processes {
  const { document, memory, incidents, identities } = input;
  const processes = told(document.processes);
  if (processes === undefined) return { ...fixedPart((document.processes ?? []) as Node), pidOf: () => undefined };
  const isWindows = document.agent.goos === 'windows';
  const cores = told(document.cpu)?.cpu_percentage.length ?? 1;
  const numbers = numbersOf(processes, input, cells);
  const table = cells.table(processes.length, 'held', 'share', 'cpu', 'workingSet', 'private', 'created');
  const worked = cells.one();
  const listed = processes.map((process, place): Listed & { readonly constant: boolean } => {
    const own = ownNode(process, place, { table, isWindows, identities, pidOf: numbers.pidOf });
    const pid = numbers.cells[place];
    const node = fitted(process as unknown as RecordedValue, own) as Node;
    const present = input.states.ofProcess(process);
    return { node, pid: pid ?? (0 as Cell), present, constant: pid === undefined };
  });
  const figures = figuresFill(input, { processes, table, worked, cores });
  if (isWindows) {
    const runaway = runawayPrograms({ incidents, memory }, cells);
    const nodes = listed.map(({ node, present }): Element => (present === undefined ? node : optional(present, node)));
    return {
      node: [...nodes, ...runaway.nodes],
      fill: inTurn([numbers.fill, figures, runaway.fill]),
      pidOf: numbers.pidOf,
    };
  }
  const runaway = runawayProcesses({ incidents, cores, memory, firstPid: numbers.runaway, worked }, cells);
  const ordered = inOrderOfPids([...listed.filter(({ constant }) => !constant), ...runaway.listed], cells);
  const first: readonly (Node | Optional)[] = listed.flatMap(({ node, constant }) => (constant ? [node] : []));
  return {
    node: [...first, ordered.node],
    fill: inTurn([numbers.fill, figures, runaway.fill, ordered.fill]),
    pidOf: numbers.pidOf,
  };
}

type OwnInput = {
  readonly table: Readonly<
    Record<'held' | 'share' | 'cpu' | 'workingSet' | 'private' | 'created', Parameters<typeof nth>[0]>
  >;
  readonly isWindows: boolean;
  readonly identities: OwnIdentities;
  readonly pidOf: (pid: number) => Cell | undefined;
};

/** The members of a process that differ between hosts. */
function ownNode(process: RecordedProcess, place: number, { table, isWindows, identities, pidOf }: OwnInput): Node {
  const own = pidOf(process.pid);
  const parent = pidOf(process.ppid);
  const common = {
    ...(own !== undefined && { pid: integer(own) }),
    ...(parent !== undefined && { ppid: integer(parent) }),
    cmdline: identities.told(process.cmdline),
  };
  if (isWindows) {
    return {
      ...common,
      cpu_percent: float(nth(table.cpu, place)),
      memory_percent: float(nth(table.share, place)),
      Memory: {
        working_set: integer(nth(table.workingSet, place)),
        working_set_private: integer(nth(table.held, place)),
        private_bytes: integer(nth(table.private, place)),
      },
      ...(process.CreateTime > 0 && { CreateTime: integer(nth(table.created, place)) }),
    };
  }
  // Kernel threads hold no memory. A process without CPU time in the recording is idle on all hosts.
  return {
    ...common,
    ...(process.cpu_percent > 0 && { cpu_percent: tenths(nth(table.cpu, place)) }),
    ...(heldBy(process) > 0 && {
      memory_percent: tenths(nth(table.share, place)),
      Memory: { rss: integer(nth(table.held, place)) },
    }),
  };
}

function heldBy({ Memory }: RecordedProcess): number {
  return 'rss' in Memory ? Memory.rss : Memory.working_set_private;
}

type Figures = {
  readonly processes: readonly RecordedProcess[];
  readonly table: OwnInput['table'];
  /** Filled with tenths of a percent of a core. */
  readonly worked: Cell;
  readonly cores: number;
};

/** Memory and CPU time of the processes: the same share of the host's own figures as in the recording. */
function figuresFill(input: ProcessesInput, figures: Figures): Fill {
  const { document, memory, incidents } = input;
  const { processes, table } = figures;
  const isWindows = document.agent.goos === 'windows';
  const usedThen = told(document.memory)?.used;
  const held = Float64Array.from(processes, heldBy);
  const leaking = ofKind(incidents, 'memory-leak').length > 0 ? held.indexOf(Math.max(...held)) : -1;
  const works = worksOf(input, figures);
  const { pageBytes } = memory.rules;
  const further = isWindows ? windowsFill(input, figures, works) : posixFill(input, figures, works);
  return (frame, host) => {
    const key = keyOf(host.hostKey, PROCESSES);
    const grown = usedThen === undefined ? 1 : valueAt(frame, memory.programs) / usedThen;
    for (let i = 0; i < held.length; i++) {
      const own = (held[i] as number) * grown * (LEAST_HELD + (1 - LEAST_HELD) * unit(key, i));
      frame[nth(table.held, i)] = pages(own + (i === leaking ? valueAt(frame, memory.leaked) : 0), pageBytes);
    }
    further(frame, host);
  };
}

/** The share of each process in the cores' work. */
function worksOf({ document, levels }: ProcessesInput, { processes, cores }: Figures): Float64Array {
  const sum = processes.reduce((sum, { cpu_percent }) => sum + cpu_percent, 0);
  const allCores = document.agent.goos === 'windows' ? 100 : 100 * cores;
  const share = Math.min(MOST_WORKED, sum / (allCores * Math.max(LEAST_BUSY, levels.busy.mean)));
  return Float64Array.from(processes, ({ cpu_percent }) => (sum === 0 ? 0 : (share * cpu_percent) / sum));
}

const LEAST_BUSY = 0.001;

function posixFill({ memory }: ProcessesInput, { table, worked, cores }: Figures, works: Float64Array): Fill {
  const { shares: rounding } = memory.rules;
  return (frame, host) => {
    const total = valueAt(frame, memory.total);
    const tenthsOfCores = 1000 * cores * host.busySinceBoot;
    let sum = 0;
    for (let i = 0; i < works.length; i++) {
      const cpu = Math.floor(tenthsOfCores * (works[i] as number));
      sum += cpu;
      frame[nth(table.share, i)] = memoryTenths(valueAt(frame, nth(table.held, i)), total, rounding);
      frame[nth(table.cpu, i)] = cpu;
    }
    frame[worked] = sum;
  };
}

function windowsFill(
  { document, memory }: ProcessesInput,
  { processes, table, cores }: Figures,
  works: Float64Array,
): Fill {
  const sets = processes.map(({ Memory }) => ('rss' in Memory ? NO_SET : Memory));
  const created = createdFill(document, processes, table);
  return (frame, host) => {
    const total = valueAt(frame, memory.total);
    const all = 100 * cores * host.ownBusy;
    let [done, shown] = [0, 0];
    for (let i = 0; i < works.length; i++) {
      const held = valueAt(frame, nth(table.held, i));
      const { working_set_private, working_set, private_bytes } = sets[i] as WorkingSet;
      const by = working_set_private === 0 ? 1 : held / working_set_private;
      frame[nth(table.share, i)] = (held / total) * 100;
      frame[nth(table.workingSet, i)] = pages(working_set * by);
      frame[nth(table.private, i)] = pages(private_bytes * by);
      // Whole percentages of one core, divided by the number of cores. A fraction is carried over to the next process.
      done += all * (works[i] as number);
      const whole = Math.floor(Math.min(done, all - shown));
      done -= whole;
      shown += whole;
      frame[nth(table.cpu, i)] = whole / cores;
    }
    created(frame, host);
  };
}

const NO_SET: WorkingSet = { working_set: 0, working_set_private: 0, private_bytes: 0 };

/** All processes start before the agent, because every check run lists all of them. */
const LATEST_SECONDS = SOONEST_AGENT_MS / 1000;

/** Creation times of processes, on systems that report them. */
function createdFill(
  { agent }: RecordedCheckdata,
  processes: readonly RecordedProcess[],
  table: OwnInput['table'],
): Fill {
  const boot = agent.last_updated_timestamp - agent.system_uptime;
  const later = processes.map(({ CreateTime }) => Math.max(1, Math.min(LATEST_SECONDS, CreateTime - boot)));
  const agents = processes.map(({ name }) => name.includes('openitcockpit-agent'));
  return (frame, { bootMs, agentStartMs, checkMs }) => {
    const now = Math.floor(checkMs / 1000);
    for (let i = 0; i < later.length; i++) {
      const atBoot = Math.min(now, Math.floor(bootMs / 1000) + (later[i] as number));
      frame[nth(table.created, i)] = agents[i] === true ? Math.floor(agentStartMs / 1000) : atBoot;
    }
  };
}

type Numbers = {
  /** By index in the list; `undefined` if the PID is as recorded. */
  readonly cells: readonly (Cell | undefined)[];
  readonly pidOf: (pid: number) => Cell | undefined;
  readonly runaway: number;
  readonly fill: Fill;
};

/** PIDs rise as in the recording, with different gaps in each boot. The first process and the kernel threads keep theirs. */
function numbersOf(
  processes: readonly RecordedProcess[],
  { document, passing, states }: ProcessesInput,
  cells: Cells,
): Numbers {
  const step = document.agent.goos === 'windows' ? 4 : 1;
  const byPid = processes.map((process, place) => ({ process, place })).sort((a, b) => a.process.pid - b.process.pid);
  const firstOwn = byPid.findIndex(({ process }) => !isKept(process, document));
  const moved = firstOwn < 0 ? [] : byPid.slice(firstOwn);
  const column = cells.column(moved.length);
  const places: (Cell | undefined)[] = processes.map(() => undefined);
  const byNumber = new Map<number, Cell>();
  moved.forEach(({ process, place }, index) => {
    places[place] = nth(column, index);
    byNumber.set(process.pid, nth(column, index));
  });
  const start = (byPid[firstOwn - 1]?.process.pid ?? 0) / step;
  const gaps = Float64Array.from(moved, ({ process }, index) => {
    const before = index === 0 ? start : (moved[index - 1] as (typeof moved)[number]).process.pid / step;
    return Math.max(1, Math.floor(process.pid / step - before));
  });
  const passes = moved.map(({ process }) => passing.has(process.pid));
  const causes = moved.map(({ process }) => states.causesOf(process));
  const most = start + 2 * gaps.reduce((sum, gap) => sum + gap, 0) + BEHIND;
  const restarted = most + PASSING_TURNS * moved.length;
  const fill: Fill = (frame, host) => {
    let number = start;
    const turn = Math.floor(host.checkMs / 1000) % PASSING_TURNS;
    for (let i = 0; i < gaps.length; i++) {
      const gap = gaps[i] as number;
      number += 1 + Math.floor((gap === 1 ? 1 : 2 * gap - 1) * unit(host.bootKey, i));
      const restoredAt = restoredAtSeconds(causes[i] as readonly Incident[], host);
      const own =
        restoredAt > 0
          ? restarted + LIVES * i + (restoredAt % LIVES)
          : passes[i] === true
            ? most + turn * gaps.length + i
            : number;
      frame[nth(column, i)] = step * own;
    }
  };
  return {
    cells: places,
    pidOf: (pid) => byNumber.get(pid),
    runaway: restarted + LIVES * moved.length,
    fill,
  };
}

function restoredAtSeconds(causes: readonly Incident[], host: HostState): number {
  return causes.length === 0 ? 0 : Math.floor(disruptionBy(causes, host).restoredMs / 1000);
}

/** The kernel and its first threads, and processes with the same PID on all hosts. */
function isKept({ pid, ppid }: RecordedProcess, { agent }: RecordedCheckdata): boolean {
  if (agent.goos === 'windows') return pid <= 4;
  return pid <= 1 || (agent.goos === 'linux' && (pid === 2 || ppid === 2));
}
