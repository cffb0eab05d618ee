import { connect, type Socket } from 'node:net';
import type { ConnectionOptions, DetailedPeerCertificate, TLSSocket } from 'node:tls';
import type { Address } from '../../base/kernel/address.ts';
import type { Clock, Timer } from '../../base/kernel/clock.ts';
import { systemCode } from '../../base/kernel/errors.ts';
import { nodeTls } from '../../base/runtime/builtins.ts';
import { errorText } from './failures.ts';
import { parseRawAnswer, type RawAnswer } from './raw-answer.ts';

/** What a client does on a connection, in order. */
export type ConversationStep =
  | { readonly send: Buffer }
  /** Ends early if the server closes the connection. */
  | { readonly pauseMs: number }
  /**
   * Waits for the next final answer, for the next head (which may be an interim answer), or until the server closes the connection.
   * `bodyless`: the answer is to a HEAD request.
   */
  | { readonly await: 'answer' | 'head' | 'end'; readonly bodyless?: boolean }
  /** Sends FIN. */
  | { readonly finish: true };

/** `tls`: options beside the address; `undefined`: plain TCP. */
export type Peer = { readonly address: Address; readonly tls: ConnectionOptions | undefined };

/**
 * `open`: the client closed it after the last step; `unreachable`: no connection, or no TLS; `cut`: the client closed it after the most bytes
 * that it takes; `late`: the signal came first.
 */
export type ConversationEnd = 'open' | 'closed' | 'reset' | 'unreachable' | 'cut' | 'late';

/** What TLS agreed on. `chain`: the peer's certificates in DER, its own first. */
export type TlsHeard = {
  readonly protocol: string;
  readonly alpn: string;
  readonly chain: readonly Buffer[];
};

export type Conversation = {
  /** In the order in which they arrived, interim ones included; the last may be incomplete. */
  readonly answers: readonly RawAnswer[];
  /** The beginning of what was sent, and how much. */
  readonly sent: { readonly bytes: Buffer; readonly sizeBytes: number };
  readonly received: { readonly bytes: Buffer; readonly sizeBytes: number };
  /** Received bytes that belong to none of the answers. */
  readonly unreadBytes: number;
  readonly end: ConversationEnd;
  /** Why it ended; empty if the client closed it. */
  readonly reason: string;
  /** `undefined`: no TLS, or no finished handshake. */
  readonly tls: TlsHeard | undefined;
  /** Whether bytes arrived before this step was done, by the number of the step. */
  readonly heardBefore: (step: number) => boolean;
  readonly startedMs: number;
  readonly endedMs: number;
};

/** Answers beyond this size are cut. */
const MAX_RECEIVED_BYTES = 1 << 20;
const MAX_ANSWERS = 100;
const MAX_SENT_KEPT_BYTES = 8 << 10;

export type ConversationPorts = { readonly clock: Clock; readonly timer: Timer; readonly signal: AbortSignal };

/** Opens a connection, does what the steps say, and closes it. Never rejects. */
export async function converse(
  peer: Peer,
  steps: readonly ConversationStep[],
  { clock, timer, signal }: ConversationPorts,
): Promise<Conversation> {
  const line = openLine(peer, signal, clock);
  const startedMs = clock();
  const doneMs: number[] = [];
  if (await line.opened) {
    for (const step of steps) {
      if (line.ending() === undefined || 'await' in step) await take(step, line, timer);
      doneMs.push(clock());
    }
  }
  const { end, reason } = line.ending() ?? { end: 'open' as const, reason: '' };
  line.close();
  const { firstMs } = line.seen();
  return {
    answers: line.answers(),
    sent: line.sent(),
    received: line.seen().received,
    unreadBytes: line.seen().received.sizeBytes - line.answers().reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    end,
    reason,
    tls: line.tls(),
    heardBefore: (step) => firstMs !== undefined && firstMs <= (doneMs[step] ?? Number.POSITIVE_INFINITY),
    startedMs,
    endedMs: clock(),
  };
}

async function take(step: ConversationStep, line: Line, timer: Timer): Promise<void> {
  if ('send' in step) await line.send(step.send);
  else if ('finish' in step) line.finish();
  else if ('pauseMs' in step) {
    const over = Promise.withResolvers<void>();
    const callOff = timer(step.pauseMs, over.resolve);
    await Promise.race([over.promise, line.ended]);
    callOff();
  } else if (step.await === 'end') await line.ended;
  else await line.nextAnswer(step.await, step.bodyless ?? false);
}

type Line = ReturnType<typeof openLine>;

function openLine({ address, tls }: Peer, signal: AbortSignal, clock: Clock) {
  const opened = Promise.withResolvers<boolean>();
  const ended = Promise.withResolvers<void>();
  const chunks: Buffer[] = [];
  const answers: RawAnswer[] = [];
  const sentStart: Buffer[] = [];
  let [receivedBytes, sentBytes, firstMs]: [number, number, number | undefined] = [0, 0, undefined];
  let ending: { readonly end: ConversationEnd; readonly reason: string } | undefined;
  let isOpen = false;
  let tlsHeard: TlsHeard | undefined;
  let wake = (): void => {};
  const socket: Socket = tls === undefined ? connect(address) : nodeTls.connect({ ...tls, ...address });
  const finish = (end: ConversationEnd, reason: string): void => {
    if (ending !== undefined) return;
    ending = isOpen ? { end, reason } : { end: end === 'late' ? 'late' : 'unreachable', reason };
    signal.removeEventListener('abort', late);
    socket.destroy();
    opened.resolve(false);
    ended.resolve();
    wake();
  };
  const late = (): void => finish('late', isOpen ? 'still open at the time limit' : 'no connection at the time limit');
  const take = (chunk: Buffer): void => {
    firstMs ??= clock();
    receivedBytes += chunk.length;
    chunks.push(chunk);
    if (receivedBytes > MAX_RECEIVED_BYTES) finish('cut', `sent more than ${MAX_RECEIVED_BYTES} bytes`);
    wake();
  };
  socket.setNoDelay(true);
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    isOpen = true;
    if (socket instanceof nodeTls.TLSSocket) tlsHeard = heardOf(socket);
    opened.resolve(true);
  });
  socket.on('data', take);
  socket.on('end', () => finish('closed', 'closed by the peer'));
  socket.on('error', (error) => {
    const isReset = systemCode(error) === 'ECONNRESET' || systemCode(error) === 'EPIPE';
    finish('reset', isReset ? 'reset by the peer' : errorText(error));
  });
  socket.on('close', () => finish('closed', 'closed by the peer'));
  if (signal.aborted) late();
  else signal.addEventListener('abort', late);

  // Bytes of answers that were read are dropped from the front; what is left is at most the limit.
  let unread = Buffer.alloc(0);
  let readChunks = 0;
  const readNext = (bodyless: boolean): RawAnswer | undefined => {
    if (readChunks < chunks.length) unread = Buffer.concat([unread, ...chunks.slice(readChunks)]);
    readChunks = chunks.length;
    const answer = parseRawAnswer(unread, { bodyless, isEnded: ending !== undefined });
    if (answer === undefined) return undefined;
    answers.push(answer);
    unread = unread.subarray(answer.sizeBytes);
    if (answers.length >= MAX_ANSWERS) finish('cut', `sent more than ${MAX_ANSWERS} answers`);
    return answer;
  };
  return {
    opened: opened.promise,
    ended: ended.promise,
    ending: () => ending,
    tls: () => tlsHeard,
    send: (bytes: Buffer): Promise<unknown> => {
      sentStart.push(Buffer.from(bytes.subarray(0, Math.max(0, MAX_SENT_KEPT_BYTES - sentBytes))));
      sentBytes += bytes.length;
      const written = new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
      return Promise.race([written, ended.promise]);
    },
    finish: () => void socket.end(),
    nextAnswer: async (which: 'answer' | 'head', bodyless: boolean): Promise<void> => {
      for (;;) {
        const answer = readNext(bodyless);
        if (answer !== undefined && (which === 'head' || answer.status >= 200)) return;
        if (ending !== undefined && (answer === undefined || answers.length >= MAX_ANSWERS)) return;
        if (answer !== undefined) continue;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
    answers: () => answers,
    sent: () => ({ bytes: Buffer.concat(sentStart), sizeBytes: sentBytes }),
    seen: () => ({
      firstMs,
      received: { bytes: Buffer.concat(chunks).subarray(0, MAX_RECEIVED_BYTES), sizeBytes: receivedBytes },
    }),
    close: () => finish('open', ''),
  };
}

function heardOf(socket: TLSSocket): TlsHeard {
  const chain: Buffer[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && !chain.some((known) => known.equals(next?.raw ?? known))) {
    chain.push(next.raw);
    next = next.issuerCertificate;
  }
  return { protocol: socket.getProtocol() ?? '', alpn: socket.alpnProtocol || '', chain };
}
