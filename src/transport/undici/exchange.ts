import type { Socket } from 'node:net';
import type { Dispatcher } from 'undici';
import { type Heads, writeHeadBefore } from '../../agent/request-head.ts';
import { type Ending, NO_TRAFFIC, type Traffic, type TransportSink } from '../../protocol/exchange.ts';
import type { Endpoint } from '../../protocol/push.ts';
import { answerEnding, MAX_ANSWER_BYTES } from '../answer-ending.ts';
import { classifyFailure } from '../failures.ts';
import type { SendBuffers } from '../send-buffers.ts';
import type { Connection, RequestWriter } from './connection.ts';

/** What all exchanges of a transport share. */
export type ExchangeContext = {
  readonly sink: TransportSink;
  readonly buffers: SendBuffers;
  /** Called once when the connection is free again. */
  release(connection: Connection): void;
};

export type ExchangeRequest = { readonly agent: number; readonly endpoint: Endpoint; readonly heads: Heads };

/** One request of one agent on one connection; undici's handler and the writer of the request in one object. */
export class Exchange implements Dispatcher.DispatchHandler, RequestWriter {
  readonly agent: number;
  readonly #context: ExchangeContext;
  readonly #connection: Connection;
  readonly #endpoint: Endpoint;
  readonly #heads: Heads;
  #buffer: Buffer | undefined;
  /** The one the request was written to. */
  #socket: Socket | undefined;
  #sentBytes = 0;
  #readBefore = 0;
  #status = 0;
  #compressed = false;
  #answer = '';
  #abandoned = false;
  #over = false;

  constructor(context: ExchangeContext, connection: Connection, request: ExchangeRequest) {
    this.agent = request.agent;
    this.#context = context;
    this.#connection = connection;
    this.#endpoint = request.endpoint;
    this.#heads = request.heads;
  }

  /** Hears nothing any more and closes the connection, as the agent's client does when its time is up. */
  abandon(): Traffic {
    const traffic = this.#traffic();
    this.#abandoned = true;
    this.#connection.renew();
    return traffic;
  }

  writeRequest(socket: Socket, write: Socket['write']): boolean {
    const { buffers, sink } = this.#context;
    const { roomBytes } = this.#heads;
    const buffer = buffers.take(roomBytes + sink.bodyRoom(this.agent));
    this.#buffer = buffer;
    this.#socket = socket;
    this.#readBefore = socket.bytesRead;
    return this.#loudly(() => {
      const end = sink.writeBody(this.agent, buffer, roomBytes);
      const head = this.#heads[this.#endpoint];
      const start = writeHeadBefore(buffer, head, { start: roomBytes, end });
      this.#sentBytes = end - start;
      return write.call(socket, buffer.subarray(start, end));
    });
  }

  onRequestStart(): void {}

  onRequestSent(): void {
    this.#returnBuffer();
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    this.#compressed = String(headers['content-encoding']).toLowerCase() === 'gzip';
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // The chunk is a view of the parser's memory. Bytes kept as Latin-1 stay whole, however the answer is cut.
    this.#answer += chunk.toString('latin1');
    if (this.#answer.length > MAX_ANSWER_BYTES) controller.abort(oversized());
  }

  onResponseEnd(): void {
    this.#finish(this.#readEnding());
  }

  onResponseError(_controller: unknown, error: Error): void {
    // undici is still putting the client in order when it reports an error, and must not be handed the agent's next
    // request before it has done so.
    queueMicrotask(() => this.#finish({ kind: 'failure', failure: classifyFailure(error) }));
  }

  #readEnding(): Ending {
    // undici takes a reset for the end of an answer that has no length.
    const broken = this.#socket?.errored;
    if (broken) return { kind: 'failure', failure: classifyFailure(broken) };
    return answerEnding(this.#status, Buffer.from(this.#answer, 'latin1'), this.#compressed);
  }

  #finish(ending: Ending): void {
    if (this.#over) return;
    this.#over = true;
    this.#returnBuffer();
    const traffic = this.#traffic();
    this.#loudly(() => {
      this.#context.release(this.#connection);
      if (!this.#abandoned) this.#context.sink.ended(this.agent, ending, traffic);
    });
  }

  #traffic(): Traffic {
    if (this.#socket === undefined) return NO_TRAFFIC;
    const receivedBytes = this.#socket.bytesRead - this.#readBefore;
    return { sentBytes: this.#sentBytes, receivedBytes };
  }

  /** A buffer that the socket has not flushed yet stays the socket's; the garbage collector takes it from there. */
  #returnBuffer(): void {
    if (this.#buffer === undefined || this.#socket?.writableLength !== 0) return;
    this.#context.buffers.giveBack(this.#buffer);
    this.#buffer = undefined;
  }

  /** undici takes whatever a handler throws for a failed request; a fault of ours must not hide there. */
  #loudly<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      setImmediate(() => {
        throw error;
      });
      throw error;
    }
  }
}

function oversized(): Error {
  return Object.assign(new Error(`answer longer than ${MAX_ANSWER_BYTES} bytes`), {
    code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE',
  });
}
