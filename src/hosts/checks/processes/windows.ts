import { uniform } from '../../../base/kernel/random.ts';
import { MIB } from '../../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  nth,
  type Optional,
  rowAt,
  slot,
  type Table,
  valueAt,
} from '../../document/nodes.ts';
import { EPOCH_SECONDS } from '../../host/calendar.ts';
import type { Containers } from '../../host/containers.ts';
import { disruptionBy } from '../../host/failures.ts';
import type { HostState } from '../../host/host-state.ts';
import type { Incident } from '../../host/incident.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { inRange, keyOf, streamLabel, unit, type ValueRange } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import { isContainerMachine, type ProgramLine, programOf, type WindowsProgram } from '../../host/windows/programs.ts';
import {
  alternating,
  fixedShares,
  guestsSum,
  type Leak,
  type Listed,
  leakOf,
  saturatingProcesses,
  sharesOf,
  shortLivedProcesses,
} from './common.ts';
import type { Resident } from './windows-residents.ts';

const MEMORY = ['workingSet', 'privateWorkingSet', 'privateBytes', 'memoryPercent'] as const;
const FIGURES = ['pid', 'handles', 'created', 'cpu', ...MEMORY] as const;

type ProcessTable = Table<(typeof FIGURES)[number]>;

/** `created` is in Unix seconds; 0 if the agent has no access. */
type ProcessFigures = Readonly<Record<(typeof FIGURES)[number] | 'ppid', Node>>;

/** A process as the agent reports it. On Windows it has neither a user nor a state. */
function processNode(
  { name, command, path }: { readonly name: string; readonly command: Node; readonly path: Node },
  figures: ProcessFigures,
): Node {
  return {
    pid: figures.pid,
    ppid: figures.ppid,
    username: '',
    name,
    cpu_percent: figures.cpu,
    memory_percent: figures.memoryPercent,
    cmdline: command,
    status: null,
    exec: path,
    nice_level: 0,
    num_fds: figures.handles,
    Memory: {
      working_set: figures.workingSet,
      working_set_private: figures.privateWorkingSet,
      private_bytes: figures.privateBytes,
    },
    CreateTime: figures.created,
  };
}

/** When a host got the version that a path names (Unix ms); `undefined` for a path that keeps its version. */
type VersionChange = (path: string) => ((hostKey: number, unixMs: number) => number) | undefined;

type WindowsProcessesInput = {
  readonly residents: readonly Resident[];
  /** Programs that live for minutes, and the index of the resident that starts each. */
  readonly passingPrograms: readonly ProgramLine[];
  readonly parentOf: (program: WindowsProgram) => number;
  readonly cores: number;
  readonly memory: HostMemory;
  readonly incidents: readonly Incident[];
  readonly containers: Containers | undefined;
  /** Texts with the versions of programs that update themselves. */
  readonly textOf: (pattern: string) => Node;
  readonly changedMs: VersionChange;
};

/** The check `processes`, and the cells with the PIDs of residents, for other checks. */
type Processes = Part & { readonly pidOf: (index: number) => Cell };

const PROCESSES = streamLabel('processes');
/** Sizes of a process in relation to its private working set, and its handles in relation to the usual. Chosen. */
const WORKING_SET: ValueRange = [1.02, 0.2];
const PRIVATE_BYTES: ValueRange = [1.05, 0.5];
const HANDLES: ValueRange = [0.7, 0.3];
const HOST_HANDLES = 0.3;
/** The first programs have all started by this time after a boot. */
const STARTED_SECONDS = 6;
/** PIDs are multiples of four. The gaps belong to processes that ended during startup. */
const FIRST_PID = 24;
const PID_GAP = 7;

export function windowsProcesses(input: WindowsProcessesInput, cells: Cells): Processes {
  const { residents, incidents } = input;
  const leak = leakOf(incidents, residents.map(leakableMib));
  const table = cells.table(residents.length, ...FIGURES);
  const pidOf = (index: number) => nth(table.pid, index);
  const nodes = residents.map((resident, index) => residentNode(resident, index, { table, textOf: input.textOf }));
  const passing = passingPart(input, pidOf, cells);
  const runaway = runawayPrograms(input, cells);
  return {
    node: [...nodes, ...passing.listed.map(optionalNode), ...runaway.nodes],
    fill: inTurn([figuresFill(input, leak, table), startsFill(input, leak, table), runaway.fill, passing.fill]),
    pidOf,
  };
}

function presenceOf({ wake, session }: Resident): Cell | undefined {
  return wake?.awake ?? session?.present;
}

/** Only a program that is always present and that the agent has access to leaks. */
function leakableMib(resident: Resident): number {
  return resident.program.command === '' || presenceOf(resident) !== undefined ? 0 : resident.program.memoryMib;
}

type ResidentInput = { readonly table: ProcessTable } & Pick<WindowsProcessesInput, 'textOf'>;

function residentNode(resident: Resident, index: number, { table, textOf }: ResidentInput): Node | Optional {
  const { program, parent } = resident;
  const row = rowAt(table, index);
  const closed = program.command === '';
  const texts = { name: program.name, command: textOf(program.command), path: textOf(program.path) };
  const node = processNode(texts, {
    ...(Object.fromEntries(FIGURES.map((figure) => [figure, slot.integer(row[figure])])) as ProcessFigures),
    ppid: parent < 0 ? 0 : slot.integer(nth(table.pid, parent)),
    cpu: closed || program.work === 0 ? 0 : slot.float(row.cpu),
    memoryPercent: slot.float(row.memoryPercent),
    ...(closed && { created: 0 }),
  });
  return slot.optional(presenceOf(resident), node);
}

function figuresFill(input: WindowsProcessesInput, leak: Leak, table: ProcessTable): Fill {
  const { residents, memory, cores, containers } = input;
  const count = residents.length;
  const guests = containers === undefined ? [] : [containers];
  const runner = guests.length === 0 ? -1 : residents.findIndex(({ program }) => isContainerMachine(program));
  const sharers = residents.map((resident) => ({ ...resident.program, running: presenceOf(resident) }));
  const shares = sharesOf(sharers, memory, { guests, runner });
  const chances = Float64Array.from(residents, ({ program }, index) => {
    return uniform(0, `process.${program.name}`, index);
  });
  const usualHandles = Float64Array.from(residents, ({ program }) => program.handles);
  const works = Uint8Array.from(residents, ({ program }) => (program.work > 0 ? 1 : 0));
  const fill: Fill = (frame, host) => {
    const key = keyOf(host.hostKey, PROCESSES);
    const second = Math.floor(host.checkMs / 1000) | 0;
    const percentPerByte = 100 / valueAt(frame, memory.total);
    const handlesOfHost = HOST_HANDLES * unit(key, -7);
    let due = 0;
    let reported = 0;
    for (let i = 0; i < count; i++) {
      const chance = chances[i] as number;
      const leaked = i === leak.index ? valueAt(frame, memory.leaked) : 0;
      const inside = i === runner ? guestsSum(frame, guests, 'bytes') : 0;
      const held = pages((shares.heldBytes[i] as number) + leaked + inside);
      frame[nth(table.privateWorkingSet, i)] = held;
      frame[nth(table.workingSet, i)] = pages(held * inRange(WORKING_SET, chance));
      frame[nth(table.privateBytes, i)] = pages(held * inRange(PRIVATE_BYTES, chance));
      frame[nth(table.handles, i)] = Math.floor(
        (usualHandles[i] as number) * (inRange(HANDLES, chance) + handlesOfHost),
      );
      frame[nth(table.memoryPercent, i)] = held * percentPerByte;
      if (works[i] === 0) continue;
      // Performance counters have whole percentages of one core, which the agent divides by the number of cores. A fraction is
      // carried over to the next process.
      due += 100 * cores * host.ownBusy * (shares.workShares[i] as number) * (0.5 + unit(key + i, second));
      const whole = Math.floor(Math.min(due, 100 * cores * host.ownBusy - reported));
      due -= whole;
      reported += whole;
      frame[nth(table.cpu, i)] = whole / cores;
    }
  };
  return inTurn([shares.fill, fill]);
}

function startsFill({ residents, changedMs }: WindowsProcessesInput, leak: Leak, table: ProcessTable): Fill {
  const count = residents.length;
  const restarts = residents.map((resident) => restartsOf(resident, changedMs));
  // All processes that start at boot exist before the agent's first check, some seconds later.
  const afterBoot = (index: number) => Math.floor((STARTED_SECONDS * index) / count);
  return (frame, host) => {
    const leakEndMs = disruptionBy(leak.causes, host).restoredMs;
    const atBoot = Math.floor(host.bootMs / 1000) + 1;
    for (let index = 0; index < count; index++) {
      const resident = residents[index] as Resident;
      const usual = usualPid(index, host.bootKey);
      const endedMs = index === leak.index ? leakEndMs : (restarts[index]?.(frame, host) ?? 0);
      frame[nth(table.pid, index)] = endedMs === 0 ? usual : restartedPid(usual, endedMs);
      frame[nth(table.created, index)] =
        endedMs === 0 ? (createdAt(frame, host, resident) ?? atBoot + afterBoot(index)) : Math.floor(endedMs / 1000);
    }
  };
}

type RestartedMs = (frame: CellValues, host: HostState) => number;

/** Unix ms at which a service started again, because it failed or updated itself; 0 if it did not since the boot. */
function restartsOf({ wake, session, program }: Resident, changedMs: VersionChange): RestartedMs | undefined {
  const failed = wake?.line.state === 'runs' ? wake : undefined;
  const changed = session === undefined ? changedMs(program.path) : undefined;
  if (failed === undefined && changed === undefined) return undefined;
  return (frame, host) => {
    const since = failed === undefined ? 0 : valueAt(frame, failed.since);
    const failedMs = since === 0 ? 0 : 1000 * (EPOCH_SECONDS + since);
    const updatedMs = changed?.(host.hostKey, host.checkMs) ?? 0;
    return Math.max(failedMs, updatedMs > host.bootMs ? updatedMs : 0);
  };
}

/** The idle process and the kernel always have the first PIDs. */
function usualPid(index: number, bootKey: number): number {
  return index < 2 ? 4 * index : pidNumber(index) + 4 * Math.floor(PID_GAP * unit(bootKey, index));
}

function pidNumber(index: number): number {
  return 4 * (FIRST_PID + PID_GAP * index);
}

/** Unix seconds at which a process was created that did not start at boot; `undefined` for others. */
function createdAt(frame: CellValues, host: HostState, { session, wake, program }: Resident): number | undefined {
  if (wake !== undefined && frame[wake.since] !== 0) return EPOCH_SECONDS + valueAt(frame, wake.since);
  if (session !== undefined) {
    // The creation time of the shell shows when the user signed in.
    const later = program.name === 'Explorer.EXE' ? 0 : program.name.length % 3;
    return Math.floor(valueAt(frame, session.startedMs) / 1000) + later;
  }
  return program.name === 'openitcockpit-agent.exe' ? Math.floor(host.agentStartMs / 1000) : undefined;
}

const PASSING = streamLabel('processes.passing');
/** PIDs at each index, so that no two processes ever share one. */
const PID_RANGE = 90;
const PIDS_BEFORE = 60;
/** Passing processes per resident, and the shortest life of one. Lives differ by powers of two. */
const PASSING_SHARE = 0.06;
const MIN_LIFE_SECONDS = 40;

const PERCENT = { slotOf: slot.float, shareOf: (bytes: number, total: number) => (bytes / total) * 100 };

function passingPart(input: WindowsProcessesInput, pidOf: Processes['pidOf'], cells: Cells) {
  const { residents, passingPrograms, parentOf, memory } = input;
  const firstPid = pidNumber(residents.length) + PIDS_BEFORE;
  const shares = fixedShares(memory, PERCENT, cells);
  const short = shortLivedProcesses(
    {
      count: Math.ceil(residents.length * PASSING_SHARE),
      programsAt: () => passingPrograms,
      node: (program, { pid, created }) => {
        const held = pages(program.memoryMib * MIB);
        return processNode(program, {
          pid: slot.integer(pid),
          ppid: slot.integer(pidOf(parentOf(program))),
          cpu: 0,
          memoryPercent: shares.of(held),
          handles: program.handles,
          workingSet: pages(held * 2.3),
          privateWorkingSet: held,
          privateBytes: pages(held * 1.2),
          created: slot.integer(created),
        });
      },
      lifeSeconds: (index) => MIN_LIFE_SECONDS * 2 ** (index % 7),
      pid: ({ host, index, turn }) => {
        const chance = unit(keyOf(host.hostKey, PASSING) + index, turn);
        return firstPid + 4 * (PID_RANGE * index + alternating(chance, PID_RANGE, turn));
      },
    },
    cells,
  );
  return { listed: short.listed, fill: inTurn([short.fill, shares.fill]) };
}

/** PIDs of restarted processes are above all others, each in a range of its own. */
function restartedPid(pid: number, restoredMs: number): number {
  return 4 * (RESTARTED_PIDS + 5 * Math.floor(pid / 4) + (Math.floor(restoredMs / 1000) % 5));
}

const RESTARTED_PIDS = 60_000;
const RUNAWAY_PIDS = 50_000;
const RUNAWAY = programOf(String.raw`C:\Program Files\Shop\report.exe --all`);
const RUNAWAY_MIB = 60;

/** Processes that take the remaining CPU time, one for each incident of this kind. */
export function runawayPrograms(
  { incidents, memory }: Pick<WindowsProcessesInput, 'incidents' | 'memory'>,
  cells: Cells,
) {
  const workingSet = RUNAWAY_MIB * MIB;
  const shares = fixedShares(memory, PERCENT, cells);
  const { listed, fill } = saturatingProcesses(
    {
      incidents,
      pidAt: (index) => 4 * (RUNAWAY_PIDS + index),
      node: ({ pid, cpu, created }) => {
        return processNode(RUNAWAY, {
          pid: slot.integer(pid),
          ppid: 4,
          cpu: slot.float(cpu),
          memoryPercent: shares.of(workingSet),
          handles: 210,
          workingSet,
          privateWorkingSet: workingSet,
          privateBytes: workingSet,
          created: slot.integer(created),
        });
      },
      idleTime: (_, { ownBusy }) => 100 * (1 - ownBusy),
    },
    cells,
  );
  return { nodes: listed.map(optionalNode), fill: inTurn([shares.fill, fill]) };
}

function optionalNode({ node, present }: Listed): Node | Optional {
  return slot.optional(present, node);
}
