import { hash32 } from '../../base/kernel/random.ts';
import { type Cell, type Cells, type Node, slot } from '../document/nodes.ts';
import { selectedBy, shareOfHosts } from '../host/draws.ts';
import type { Job, WaitingJobs } from '../host/macos/jobs.ts';
import type { Part } from '../host/part.ts';

type LaunchdInput = {
  readonly jobs: readonly Job[];
  readonly waitingJobs: WaitingJobs;
  readonly count: number;
  /** List exactly `count` jobs, if necessary with the host's own, instead of at most `count`. */
  readonly exact: boolean;
  readonly pidOf: (job: Job) => Cell | undefined;
  /** Returns the cell that says whether the process exists, or `undefined` if it always does. */
  readonly presenceOf: (job: Job) => Cell | undefined;
};

/** Share of the system's jobs that run. The others start on demand. Chosen. */
const RUNNING_SHARE = 0.385;
/** Shorter lists omit jobs that only some hosts have. */
const LONG_LIST = 25;

/** The check `launchd_services`: the system's jobs in launchd's internal order, which appears random. */
export function launchdServicesCheck(input: LaunchdInput, cells: Cells): Part {
  const { jobs, waitingJobs, count, exact, pidOf, presenceOf } = input;
  const system = jobs.filter(({ user }) => user !== undefined);
  const running = distinct(system).slice(0, Math.round(count * RUNNING_SHARE));
  const labels = new Set(running.map(({ label }) => label));
  const some = exact || count < LONG_LIST ? [] : waitingJobs.some;
  const helpers = some.map(({ label, draw }) => ({ label, has: selectedBy(draw), here: cells.one() }));
  const drawnCount = some.reduce((sum, { draw }) => sum + shareOfHosts(draw), 0);
  const rest = Math.max(0, Math.round(count - running.length - drawnCount));
  const waiting = waitingJobs.labels.filter((label) => !labels.has(label)).slice(0, rest);
  const more = Array.from(
    { length: exact ? rest - waiting.length : 0 },
    (_, index) => `com.example.worker.${index + 1}`,
  );
  const entries = [
    ...running.map((job) => {
      const present = presenceOf(job);
      const node = runningNode(job, pidOf(job));
      return { label: job.label, node: present === undefined ? node : slot.either(present, [failedNode(job), node]) };
    }),
    ...[...waiting, ...more].map((label) => ({ label, node: waitingNode(label) })),
    ...helpers.map(({ label, here }) => ({ label, node: slot.optional(here, waitingNode(label)) })),
  ];
  entries.sort((a, b) => hash32(0, a.label) - hash32(0, b.label));
  return {
    node: entries.map(({ node }) => node),
    fill(frame, { hostKey }) {
      for (const { here, has } of helpers) frame[here] = has(hostKey) ? 1 : 0;
    },
  };
}

function distinct(jobs: readonly Job[]): readonly Job[] {
  return [...new Map(jobs.map((job) => [job.label, job])).values()];
}

function runningNode({ label }: Job, pid: Cell | undefined): Node {
  return { IsRunning: pid !== undefined, Pid: pid === undefined ? 0 : slot.integer(pid), Status: 0, Label: label };
}

/** Its last exit was by a signal. */
function failedNode({ label }: Job): Node {
  return { IsRunning: false, Pid: 0, Status: -6, Label: label };
}

/** The status is that of a job's last exit, negative for a signal: 0 for all but seven of a hundred jobs. 78 is `EX_CONFIG`. */
function waitingNode(label: string): Node {
  const percent = hash32(0, `launchd.${label}`) % 100;
  const status = percent < 3 ? 78 : percent < 6 ? -9 : percent === 6 ? 1 : 0;
  return { IsRunning: false, Pid: 0, Status: status, Label: label };
}
