import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export const FLEET = 'fleet: { agents: 40, payload: lean, profiles: { windows-server-2022: 1 } }';

export const ENROL_AND_REPORT = `
phases:
  - { name: enroll, register: { rate: 100/s } }
  - { name: steady, duration: 1s, authorize: { rate: 20/s }, checkdata: { every: 500ms, jitter: 0.2 }, packages: { every: 1h, first: 100ms } }
`;

/** A server for the current test; without `answer`, it never answers. */
export async function listen(answer?: {
  status: number;
  body: string;
}): Promise<{ url: string; seen: () => number; connections: () => number }> {
  let seen = 0;
  let connections = 0;
  const server = createServer((request, response) => {
    seen++;
    request.resume();
    if (answer === undefined) return;
    response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(answer.body);
  });
  server.on('connection', () => connections++);
  return { url: await opened(server), seen: () => seen, connections: () => connections };
}

/** A server that handles every request with `answer`; returns its address. */
export function serve(answer: RequestListener): Promise<string> {
  return opened(createServer(answer));
}

/** A URL where nothing listens. */
export async function closedUrl(): Promise<string> {
  const server = createServer();
  const url = await urlOf(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

function opened(server: Server): Promise<string> {
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return urlOf(server);
}

async function urlOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
