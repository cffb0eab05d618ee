import { connect, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { proxyOf } from '../../../src/wire/agent/proxy.ts';
import type { TransportSettings } from '../../../src/wire/transport/transport.ts';
import { CREDENTIALS, closedInTheEnd, listen, type Probe, probe, type RawServer } from './wire.ts';

/** A proxy on loopback that accepts both `CONNECT` and requests with absolute URLs, and records their heads. */
export type TestProxy = {
  readonly port: number;
  /** For each connection, the bytes before its first empty line, or before it was forwarded. */
  readonly heads: readonly string[];
  readonly sockets: readonly Socket[];
  close(): Promise<void>;
};

type ProxyOptions = {
  /** Handles the first head of a connection instead of forwarding it. */
  readonly answers?: (socket: Socket, head: string, leadOn: () => void) => void;
  readonly tls?: { readonly ALPNProtocols?: readonly string[] };
  /** The port to which all names lead. */
  readonly leadsTo: number;
};

export const ESTABLISHED = 'HTTP/1.1 200 Connection established\r\n\r\n';

export async function startProxy({ answers, tls, leadsTo }: ProxyOptions): Promise<TestProxy> {
  const heads: string[] = [];
  const sockets: Socket[] = [];
  const take = (socket: Socket): void => {
    sockets.push(socket);
    socket.on('error', () => {});
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const end = received.indexOf('\r\n\r\n');
      if (end < 0) return;
      socket.off('data', onData);
      socket.pause();
      const head = received.toString('latin1', 0, end + 4);
      heads.push(head);
      const isConnect = head.startsWith('CONNECT ');
      const leadOn = () => leadTo(socket, { port: leadsTo, first: isConnect ? received.subarray(end + 4) : received });
      if (answers !== undefined) answers(socket, head, leadOn);
      else {
        if (isConnect) socket.write(ESTABLISHED);
        leadOn();
      }
    };
    socket.on('data', onData);
  };
  const server =
    tls === undefined
      ? createServer(take)
      : createTlsServer({ ...CREDENTIALS, ALPNProtocols: tls.ALPNProtocols && [...tls.ALPNProtocols] }, take);
  server.on('tlsClientError', () => {});
  const port = await listen(server);
  return {
    port,
    heads,
    sockets,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Forwards bytes unchanged: the test's server also accepts absolute URLs. */
function leadTo(socket: Socket, { port, first }: { readonly port: number; readonly first: Buffer }): void {
  const onward = connect(port, '127.0.0.1');
  onward.write(first);
  onward.on('error', () => socket.destroy());
  onward.on('close', () => socket.destroy());
  socket.on('close', () => onward.destroy());
  onward.pipe(socket);
  socket.pipe(onward);
}

export const TRUSTING = { verify: false, ca: undefined };

/** A proxy to the server that closes at the end of the current test. */
export async function proxyTo(server: RawServer, options: Partial<ProxyOptions> = {}): Promise<TestProxy> {
  return closedInTheEnd(await startProxy({ leadsTo: server.port, ...options }));
}

/** Agents whose requests go through a proxy, by default at `http://127.0.0.1:PORT`. */
export function agents(
  proxy: { readonly port: number },
  settings: Partial<TransportSettings> & { baseUrl: string },
  url = 'http://127.0.0.1:PORT',
): Probe {
  const made = probe({ tls: TRUSTING, ...settings, proxy: proxyOf(url.replace('PORT', String(proxy.port))) });
  closedInTheEnd(made.transport);
  return made;
}
