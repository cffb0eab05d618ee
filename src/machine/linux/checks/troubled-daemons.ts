import { pages } from '../../common/memory.ts';
import { type Cell, type Frame, valueAt } from '../../document/cells.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { leakedShare } from '../../incidents/memory-leak.ts';
import { type Outage, outageOf, takingDown } from '../../incidents/outages.ts';
import type { Fill } from '../../part.ts';
import { memoryTenths, type ProcessRow } from '../../posix/process-entry.ts';
import type { Daemon } from '../data/daemons.ts';
import type { Health } from '../software/service-health.ts';
import { serviceOf } from '../software/trouble.ts';

const RESTARTED_GAP = 25;
/** Numbers that are kept for processes gone runaway. */
export const RUNAWAY_PIDS = 100;

/** A daemon in the list of processes. */
export type ListedDaemon = {
  readonly daemon: Daemon;
  readonly parent: number;
  readonly row: ProcessRow;
  /** Of the service that it belongs to, which may be down for a reason of its own. */
  readonly health: Health | undefined;
};

export type TroubleInput = {
  readonly incidents: readonly Incident[];
  readonly memoryBytes: number;
  /** What programs usually hold. */
  readonly usedShare: number;
  /** The first of the numbers of troubled processes. */
  readonly restarted: number;
};

/** So many numbers belong to daemons that were started anew and to processes gone runaway, apart from all others. */
export function troublePids(daemons: number): number {
  return RESTARTED_GAP * daemons + RUNAWAY_PIDS;
}

/** The incidents that take a daemon down: those of its service, or of the one that it is started by. */
export function downBy(incidents: readonly Incident[], daemon: Daemon, parent: Daemon | undefined) {
  return takingDown(incidents, serviceOf(parent ?? daemon));
}

export type Presence = {
  readonly place: number;
  readonly present: Cell;
  readonly causes: readonly Incident[];
};

/** Takes daemons off the list while they are down, and gives them other numbers afterwards. */
export function presenceFill(
  presences: readonly Presence[],
  daemons: readonly ListedDaemon[],
  restarted: number,
): Fill {
  return (frame, moment) => {
    for (const { place, present, causes } of presences) {
      const { row, health } = daemons[place] as ListedDaemon;
      const outage = outageOf(causes, moment);
      const healthy = health === undefined || frame[health.up] === 1;
      frame[present] = healthy && !outage.down ? 1 : 0;
      if (outage.restoredMs > 0) frame[row.pid] = restarted + restartedPid(place, outage, lifeOf(health, frame));
    }
  };
}

/** Programs that are their own service leak; the largest of them does. */
export function leakingPlace(daemons: readonly Pick<ListedDaemon, 'daemon' | 'parent'>[]): number {
  const sizes = daemons.map(({ daemon, parent }) => (parent >= 0 || daemon.children ? 0 : daemon.memoryMib));
  return sizes.indexOf(Math.max(...sizes));
}

export function leakFill(place: number, daemons: readonly ListedDaemon[], input: TroubleInput): Fill {
  const leaks = ofKind(input.incidents, 'memory-leak');
  return (frame, moment) => {
    const { row, health } = daemons[place] as ListedDaemon;
    const outage = outageOf(leaks, moment);
    if (outage.down) {
      const rss = valueAt(frame, row.rss) + pages(input.memoryBytes * leakedShare(moment, input.usedShare));
      frame[row.rss] = rss;
      frame[row.memory] = memoryTenths(rss, input.memoryBytes);
    } else if (outage.restoredMs > 0)
      frame[row.pid] = input.restarted + restartedPid(place, outage, lifeOf(health, frame));
  };
}

/** Lives after an incident are told apart by the number of the service's own restarts, which are fewer than the gap. */
function restartedPid(place: number, { restoredMs }: Outage, life: number): number {
  return RESTARTED_GAP * place + ((Math.floor(restoredMs / 1000) + life) % RESTARTED_GAP);
}

function lifeOf(health: Health | undefined, frame: Frame): number {
  return health === undefined ? 0 : valueAt(frame, health.life);
}
