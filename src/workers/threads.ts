import { setFlagsFromString } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { JobEnd } from './channel.ts';

/** A pool of threads; each job keeps its thread until it ends. */
export type Threads = Piscina;

/**
 * Size of the young generation, which V8 would let grow to 96 MB. Most objects of a push are soon garbage. At this size, collecting them
 * takes 0.9% of a worker that sends as fast as possible; with 12 MB more per worker, 0.6%.
 */
const YOUNG_GENERATION_MB = 12;

export function createThreads(count: number): Threads {
  // V8's default value; `main` reduces the growth while the program loads.
  setFlagsFromString('--semi-space-growth-factor=2');
  // At the start of a run, pushes wait so long that V8 considers their objects long-lived. It would then allocate the objects of all later
  // pushes in the old generation: 100 bytes each, with a collection every few seconds that stops all work.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Documents are written by hundreds of small functions. By default V8 inlines at most 920 bytes of bytecode into one function, and the
  // remaining calls take 4 to 5% of a push.
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000');
  return new Piscina({
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    // Otherwise a thread would block in Atomics.wait between two jobs; here each thread has only one.
    atomics: 'disabled',
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

export type ThreadJob = {
  readonly job: object;
  /** Transferred, like `moved`. */
  readonly port: MessagePort;
  readonly moved: readonly ArrayBufferLike[];
};

/** Runs the function `run` of an entry file in this folder in a thread. */
export function startJob(threads: Threads, entry: string, { job, port, moved }: ThreadJob): Promise<JobEnd> {
  // The extension differs between the sources and the built package.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const filename = new URL(`./${entry}.${extension}`, import.meta.url).href;
  // piscina's type follows an older signature of postMessage.
  const transferList = [port, ...moved] as unknown as NonNullable<
    NonNullable<Parameters<Threads['run']>[1]>['transferList']
  >;
  return threads.run({ ...job, port }, { filename, name: 'run', transferList });
}
