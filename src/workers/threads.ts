import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';

/** A pool of threads; every job of this room keeps its thread for as long as it lasts. */
export type Threads = Piscina;

export function createThreads(count: number): Threads {
  return new Piscina({
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    // Between two jobs a thread would otherwise block in Atomics.wait; there is no "between" here.
    atomics: 'disabled',
    idleTimeout: Number.POSITIVE_INFINITY,
  });
}

/** URL of an entry file beside this one, in source and in the built package alike. */
export function entryUrl(name: string): string {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./${name}.${extension}`, import.meta.url).href;
}

type TransferList = NonNullable<NonNullable<Parameters<Threads['run']>[1]>['transferList']>;

/** The option that hands a port over to the thread. */
export function transferring(port: MessagePort): { transferList: TransferList } {
  // piscina's type for this follows an older signature of postMessage.
  return { transferList: [port] as unknown as TransferList };
}
