import { hash32 } from '../../../ground/kernel/random.ts';
import { MIB } from '../../../ground/kernel/units.ts';
import { type Cell, type Cells, type Node, nth, rowAt, slot, valueAt } from '../../document/nodes.ts';
import { secondsSinceEpoch } from '../../host/calendar.ts';
import { type Containers, MACHINE_MIB } from '../../host/containers.ts';
import { disruptionBy, takingDown } from '../../host/failures.ts';
import { type Incident, ofKind } from '../../host/incident.ts';
import { CONTAINER_MACHINE_JOB, isContainerJob, type Job } from '../../host/macos/jobs.ts';
import { type HostMemory, pages } from '../../host/memory.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import { type Fill, inTurn, type Part } from '../../host/part.ts';
import type { MacTerminal } from '../users.ts';
import { shortLivedProcesses } from './common.ts';
import {
  growingOf,
  inOrderOfPids,
  type Listed,
  memoryTenths,
  type ProcessRow,
  type ProcessTable,
  processFigures,
  processNode,
  processTable,
  runawayProcesses,
} from './posix.ts';

type MacProcessesInput = {
  readonly jobs: readonly Job[];
  /** Programs that live for minutes. */
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
/** PIDs of each place for transient processes. */
const PID_RANGE = 700;
const LISTING = 'ps -ax -o pid,ppid,%cpu,%mem,user,state,nice,rss,vsize,pagein,command';
const NOTHING: Processes = { node: [], fill: () => {}, pidOf: () => undefined, presenceOf: () => undefined };

/** The check `processes` of a macOS host: launchd, its jobs, transient processes, and `ps` itself. */
export function macProcesses(input: MacProcessesInput, cells: Cells): Processes {
  const { jobs, memory, cores } = input;
  if (jobs.length === 0) return NOTHING;
  const table = processTable(jobs.length, cells);
  const worked = cells.one();
  const presences = presencesOf(input, cells);
  const places = new Map(jobs.map((job, place) => [job, place]));
  const presentAt = new Map(presences.map(({ place, present }) => [place, present]));
  const presenceOf = (job: Job) => presentAt.get(places.get(job) ?? -1);
  const pidOf = (job: Job) => {
    const place = places.get(job);
    return place === undefined ? undefined : nth(table.pid, place);
  };
  const main = jobs.findIndex(isApplication);
  const leaking = leakingPlace(input);
  const sized = jobs.map((job) => ({ ...job, virtualMib: virtualMib(input.arm, job.memoryMib) }));
  const growing = growingOf(sized, leaking, cells);
  const spaces = new Map(growing.map(({ place, vms }) => [place, slot.integer(vms)]));
  const started = jobs.map((job, place): Listed => {
    const parent = job.pool && main >= 0 ? nth(table.pid, main) : undefined;
    const node = jobNode(job, rowAt(table, place), { input, parent, vms: spaces.get(place) });
    return { node, pid: nth(table.pid, place), present: presentAt.get(place) };
  });
  const guests = input.containers === undefined ? [] : [input.containers];
  const around = guests.length === 0 ? -1 : jobs.findIndex(({ label }) => label === CONTAINER_MACHINE_JOB);
  const sharers = jobs.map((job, place) => {
    return { ...job, memoryMib: place === around ? MACHINE_MIB : job.memoryMib, running: presenceOf(job) };
  });
  const figures = { sharers, memory, cores, leaking, guests, around, growing };
  const init = launchdPart(input, cells);
  const runaway = runawayProcesses({ ...input, firstPid: RUNAWAY_PIDS, worked }, cells);
  const passing = passingPart(input, FIRST_PID + PID_GAP * (jobs.length + 40), cells);
  const listing = listingPart(input, nth(table.pid, 0), cells);
  const shells = terminalPart(input, cells);
  const all = inOrderOfPids(
    [...started, ...passing.listed, ...shells.listed, ...runaway.listed, listing.listed],
    cells,
  );
  return {
    node: [init.node, all.node],
    fill: inTurn([
      presenceFill(presences),
      processFigures({ ...figures, busy: 'busyMinute' }, table, worked),
      pidFill(input, presences, { table, leaking }),
      init.fill,
      runaway.fill,
      passing.fill,
      shells.fill,
      listing.fill,
      all.fill,
    ]),
    pidOf,
    presenceOf,
  };
}

type JobContext = {
  readonly input: MacProcessesInput;
  readonly parent: Cell | undefined;
  readonly vms: Node | undefined;
};

function jobNode(job: Job, row: ProcessRow, { input, parent, vms }: JobContext): Node {
  return processNode({
    pid: slot.integer(row.pid),
    ppid: parent === undefined ? 1 : slot.integer(parent),
    cmdline: input.textOf(job.command),
    daemon: { user: job.user ?? '', command: job.command, virtualMib: virtualMib(input.arm, job.memoryMib) },
    cpu: job.work === 0 ? 0 : slot.tenths(row.cpu),
    memory: slot.tenths(row.memory),
    rss: slot.integer(row.rss),
    vms,
    username: job.user ?? slot.either(input.user, input.userNames),
  });
}

/** Processes reserve large address spaces: hundreds of gigabytes on Apple's own processors. */
function virtualMib(arm: boolean, memoryMib: number): number {
  return (arm ? 400_000 : 4180) + Math.floor(24 + 9 * memoryMib) + (hash32(0, 'macos.virtual', memoryMib) % 64);
}

const LAUNCHD_MIB = 18;

function launchdPart({ arm, memory }: MacProcessesInput, cells: Cells): Part {
  const row = cells.row('rss', 'memory', 'cpu');
  const daemon = { user: 'root', command: '/sbin/launchd', virtualMib: virtualMib(arm, LAUNCHD_MIB) };
  const figures = { cpu: slot.tenths(row.cpu), memory: slot.tenths(row.memory), rss: slot.integer(row.rss) };
  return {
    node: processNode({ pid: 1, ppid: 0, daemon, ...figures }),
    fill(frame, { hostKey, busyMinute }) {
      const held = LAUNCHD_MIB * MIB * (0.9 + 0.3 * unit(keyOf(hostKey, PROCESSES), -1));
      const rss = pages(held, memory.rules.pageBytes);
      frame[row.rss] = rss;
      frame[row.memory] = memoryTenths(rss, valueAt(frame, memory.total), memory.rules.shares);
      frame[row.cpu] = Math.round(4 * busyMinute);
    },
  };
}

function listingPart({ arm }: MacProcessesInput, agent: Cell, cells: Cells) {
  const pid = cells.one();
  const daemon = { user: 'root', command: LISTING, virtualMib: virtualMib(arm, 2) };
  const figures = { cpu: 0, memory: 0, rss: 2 * MIB, status: 'Running' };
  const fill: Fill = (frame, { hostKey, checkMs }) => {
    const key = keyOf(hostKey, PROCESSES);
    frame[pid] = LISTING_PIDS + Math.floor(39_000 * unit(key - 9, secondsSinceEpoch(checkMs)));
  };
  const listed: Listed = {
    pid,
    node: processNode({ pid: slot.integer(pid), ppid: slot.integer(agent), daemon, ...figures }),
  };
  return { listed, fill };
}

/** Each open terminal has its shell, below a `login` of root. */
function terminalPart({ arm, user, userNames, terminals }: MacProcessesInput, cells: Cells) {
  const parts = terminals.map((terminal) => ({ terminal, ...cells.row('login', 'shell') }));
  const listed = parts.flatMap(({ terminal: { present }, login, shell }): readonly Listed[] => {
    const program = (owner: string, command: string) => ({ user: owner, command, virtualMib: virtualMib(arm, 3) });
    const held = { cpu: 0, memory: 0, rss: 3 * MIB };
    const cmdline = slot.text('login -pf ', slot.word(user, userNames));
    const own = { daemon: program('', '-zsh'), username: slot.either(user, userNames) };
    const [first, second] = [slot.integer(login), slot.integer(shell)];
    return [
      {
        pid: login,
        present,
        node: processNode({ pid: first, ppid: 1, cmdline, ...held, daemon: program('root', 'login') }),
      },
      { pid: shell, present, node: processNode({ pid: second, ppid: first, ...held, ...own }) },
    ];
  });
  const fill: Fill = (frame, { hostKey }) => {
    for (const [place, { terminal, login, shell }] of parts.entries()) {
      const chance = unit(keyOf(hostKey, PROCESSES) - 20 - place, valueAt(frame, terminal.session));
      frame[login] = TERMINAL_PIDS + PIDS_OF_A_TERMINAL * place + 2 * Math.floor((PIDS_OF_A_TERMINAL / 2) * chance);
      frame[shell] = valueAt(frame, login) + 1;
    }
  };
  return { listed, fill };
}

/** Processes that live for minutes. */
function passingPart(input: MacProcessesInput, firstPid: number, cells: Cells) {
  const { jobs, passingJobs, memory, arm, user, userNames } = input;
  const short = shortLivedProcesses(
    {
      count: Math.ceil(jobs.length * 0.06),
      kinds: passingJobs.length,
      lifeSeconds: (place) => 50 * 2 ** (place % 7),
      // Odd PIDs follow even ones, so that no process has the PID of the one before it.
      pid: ({ host, place, turn }) => {
        const chance = unit(keyOf(host.hostKey, PROCESSES) - place, turn);
        return firstPid + PID_RANGE * place + 2 * Math.floor((PID_RANGE / 2) * chance) + (turn & 1);
      },
    },
    cells,
  );
  const shares = passingJobs.map(({ memoryMib }) => ({ memoryMib, cell: cells.one() }));
  const listed = short.rows.map(({ present, kind, pid }): Listed => {
    const forms = passingJobs.map(({ command, memoryMib }, place) => {
      const daemon = { user: '', command, virtualMib: virtualMib(arm, memoryMib) };
      const username = slot.either(user, userNames);
      const share = shares[place];
      const held = { memory: share === undefined ? 0 : slot.tenths(share.cell), rss: memoryMib * MIB };
      return processNode({ pid: slot.integer(pid), ppid: 1, daemon, cpu: 0, ...held, username });
    });
    return { node: slot.either(kind, forms), pid, present };
  });
  const { shares: rounding } = memory.rules;
  const fill: Fill = (frame) => {
    const total = valueAt(frame, memory.total);
    for (const { memoryMib, cell } of shares) frame[cell] = memoryTenths(memoryMib * MIB, total, rounding);
  };
  return { listed, fill: inTurn([short.fill, fill]) };
}

/** A job that some hosts lack, or that incidents stop. `present` says whether its process exists. */
type JobPresence = {
  readonly place: number;
  readonly present: Cell;
  readonly likely: number;
  readonly causes: readonly Incident[];
};

type PresenceInput = Pick<MacProcessesInput, 'jobs' | 'incidents' | 'containers'>;

/** PIDs of restarted jobs are above those of transient processes. */
const RESTARTED_PIDS = 20_000;
const RESTARTED_GAP = 25;
const INSTALLED = streamLabel('jobs.installed');
/** Probability of optional jobs. Every host has the system's jobs and the first application of its role. */
const LIKELY = { application: 0.75, helper: 0.92 } as const;

function presencesOf({ jobs, incidents, containers }: PresenceInput, cells: Cells): readonly JobPresence[] {
  const first = jobs.findIndex(isApplication);
  return jobs.flatMap((job, place) => {
    const causes = takingDown(incidents, job.label);
    const isNeeded = containers !== undefined && isContainerJob(job);
    const likely = place === first || isNeeded ? 1 : likelihood(job);
    return likely === 1 && causes.length === 0 ? [] : [{ place, present: cells.one(), likely, causes }];
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
    for (const { place, present, likely, causes } of presences) {
      const here = likely === 1 || unit(key, place) < likely;
      frame[present] = here && !disruptionBy(causes, host).down ? 1 : 0;
    }
  };
}

function leakingPlace({ jobs, incidents }: PresenceInput): number {
  if (ofKind(incidents, 'memory-leak').length === 0) return -1;
  const first = jobs.find(isApplication);
  const sizes = jobs.map((job) => (likelihood(job) < 1 && job !== first ? 0 : job.memoryMib));
  return sizes.indexOf(Math.max(...sizes));
}

type Pids = { readonly table: ProcessTable; readonly leaking: number };

/** Restarted jobs get new PIDs. */
function pidFill(
  { jobs, incidents }: PresenceInput,
  presences: readonly JobPresence[],
  { table, leaking }: Pids,
): Fill {
  const leaks = leaking < 0 ? [] : [{ place: leaking, causes: ofKind(incidents, 'memory-leak') }];
  const troubled = [...presences.filter(({ causes }) => causes.length > 0), ...leaks];
  return (frame, host) => {
    for (let place = 0; place < jobs.length; place++) {
      frame[nth(table.pid, place)] = FIRST_PID + PID_GAP * place + Math.floor(PID_GAP * unit(host.bootKey, place));
    }
    for (const { place, causes } of troubled) {
      const restored = Math.floor(disruptionBy(causes, host).restoredMs / 1000);
      if (restored === 0) continue;
      frame[nth(table.pid, place)] = RESTARTED_PIDS + RESTARTED_GAP * place + (restored % RESTARTED_GAP);
    }
  };
}
