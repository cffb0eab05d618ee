import { messageOf } from '../base/kernel/errors.ts';
import { createMachineMeter } from '../base/system/machine-load.ts';
import { fleetIndex } from '../load/shard.ts';
import { createMachineFrames } from '../metrics/merging/machine-figures.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { mergeResponses } from '../metrics/recording/recorder.ts';
import { sumEvents } from '../metrics/summary/events.ts';
import type { ShardAccount } from '../workers/messages.ts';
import { type HeldBackAgent, type MachineAccount, type PartMessage, subjectOf, type Work } from './messages.ts';
import { createOutbox, MAX_FRAMES } from './outbox.ts';
import type { RunStore } from './run-store.ts';

export type PartReports = ReturnType<typeof createPartReports>;

/** @param onUnstored is called, with the reason, if the stream of the run does not take messages any more: nobody counts them. */
export function createPartReports(
  store: RunStore,
  { work, workers }: { readonly work: Work; readonly workers: number },
  onUnstored: (reason: string) => void,
) {
  const { part, generation } = work;
  const outbox = createOutbox(async (id, message) => {
    const stored = store.publish(subjectOf(part, message), `${generation}-${id}`, { ...message, generation });
    stored.catch((error: unknown) => onUnstored(messageOf(error)));
    return stored;
  }, MAX_FRAMES);
  const frames = createMachineFrames({ shard: part, workers, numberOf: (worker) => workerNumber(work, worker) });
  const meter = createMachineMeter();
  const accounts = new Map<number, ShardAccount>();
  const endedWorkers = new Set<number>();
  const allEnded = Promise.withResolvers<void>();
  let heldBack = '[]';
  const sendFrames = (): void => {
    for (const frame of frames.take()) outbox.send({ kind: 'frame', frame });
  };
  return {
    send: (message: PartMessage): void => outbox.send(message),
    frame: (frame: Frame): void => {
      frames.add(frame);
      sendFrames();
    },
    account: (worker: number, account: ShardAccount): void => void accounts.set(worker, account),
    endWorker: (worker: number): void => {
      endedWorkers.add(worker);
      frames.end(worker);
      sendFrames();
      if (endedWorkers.size === workers) allEnded.resolve();
    },
    loseWorker: (worker: number, error: Error): void =>
      outbox.send({ kind: 'worker_lost', worker: workerNumber(work, worker), text: error.message }),
    /** Reports the agents that are held back if they have changed. */
    heldBack: (agents: readonly HeldBackAgent[]): void => {
      const text = JSON.stringify(agents);
      if (text !== heldBack) outbox.send({ kind: 'held_back', agents });
      heldBack = text;
    },
    workersEnded: allEnded.promise,
    /** Reports the end of a part that ran to its end. */
    conclude: (): void => {
      const all = [...accounts.values()];
      const account: MachineAccount = {
        machine: meter(),
        responses: mergeResponses(all.flatMap(({ responses }) => responses)),
        events: sumEvents(all.map(({ events }) => events)),
        down: all.flatMap(({ down }) => down),
      };
      outbox.send({ kind: 'account', account });
      outbox.send({ kind: 'finished' });
    },
    /** Resolves when all messages are stored; rejects if that is impossible. */
    flushed: outbox.flushed,
  };
}

/** Larger than the number of parts. */
const FURTHER_WORKERS = 2 ** 20;

function workerNumber({ part, shard }: Work, worker: number): number {
  return shard.only === undefined ? fleetIndex(shard, worker) : part + (worker + 1) * FURTHER_WORKERS;
}
