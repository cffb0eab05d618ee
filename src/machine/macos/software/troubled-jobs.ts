import { pages } from '../../common/memory.ts';
import { type Cell, type Cells, type Frame, nth, valueAt } from '../../document/cells.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { leakedShare } from '../../incidents/memory-leak.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import type { Fill } from '../../part.ts';
import { memoryTenths, type ProcessRow, type ProcessTable, rowOf } from '../../posix/process-entry.ts';
import type { Moment } from '../../time/moment.ts';
import type { Job } from '../data/job-table.ts';

/** A job that incidents take down; the cell holds whether it is there. */
export type JobOutage = { readonly place: number; readonly present: Cell; readonly causes: readonly Incident[] };

export type TroubleInput = {
  readonly jobs: readonly Job[];
  readonly incidents: readonly Incident[];
  readonly memoryBytes: number;
  readonly memoryUsed: number;
};

/** Numbers of jobs that were started anew lie above those of everything that comes and goes. */
const RESTARTED_PIDS = 20_000;
const RESTARTED_GAP = 25;

export function outagesOf({ jobs, incidents }: TroubleInput, cells: Cells): readonly JobOutage[] {
  return jobs.flatMap(({ label }, place) => {
    const causes = takingDown(incidents, label);
    return causes.length === 0 ? [] : [{ place, present: cells.one(), causes }];
  });
}

/** After the jobs' own fill. */
export function troubleFill(input: TroubleInput, outages: readonly JobOutage[], table: ProcessTable): Fill {
  const leaks = ofKind(input.incidents, 'memory-leak');
  const sizes = input.jobs.map(({ memoryMib, pool }) => (pool ? 0 : memoryMib));
  const leaking = sizes.indexOf(Math.max(...sizes));
  return (frame, moment) => {
    for (const { place, present, causes } of outages) {
      const { down, restoredMs } = outageOf(causes, moment);
      frame[present] = down ? 0 : 1;
      if (restoredMs > 0) frame[nth(table.pid, place)] = restartedPid(place, restoredMs);
    }
    if (leaks.length > 0) leak(frame, moment, { input, leaks, place: leaking, row: rowOf(table, leaking) });
  };
}

type Leak = {
  readonly input: TroubleInput;
  readonly leaks: readonly Incident[];
  readonly place: number;
  readonly row: ProcessRow;
};

function leak(frame: Frame, moment: Moment, { input, leaks, place, row }: Leak): void {
  const { down, restoredMs } = outageOf(leaks, moment);
  if (restoredMs > 0) frame[row.pid] = restartedPid(place, restoredMs);
  if (!down) return;
  const rss = valueAt(frame, row.rss) + pages(input.memoryBytes * leakedShare(moment, input.memoryUsed));
  frame[row.rss] = rss;
  frame[row.memory] = memoryTenths(rss, input.memoryBytes);
}

function restartedPid(place: number, restoredMs: number): number {
  return RESTARTED_PIDS + RESTARTED_GAP * place + (Math.floor(restoredMs / 1000) % RESTARTED_GAP);
}
