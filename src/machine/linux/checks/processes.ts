import { PAGE_BYTES, pages } from '../../common/memory.ts';
import { type Cells, type Frame, integer, type Node, optional, tenths } from '../../document/nodes.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { type Fill, inTurn, type PartOf } from '../../part.ts';
import { MIB, memoryTenths, processNode } from '../../posix/process-entry.ts';
import { runawayProcesses } from '../../posix/runaway-processes.ts';
import { RESTARTS } from '../../time/failures.ts';
import { keyOf, type Moment, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit } from '../../time/noise.ts';
import type { Daemon } from '../data/daemons.ts';
import { kernelThreads } from '../data/kernel-threads.ts';
import { type Arranged, arrange, isAgent, type Programs } from '../software/arrangement.ts';
import type { ServiceHealth } from '../software/service-health.ts';
import { transientPart } from './transient-processes.ts';
import {
  downBy,
  leakFill,
  leakingPlace,
  type Presence,
  presenceFill,
  RUNAWAY_PIDS,
  troublePids,
} from './troubled-daemons.ts';

export type ProcessesInput = {
  readonly cores: number;
  readonly memoryBytes: number;
  readonly init: Daemon;
  readonly programs: Programs;
  readonly health: ServiceHealth;
  /** The command of a job that runs at a set time. */
  readonly cronJob: string;
  /** About how many processes there should be. */
  readonly count: number;
  /** What can happen to them, and the share of memory that they usually hold. */
  readonly incidents: readonly Incident[];
  readonly usedShare: number;
};

const PROCESSES = streamLabel('processes');
/** Daemons start after the kernel's threads; what comes and goes later has numbers far above. */
const PID_GAP = 19;
const BOOT_SPREAD = 400;
const LATER_PIDS = 21_000;
/** Resident memory of a program on different hosts and days, as a share of what its table says. */
const LEAST = 0.84;
const SPREAD = 0.3;
const DRIFT = 0.04;

/** The check `processes` of a Linux host: kernel threads, daemons that stay, and a few that come and go. */
export const processesCheck: PartOf<ProcessesInput> = (input, cells) => {
  if (input.count === 0) return { node: [], fill: () => {} };
  const transientCount = Math.max(1, Math.round(input.count * 0.06));
  const threads = kernelThreads(input.cores).slice(0, Math.floor(input.count * 0.68));
  const room = Math.max(1, input.count - threads.length - Math.ceil(transientCount * 0.7) - 2);
  const { memoryBytes, cronJob, health } = input;
  const users = arrange(input.programs, room);
  const firstPid = threads.length + 260;
  const described: Described[] = [];
  const leaking = ofKind(input.incidents, 'memory-leak').length > 0 ? leakingPlace(users) : -1;
  for (const [place, { daemon, parent, unit: name }] of users.entries()) {
    const own = { lowestPid: firstPid + place * PID_GAP, leaks: place === leaking, health: health.cellOf(name) };
    described.push(daemonPart(daemon, { ...own, parent: described[parent]?.pid, memoryBytes, cells }));
  }
  const agent = users.findIndex(({ daemon }) => isAgent(daemon));
  const bootPids = firstPid + BOOT_SPREAD + (1 + RESTARTS) * described.length * PID_GAP;
  const lowestPid = Math.max(LATER_PIDS, bootPids + troublePids(described.length));
  const restarted = lowestPid - troublePids(described.length);
  const parent = described[agent]?.pid;
  const later = transientPart(transientCount, { parent, lowestPid, memoryBytes, cronJob, cells });
  const init = initPart(input.init, input, cells);
  const places = described.map(({ daemon, pid, health }, place) => {
    return { daemon, pid, health, parent: users[place]?.parent ?? -1 };
  });
  const presences = presencesOf(users, input.incidents, cells);
  const runaway = runawayProcesses({ ...input, firstPid: lowestPid - RUNAWAY_PIDS }, cells);
  const nodes = described.map(({ node, health: healthy }, place) => {
    const present = presences.find((candidate) => candidate.place === place)?.present ?? healthy;
    return present === undefined ? node : optional(present, node);
  });
  const trouble = [
    ...(presences.length > 0 ? [presenceFill(presences, places, restarted)] : []),
    ...(leaking >= 0 ? [leakFill(leaking, places, { ...input, restarted })] : []),
  ];
  return {
    node: [init.node, ...threads.map(threadNode), ...nodes, ...runaway.nodes, ...later.node],
    fill: inTurn([init.fill, daemonsFill(described, input), ...trouble, runaway.fill, later.fill]),
  };
};

/** The daemons that incidents can take down. */
function presencesOf(users: readonly Arranged[], incidents: readonly Incident[], cells: Cells): readonly Presence[] {
  return users.flatMap(({ daemon, parent }, place) => {
    const causes = downBy(incidents, daemon, users[parent]?.daemon);
    return causes.length === 0 ? [] : [{ place, present: cells.take(), causes }];
  });
}

type Place = {
  readonly parent: number | undefined;
  readonly lowestPid: number;
  readonly memoryBytes: number;
  readonly health: number | undefined;
  readonly leaks: boolean;
  readonly cells: Cells;
};
type Described = {
  readonly node: Node;
  readonly daemon: Daemon;
  /** Cells, in a row: pid, resident bytes, share of memory, share of a core. */
  readonly pid: number;
  readonly lowestPid: number;
  /** Cells of the service that it belongs to: up or not, and which life. */
  readonly health: number | undefined;
};

function daemonPart(daemon: Daemon, { parent, lowestPid, memoryBytes, health, leaks, cells }: Place): Described {
  const pid = cells.take(4);
  const node = processNode({
    pid: integer(pid),
    ppid: parent === undefined ? 1 : integer(parent),
    daemon,
    cpu: daemon.work === undefined ? 0 : tenths(pid + 3),
    memory: leaks ? tenths(pid + 2) : memoryNode(daemon, memoryBytes, pid + 2),
    rss: integer(pid + 1),
  });
  return { node, daemon, pid, lowestPid, health };
}

/** A slot only where the share can change: small programs stay at the same tenth of a percent. */
function memoryNode({ memoryMib }: Daemon, memoryBytes: number, cell: number): Node {
  const least = memoryTenths((LEAST - DRIFT) * memoryMib * MIB - PAGE_BYTES, memoryBytes);
  const most = memoryTenths((LEAST + SPREAD + DRIFT) * memoryMib * MIB, memoryBytes);
  return least === most ? least / 10 : tenths(cell);
}

/** What stands in their cells, from columns: a list of objects takes twice the time, most of it to reach them. */
function daemonsFill(described: readonly Described[], { memoryBytes, cores }: ProcessesInput): Fill {
  const count = described.length;
  const cells = Int32Array.from(described, ({ pid }) => pid);
  const lowestPids = Int32Array.from(described, ({ lowestPid }) => lowestPid);
  const usualBytes = Float64Array.from(described, ({ daemon }) => daemon.memoryMib * MIB);
  const lives = Int32Array.from(described, ({ health }) => (health === undefined ? -1 : health + 1));
  const works = Float64Array.from(described, ({ daemon }) => daemon.work ?? 0);
  return (frame, moment) => {
    const { bootKey } = moment;
    const key = keyOf(moment.hostKey, PROCESSES);
    const hours = moment.checkMs / 3_600_000;
    const offset = Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    for (let i = 0; i < count; i++) {
      const pid = cells[i] as number;
      const own = LEAST + SPREAD * unit(key, i) + DRIFT * smoothNoise(key + i, hours);
      const rss = pages((usualBytes[i] as number) * own);
      const life = (lives[i] as number) < 0 ? 0 : (frame[lives[i] as number] as number);
      const lowest = (lowestPids[i] as number) + offset + life * count * PID_GAP;
      frame[pid] = lowest + Math.floor(unit(bootKey, i + 1) * PID_GAP);
      frame[pid + 1] = rss;
      frame[pid + 2] = memoryTenths(rss, memoryBytes);
      const work = works[i] as number;
      if (work > 0) frame[pid + 3] = lifetimeCpu(work * (0.6 + 0.8 * unit(key, ~i)), cores, moment);
    }
  };
}

/** Tenths of a percent of one core as `ps` has it: CPU time over the whole life. */
function lifetimeCpu(share: number, cores: number, { work, uptimeSeconds, busyMinute, load1 }: Moment): number {
  const perSecond = (busyMinute / load1) * cores * (work / Math.max(1, uptimeSeconds));
  return Math.round(1000 * share * perSecond);
}

function initPart(daemon: Daemon, { memoryBytes }: ProcessesInput, cells: Cells) {
  const first = cells.take(2);
  const node = processNode({ pid: 1, ppid: 0, daemon, cpu: 0, memory: tenths(first + 1), rss: integer(first) });
  const fill = (frame: Frame, { hostKey }: Moment) => {
    const rss = pages(daemon.memoryMib * MIB * (0.9 + 0.2 * unit(keyOf(hostKey, PROCESSES), -1)));
    frame[first] = rss;
    frame[first + 1] = memoryTenths(rss, memoryBytes);
  };
  return { node, fill };
}

function threadNode({ command, nice, status }: ReturnType<typeof kernelThreads>[number], index: number): Node {
  const daemon = { user: 'root', command, memoryMib: 0, virtualMib: 0, nice };
  return processNode({ pid: index + 2, ppid: index === 0 ? 0 : 2, daemon, cpu: 0, memory: 0, rss: 0, status });
}
