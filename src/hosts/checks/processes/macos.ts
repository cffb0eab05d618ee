import { hash32 } from '../../../base/kernel/random.ts';
import { MIB } from '../../../base/kernel/units.ts';
import { type Cell, type Cells, type Node, nth, slot, valueAt } from '../../document/nodes.ts';
import { secondsSinceEpoch } from '../../host/calendar.ts';
import type { Containers } from '../../host/containers.ts';
import { disruptionBy, takingDown } from '../../host/failures.ts';
import type { Incident } from '../../host/incident.ts';
import { CONTAINER_MACHINE_JOB, isContainerJob, type Job } from '../../host/macos/jobs.ts';
import type { HostMemory } from '../../host/memory.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import type { MacTerminal } from '../users.ts';
import { alternating, joined, leakOf, type ProcessList, shortLivedProcesses } from './common.ts';
import { inOrderOfPids } from './pid-order.ts';
import {
  firstProcess,
  type PosixResident,
  type ProcessTable,
  processTable,
  residentProcesses,
  runawayProcesses,
  type SmallProcess,
  smallProcesses,
} from './posix.ts';

type MacProcessesInput = {
  readonly jobs: readonly Job[];
  readonly passingJobs: readonly Job[];
  readonly cores: number;
  readonly memory: HostMemory;
  readonly arm: boolean;
  readonly userNames: readonly string[];
  /** Cell with the index of the signed-in user's name. */
  readonly user: Cell;
  readonly terminals: readonly MacTerminal[];
  readonly incidents: readonly Incident[];
  readonly containers: Containers | undefined;
  /** Texts with the versions of programs that update themselves. */
  readonly textOf: (pattern: string) => Node;
};

/** The check `processes`, and the cells with the PIDs of jobs, for other checks. */
type Processes = Part & {
  readonly pidOf: (job: Job) => Cell | undefined;
  /** Returns the cell that says whether a job's process exists, or `undefined` if it always does. */
  readonly presenceOf: (job: Job) => Cell | undefined;
};

const PROCESSES = streamLabel('processes');
const FIRST_PID = 86;
const PID_GAP = 3;
const TERMINAL_PIDS = 50_000;
const PIDS_OF_A_TERMINAL = 1000;
const RUNAWAY_PIDS = 59_000;
const LISTING_PIDS = 60_000;
/** PIDs at each index of transient processes. */
const PID_RANGE = 700;
const LISTINGS = 39_000;
/** Passing processes per job, and the shortest life of one. Lives differ by powers of two. Chosen. */
const PASSING_SHARE = 0.06;
const MIN_LIFE_SECONDS = 50;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command';
const NOTHING: Processes = { node: [], fill: () => {}, pidOf: () => undefined, presenceOf: () => undefined };

/** The check `processes` of a macOS host: launchd, its jobs, transient processes, and `ps` itself. */
export function macProcesses(input: MacProcessesInput, cells: Cells): Processes {
  const { jobs, memory, cores, arm, incidents } = input;
  if (jobs.length === 0) return NOTHING;
  const table = processTable(jobs.length, cells);
  const worked = cells.one();
  const presences = presencesOf(input, cells);
  const indices = new Map(jobs.map((job, index) => [job, index]));
  const presentAt = new Map(presences.map(({ index, present }) => [index, present]));
  const presenceOf = (job: Job) => presentAt.get(indices.get(job) ?? -1);
  const pidOf = (job: Job) => {
    const index = indices.get(job);
    return index === undefined ? undefined : nth(table.pid, index);
  };
  const main = jobs.findIndex(isApplication);
  const leak = leakOf(incidents, leakableMib(jobs));
  const guests = input.containers === undefined ? [] : [input.containers];
  const runner = guests.length === 0 ? -1 : jobs.findIndex(({ label }) => label === CONTAINER_MACHINE_JOB);
  const residents = residentProcesses(
    {
      memory,
      cores,
      busy: 'busyMinute',
      leak,
      guests,
      runner,
      worked,
      residents: jobs.map(
        (job): PosixResident => ({
          ...job,
          ...owned(input, job.user),
          virtualMib: virtualMib(arm, job.memoryMib),
          parent: job.pool ? main : -1,
          running: presenceOf(job),
          cmdline: input.textOf(job.command),
        }),
      ),
    },
    table,
    cells,
  );
  const first = firstProcess({ ...LAUNCHD, virtualMib: virtualMib(arm, LAUNCHD.memoryMib) }, memory, cells);
  const runaway = runawayProcesses({ incidents, cores, memory, firstPid: RUNAWAY_PIDS, worked }, cells);
  const transient = transientProcesses(input, nth(table.pid, 0), cells);
  const all = inOrderOfPids([...residents.listed, ...transient.listed, ...runaway.listed], cells);
  return {
    node: [first.node, all.node],
    fill: inTurn([
      presenceFill(presences),
      residents.fill,
      pidFill(table, jobs.length, [...presences, leak]),
      first.fill,
      runaway.fill,
      transient.fill,
      all.fill,
    ]),
    pidOf,
    presenceOf,
  };
}

/** The user of a process; without a name, it is the user who is signed in. */
function owned({ user, userNames }: MacProcessesInput, name = ''): Pick<PosixResident, 'user' | 'username'> {
  return { user: name, username: name === '' ? slot.either(user, userNames) : undefined };
}

/** Processes reserve large address spaces: hundreds of gigabytes on Apple's own processors. */
function virtualMib(arm: boolean, memoryMib: number): number {
  return (arm ? 400_000 : 4180) + Math.floor(24 + 9 * memoryMib) + (hash32(0, 'macos.virtual', memoryMib) % 64);
}

const LAUNCHD = { user: 'root', command: '/sbin/launchd', memoryMib: 18, spread: 0.3, workTenths: 4 };

/** Processes that live for minutes, a shell below a `login` of root for each open terminal, and `ps` itself. */
function transientProcesses(input: MacProcessesInput, agent: Cell, cells: Cells): ProcessList {
  const { jobs, passingJobs, user, userNames } = input;
  const small = smallProcesses(input.memory, cells);
  const program = (command: string, memoryMib: number, owner?: string): SmallProcess => {
    const { user: name, username } = owned(input, owner);
    const daemon = { user: name, command, virtualMib: virtualMib(input.arm, memoryMib) };
    return { daemon, rss: memoryMib * MIB, username };
  };
  const firstPid = FIRST_PID + PID_GAP * (jobs.length + 40);
  const passing = shortLivedProcesses(
    {
      count: Math.ceil(jobs.length * PASSING_SHARE),
      programsAt: () => passingJobs,
      node: ({ command, memoryMib }, { pid }) => small.node(pid, program(command, memoryMib)),
      lifeSeconds: (index) => MIN_LIFE_SECONDS * 2 ** (index % 7),
      pid: ({ host, index, turn }) => {
        const chance = unit(keyOf(host.hostKey, PROCESSES) - index, turn);
        return firstPid + PID_RANGE * index + alternating(chance, PID_RANGE, turn);
      },
    },
    cells,
  );
  const cmdline = slot.text('login -pf ', slot.word(user, userNames));
  const shells = input.terminals.map(({ present, session }, index) => {
    return small.sequence({
      present,
      processes: [{ ...program('login', 3, 'root'), cmdline }, program('-zsh', 3)],
      pid: (frame, { hostKey }) => {
        const chance = unit(keyOf(hostKey, PROCESSES) - 20 - index, valueAt(frame, session));
        return TERMINAL_PIDS + PIDS_OF_A_TERMINAL * index + alternating(chance, PIDS_OF_A_TERMINAL, 0);
      },
    });
  });
  const listing = small.sequence({
    processes: [{ ...program(LISTING, 2, 'root'), ppid: slot.integer(agent), status: 'Running' }],
    pid: (_, { hostKey, checkMs }) => {
      return LISTING_PIDS + Math.floor(LISTINGS * unit(keyOf(hostKey, PROCESSES) - 9, secondsSinceEpoch(checkMs)));
    },
  });
  const { listed, fill } = joined([passing, ...shells, listing]);
  return { listed, fill: inTurn([small.fill, fill]) };
}

/** A job that some hosts lack, or that incidents stop. `present` says whether its process exists. */
type JobPresence = {
  readonly index: number;
  readonly present: Cell;
  readonly likely: number;
  readonly causes: readonly Incident[];
};

/** PIDs of restarted jobs are above those of transient processes. */
const RESTARTED_PIDS = 20_000;
const RESTARTED_GAP = 25;
const INSTALLED = streamLabel('jobs.installed');
/** Probability of optional jobs. Every host has the system's jobs and the first application of its role. */
const LIKELY = { application: 0.75, helper: 0.92 } as const;

function presencesOf({ jobs, incidents, containers }: MacProcessesInput, cells: Cells): readonly JobPresence[] {
  const first = jobs.findIndex(isApplication);
  return jobs.flatMap((job, index) => {
    const causes = takingDown(incidents, job.label);
    const isNeeded = containers !== undefined && isContainerJob(job);
    const likely = index === first || isNeeded ? 1 : likelihood(job);
    return likely === 1 && causes.length === 0 ? [] : [{ index, present: cells.one(), likely, causes }];
  });
}

function isApplication({ user, label }: Job): boolean {
  return user === undefined && !label.startsWith('com.apple.');
}

function likelihood(job: Job): number {
  if (job.user !== undefined) return 1;
  if (job.pool) return LIKELY.helper;
  return isApplication(job) ? LIKELY.application : 1;
}

/** Runs before memory and work are divided among the jobs that are present. */
function presenceFill(presences: readonly JobPresence[]): Fill {
  return (frame, host) => {
    const key = keyOf(host.hostKey, INSTALLED);
    for (const { index, present, likely, causes } of presences) {
      const here = likely === 1 || unit(key, index) < likely;
      frame[present] = here && !disruptionBy(causes, host).down ? 1 : 0;
    }
  };
}

/** Only a job that all hosts have leaks. */
function leakableMib(jobs: readonly Job[]): readonly number[] {
  const first = jobs.find(isApplication);
  return jobs.map((job) => (likelihood(job) < 1 && job !== first ? 0 : job.memoryMib));
}

function pidFill(
  table: ProcessTable,
  count: number,
  restarting: readonly Pick<JobPresence, 'index' | 'causes'>[],
): Fill {
  const troubled = restarting.filter(({ causes }) => causes.length > 0);
  return (frame, host) => {
    for (let index = 0; index < count; index++) {
      frame[nth(table.pid, index)] = FIRST_PID + PID_GAP * index + Math.floor(PID_GAP * unit(host.bootKey, index));
    }
    for (const { index, causes } of troubled) {
      const restored = Math.floor(disruptionBy(causes, host).restoredMs / 1000);
      if (restored === 0) continue;
      frame[nth(table.pid, index)] = RESTARTED_PIDS + RESTARTED_GAP * index + (restored % RESTARTED_GAP);
    }
  };
}
