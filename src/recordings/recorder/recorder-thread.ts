import { Worker } from 'node:worker_threads';
import { within } from '../../base/kernel/clock.ts';
import { messageOf } from '../../base/kernel/errors.ts';
import { realTimer } from '../../base/runtime/event-loop.ts';
import type { IntakeSettings, RecordingSummary } from './intake.ts';

/** Messages from the proxy to the recording thread. Connections have numbers. Bytes are transferred, not copied. */
export type ToRecorder =
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'sent'; readonly connection: number; readonly bytes: Uint8Array; readonly atMs: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'finish' };

export type FromRecorder =
  | { readonly kind: 'ready' }
  /** This many bytes have been processed. */
  | { readonly kind: 'done'; readonly bytes: number }
  | { readonly kind: 'host'; readonly host: string }
  /** Something that users should know about a document that was recorded. */
  | { readonly kind: 'noted'; readonly topic: string; readonly line: string }
  /** The document of a request is recorded or already was, or its agent did not finish it. */
  | { readonly kind: 'settled' }
  /** A request was not recorded. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The index could not be written. The thread will try again. */
  | { readonly kind: 'unsaved'; readonly reason: string }
  | { readonly kind: 'finished'; readonly summary: RecordingSummary };

export type RecorderTask = {
  readonly folder: string;
  readonly intake: IntakeSettings;
  readonly limits: RecorderLimits;
};

/** Limits for the memory of a recorder. What exceeds them is forwarded, but not recorded. */
export type RecorderLimits = {
  /** Bytes that were copied for the recording thread and not yet processed. */
  readonly queuedBytes: number;
  /** Documents in flight on all connections together. */
  readonly inFlightBytes: number;
};

export const RECORDER_LIMITS: RecorderLimits = { queuedBytes: 64 << 20, inFlightBytes: 128 << 20 };

export type RecorderCounts = {
  readonly requestsLost: number;
  /** The reason why recording stopped; `undefined` while it continues. */
  readonly stopped: string | undefined;
  /** The recording thread does not end, because the disk does not answer: the process cannot end normally. */
  readonly hangs: boolean;
};

type Tap = { readonly sent: (bytes: Buffer) => void; readonly closed: () => void };

const REQUEST = Buffer.from('POST ');
/** How requests with documents begin, in the same chunk. */
const DOCUMENT = 'submit_';
const MAX_LINE = 256;

function isRequest(bytes: Buffer): boolean {
  return bytes.subarray(0, REQUEST.length).equals(REQUEST);
}

function hasDocument(bytes: Buffer): boolean {
  return isRequest(bytes) && bytes.toString('latin1', 0, MAX_LINE).split('\r\n', 1)[0]?.includes(DOCUMENT) === true;
}

/** What became of the requests that the thread was sent. Each line is logged once. */
function createTally(log: (line: string) => void) {
  const logged = new Set<string>();
  const tally = {
    queuedBytes: 0,
    requestsLost: 0,
    /** Requests with documents that the thread was sent, and those that it has dealt with. */
    begun: 0,
    settled: 0,
    stopped: undefined as string | undefined,
    once(line: string, topic = line): void {
      if (!logged.has(topic)) log(line);
      logged.add(topic);
    },
    lose(reason: string): void {
      tally.requestsLost++;
      tally.once(`Not recorded: ${reason}`);
    },
    stop(reason: string): void {
      tally.stopped = reason;
      tally.requestsLost += Math.max(0, tally.begun - tally.settled);
      log(`Recording stopped: ${reason}. Forwarding continues, and everything recorded so far is kept.`);
    },
  };
  return tally;
}

type Thread = {
  readonly tally: ReturnType<typeof createTally>;
  readonly post: (message: ToRecorder, transfer?: readonly ArrayBuffer[]) => void;
  readonly limits: RecorderLimits;
};

/** Starts the thread that records. A slow or failing thread never affects its callers. */
export function startRecorder(task: RecorderTask, log: (line: string) => void) {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./recorder-entry.${extension}`, import.meta.url), { workerData: task });
  const ended = Promise.withResolvers<RecordingSummary | undefined>();
  const ready = Promise.withResolvers<void>();
  const tally = createTally(log);
  let hangs = false;
  const stop = (reason: string): void => {
    if (tally.stopped !== undefined) return;
    tally.stop(reason);
    ready.resolve();
    ended.resolve(undefined);
  };
  worker.on('message', (message: FromRecorder) => {
    switch (message.kind) {
      case 'ready':
        return ready.resolve();
      case 'done':
        tally.queuedBytes -= message.bytes;
        return;
      case 'host':
        return log(`Recording ${message.host}`);
      case 'noted':
        return tally.once(message.line, message.topic);
      case 'settled':
        tally.settled++;
        return;
      case 'lost':
        tally.settled++;
        if (tally.stopped === undefined) tally.lose(message.reason);
        return;
      case 'unsaved':
        return tally.once(`Writing the index of the recording failed and will be retried: ${message.reason}`);
      case 'finished':
        // Set before the exit, which may follow in the same turn of the event loop.
        tally.stopped ??= 'finished';
        return ended.resolve(message.summary);
    }
  });
  let failure = 'the recording thread exited';
  worker.on('error', (error) => {
    failure = messageOf(error);
  });
  // An error may overtake messages that the thread has sent before it; the exit does not.
  worker.on('exit', () => stop(failure));
  const post: Thread['post'] = (message, transfer = []) => {
    if (tally.stopped === undefined) worker.postMessage(message, transfer);
  };
  return {
    counts: (): RecorderCounts => ({ requestsLost: tally.requestsLost, stopped: tally.stopped, hangs }),
    /** Resolves when the thread records, or when it has failed. */
    ready: ready.promise,
    finish: async (limitMs: number): Promise<RecordingSummary | undefined> => {
      post({ kind: 'finish' });
      const late = setTimeout(() => stop('the recording thread did not finish in time'), limitMs);
      const summary = await ended.promise;
      clearTimeout(late);
      if (summary === undefined) hangs = await isStuck(worker);
      return summary;
    },
    /** Takes copies of what agents send on a connection. */
    tap: (connection: number): Tap => tapOf(connection, { tally, post, limits: task.limits }),
  };
}

/** A connection whose bytes were partly dropped is followed again from its next request. */
function tapOf(connection: number, { tally, post, limits }: Thread): Tap {
  let isFollowed = false;
  const leave = (): void => {
    if (isFollowed) post({ kind: 'closed', connection });
    isFollowed = false;
  };
  return {
    sent(bytes) {
      const documents = Number(hasDocument(bytes));
      if (tally.stopped !== undefined) tally.requestsLost += documents;
      if (tally.stopped !== undefined || (!isFollowed && !isRequest(bytes))) return;
      if (tally.queuedBytes + bytes.length > limits.queuedBytes) {
        leave();
        return tally.lose('the recorder cannot keep up');
      }
      if (!isFollowed) post({ kind: 'opened', connection });
      isFollowed = true;
      tally.begun += documents;
      tally.queuedBytes += bytes.length;
      const copy = new Uint8Array(bytes);
      post({ kind: 'sent', connection, bytes: copy, atMs: Date.now() }, [copy.buffer]);
    },
    closed: leave,
  };
}

/** How long the thread may take to end. */
const TERMINATE_MS = 300;

/** Terminates a thread. Returns whether it hangs in a call to the disk, which nothing can interrupt. */
async function isStuck(worker: Worker): Promise<boolean> {
  return (await within(realTimer, TERMINATE_MS, worker.terminate())) === undefined;
}
