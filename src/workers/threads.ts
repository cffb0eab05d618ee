import { setFlagsFromString } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { JobEnd } from './channel.ts';

/** A pool of threads; every job of this room keeps its thread for as long as it lasts. */
export type Threads = Piscina;

/**
 * The part of a thread's heap for what is new, which V8 would let grow to 96 MB. What a push makes is garbage soon after: with
 * so much, collecting it takes 0.9 % of a worker that sends as fast as it can; with 12 MB more for each worker, 0.6 %.
 */
const YOUNG_GENERATION_MB = 12;

export function createThreads(count: number): Threads {
  // V8's own value: `main` has held growth back while it was loading.
  setFlagsFromString('--semi-space-growth-factor=2');
  // While a run begins, pushes wait long enough for V8 to take what they make for lasting, and it would put all that later
  // pushes make among what is old ever after: 100 bytes each, and every few seconds a collection that stops all work.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Documents are filled by hundreds of small functions. V8 puts no more of them into one than 920 bytes of their code, and calling
  // the others takes 4 to 5 % of a push.
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000');
  return new Piscina({
    minThreads: count,
    maxThreads: count,
    concurrentTasksPerWorker: 1,
    // Between two jobs a thread would otherwise block in Atomics.wait; there is no "between" here.
    atomics: 'disabled',
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

export type ThreadJob = {
  readonly job: object;
  /** Handed over, as all that is moved. */
  readonly port: MessagePort;
  readonly moved: readonly ArrayBufferLike[];
};

/** Runs `run` of an entry file beside this one in a thread. */
export function startJob(threads: Threads, entry: string, { job, port, moved }: ThreadJob): Promise<JobEnd> {
  // The same in the sources and in the built package.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const filename = new URL(`./${entry}.${extension}`, import.meta.url).href;
  // piscina's type for this follows an older signature of postMessage.
  const transferList = [port, ...moved] as unknown as NonNullable<
    NonNullable<Parameters<Threads['run']>[1]>['transferList']
  >;
  return threads.run({ ...job, port }, { filename, name: 'run', transferList });
}
