import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
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

export function createListener(server: Server, host: string, wantedPort: number): Listener {
  let port = wantedPort;
  let isWanted = true;
  const retry = () => {
    if (!isWanted || server.listening) return;
    listen(server, host, port).catch(() => setTimeout(retry, RETRY_MS));
  };
  return {
    open: async () => {
      port = await listen(server, host, wantedPort);
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

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException) => reject(new UserError(refusalText(error, host, port)));
    server.once('error', refuse);
    // A whole fleet may connect within a moment; the kernel caps this at its own limit.
    server.listen({ host, port, backlog: 65_535 }, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

function refusalText(error: NodeJS.ErrnoException, host: string, port: number): string {
  const what = `The monitoring server cannot listen on ${host}:${port}`;
  switch (error.code) {
    case 'EADDRINUSE':
      return `${what}: the port is in use; stop the program that has it or choose another port (0 picks a free one).`;
    case 'EACCES':
      return `${what}: this user may not open that port; choose one from 1024 up (0 picks a free one).`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `${what}: this machine has no such address; choose one of its own, such as 127.0.0.1.`;
    default:
      return `${what}: ${error.message}.`;
  }
}
