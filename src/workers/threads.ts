import { setFlagsFromString } from 'node:v8';
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { JobEnd } from './channel.ts';

/**
 * Size of the young generation, which V8 would let grow to 96 MB. Most objects of a push are soon garbage. At this size, collecting them
 * takes 0.9% of a worker that sends as fast as possible; with 12 MB more per worker, 0.6%.
 */
const YOUNG_GENERATION_MB = 12;

/** A thread, which runs one job after the other. */
type Thread = Piscina;

/** Threads without a job. Loading the modules of a thread takes 0.4 s of processor time, which the next run in this process saves. */
const idle: Thread[] = [];

/** Frees the memory of threads without a job. */
export async function endIdleThreads(): Promise<void> {
  await Promise.all(idle.splice(0).map((thread) => thread.destroy()));
}

function createThread(): Thread {
  // V8's default value; `main` reduces the growth while the program loads.
  setFlagsFromString('--semi-space-growth-factor=2');
  // At the start of a run, pushes wait so long that V8 considers their objects long-lived. It would then allocate the objects of all later
  // pushes in the old generation: 100 bytes each, with a collection every few seconds that stops all work.
  setFlagsFromString('--no-allocation-site-pretenuring');
  // Documents are written by hundreds of small functions. By default V8 inlines at most 920 bytes of bytecode into one function, and the
  // remaining calls take 4 to 5% of a push.
  setFlagsFromString('--max-inlined-bytecode-size-cumulative=3000');
  return new Piscina({
    minThreads: 1,
    maxThreads: 1,
    // Otherwise a thread would block in Atomics.wait between two jobs.
    atomics: 'disabled',
    idleTimeout: Number.POSITIVE_INFINITY,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
  });
}

export type ThreadJob = {
  readonly job: object;
  readonly port: MessagePort;
  /** Memory of the job that is transferred to the thread instead of copied; this thread can no longer use it. */
  readonly transfer: readonly ArrayBufferLike[];
};

export type RunningJob = {
  /** Rejects if the thread died or the job threw. */
  readonly end: Promise<JobEnd>;
  /** Terminates the thread, even a busy one, if the job has not ended. */
  terminate(): Promise<void>;
};

/** Runs the function `run` of an entry file in this folder in a thread. Only a job that ended well leaves its thread to another one. */
export function startJob(entry: string, { job, port, transfer }: ThreadJob): RunningJob {
  // The extension differs between the sources and the built package.
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const filename = new URL(`./${entry}.${extension}`, import.meta.url).href;
  // piscina's type follows an older signature of postMessage.
  const transferList = [port, ...transfer] as unknown as NonNullable<
    NonNullable<Parameters<Thread['run']>[1]>['transferList']
  >;
  const thread = idle.pop() ?? createThread();
  let isOver = false;
  const run = async (): Promise<JobEnd> => {
    let end: JobEnd | undefined;
    try {
      end = await thread.run({ ...job, port }, { filename, name: 'run', transferList });
      return end as JobEnd;
    } finally {
      isOver = true;
      if (end !== undefined && end.userError === undefined) idle.push(thread);
      else await thread.destroy();
    }
  };
  return { end: run(), terminate: async () => void (isOver || (await thread.destroy())) };
}
