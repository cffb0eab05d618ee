import type { Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { createListener } from '../http/listener.ts';
import { secureContextOf, secured, selfSigned, type TlsCredentials } from '../http/tls.ts';
import type { Address } from '../kernel/address.ts';
import { messageOf } from '../kernel/errors.ts';
import { type RelayTarget, relay } from '../transport/relay.ts';
import type { FromRecorder, RecorderTask, RecordingSummary, ToRecorder } from './messages.ts';

export type ProxyOrder = {
  readonly listen: Address;
  readonly target: RelayTarget;
  /** Undefined: agents speak plain HTTP. */
  readonly tls: { readonly kind: 'self_signed' } | ({ readonly kind: 'given' } & TlsCredentials) | undefined;
  readonly task: RecorderTask;
};

export type ProxyCounts = {
  readonly connections: number;
  readonly requestsLost: number;
  /** Undefined: the recorder is at work. */
  readonly stopped: string | undefined;
};

export type RecordingProxy = {
  readonly port: number;
  readonly counts: () => ProxyCounts;
  /** Closes the port, and the connections once they are over or after the time; then the recording. */
  readonly stop: (graceMs: number) => Promise<RecordingSummary | undefined>;
};

/** What waits to be recorded at the end takes seconds; nobody waits for a disk that hangs. */
const FINISH_MS = 60_000;

/** Bytes that were copied for the recorder and that it has not read: more are not copied, and what they were of is lost. */
const MOST_WAITING_BYTES = 64 << 20;

/**
 * Listens for agents and joins each of their connections with one to their server. What agents send is copied for a thread that
 * records it; nothing that it does or fails to do changes what the two sides see.
 * @param tell gets a line for each thing that an operator should know.
 * @throws UserError if the address cannot be had.
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

/** As OpenSSL names what it does not trust. */
const UNTRUSTED = /CERT|SIGNATURE|ALTNAME/;

function refusalText({ message, code = '' }: NodeJS.ErrnoException): string {
  if (!UNTRUSTED.test(code)) return message;
  return `its certificate is not trusted (${code}); set its CA with --ca, or accept any certificate with --insecure`;
}

/** Until all are closed, or the time is over. */
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
  let waitingBytes = 0;
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
    tell(`The recording has stopped: ${reason}. Agents and server continue to work, and the recording so far is kept.`);
    ended.resolve(undefined);
  };
  worker.on('message', (message: FromRecorder) => {
    if (message.kind === 'done') waitingBytes -= message.bytes;
    else if (message.kind === 'host') tell(`Recording ${message.host}`);
    else if (message.kind === 'lost') lose(message.reason);
    else if (message.kind === 'unsaved') once(`The recording is not up to date on disk: ${message.reason}`);
    else ended.resolve(message.summary);
  });
  worker.on('error', (error) => stop(messageOf(error)));
  worker.on('exit', () => stop('its thread has ended'));
  const post = (message: ToRecorder, moved: readonly ArrayBuffer[] = []): void => {
    if (stopped === undefined) worker.postMessage(message, moved);
  };
  return {
    counts: () => ({ requestsLost, stopped }),
    finish: async () => {
      post({ kind: 'finish' });
      const late = setTimeout(() => {
        stop(`it has not ended within ${FINISH_MS / 1000} s`);
        void worker.terminate();
      }, FINISH_MS);
      const summary = await ended.promise;
      clearTimeout(late);
      stopped ??= 'finished';
      return summary;
    },
    tap(connection) {
      // A connection of which something was not copied is followed again from its next request on.
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
          if (waitingBytes + bytes.length > MOST_WAITING_BYTES) {
            leave();
            return lose('the recorder cannot keep up');
          }
          if (!isFollowed) follow();
          waitingBytes += bytes.length;
          const copy = new Uint8Array(bytes);
          post({ kind: 'sent', connection, bytes: copy, atMs: Date.now() }, [copy.buffer]);
        },
        closed: leave,
      };
    },
  };
}
