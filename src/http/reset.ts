import type { Socket } from 'node:net';

/**
 * Ends a connection with a reset, or without one if our own side has been ended: while that end is on its way there is no
 * reset to be had, and Node would neither say so nor ever close the socket.
 */
export function reset(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}
