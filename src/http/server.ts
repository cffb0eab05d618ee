import { createServer, type Server } from 'node:http';
import type { ServerTimeouts } from '../monitoring-server/settings.ts';
import type { Connections } from './connections.ts';

/** A server that hands requests to nobody yet. */
export function createHttpServer({ headMs, requestMs, idleMs }: ServerTimeouts): Server {
  const server = createServer({
    keepAliveTimeout: idleMs,
    // Clients are told the time above and get this much longer, so that the last request does not meet a close.
    keepAliveTimeoutBuffer: Math.min(1000, idleMs),
    headersTimeout: Math.min(headMs, requestMs),
    requestTimeout: requestMs,
    // How often the two limits above are looked at.
    connectionsCheckingInterval: Math.min(1000, headMs, requestMs),
  });
  // A lack of file descriptors while accepting is an error event too; the connection is lost, the server goes on.
  return server.on('error', () => {});
}

/** Closes idle connections at once and the others after their answers, but none later than in `drainMs`. */
export async function drain(connections: Connections, drainMs: number): Promise<void> {
  const deadline = setTimeout(connections.closeAll, drainMs);
  connections.closeIdle();
  await connections.allClosed();
  clearTimeout(deadline);
}
