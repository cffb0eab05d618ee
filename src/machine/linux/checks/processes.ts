import { PAGE_BYTES, pages } from '../../common/memory.ts';
import { type Cell, type Cells, type Frame, nth, valueAt } from '../../document/cells.ts';
import { integer, type Node, optional, tenths } from '../../document/nodes.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { type Fill, inTurn, type PartOf } from '../../part.ts';
import { MIB, memoryTenths, type ProcessTable, processNode, processTable, rowOf } from '../../posix/process-entry.ts';
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
  type ListedDaemon,
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
  const leaking = ofKind(input.incidents, 'memory-leak').length > 0 ? leakingPlace(users) : -1;
  const table = processTable(users.length, cells);
  const daemons = users.map(({ daemon, parent, unit }, place): Listed => {
    return { daemon, parent, row: rowOf(table, place), health: health.of(unit), leaks: place === leaking };
  });
  const agent = users.findIndex(({ daemon }) => isAgent(daemon));
  const bootPids = firstPid + BOOT_SPREAD + (1 + RESTARTS) * daemons.length * PID_GAP;
  const lowestPid = Math.max(LATER_PIDS, bootPids + troublePids(daemons.length));
  const restarted = lowestPid - troublePids(daemons.length);
  const parent = daemons[agent]?.row.pid;
  const later = transientPart(transientCount, { parent, lowestPid, memoryBytes, cronJob, cells });
  const init = initPart(input.init, input, cells);
  const presences = presencesOf(users, input.incidents, cells);
  const runaway = runawayProcesses({ ...input, firstPid: lowestPid - RUNAWAY_PIDS }, cells);
  const nodes = daemons.map((listed, place) => {
    const node = daemonNode(listed, daemons[listed.parent]?.row.pid, memoryBytes);
    const present = presences.find((candidate) => candidate.place === place)?.present ?? listed.health?.up;
    return present === undefined ? node : optional(present, node);
  });
  const trouble = [
    ...(presences.length > 0 ? [presenceFill(presences, daemons, restarted)] : []),
    ...(leaking >= 0 ? [leakFill(leaking, daemons, { ...input, restarted })] : []),
  ];
  return {
    node: [init.node, ...threads.map(threadNode), ...nodes, ...runaway.nodes, ...later.node],
    fill: inTurn([
      init.fill,
      daemonsFill(daemons, table, { ...input, firstPid }),
      ...trouble,
      runaway.fill,
      later.fill,
    ]),
  };
};

/** The daemons that incidents can take down. */
function presencesOf(users: readonly Arranged[], incidents: readonly Incident[], cells: Cells): readonly Presence[] {
  return users.flatMap(({ daemon, parent }, place) => {
    const causes = downBy(incidents, daemon, users[parent]?.daemon);
    return causes.length === 0 ? [] : [{ place, present: cells.one(), causes }];
  });
}

type Listed = ListedDaemon & { readonly leaks: boolean };

function daemonNode({ daemon, row, leaks }: Listed, parent: Cell | undefined, memoryBytes: number): Node {
  return processNode({
    pid: integer(row.pid),
    ppid: parent === undefined ? 1 : integer(parent),
    daemon,
    cpu: daemon.work === undefined ? 0 : tenths(row.cpu),
    memory: leaks ? tenths(row.memory) : memoryNode(daemon, memoryBytes, row.memory),
    rss: integer(row.rss),
  });
}

/** A slot only where the share can change: small programs stay at the same tenth of a percent. */
function memoryNode({ memoryMib }: Daemon, memoryBytes: number, cell: Cell): Node {
  const least = memoryTenths((LEAST - DRIFT) * memoryMib * MIB - PAGE_BYTES, memoryBytes);
  const most = memoryTenths((LEAST + SPREAD + DRIFT) * memoryMib * MIB, memoryBytes);
  return least === most ? least / 10 : tenths(cell);
}

type Places = Pick<ProcessesInput, 'memoryBytes' | 'cores'> & { readonly firstPid: number };

function daemonsFill(daemons: readonly Listed[], table: ProcessTable, { memoryBytes, cores, firstPid }: Places): Fill {
  const count = daemons.length;
  const usualBytes = Float64Array.from(daemons, ({ daemon }) => daemon.memoryMib * MIB);
  const works = Float64Array.from(daemons, ({ daemon }) => daemon.work ?? 0);
  const healths = daemons.map(({ health }) => health);
  return (frame, moment) => {
    const { bootKey } = moment;
    const key = keyOf(moment.hostKey, PROCESSES);
    const hours = moment.checkMs / 3_600_000;
    const offset = Math.floor(unit(bootKey, 0) * BOOT_SPREAD);
    for (let i = 0; i < count; i++) {
      const own = LEAST + SPREAD * unit(key, i) + DRIFT * smoothNoise(key + i, hours);
      const rss = pages((usualBytes[i] as number) * own);
      const health = healths[i];
      const life = health === undefined ? 0 : valueAt(frame, health.life);
      const lowest = firstPid + i * PID_GAP + offset + life * count * PID_GAP;
      frame[nth(table.pid, i)] = lowest + Math.floor(unit(bootKey, i + 1) * PID_GAP);
      frame[nth(table.rss, i)] = rss;
      frame[nth(table.memory, i)] = memoryTenths(rss, memoryBytes);
      const work = works[i] as number;
      if (work > 0) frame[nth(table.cpu, i)] = lifetimeCpu(work * (0.6 + 0.8 * unit(key, ~i)), cores, moment);
    }
  };
}

/** Tenths of a percent of one core as `ps` has it: CPU time over the whole life. */
function lifetimeCpu(share: number, cores: number, { work, uptimeSeconds, busyMinute, load1 }: Moment): number {
  const perSecond = (busyMinute / load1) * cores * (work / Math.max(1, uptimeSeconds));
  return Math.round(1000 * share * perSecond);
}

function initPart(daemon: Daemon, { memoryBytes }: ProcessesInput, cells: Cells) {
  const row = cells.row('rss', 'memory');
  const node = processNode({ pid: 1, ppid: 0, daemon, cpu: 0, memory: tenths(row.memory), rss: integer(row.rss) });
  const fill = (frame: Frame, { hostKey }: Moment) => {
    const rss = pages(daemon.memoryMib * MIB * (0.9 + 0.2 * unit(keyOf(hostKey, PROCESSES), -1)));
    frame[row.rss] = rss;
    frame[row.memory] = memoryTenths(rss, memoryBytes);
  };
  return { node, fill };
}

function threadNode({ command, nice, status }: ReturnType<typeof kernelThreads>[number], index: number): Node {
  const daemon = { user: 'root', command, memoryMib: 0, virtualMib: 0, nice };
  return processNode({ pid: index + 2, ppid: index === 0 ? 0 : 2, daemon, cpu: 0, memory: 0, rss: 0, status });
}
