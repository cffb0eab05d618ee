import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Address, addressText } from '../../base/kernel/address.ts';
import { NotYetError, UserError } from '../../base/kernel/errors.ts';
import { firstFew } from '../../base/kernel/units.ts';

const RETRY_MS = 100;

export type Listener = ReturnType<typeof createListener>;

/** Passes each connection to the address to `accept`, unread. */
export function createListener(address: Address, accept: (socket: Socket) => void) {
  // Like Node's own HTTP server: answers are sent without delay, even after the client has ended its side.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, accept);
  // A failed `accept` loses only that connection; the listener continues.
  server.on('error', () => {});
  let { port } = address;
  let isWanted = true;
  const retry = () => {
    if (!isWanted || server.listening) return;
    listen(server, { ...address, port }).catch(() => setTimeout(retry, RETRY_MS));
  };
  return {
    /** Resolves to the port. @throws UserError if the address is not available. */
    open: async (): Promise<number> => {
      port = await listen(server, address);
      return port;
    },
    /** Stops listening; open connections stay open. */
    down: () => {
      isWanted = false;
      server.close();
    },
    /** Listens on the same port again as soon as it is available. */
    up: () => {
      isWanted = true;
      retry();
    },
  };
}

/** Descriptors reserved for the process's own files and connections. */
const KEPT_DESCRIPTORS = 32;

/**
 * Whether a newly accepted connection has one of the last descriptors of this process. When none is left, libuv accepts
 * and immediately closes connections (`uv__emfile_trick`), and Node emits neither `error` nor `drop`. Closing connections
 * here makes the shortage visible. The kernel assigns the lowest free number, so the number shows how many are in use.
 * @param limit descriptors that this process may have.
 */
export function hasLastDescriptor(socket: Socket, limit: number): boolean {
  const { _handle: handle } = socket as Socket & { readonly _handle?: { readonly fd?: number } | null };
  return (handle?.fd ?? -1) >= limit - KEPT_DESCRIPTORS;
}

function listen(server: Server, address: Address): Promise<number> {
  return new Promise((resolve, reject) => {
    // Each event removes the other's listener, because a port may be tried dozens of times.
    const refuse = (error: NodeJS.ErrnoException) => {
      server.off('listening', listening);
      const text = refusalText(error, address);
      reject(COMES_LATER.includes(error.code ?? '') ? new NotYetError(text) : new UserError(text));
    };
    const listening = () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    };
    server.once('error', refuse).once('listening', listening);
    // A whole fleet may connect at nearly the same time; the kernel caps this at its own limit.
    server.listen({ ...address, backlog: 65_535 });
  });
}

/** Another program may end, and an interface may come up. */
const COMES_LATER: readonly string[] = ['EADDRINUSE', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN'];

const SHOWN_ADDRESSES = 8;

function ownAddresses(): string {
  const all = Object.values(networkInterfaces()).flatMap((those = []) => those.map(({ address }) => address));
  return firstFew(all, SHOWN_ADDRESSES) || 'none';
}

function refusalText(error: NodeJS.ErrnoException, address: Address): string {
  const what = `Muster cannot listen on ${addressText(address)}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${what}: the port is in use; stop the program that uses it, or choose another port.`;
    case 'EACCES':
      return `${what}: this user may not open that port; choose 1024 or higher.`;
    case 'EADDRNOTAVAIL':
      return `${what}: no interface of this machine has this address; theirs are ${ownAddresses()}; correct it if it is mistyped.`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `${what}: the name has no address; correct it if it is mistyped, or use an address, such as 127.0.0.1.`;
    default:
      return `${what}: ${error.message}.`;
  }
}
