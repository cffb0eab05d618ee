import type { Socket } from 'node:net';
import type { Dialler } from '../connector.ts';
import type { Connection, ConnectionEvents } from './state.ts';

export function createConnection(dialler: Dialler, events: ConnectionEvents): Connection {
  return {
    dialler,
    events,
    socket: undefined,
    isReady: false,
    isReused: false,
    buffer: undefined,
    exchange: undefined,
    underWay: undefined,
  };
}

const CONNECTION = Symbol('connection');
type DirectSocket = Socket & { [CONNECTION]: Connection };

export function openSocket(connection: Connection): void {
  const socket = Object.assign(connection.dialler.dial(), { [CONNECTION]: connection });
  connection.socket = socket;
  socket.on(connection.dialler.readyEvent, onReady);
  socket.on('drain', onDrain);
  socket.on('end', onEnd);
  socket.on('error', onError);
  socket.on('close', onClose);
}

/** Closes the present socket at once; what it has not flushed stays with it. The next request opens another one. */
export function dropSocket(connection: Connection): void {
  const { socket } = connection;
  connection.socket = undefined;
  connection.isReady = false;
  connection.isReused = false;
  connection.buffer = undefined;
  socket?.destroy();
}

/** All sockets of a thread read into one piece of memory, which is used again after each call. */
export function onRead(this: DirectSocket, sizeBytes: number, memory: Buffer): boolean {
  const connection = this[CONNECTION];
  if (isPresent(this)) connection.events.received(connection, memory.subarray(0, sizeBytes));
  return true;
}

// A socket that was dropped has nothing to say any more.
function isPresent(socket: DirectSocket): boolean {
  return socket[CONNECTION].socket === socket;
}

function onReady(this: DirectSocket): void {
  const connection = this[CONNECTION];
  if (!isPresent(this)) return;
  connection.isReady = true;
  connection.events.ready(connection);
}

function onDrain(this: DirectSocket): void {
  if (isPresent(this)) this[CONNECTION].events.drained(this[CONNECTION]);
}

// While it is still connecting, the error that follows says more.
function onEnd(this: DirectSocket): void {
  const connection = this[CONNECTION];
  if (isPresent(this) && connection.isReady) connection.events.ended(connection);
}

function onError(this: DirectSocket, error: Error): void {
  if (isPresent(this)) this[CONNECTION].events.failed(this[CONNECTION], error);
}

function onClose(this: DirectSocket): void {
  onError.call(this, CLOSED);
}

const CLOSED = Object.assign(new Error('closed by the peer'), { code: 'ECONNRESET' });
