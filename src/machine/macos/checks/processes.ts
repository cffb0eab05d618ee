import { hash32 } from '../../../kernel/random.ts';
import { pages } from '../../common/memory.ts';
import type { Cell, Cells, Frame } from '../../document/cells.ts';
import { either, integer, type Node, type Optional, optional, tenths } from '../../document/nodes.ts';
import type { Incident } from '../../incidents/incident.ts';
import { inTurn, type Part } from '../../part.ts';
import {
  MIB,
  memoryTenths,
  type ProcessRow,
  type ProcessTable,
  processNode,
  processTable,
  rowOf,
} from '../../posix/process-entry.ts';
import { runawayProcesses } from '../../posix/runaway-processes.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit } from '../../time/noise.ts';
import type { Job } from '../data/job-table.ts';
import { PASSING_JOBS } from '../data/user-jobs.ts';
import { outagesOf, troubleFill } from '../software/troubled-jobs.ts';

export type ProcessesInput = {
  readonly jobs: readonly Job[];
  readonly cores: number;
  readonly memoryBytes: number;
  /** The share of memory that all programs hold together. */
  readonly memoryUsed: number;
  readonly arm: boolean;
  readonly userNames: readonly string[];
  /** Holds which of the names is signed in. */
  readonly user: Cell;
  readonly incidents: readonly Incident[];
};

/** The check `processes`, and the cell in which others find the number of a job's process. */
export type Processes = Part & {
  readonly pidOf: (job: Job) => Cell | undefined;
  /** The cell that says whether a job is there, if incidents can take it down. */
  readonly presenceOf: (job: Job) => Cell | undefined;
};

const PROCESSES = streamLabel('processes');
const FIRST_PID = 86;
const PID_GAP = 3;
const RUNAWAY_PIDS = 59_000;
/** So many numbers belong to a place of what comes and goes. */
const PID_RANGE = 700;
const LEAST = 0.84;
const SPREAD = 0.3;
const DRIFT = 0.04;
/** What stays between the sum of all programs' memory and what the check `memory` shows as used. */
const MEMORY_SHARE = 0.6;
const WORK_SHARE = 0.8;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command';

type ScaledJob = { readonly job: Job; readonly row: ProcessRow; readonly memoryBytes: number; readonly work: number };

/** The check `processes` of a macOS host: launchd, its jobs, what comes and goes, and the listing itself. */
export function processesPart(input: ProcessesInput, cells: Cells): Processes {
  const { jobs } = input;
  if (jobs.length === 0) return NOTHING;
  const launchd = rowOf(processTable(1, cells), 0);
  const table = processTable(jobs.length, cells);
  const scaled = scaledJobs(input, table);
  const pidOf = (job: Job) => scaled.find((one) => one.job === job)?.row.pid;
  const main = scaled.find(({ job }) => job.user === undefined && !job.label.startsWith('com.apple.'));
  const outages = outagesOf(input, cells);
  const presenceOf = (job: Job) => outages.find(({ place }) => jobs[place] === job)?.present;
  const nodes = scaled.map(({ job, row }) => {
    const node = jobNode(job, row, { input, parent: job.pool ? main?.row.pid : undefined });
    const present = presenceOf(job);
    return present === undefined ? node : optional(present, node);
  });
  const trouble = troubleFill(input, outages, table);
  const runaway = runawayProcesses({ ...input, firstPid: RUNAWAY_PIDS }, cells);
  const passing = passingPart(input, FIRST_PID + PID_GAP * (jobs.length + 40), cells);
  const listing = cells.one();
  const agent = scaled[0]?.row.pid;
  const root = { user: 'root', command: '/sbin/launchd', virtualMib: virtualMib(input.arm, 18) };
  const init = processNode({ ...slots(launchd), pid: 1, ppid: 0, daemon: root, cpu: tenths(launchd.cpu) });
  const ps = { user: 'root', command: LISTING, virtualMib: virtualMib(input.arm, 2) };
  const own = {
    pid: integer(listing),
    ppid: agent === undefined ? 1 : integer(agent),
    cpu: 0,
    memory: 0,
    rss: 2 * MIB,
  };
  return {
    node: [init, ...nodes, ...passing.nodes, ...runaway.nodes, processNode({ ...own, daemon: ps, status: 'Running' })],
    fill: inTurn([
      (frame, moment) => fillJobs(frame, moment, { scaled, launchd, listing, input }),
      ...(input.incidents.length > 0 ? [trouble, runaway.fill] : []),
      passing.fill,
    ]),
    pidOf,
    presenceOf,
  };
}

const NOTHING: Processes = { node: [], fill: () => {}, pidOf: () => undefined, presenceOf: () => undefined };

/** Scales tables down to hosts with little memory, and work down to what there is. */
function scaledJobs({ jobs, memoryBytes, memoryUsed }: ProcessesInput, table: ProcessTable): readonly ScaledJob[] {
  const sum = (of: (job: Job) => number) => jobs.reduce((total, job) => total + of(job), 0);
  const memoryScale = Math.min(
    1,
    (MEMORY_SHARE * memoryUsed * memoryBytes) / (MIB * sum(({ memoryMib }) => memoryMib)),
  );
  const workScale = Math.min(1, WORK_SHARE / sum(({ work }) => work));
  return jobs.map((job, place) => ({
    job,
    row: rowOf(table, place),
    memoryBytes: job.memoryMib * MIB * memoryScale,
    work: job.work * workScale,
  }));
}

function slots({ pid, memory, rss }: ProcessRow) {
  return { pid: integer(pid), memory: tenths(memory), rss: integer(rss) };
}

type JobContext = { readonly input: ProcessesInput; readonly parent: Cell | undefined };

function jobNode(job: Job, row: ProcessRow, { input, parent }: JobContext): Node {
  const daemon = { user: job.user ?? '', command: job.command, virtualMib: virtualMib(input.arm, job.memoryMib) };
  const ppid = parent === undefined ? 1 : integer(parent);
  const cpu = job.work === 0 ? 0 : tenths(row.cpu);
  const username = job.user ?? either(input.user, input.userNames);
  return processNode({ ...slots(row), ppid, daemon, cpu, username });
}

/** Address spaces are reserved generously: by hundreds of gigabytes on Apple's own processors. */
function virtualMib(arm: boolean, memoryMib: number): number {
  return (arm ? 400_000 : 4180) + Math.floor(24 + 9 * memoryMib) + (hash32(0, 'macos.virtual', memoryMib) % 64);
}

type Filling = {
  readonly scaled: readonly ScaledJob[];
  readonly launchd: ProcessRow;
  readonly listing: Cell;
  readonly input: ProcessesInput;
};

function fillJobs(frame: Frame, moment: Moment, { scaled, launchd, listing, input }: Filling): void {
  const key = keyOf(moment.hostKey, PROCESSES);
  const hours = moment.checkMs / 3_600_000;
  const minute = Math.floor(moment.checkMs / 60_000) | 0;
  const held = ({ rss, memory }: ProcessRow, bytes: number, place: number) => {
    const own = LEAST + SPREAD * unit(key, place) + DRIFT * smoothNoise(key + place, hours);
    frame[rss] = pages(bytes * own);
    frame[memory] = memoryTenths(bytes * own, input.memoryBytes);
  };
  held(launchd, 18 * MIB, -1);
  frame[launchd.cpu] = Math.round(4 * moment.busyMinute);
  for (let place = 0; place < scaled.length; place++) {
    const { row, memoryBytes, work } = scaled[place] as ScaledJob;
    frame[row.pid] = FIRST_PID + PID_GAP * place + Math.floor(PID_GAP * unit(moment.bootKey, place));
    held(row, memoryBytes, place);
    const luck = 0.4 + 1.2 * unit(key + place, minute);
    if (work > 0) frame[row.cpu] = Math.round(1000 * moment.busyMinute * input.cores * work * luck);
  }
  const second = secondsSinceEpoch(moment.checkMs);
  frame[listing] = 60_000 + Math.floor(39_000 * unit(key - 9, second));
}

const PASSING = streamLabel('processes.passing');

/** Processes with a life of minutes, each place with an own rhythm. */
function passingPart({ jobs, memoryBytes, arm, user, userNames }: ProcessesInput, firstPid: number, cells: Cells) {
  const count = Math.ceil(jobs.length * 0.06);
  const rows = Array.from({ length: count }, () => cells.row('present', 'kind', 'pid'));
  const nodes = rows.map(({ present, kind, pid }): Optional => {
    const forms = PASSING_JOBS.map(({ command, memoryMib }) => {
      const memory = memoryTenths(memoryMib * MIB, memoryBytes) / 10;
      const daemon = { user: '', command, virtualMib: virtualMib(arm, memoryMib) };
      const username = either(user, userNames);
      return processNode({ pid: integer(pid), ppid: 1, daemon, cpu: 0, memory, rss: memoryMib * MIB, username });
    });
    return optional(present, either(kind, forms));
  });
  const fill = (frame: Frame, moment: Moment) => {
    const key = keyOf(moment.hostKey, PASSING);
    const now = secondsSinceEpoch(moment.checkMs);
    const booted = secondsSinceEpoch(moment.bootMs);
    for (const [place, row] of rows.entries()) {
      const life = 50 * 2 ** (place % 7);
      const window = Math.floor(now / life);
      const here = unit(key + place, window) < 0.6 && window * life > booted + 60;
      frame[row.present] = here ? 1 : 0;
      frame[row.kind] = Math.floor(unit(key + place, ~window) * PASSING_JOBS.length);
      // Odd numbers follow even ones, so that no process has the number of the one before it.
      const number = 2 * Math.floor((PID_RANGE / 2) * unit(key - place, window)) + (window & 1);
      frame[row.pid] = firstPid + PID_RANGE * place + number;
    }
  };
  return { nodes, fill };
}
