import { column, type HostTables, oncePerData, readSection, readTable, type TableRow } from '../../host-data.ts';
import type { OptionalChecks } from '../configuration.ts';
import { exporterEntries } from '../configured-checks.ts';
import type { Draw } from '../draws.ts';
import { roleFile } from '../roles.ts';

const JOB = {
  /** A pool is repeated to reach a count of processes. */
  kind: column.oneOf('main', 'pool'),
  /** `undefined` for the signed-in user. */
  user: column.orEmpty(column.text),
  memoryMib: column.number,
  work: column.number,
  /** As shown by `launchctl list`. */
  label: column.text,
  command: column.text,
};

/** A program that launchd starts, for the system or for a user. */
export type Job = Omit<TableRow<typeof JOB>, 'line' | 'kind'> & { readonly pool: boolean };

const LISTED = { list: column.oneOf('system', 'user', 'passing'), ...JOB };

const jobs = oncePerData((data) => {
  return readTable(data, 'jobs/macos.tsv', LISTED).map(({ list, ...row }) => ({ list, job: jobFrom(row) }));
});

function jobFrom({ kind, ...job }: TableRow<typeof JOB>): Job {
  return { ...job, pool: kind === 'pool' };
}

function jobsOf(data: HostTables, name: TableRow<typeof LISTED>['list']): readonly Job[] {
  return jobs(data).flatMap(({ list, job }) => (list === name ? [job] : []));
}

function jobsOfRole(data: HostTables, role: string): readonly Job[] {
  return readSection(data, { file: roleFile(role), section: 'macos jobs' }, JOB).map(jobFrom);
}

/** The jobs that run containers, on hosts that have some. */
function containerJobs(data: HostTables, containers: boolean): readonly Job[] {
  return containers ? jobsOfRole(data, 'developer').filter(isContainerJob) : [];
}

/** The applications that users of a role run, and with `containers` the one that runs these. */
export function applicationsOf(data: HostTables, role: string, containers: boolean): ReadonlySet<string> {
  const jobsHere = [...jobsOfRole(data, role), ...containerJobs(data, containers)];
  return new Set(jobsHere.flatMap(({ command }) => /^\/Applications\/([^/]+)\.app\//.exec(command)?.[1] ?? []));
}

export function passingJobs(data: HostTables): readonly Job[] {
  return jobsOf(data, 'passing');
}

/** The virtual machine in which containers run on this system. */
export const CONTAINER_MACHINE_JOB = 'com.docker.virtualization';

export function isContainerJob({ label }: Job): boolean {
  return label.startsWith('com.docker.');
}

export type WaitingJobs = {
  readonly labels: readonly string[];
  /** Helpers of programs that only some hosts have. */
  readonly some: readonly { readonly label: string; readonly draw: Draw }[];
};

export const waitingJobs = oncePerData((data): WaitingJobs => {
  const rows = readTable(data, 'jobs/macos-waiting.tsv', { label: column.text, share: column.orEmpty(column.number) });
  return {
    labels: rows.flatMap(({ label, share }) => (share === undefined ? [label] : [])),
    some: rows.flatMap(({ label, share }) => {
      return share === undefined ? [] : [{ label, draw: { name: label, from: 0, to: share } }];
    }),
  };
});

/** Shares of short lists: the system's jobs, and the applications of the role's users. Chosen. */
const SYSTEM_SHARE = 0.36;
const ROLE_SHARE = 0.16;

/** About `count` jobs: the system's and the agent, then the user's and the role's, then helpers of applications. */
export function chosenJobs(data: HostTables, role: string, count: number, containers: boolean): readonly Job[] {
  if (count === 0) return [];
  const own = jobsOfRole(data, role);
  const first = own.filter(({ pool }) => !pool).slice(0, Math.max(1, Math.round(count * ROLE_SHARE)));
  const needed = containerJobs(data, containers).filter((job) => !first.some(({ label }) => label === job.label));
  const mains = [...first, ...needed];
  const pools = own.filter(({ pool }) => pool);
  const system = jobsOf(data, 'system').slice(0, Math.max(4, Math.round(count * SYSTEM_SHARE)));
  const user = jobsOf(data, 'user').slice(0, Math.max(2, count - system.length - mains.length));
  const room = Math.max(0, count - system.length - user.length - mains.length);
  const helpers = Array.from({ length: room }, (_, index) =>
    numbered(pools[index % pools.length] as Job, 1 + Math.floor(index / pools.length)),
  );
  return [...system, ...user, ...mains, ...helpers];
}

/** Adds the exporters that the agent scrapes, after the first jobs of the system. */
export function withExporterJobs(jobs: readonly Job[], checks: OptionalChecks): readonly Job[] {
  if (jobs.length === 0) return jobs;
  const { prometheus_exporters: count = 0 } = checks;
  const exporters = exporterEntries('macos', count).map(({ name, port }): Job => {
    const command = `/usr/local/bin/${name} --web.listen-address=:${port}`;
    return { user: 'root', command, memoryMib: 14, label: `io.prometheus.${name}`, work: 0.002, pool: false };
  });
  return [...jobs.slice(0, FIRST_JOBS), ...exporters, ...jobs.slice(FIRST_JOBS)];
}

const FIRST_JOBS = 4;

function numbered(job: Job, number: number): Job {
  return { ...job, command: job.command.replaceAll('{i}', String(number)) };
}
