import type { MachineLoad } from '../merging/cluster-machine.ts';
import { leftOutMs } from '../merging/late-spans.ts';
import type { Recording } from '../merging/measurement.ts';
import { type PhaseSpan, stretchOf } from '../merging/phases.ts';
import { lostCause, type Totals } from '../merging/totals.ts';
import type { LoadTotals, PhaseStalls, WorkerTotals } from '../merging/worker-totals.ts';

/** One of several machines that shared the fleet, with a part of it from 1. */
export type MachineOfFleet = { readonly name: string; readonly part: number; readonly load?: MachineLoad | undefined };

export function spansOf(workers: readonly WorkerTotals[], names: readonly string[]): readonly WorkerSpan[] {
  return workers.flatMap(({ shard, phases }) =>
    phases.filter(({ phase }) => names.includes(phase)).map((one) => ({ shard, ...one })),
  );
}

export type WorkerSpan = LoadTotals & {
  readonly shard: number;
  readonly phase: string;
  readonly stalls: PhaseStalls;
};

/** A figure of workers with its limit, and what is said about the worker with the highest one if that is above the limit. */
type WorkerLimit = {
  readonly of: (worker: WorkerSpan) => number;
  readonly limit: number;
  readonly text: (worker: WorkerSpan) => string;
};

/** One text if the worst worker is beyond the limit, otherwise none; after the name of its machine if there are several. */
export function beyond(
  workers: readonly WorkerSpan[],
  { of, limit, text }: WorkerLimit,
  machines?: readonly MachineOfFleet[],
): string[] {
  const [worst] = workers.toSorted((a, b) => of(b) - of(a));
  if (worst === undefined || of(worst) <= limit) return [];
  return [
    machines === undefined
      ? text(worst)
      : `${machineNames(machinePart(worst.shard, machines), machines)}: ${text(worst)}`,
  ];
}

export function collectionShareOf({ gcMs, seconds }: LoadTotals): number {
  return seconds === 0 ? 0 : gcMs / (seconds * 1000);
}

/** Worker numbers run over all machines: those with the same remainder are on the same one. */
export function machinePart(shard: number, machines: readonly MachineOfFleet[]): number {
  return (shard % Math.max(1, ...machines.map(({ part }) => part))) + 1;
}

/** Several machines of one part had it one after another. */
export function machineNames(part: number, machines: readonly MachineOfFleet[]): string {
  const names = machines.flatMap((machine) => (machine.part === part ? [machine.name] : []));
  return `machine ${names.join(', then ')}`;
}

/** Time of a phase that was left out, mean of all workers. */
export function leftOutIn({ run: { late, workers }, elapsedMs }: Recording, phase: PhaseSpan): number {
  return leftOutMs(late, [stretchOf(phase, elapsedMs)], workers.length);
}

export function totalsIn({ run }: Recording, names: readonly string[]): readonly Totals[] {
  return run.series.flatMap(({ phase, totals }) => (names.includes(phase) ? [totals] : []));
}

/** Why the generator dropped operations, and what helps; `undefined` if it dropped none. */
export function lostContact(totals: Pick<Totals, 'dropped'>): string | undefined {
  const cause = lostCause(totals);
  return cause && `${cause}; check its connection to NATS`;
}

export const MORE_MEMORY = 'give the process more memory, or run fewer agents';

/** With two digits. */
export function percentOf(part: number): string {
  return `${Number((part * 100).toPrecision(2))}%`;
}
