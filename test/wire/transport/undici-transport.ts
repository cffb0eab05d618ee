import { Client } from 'undici';
import {
  type Ending,
  NO_EVIDENCE,
  NO_TRAFFIC,
  type Transport,
  type TransportFailure,
  type TransportSink,
} from '../../../src/base/protocol/exchange.ts';
import { API_KEY_SCHEME, ENDPOINT_PATHS, USER_AGENT } from '../../../src/base/protocol/push.ts';
import { classifyFailure } from '../../../src/wire/transport/failures.ts';

/** undici names its own errors, and not all have codes; the others are those of sockets. */
function failureOf(error: Error): TransportFailure {
  switch (error.name) {
    case 'HTTPParserError':
    case 'HeadersOverflowError':
    case 'ResponseExceededMaxSizeError':
      return 'malformed_answer';
    case 'SocketError':
      return error.message === 'other side closed' ? 'connection_reset' : 'malformed_answer';
    case 'ResponseContentLengthMismatchError':
      return 'connection_reset';
    default:
      return classifyFailure(error);
  }
}

/**
 * The contract of the transport over undici, a second opinion on what an HTTP client does. Each agent has a client with one connection,
 * and the size limits of Muster's. It knows neither traffic nor evidence, and cannot unplug a cable.
 */
export function createUndiciTransport(baseUrl: string, sink: TransportSink): Transport {
  const settings = { headersTimeout: 0, bodyTimeout: 0, maxHeaderSize: 256 << 10, maxResponseSize: 1 << 20 };
  const clients = new Map<number, Client>();
  const inFlight = new Map<number, AbortController>();
  const headers = {
    'user-agent': USER_AGENT,
    authorization: API_KEY_SCHEME,
    'content-type': 'application/json',
    'accept-encoding': 'gzip',
  };
  const clientOf = (agent: number): Client => {
    const client = clients.get(agent) ?? new Client(baseUrl, { ...settings, connect: { timeout: 0 } });
    clients.set(agent, client);
    return client;
  };
  const disconnect = (agent: number): void => {
    void clients.get(agent)?.destroy();
    clients.delete(agent);
  };
  return {
    send: (agent, endpoint) => {
      const aborting = new AbortController();
      inFlight.set(agent, aborting);
      sink.started(agent);
      const { roomBytes, write } = sink.openBody(agent);
      const buffer = Buffer.alloc(roomBytes);
      const body = buffer.subarray(0, write(buffer, 0));
      const request = {
        method: 'POST',
        path: ENDPOINT_PATHS[endpoint],
        headers,
        body,
        signal: aborting.signal,
      } as const;
      const exchange = async (): Promise<Ending> => {
        const { statusCode, body: answer } = await clientOf(agent).request(request);
        return { kind: 'answer', status: statusCode, body: await answer.text() };
      };
      void exchange()
        .catch((error: Error): Ending => ({ kind: 'failure', failure: failureOf(error) }))
        .then((ending) => {
          if (inFlight.get(agent) !== aborting) return;
          inFlight.delete(agent);
          sink.ended(agent, ending, NO_TRAFFIC);
        });
    },
    abort: (agent) => {
      const aborting = inFlight.get(agent);
      inFlight.delete(agent);
      aborting?.abort();
      return NO_TRAFFIC;
    },
    lastEvidence: () => NO_EVIDENCE,
    reconfigure: disconnect,
    disconnect,
    unplug: () => false,
    plug: () => {},
    close: async () => {
      for (const agent of inFlight.keys()) inFlight.delete(agent);
      for (const agent of clients.keys()) disconnect(agent);
    },
  };
}
