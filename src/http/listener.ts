import { type AddressInfo, createServer, isIPv6, type Server, type Socket } from 'node:net';
import type { Address } from '../kernel/address.ts';
import { UserError } from '../kernel/errors.ts';

/** A port that can be given up and taken again. */
export type Listener = {
  /** Resolves to the port; throws `UserError` if the address cannot be had. */
  readonly open: () => Promise<number>;
  /** Stops listening; open connections stay. */
  readonly down: () => void;
  /** Listens on the same port again, as soon as it can be had. */
  readonly up: () => void;
};

const RETRY_MS = 100;

/** Hands every connection that arrives at the address to `accept`, unread. */
export function createListener(wanted: Address, accept: (socket: Socket) => void): Listener {
  // As Node's own HTTP server would listen: answers go out although the client has ended its side, and at once.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  // What the kernel does not let us accept is an error event too; the connection is lost, and the listener continues.
  server.on('error', () => {});
  let { port } = wanted;
  let isWanted = true;
  const retry = () => {
    if (!isWanted || server.listening) return;
    listen(server, { ...wanted, port }).catch(() => setTimeout(retry, RETRY_MS));
  };
  return {
    open: async () => {
      port = await listen(server, wanted);
      return port;
    },
    down: () => {
      isWanted = false;
      server.close();
    },
    up: () => {
      isWanted = true;
      retry();
    },
  };
}

/** Descriptors reserved for files and connections of the process itself. */
const KEPT_DESCRIPTORS = 32;

/**
 * Whether a connection that was just accepted has one of the last descriptors of this process. Once none is left, libuv accepts
 * what comes and closes it at once (`uv__emfile_trick`), and Node tells nobody: neither `error` nor `drop` is an event of that.
 * Closing it here makes it known. The kernel assigns the lowest free number, so the number shows how many are in use.
 * @param limit descriptors that this process may have.
 */
export function hasLastDescriptor(socket: Socket, limit: number): boolean {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  return (handle?.fd ?? -1) >= limit - KEPT_DESCRIPTORS;
}

/** The address as URLs have it. */
export function addressText({ host, port }: Address): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

function listen(server: Server, address: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    // Whichever comes, the other is waited for no more: a port may be tried dozens of times.
    const refuse = (error: NodeJS.ErrnoException) => {
      server.off('listening', listening);
      reject(new UserError(refusalText(error, address)));
    };
    const listening = () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    };
    server.once('error', refuse).once('listening', listening);
    // A whole fleet may connect within a moment; the kernel caps this at its own limit.
    server.listen({ ...address, backlog: 65_535 });
  });
}

function refusalText(error: NodeJS.ErrnoException, address: Address): string {
  const what = `Muster cannot listen on ${addressText(address)}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${what}: the port is in use; stop the program that uses it, or choose another port.`;
    case 'EACCES':
      return `${what}: this user may not open that port; choose 1024 or higher.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${what}: this machine has no such address; choose one of its addresses, such as 127.0.0.1.`;
    default:
      return `${what}: ${error.message}.`;
  }
}
