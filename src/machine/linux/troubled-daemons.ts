import { pages } from '../checks/memory.ts';
import { type Cells, type Optional, optional, tenths } from '../document/nodes.ts';
import { type Fate, fateOf, takingDown } from '../incidents/fates.ts';
import { type Incident, isRunning, ofKind } from '../incidents/incident.ts';
import { leakedShare } from '../incidents/memory-leak.ts';
import { type Fill, inTurn } from '../part.ts';
import { MIB, memoryTenths, processNode } from '../posix/process-entry.ts';
import type { Daemon } from './daemons.ts';
import { serviceOf } from './trouble.ts';

const RESTARTED_GAP = 25;
const WILD_PIDS = 100;
const WILD: Daemon = {
  user: 'root',
  command: '/usr/bin/python3 /opt/shop/bin/report.py --all',
  memoryMib: 60,
  virtualMib: 210,
};

/** A daemon in the list of processes; its pid, resident bytes and share of memory stand in a row of cells. */
export type Place = { readonly daemon: Daemon; readonly parent: number; readonly pid: number };

export type TroubleInput = {
  readonly incidents: readonly Incident[];
  readonly memoryBytes: number;
  /** What programs usually hold. */
  readonly usedShare: number;
  readonly cores: number;
  /** The first of the numbers of troubled processes. */
  readonly restarted: number;
};

/** So many numbers belong to daemons that were started anew and to processes gone wild, apart from all others. */
export function troublePids(daemons: number): number {
  return RESTARTED_GAP * daemons + WILD_PIDS;
}

/** The incidents that take a daemon down: those of its service, or of the one that it is started by. */
export function downBy(incidents: readonly Incident[], daemon: Daemon, parent: Daemon | undefined) {
  return takingDown(incidents, serviceOf(parent ?? daemon));
}

export type Presence = {
  readonly place: number;
  readonly present: number;
  /** Holds 0 while its service is down for a reason of its own. */
  readonly health: number | undefined;
  readonly concerning: readonly Incident[];
};

/** Takes daemons off the list while they are down, and gives them other numbers afterwards. */
export function presenceFill(presences: readonly Presence[], places: readonly Place[], restarted: number): Fill {
  return (frame, moment) => {
    for (const { place, present, health, concerning } of presences) {
      const fate = fateOf(concerning, moment);
      const healthy = health === undefined || frame[health] === 1;
      frame[present] = healthy && !fate.down ? 1 : 0;
      if (fate.restoredMs > 0) frame[(places[place] as Place).pid] = restarted + restartedPid(place, fate);
    }
  };
}

/** Programs that are their own service leak; the largest of them does. */
export function leakingPlace(places: readonly Omit<Place, 'pid'>[]): number {
  const sizes = places.map(({ daemon, parent }) => (parent >= 0 || daemon.children ? 0 : daemon.memoryMib));
  return sizes.indexOf(Math.max(...sizes));
}

export function leakFill(place: number, places: readonly Place[], input: TroubleInput): Fill {
  const leaks = ofKind(input.incidents, 'memory-leak');
  return (frame, moment) => {
    const { pid } = places[place] as Place;
    const fate = fateOf(leaks, moment);
    if (fate.down) {
      const rss = (frame[pid + 1] as number) + pages(input.memoryBytes * leakedShare(moment, input.usedShare));
      frame[pid + 1] = rss;
      frame[pid + 2] = memoryTenths(rss, input.memoryBytes);
    } else if (fate.restoredMs > 0) frame[pid] = input.restarted + restartedPid(place, fate);
  };
}

/** The processes that take what the cores have left, one for each such incident. */
export function wildProcesses(input: Omit<TroubleInput, 'usedShare'> & { readonly daemons: number }, cells: Cells) {
  const { incidents, cores, memoryBytes, restarted, daemons } = input;
  const parts = ofKind(incidents, 'cpu-saturated').map((incident, index) => {
    const [present, cpu] = [cells.take(), cells.take()];
    const rss = WILD.memoryMib * MIB;
    const memory = memoryTenths(rss, memoryBytes) / 10;
    const pid = restarted + RESTARTED_GAP * daemons + index;
    const own = { pid, ppid: 1, daemon: WILD, cpu: tenths(cpu), memory, rss, status: 'Running' };
    const fill: Fill = (frame, moment) => {
      frame[present] = moment.incidents.includes(incident) && isRunning(incident, moment.checkMs) ? 1 : 0;
      frame[cpu] = Math.round(1000 * cores * (1 - moment.busyMinute));
    };
    return { node: optional(present, processNode(own)), fill };
  });
  const nodes: readonly Optional[] = parts.map(({ node }) => node);
  return { nodes, fill: inTurn(parts.map(({ fill }) => fill)) };
}

function restartedPid(place: number, { restoredMs }: Fate): number {
  return RESTARTED_GAP * place + (Math.floor(restoredMs / 1000) % RESTARTED_GAP);
}
