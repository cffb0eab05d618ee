import { compileGet, compileHead, headRoomBytes, type RequestHead, writeHeadBefore } from '../../agent/request-head.ts';
import { dropSocket, openSocket } from './connection.ts';
import type { DirectContext } from './context.ts';
import type { Connection, Exchange } from './state.ts';

/** Sends the exchange's present request, over a new socket if its connection has none. */
export function begin(context: DirectContext, exchange: Exchange): void {
  const { connection } = exchange;
  connection.exchange = exchange;
  // A socket that carries no request is ready for one.
  if (connection.socket === undefined) openSocket(connection);
  else writeRequest(context, exchange);
}

/** The socket is ready: only now the request is rendered, so that none waits in memory for a connection. */
export function writeRequest(context: DirectContext, exchange: Exchange): void {
  const { connection } = exchange;
  const { socket } = connection;
  if (socket === undefined) return;
  const bytes = exchange.unsent ?? render(context, exchange);
  exchange.unsent = bytes;
  writePiece(context, exchange);
  if (socket.errored !== null && connection.isReused) {
    // Nothing has left: Go's client, too, sends a request again if its connection turns out to be dead at the first byte.
    const { buffer } = connection;
    dropSocket(connection);
    connection.buffer = buffer;
    exchange.unsent = bytes;
    openSocket(connection);
  }
}

/** Writes what is rendered and not written yet, or as much of it as the connection may take at once. */
export function writePiece(context: DirectContext, exchange: Exchange): void {
  const { connection, unsent } = exchange;
  const { socket, dialler } = connection;
  if (socket === undefined || unsent === undefined) return;
  const isLast = dialler.readyEvent === 'connect' || unsent.length <= context.tlsPieceBytes;
  const piece = isLast ? unsent : unsent.subarray(0, context.tlsPieceBytes);
  exchange.unsent = isLast ? undefined : unsent.subarray(piece.length);
  socket.write(piece);
  if (socket.errored !== null) return;
  exchange.sentBytes += piece.length;
  if (isLast) returnBuffer(context, connection);
}

/** A buffer that the socket has flushed serves the next request. */
export function returnBuffer({ buffers }: DirectContext, connection: Connection): void {
  const { buffer, socket } = connection;
  if (buffer === undefined || socket?.writableLength !== 0) return;
  connection.buffer = undefined;
  buffers.giveBack(buffer);
}

function render(context: DirectContext, exchange: Exchange): Buffer {
  const { agent, endpoint, hop } = exchange;
  const heads = context.heads.of(agent);
  if (hop === undefined) return renderPost(context, exchange, { head: heads[endpoint], roomBytes: heads.roomBytes });
  const parts = { ...hop, apiKey: heads.apiKey };
  if (hop.method === 'GET') return compileGet(parts);
  const head = compileHead(parts);
  return renderPost(context, exchange, { head, roomBytes: headRoomBytes(head) });
}

type Room = { readonly head: RequestHead; readonly roomBytes: number };

function renderPost({ buffers, sink }: DirectContext, exchange: Exchange, { head, roomBytes }: Room): Buffer {
  const { agent, connection } = exchange;
  const buffer = buffers.take(roomBytes + sink.bodyRoom(agent));
  connection.buffer = buffer;
  const end = sink.writeBody(agent, buffer, roomBytes);
  return buffer.subarray(writeHeadBefore(buffer, head, { start: roomBytes, end }), end);
}
