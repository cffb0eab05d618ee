import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/**
 * A server that records the agents it registered, and those that pushed with the correct password.
 * @param beforeAnswer called before it registers an agent.
 */
export async function rememberingServer(beforeAnswer = () => {}) {
  const passwords = new Map<string, string>();
  const submitted = new Set<string>();
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request)) as { agentuuid: string; password: string };
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.url?.endsWith('register_agent.json') !== true) {
      const known = passwords.get(body.agentuuid) === body.password;
      if (known) submitted.add(body.agentuuid);
      return answer(known ? 200 : 400, known ? { received_checks: 1 } : { error: 'unknown' });
    }
    beforeAnswer();
    if (passwords.has(body.agentuuid)) return answer(403, { error: 'taken' });
    const password = `p-${passwords.size}`;
    passwords.set(body.agentuuid, password);
    answer(201, { agentuuid: body.agentuuid, password });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passwords,
    submitted,
    connections: () => new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count))),
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
