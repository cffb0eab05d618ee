import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { TlsCredentials } from '../../../src/wire/http/tls.ts';

/** One complete request. */
export type Received = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Buffer };

/** An OTLP receiver on loopback that sends the given answers. */
export type Receiver = {
  readonly url: string;
  readonly received: readonly Received[];
  /** Resolves when it has read this many requests. */
  readonly got: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export type Answer = (response: ServerResponse) => void;

/** Listens over TLS if it has credentials. */
export async function openReceiver(
  answer: Answer = (response) => response.end(),
  credentials?: TlsCredentials,
): Promise<Receiver> {
  const received: Received[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  const read = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await buffer(request);
    received.push({ path: request.url ?? '', headers: request.headers, body });
    for (const { count, resolve } of waiting) if (received.length >= count) resolve();
    answer(response);
  };
  const serve = (request: IncomingMessage, response: ServerResponse) => void read(request, response);
  const server = credentials
    ? createSecureServer({ cert: credentials.certificate, key: credentials.key }, serve)
    : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${credentials ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    got: (count) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (received.length >= count) resolve();
      else waiting.push({ count, resolve });
      return promise;
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
