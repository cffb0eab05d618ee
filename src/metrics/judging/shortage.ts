import { SATURATED, type WorkerTotals } from '../merging/worker-accounts.ts';

/** How busy the machine was during a run, the generator's own part left out; undefined where it does not tell. */
export type MachineLoad = {
  readonly cores: number;
  /** Of the last minute, at the end of the run. */
  readonly loadAverage: number;
  /** Cores that other processes used on average. */
  readonly otherCores: number | undefined;
  /** Share of the time that the hypervisor gave to others, 0 to 1. */
  readonly stealShare: number | undefined;
};

const MUCH_COLLECTION = 0.2;
// Of one second in a hundred: enough for the 99th percentile of delays.
const MANY_SECONDS = 0.01;
// Beyond this, what a moment's hold-up leaves undone makes arrivals late for long.
const LITTLE_RESERVE = 0.7;
const MUCH_STEAL = 0.05;
// Half a core taken from a worker doubles the time its work takes.
const MUCH_OF_A_CORE = 0.5;

/** What the generator lacked when it was late, and what to do about it: the likeliest cause that its figures tell. */
export function shortageOf(workers: readonly WorkerTotals[], machine: MachineLoad | undefined): string {
  const own = collection(workers) ?? saturation(workers);
  return own ?? (machine && neighbours(machine)) ?? peaks(workers) ?? littleReserve(workers) ?? STANDSTILL;
}

const LESS_WORK = 'use more workers or machines, or a lower load';

const STANDSTILL =
  'neither its own work nor other processes explain it; was the process stopped, the machine suspended or short of memory?';

function collection(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ gcMs, seconds }) => share(gcMs, seconds) > MUCH_COLLECTION);
  if (worker === undefined) return undefined;
  const text = `garbage collection took ${percent(share(worker.gcMs, worker.seconds))} of the time of worker ${worker.shard}`;
  return `${text}; give the process more memory, or run fewer agents`;
}

function saturation(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ cpuMs, seconds }) => share(cpuMs, seconds) > SATURATED);
  if (worker === undefined) return undefined;
  return `worker ${worker.shard} used ${percent(share(worker.cpuMs, worker.seconds))} of a core; ${LESS_WORK}`;
}

function peaks(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ saturatedSeconds, seconds }) => saturatedSeconds > seconds * MANY_SECONDS);
  if (worker === undefined) return undefined;
  const { shard, saturatedSeconds, seconds } = worker;
  return `worker ${shard} used more than ${percent(SATURATED)} of a core in ${saturatedSeconds} of ${seconds} seconds; ${LESS_WORK}`;
}

function littleReserve(workers: readonly WorkerTotals[]): string | undefined {
  const worker = workers.find(({ loopUtilisation }) => loopUtilisation > LITTLE_RESERVE);
  if (worker === undefined) return undefined;
  const { shard, loopUtilisation } = worker;
  return `worker ${shard} was busy ${percent(loopUtilisation)} of the time, too much to catch up soon once it is held up; ${LESS_WORK}`;
}

function neighbours({ cores, loadAverage, otherCores, stealShare }: MachineLoad): string | undefined {
  const taken = otherCores !== undefined && otherCores > MUCH_OF_A_CORE;
  const stolen = stealShare !== undefined && stealShare > MUCH_STEAL;
  if (!taken && !stolen && loadAverage <= 2 * cores) return undefined;
  const facts = [
    ...(taken ? [`other processes used ${otherCores.toFixed(1)} of ${cores} cores`] : []),
    ...(stolen ? [`the hypervisor gave ${percent(stealShare)} of the time to others`] : []),
    `load average ${loadAverage.toFixed(1)}`,
  ];
  return `${facts.join(', ')}; give the run a machine that does nothing else`;
}

function share(milliseconds: number, seconds: number): number {
  return seconds === 0 ? 0 : milliseconds / (seconds * 1000);
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}
