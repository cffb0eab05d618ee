import type { Containers } from '../../common/containers.ts';
import { type Cell, type Cells, type CellValues, nth } from '../../document/cells.ts';
import { type Incident, ofKind } from '../../incidents/incident.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import type { Fill } from '../../part.ts';
import type { ProcessTable } from '../../posix/process-entry.ts';
import { keyOf, type Moment, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import type { Job } from '../data/job-table.ts';
import { CONTAINER_JOBS } from '../data/user-jobs.ts';

/** A job that not every host has, or that incidents take down; the cell holds whether it is there. */
export type JobPresence = {
  readonly place: number;
  readonly present: Cell;
  readonly likely: number;
  readonly causes: readonly Incident[];
};

export type PresenceInput = {
  readonly jobs: readonly Job[];
  readonly incidents: readonly Incident[];
  readonly containers: Containers | undefined;
};

/** Numbers of jobs that were started anew lie above those of everything that comes and goes. */
const RESTARTED_PIDS = 20_000;
const RESTARTED_GAP = 25;
const INSTALLED = streamLabel('jobs.installed');
/** Everybody has the system's jobs and the first of what their role needs; the rest is a matter of taste. */
const LIKELY = { application: 0.75, helper: 0.92 } as const;

export function presencesOf({ jobs, incidents, containers }: PresenceInput, cells: Cells): readonly JobPresence[] {
  const first = jobs.findIndex(isApplication);
  const needed = containers === undefined ? [] : CONTAINER_JOBS;
  return jobs.flatMap((job, place) => {
    const causes = takingDown(incidents, job.label);
    const likely = place === first || needed.includes(job) ? 1 : likelihood(job);
    return likely === 1 && causes.length === 0 ? [] : [{ place, present: cells.one(), likely, causes }];
  });
}

export function isApplication({ user, label }: Job): boolean {
  return user === undefined && !label.startsWith('com.apple.');
}

function likelihood(job: Job): number {
  if (job.user !== undefined) return 1;
  if (job.pool) return LIKELY.helper;
  return isApplication(job) ? LIKELY.application : 1;
}

/** Before what jobs hold and do is divided among those that are there. */
export function presenceFill(presences: readonly JobPresence[]): Fill {
  return (frame, moment) => {
    const key = keyOf(moment.hostKey, INSTALLED);
    for (const { place, present, likely, causes } of presences) {
      const here = likely === 1 || unit(key, place) < likely;
      frame[present] = here && !outageOf(causes, moment).down ? 1 : 0;
    }
  };
}

/** The largest job leaks when one does. */
export function leakingPlace({ jobs, incidents }: PresenceInput): number {
  if (ofKind(incidents, 'memory-leak').length === 0) return -1;
  const sizes = jobs.map((job) =>
    job.user === undefined && likelihood(job) < 1 && !isFirst(job, jobs) ? 0 : job.memoryMib,
  );
  return sizes.indexOf(Math.max(...sizes));
}

function isFirst(job: Job, jobs: readonly Job[]): boolean {
  return jobs.find(isApplication) === job;
}

/** After the jobs' own numbers: what was started anew has others. */
export function restartFill(input: PresenceInput, presences: readonly JobPresence[], table: ProcessTable): Fill {
  const leaks = ofKind(input.incidents, 'memory-leak');
  const leaking = leakingPlace(input);
  const troubled = presences.filter(({ causes }) => causes.length > 0);
  const renumber = (frame: CellValues, moment: Moment, place: number, causes: readonly Incident[]) => {
    const { restoredMs } = outageOf(causes, moment);
    if (restoredMs === 0) return;
    frame[nth(table.pid, place)] =
      RESTARTED_PIDS + RESTARTED_GAP * place + (Math.floor(restoredMs / 1000) % RESTARTED_GAP);
  };
  return (frame, moment) => {
    for (const { place, causes } of troubled) renumber(frame, moment, place, causes);
    if (leaking >= 0) renumber(frame, moment, leaking, leaks);
  };
}
