import type { MacRole } from './hardware.ts';
import type { Job } from './job-table.ts';
import { SYSTEM_JOBS } from './system-jobs.ts';
import { CONTAINER_JOBS, ROLE_JOBS, USER_JOBS } from './user-jobs.ts';

/** Of short lists, so much belongs to the system and so much to what the role's users have open. */
const SYSTEM_SHARE = 0.36;
const ROLE_SHARE = 0.16;

/** About so many running jobs: the agent and the system's first, helpers of applications as far as there is room. */
export function chosenJobs(role: MacRole, count: number, containers: boolean): readonly Job[] {
  if (count === 0) return [];
  const first = ROLE_JOBS[role].filter(({ pool }) => !pool).slice(0, Math.max(1, Math.round(count * ROLE_SHARE)));
  const needed = containers ? CONTAINER_JOBS.filter((job) => !first.includes(job)) : [];
  const mains = [...first, ...needed];
  const pools = ROLE_JOBS[role].filter(({ pool }) => pool);
  const system = SYSTEM_JOBS.slice(0, Math.max(4, Math.round(count * SYSTEM_SHARE)));
  const user = USER_JOBS.slice(0, Math.max(2, count - system.length - mains.length));
  const room = Math.max(0, count - system.length - user.length - mains.length);
  const helpers = Array.from({ length: room }, (_, place) =>
    numbered(pools[place % pools.length] as Job, 1 + Math.floor(place / pools.length)),
  );
  return [...system, ...user, ...mains, ...helpers];
}

/** Each helper has arguments of its own. */
function numbered(job: Job, number: number): Job {
  return { ...job, command: job.command.replaceAll('{i}', String(number)) };
}
