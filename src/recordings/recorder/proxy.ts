import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Address } from '../../ground/kernel/address.ts';
import { messageOf } from '../../ground/kernel/errors.ts';
import { createListener } from '../../wire/http/listener.ts';
import { secureContextOf, secured, selfSigned, type TlsCredentials } from '../../wire/http/tls.ts';
import { type RelayTarget, relay } from '../../wire/transport/relay.ts';
import type { RecordingSummary } from './intake.ts';

/** Messages from the proxy to the recording thread. Connections have numbers. Bytes are transferred, not copied. */
export type ToRecorder =
  | { readonly kind: 'opened'; readonly connection: number }
  | { readonly kind: 'sent'; readonly connection: number; readonly bytes: Uint8Array; readonly atMs: number }
  | { readonly kind: 'closed'; readonly connection: number }
  | { readonly kind: 'finish' };

export type FromRecorder =
  /** This many bytes have been processed. */
  | { readonly kind: 'done'; readonly bytes: number }
  /** A new host. */
  | { readonly kind: 'host'; readonly host: string }
  /** A request was not recorded. */
  | { readonly kind: 'lost'; readonly reason: string }
  /** The index could not be written. The thread will try again. */
  | { readonly kind: 'unsaved'; readonly reason: string }
  | { readonly kind: 'finished'; readonly summary: RecordingSummary };

/** The order for the recording thread. */
export type RecorderTask = {
  readonly folder: string;
  /** The recorder keeps at most one document per host and kind in this interval. */
  readonly everyMs: number;
  /** Key for the replacement of names; `undefined` keeps the names. */
  readonly anonymizeKey: string | undefined;
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

export type ProxyOrder = {
  readonly listen: Address;
  readonly target: RelayTarget;
  /** `undefined` if agents use plain HTTP. */
  readonly tls: { readonly kind: 'self_signed' } | ({ readonly kind: 'given' } & TlsCredentials) | undefined;
  readonly task: RecorderTask;
};

export type ProxyCounts = {
  readonly connections: number;
  readonly requestsLost: number;
  /** The reason why recording stopped; `undefined` while it continues. */
  readonly stopped: string | undefined;
};

export type RecordingProxy = {
  readonly port: number;
  readonly counts: () => ProxyCounts;
  /** Closes the port, waits up to `graceMs` for connections to end, and closes them and the recording. */
  readonly stop: (graceMs: number) => Promise<RecordingSummary | undefined>;
};

/** Limit for recording the rest of the data at the end. This takes seconds, unless the disk hangs. */
const FINISH_MS = 60_000;

/**
 * Listens for agents and joins each of their connections with one to their server. A thread records copies of what agents send. A
 * slow or failing recorder never affects the two sides.
 * @param tell is called with each line for the operator
 * @throws UserError if the address is not available
 */
export async function startRecordingProxy(order: ProxyOrder, tell: (line: string) => void): Promise<RecordingProxy> {
  const { tls, listen } = order;
  const credentials = tls?.kind === 'self_signed' ? await selfSigned([listen.host]) : tls;
  const secureContext = credentials && secureContextOf(credentials);
  const recorder = startRecorder(order.task, tell);
  const open = new Set<Socket>();
  let connections = 0;
  let unreachable = '';
  const accept = (socket: Socket): void => {
    const number = connections++;
    const client = secureContext === undefined ? socket : secured(socket, secureContext);
    const tap = recorder.tap(number);
    open.add(client);
    relay(client, order.target, {
      sent: tap.sent,
      closed: () => {
        open.delete(client);
        tap.closed();
      },
      unreachable: (error) => {
        const message = refusalText(error);
        if (message !== unreachable) tell(`The server is unreachable: ${message}`);
        unreachable = message;
      },
    });
  };
  const listener = createListener(listen, accept);
  const port = await listener.open().catch(async (error) => {
    await recorder.finish();
    throw error;
  });
  return {
    port,
    counts: () => ({ connections, ...recorder.counts() }),
    stop: async (graceMs) => {
      listener.down();
      if (open.size > 0) await waited(graceMs, open);
      for (const socket of open) socket.destroy();
      return recorder.finish();
    },
  };
}

/** OpenSSL's error codes for untrusted certificates. */
const UNTRUSTED = /CERT|SIGNATURE|ALTNAME/;

function refusalText({ message, code = '' }: NodeJS.ErrnoException): string {
  if (!UNTRUSTED.test(code)) return message;
  return `its certificate is not trusted (${code}); set its CA with --ca, or accept any certificate with --insecure`;
}

/** Resolves when all sockets are closed, or after `graceMs`. */
function waited(graceMs: number, open: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, graceMs);
    for (const socket of open) {
      socket.once('close', () => {
        if (open.size > 0) return;
        clearTimeout(timer);
        resolve();
      });
    }
  });
}

type Tap = { readonly sent: (bytes: Buffer) => void; readonly closed: () => void };

type Recorder = {
  readonly tap: (connection: number) => Tap;
  readonly counts: () => Omit<ProxyCounts, 'connections'>;
  readonly finish: () => Promise<RecordingSummary | undefined>;
};

const REQUEST = Buffer.from('POST ');

function startRecorder(task: RecorderTask, tell: (line: string) => void): Recorder {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  const worker = new Worker(new URL(`./recorder-entry.${extension}`, import.meta.url), { workerData: task });
  const ended = Promise.withResolvers<RecordingSummary | undefined>();
  const told = new Set<string>();
  let queuedBytes = 0;
  let requestsLost = 0;
  let stopped: string | undefined;
  const once = (line: string): void => {
    if (!told.has(line)) tell(line);
    told.add(line);
  };
  const lose = (reason: string): void => {
    requestsLost++;
    once(`Not recorded: ${reason}`);
  };
  const stop = (reason: string): void => {
    if (stopped !== undefined) return;
    stopped = reason;
    tell(`Recording stopped: ${reason}. Forwarding continues, and everything recorded so far is kept.`);
    ended.resolve(undefined);
  };
  worker.on('message', (message: FromRecorder) => {
    if (message.kind === 'done') queuedBytes -= message.bytes;
    else if (message.kind === 'host') tell(`Recording ${message.host}`);
    else if (message.kind === 'lost') lose(message.reason);
    else if (message.kind === 'unsaved')
      once(`Writing the index of the recording failed and will be retried: ${message.reason}`);
    else {
      // Set before the exit, which may follow in the same turn of the event loop.
      stopped ??= 'finished';
      ended.resolve(message.summary);
    }
  });
  worker.on('error', (error) => stop(messageOf(error)));
  worker.on('exit', () => stop('the recording thread exited'));
  const post = (message: ToRecorder, moved: readonly ArrayBuffer[] = []): void => {
    if (stopped === undefined) worker.postMessage(message, moved);
  };
  return {
    counts: () => ({ requestsLost, stopped }),
    finish: async () => {
      post({ kind: 'finish' });
      const late = setTimeout(() => {
        stop(`the recording thread did not finish within ${FINISH_MS / 1000} s`);
        void worker.terminate();
      }, FINISH_MS);
      const summary = await ended.promise;
      clearTimeout(late);
      return summary;
    },
    tap(connection) {
      // A connection whose bytes were partly dropped is followed again from its next request.
      let isFollowed = false;
      const follow = (): void => {
        isFollowed = true;
        post({ kind: 'opened', connection });
      };
      const leave = (): void => {
        if (isFollowed) post({ kind: 'closed', connection });
        isFollowed = false;
      };
      return {
        sent(bytes) {
          if (stopped !== undefined) return;
          if (!isFollowed && !bytes.subarray(0, REQUEST.length).equals(REQUEST)) return;
          if (queuedBytes + bytes.length > task.limits.queuedBytes) {
            leave();
            return lose('the recorder cannot keep up');
          }
          if (!isFollowed) follow();
          queuedBytes += bytes.length;
          const copy = new Uint8Array(bytes);
          post({ kind: 'sent', connection, bytes: copy, atMs: Date.now() }, [copy.buffer]);
        },
        closed: leave,
      };
    },
  };
}
