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
export type TlsSession = {
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
  readonly tls: TlsSession | undefined;
  /** Whether bytes arrived before this step was done, by the number of the step. */
  readonly receivedBefore: (step: number) => boolean;
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
  const startedMs = clock();
  const line = openLine(peer, { clock, signal });
  const doneMs: number[] = [];
  if (await line.opened.promise) {
    for (const step of steps) {
      if (line.ending === undefined || 'await' in step) await take(step, line, timer);
      doneMs.push(clock());
    }
  }
  const { end, reason } = line.ending ?? { end: 'open' as const, reason: '' };
  finish(line, 'open', '');
  const { answers, sent, sentBytes, chunks, receivedBytes, firstMs, tls } = line;
  return {
    answers,
    sent: { bytes: Buffer.concat(sent), sizeBytes: sentBytes },
    received: { bytes: Buffer.concat(chunks).subarray(0, MAX_RECEIVED_BYTES), sizeBytes: receivedBytes },
    unreadBytes: receivedBytes - answers.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    end,
    reason,
    tls,
    receivedBefore: (step) => firstMs !== undefined && firstMs <= (doneMs[step] ?? Number.POSITIVE_INFINITY),
    startedMs,
    endedMs: clock(),
  };
}

async function take(step: ConversationStep, line: Line, timer: Timer): Promise<void> {
  if ('send' in step) await send(line, step.send);
  else if ('finish' in step) line.socket.end();
  else if ('pauseMs' in step) {
    const over = Promise.withResolvers<void>();
    const cancelTimer = timer(step.pauseMs, over.resolve);
    await Promise.race([over.promise, line.ended.promise]);
    cancelTimer();
  } else if (step.await === 'end') await line.ended.promise;
  else await nextAnswer(line, step.await, step.bodyless ?? false);
}

type Line = ReturnType<typeof lineOver>;

function lineOver(socket: Socket) {
  return {
    socket,
    /** Resolves with whether the connection, with its TLS, was opened. */
    opened: Promise.withResolvers<boolean>(),
    ended: Promise.withResolvers<void>(),
    /** Releases the connection from the signal. */
    release: () => {},
    isOpen: false,
    ending: undefined as { readonly end: ConversationEnd; readonly reason: string } | undefined,
    tls: undefined as TlsSession | undefined,
    /** The beginning of what was sent. */
    sent: [] as Buffer[],
    sentBytes: 0,
    chunks: [] as Buffer[],
    receivedBytes: 0,
    firstMs: undefined as number | undefined,
    answers: [] as RawAnswer[],
    /** What follows the answers in the first `parsedChunks` chunks. */
    unread: Buffer.alloc(0) as Buffer,
    parsedChunks: 0,
    /** Called when bytes have arrived, or the connection has ended. */
    wake: () => {},
  };
}

function openLine({ address, tls }: Peer, { clock, signal }: Pick<ConversationPorts, 'clock' | 'signal'>): Line {
  const socket: Socket = tls === undefined ? connect(address) : nodeTls.connect({ ...tls, ...address });
  const line = lineOver(socket);
  const late = (): void =>
    finish(line, 'late', line.isOpen ? 'still open at the time limit' : 'no connection at the time limit');
  line.release = () => signal.removeEventListener('abort', late);
  socket.setNoDelay(true);
  socket.once(tls === undefined ? 'connect' : 'secureConnect', () => {
    line.isOpen = true;
    if (socket instanceof nodeTls.TLSSocket) line.tls = tlsSessionOf(socket);
    line.opened.resolve(true);
  });
  socket.on('data', (chunk: Buffer) => receive(line, chunk, clock()));
  socket.on('end', () => finish(line, 'closed', 'closed by the peer'));
  socket.on('error', (error) => {
    const isReset = systemCode(error) === 'ECONNRESET' || systemCode(error) === 'EPIPE';
    finish(line, 'reset', isReset ? 'reset by the peer' : errorText(error));
  });
  socket.on('close', () => finish(line, 'closed', 'closed by the peer'));
  if (signal.aborted) late();
  else signal.addEventListener('abort', late);
  return line;
}

function finish(line: Line, end: ConversationEnd, reason: string): void {
  if (line.ending !== undefined) return;
  line.ending = { end: line.isOpen || end === 'late' ? end : 'unreachable', reason };
  line.release();
  line.socket.destroy();
  line.opened.resolve(false);
  line.ended.resolve();
  line.wake();
}

function receive(line: Line, chunk: Buffer, nowMs: number): void {
  line.firstMs ??= nowMs;
  line.receivedBytes += chunk.length;
  line.chunks.push(chunk);
  if (line.receivedBytes > MAX_RECEIVED_BYTES) finish(line, 'cut', `sent more than ${MAX_RECEIVED_BYTES} bytes`);
  line.wake();
}

/** Resolves when the bytes are written, or the connection has ended. */
function send(line: Line, bytes: Buffer): Promise<unknown> {
  line.sent.push(Buffer.from(bytes.subarray(0, Math.max(0, MAX_SENT_KEPT_BYTES - line.sentBytes))));
  line.sentBytes += bytes.length;
  const written = new Promise<void>((resolve) => line.socket.write(bytes, () => resolve()));
  return Promise.race([written, line.ended.promise]);
}

async function nextAnswer(line: Line, which: 'answer' | 'head', bodyless: boolean): Promise<void> {
  for (;;) {
    const answer = readAnswer(line, bodyless);
    if (answer !== undefined && (which === 'head' || answer.status >= 200)) return;
    if (line.ending !== undefined && (answer === undefined || line.answers.length >= MAX_ANSWERS)) return;
    if (answer !== undefined) continue;
    await new Promise<void>((resolve) => {
      line.wake = resolve;
    });
  }
}

/** Takes the next answer from what has arrived; `undefined` if it is incomplete. */
function readAnswer(line: Line, bodyless: boolean): RawAnswer | undefined {
  const { chunks, parsedChunks, answers } = line;
  if (parsedChunks < chunks.length) line.unread = Buffer.concat([line.unread, ...chunks.slice(parsedChunks)]);
  line.parsedChunks = chunks.length;
  const answer = parseRawAnswer(line.unread, { bodyless, isEnded: line.ending !== undefined });
  if (answer === undefined) return undefined;
  answers.push(answer);
  line.unread = line.unread.subarray(answer.sizeBytes);
  if (answers.length >= MAX_ANSWERS) finish(line, 'cut', `sent more than ${MAX_ANSWERS} answers`);
  return answer;
}

function tlsSessionOf(socket: TLSSocket): TlsSession {
  const chain: Buffer[] = [];
  let next: DetailedPeerCertificate | undefined = socket.getPeerCertificate(true);
  while (next?.raw !== undefined && !chain.some((known) => known.equals(next?.raw ?? known))) {
    chain.push(next.raw);
    next = next.issuerCertificate;
  }
  return { protocol: socket.getProtocol() ?? '', alpn: socket.alpnProtocol || '', chain };
}
