import { hash32 } from '../../../kernel/random.ts';
import { pages } from '../../common/memory.ts';
import { type Cell, type Cells, type Frame, nth, valueAt } from '../../document/cells.ts';
import { float, integer, type Node, type Optional, optional } from '../../document/nodes.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { type Fill, inTurn, type Part } from '../../part.ts';
import { EPOCH_SECONDS } from '../../time/activity.ts';
import { keyOf, type Moment, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit } from '../../time/noise.ts';
import type { Resident } from '../software/residents.ts';
import { leak, restartedPid, runawayProcesses } from '../software/trouble.ts';
import { passingPart } from './passing-processes.ts';
import { MIB, type ProcessRow, type ProcessTable, processNode, processTable, rowOf } from './process-entry.ts';

export type ProcessesInput = {
  readonly residents: readonly Resident[];
  readonly cores: number;
  readonly memoryBytes: number;
  /** The share of memory that all programs hold together. */
  readonly memoryUsed: number;
  readonly incidents: readonly Incident[];
};

/** The check `processes`, and the cells in which others find the numbers of residents. */
export type Processes = Part & { readonly pidOf: (place: number) => Cell };

const PROCESSES = streamLabel('processes');
/** Numbers are multiples of four; the gaps are left by what came and went during the start. */
const FIRST_PID = 24;
const PID_GAP = 7;
/** Memory of a program on different hosts and days, as a share of what its table says. */
const LEAST = 0.84;
const SPREAD = 0.3;
const DRIFT = 0.04;
/** What stays between the sum of all programs' memory and what the check `memory` shows as used. */
const MEMORY_SHARE = 0.6;
const WORK_SHARE = 0.7;

/** The check `processes` of a Windows host. */
export function processesPart(input: ProcessesInput, cells: Cells): Processes {
  const { residents } = input;
  const table = processTable(residents.length, cells);
  const pidOf = (place: number) => nth(table.pid, place);
  const nodes = residents.map((resident, place) => residentNode(resident, place, table));
  const plan = planOf(input, table);
  const parentPid = pidOf(residents.findIndex(({ program }) => program.name === 'services.exe'));
  const passing = passingPart(
    { count: Math.ceil(residents.length * 0.06), firstPid: pidNumber(residents.length) + 60, parentPid, ...input },
    cells,
  );
  const runaway = runawayProcesses(input, cells);
  const leaks = ofKind(input.incidents, 'memory-leak');
  const leaking = rowOf(table, largestOf(residents));
  const trouble: Fill = (frame, moment) => {
    if (leaks.length > 0) leak(frame, leaking, moment, { leaks, ...input });
    runaway.fill(frame, moment);
  };
  return {
    node: [...nodes, ...passing.nodes, ...runaway.nodes],
    fill: inTurn([
      (frame, moment) => fillResidents(frame, moment, plan),
      ...(input.incidents.length > 0 ? [trouble] : []),
      passing.fill,
    ]),
    pidOf,
  };
}

/** The largest program that may be looked into and does not belong to a session. */
function largestOf(residents: readonly Resident[]): number {
  const sizes = residents.map(({ program, session, wake }) => {
    return program.command === '' || session !== undefined || wake !== undefined ? 0 : program.memoryMib;
  });
  return sizes.indexOf(Math.max(...sizes));
}

function residentNode(
  { program, parent, session, wake }: Resident,
  place: number,
  table: ProcessTable,
): Node | Optional {
  const row = rowOf(table, place);
  const closed = program.command === '';
  const node = processNode({
    pid: integer(row.pid),
    ppid: parent < 0 ? 0 : integer(nth(table.pid, parent)),
    program,
    cpu: closed || program.work === 0 ? 0 : float(row.cpu),
    memoryPercent: float(row.memoryPercent),
    handles: integer(row.handles),
    workingSet: integer(row.workingSet),
    privateWorkingSet: integer(row.privateWorkingSet),
    privateBytes: integer(row.privateBytes),
    created: closed ? 0 : integer(row.created),
  });
  const presence = wake?.awake ?? session?.present;
  return presence === undefined ? node : optional(presence, node);
}

type Planned = {
  readonly resident: Resident;
  readonly row: ProcessRow;
  readonly memoryBytes: number;
  readonly work: number;
  /** The working set and the private bytes, as multiples of the private working set. */
  readonly ratios: readonly [number, number];
};
type Plan = { readonly list: readonly Planned[]; readonly input: ProcessesInput };

/** What does not change between documents. */
function planOf(input: ProcessesInput, table: ProcessTable): Plan {
  const sum = (of: (resident: Resident) => number) => input.residents.reduce((total, it) => total + of(it), 0);
  const held = MIB * sum(({ program }) => program.memoryMib);
  const memoryScale = Math.min(1, (MEMORY_SHARE * input.memoryUsed * input.memoryBytes) / held);
  const workScale = Math.min(1, WORK_SHARE / sum(({ program }) => program.work));
  const list = input.residents.map((resident, place): Planned => {
    const { program } = resident;
    const chance = hash32(0, `process.${program.name}`, place) / 0x1_0000_0000;
    const memoryBytes = program.memoryMib * MIB * memoryScale;
    const ratios = [1.25 + chance, 1.05 + 0.5 * chance] as const;
    return { resident, row: rowOf(table, place), memoryBytes, work: program.work * workScale, ratios };
  });
  return { list, input };
}

function fillResidents(frame: Frame, moment: Moment, { list, input }: Plan): void {
  const key = keyOf(moment.hostKey, PROCESSES);
  const hours = moment.checkMs / 3_600_000;
  const second = Math.floor(moment.checkMs / 1000) | 0;
  for (let place = 0; place < list.length; place++) {
    const { resident, row, memoryBytes, work, ratios } = list[place] as Planned;
    const own = LEAST + SPREAD * unit(key, place) + DRIFT * smoothNoise(key + place, hours);
    const held = pages(memoryBytes * own);
    frame[row.pid] =
      place === 0 ? 0 : place === 1 ? 4 : pidNumber(place) + 4 * Math.floor(PID_GAP * unit(moment.bootKey, place));
    const restartedAt = resident.wake?.line.state === 'runs' ? valueAt(frame, resident.wake.since) : 0;
    if (restartedAt > 0) frame[row.pid] = restartedPid(valueAt(frame, row.pid), 1000 * restartedAt);
    frame[row.workingSet] = pages(held * ratios[0]);
    frame[row.privateWorkingSet] = held;
    frame[row.privateBytes] = pages(held * ratios[1]);
    frame[row.handles] = Math.floor(resident.program.handles * own);
    frame[row.created] = createdAt(frame, resident, { moment, place, count: list.length });
    frame[row.memoryPercent] = (held / input.memoryBytes) * 100;
    if (work > 0) frame[row.cpu] = busyShare(moment.busy * work * (0.4 + 1.2 * unit(key + place, second)), input.cores);
  }
}

function pidNumber(place: number): number {
  return 4 * (FIRST_PID + PID_GAP * place);
}

/** Performance counters have whole percent of one core; the agent divides them among all cores. */
function busyShare(share: number, cores: number): number {
  return Math.floor(100 * share * cores) / cores;
}

type Created = { readonly moment: Moment; readonly place: number; readonly count: number };

/** Unix seconds. Everything that starts at boot is there before the agent, some seconds later, begins to look. */
function createdAt(frame: Frame, { session, wake, program }: Resident, { moment, place, count }: Created): number {
  if (wake !== undefined && frame[wake.since] !== 0) return EPOCH_SECONDS + valueAt(frame, wake.since);
  if (session !== undefined) {
    // A sign-in is told by the creation of its shell.
    const later = program.name === 'Explorer.EXE' ? 0 : place % 3;
    return Math.floor(valueAt(frame, session.startedMs) / 1000) + later;
  }
  if (program.name === 'openitcockpit-agent.exe') return Math.floor(moment.agentStartMs / 1000);
  return Math.floor(moment.bootMs / 1000) + 1 + Math.floor((6 * place) / count);
}
