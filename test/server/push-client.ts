import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { ENDPOINT_PATHS, type Endpoint } from '../../src/base/protocol/push.ts';

export type Received = {
  readonly status: number;
  readonly type: string | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
};

export type Sent = {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
};

/** Sends one request on a new connection. */
export function send(url: string, { method = 'POST', path = '/', headers = {}, body = '' }: Sent): Promise<Received> {
  return new Promise((resolve, reject) => {
    // Passed in parts: a single URL would normalize the path.
    const { hostname, port } = new URL(url);
    const request = httpRequest({ hostname, port, path, method, headers, agent: false }, (response) => {
      const { statusCode: status = 0, headers: answered } = response;
      const received = (body: string) => ({ status, type: answered['content-type'], headers: answered, text: body });
      text(response).then((body) => resolve(received(body)), reject);
    });
    request.on('error', reject).end(body);
  });
}

/** Sends a push as the agent does, and decodes the answer's body. */
export async function push(
  url: string,
  endpoint: Endpoint,
  document: unknown,
  key = '',
): Promise<{ status: number; body: Readonly<Record<string, unknown>> }> {
  const headers = { 'Content-Type': 'application/json', Authorization: `X-OITC-API ${key}`.trim() };
  const body = JSON.stringify(document);
  const { status, text: answer } = await send(url, { path: ENDPOINT_PATHS[endpoint], headers, body });
  return { status, body: JSON.parse(answer) };
}

/** Sends raw bytes, and returns everything received until the server closes the connection. */
export function exchange(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('close', () => resolve(answer)).on('error', reject);
  });
}

/** Opens a connection without sending anything. */
export function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });
}
