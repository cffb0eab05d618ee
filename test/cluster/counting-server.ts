import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

type Pushed = {
  readonly agentuuid: string;
  readonly password: string;
  readonly checkdata?: { readonly agent?: { readonly last_updated_timestamp: number } };
};

/**
 * A push server that counts the pushes of each agent and registers each agent once. Passwords start with `issued`. Registrations of
 * `late` uuids are answered only after `answerLate`, and refused if they are repeated.
 */
export async function countingServer(issued = 'p-', late: readonly string[] = []) {
  const answering = Promise.withResolvers<void>();
  const passwords = new Map<string, string>();
  const pushes = new Map<string, number>();
  const rejected: string[] = [];
  const ports = new Map<string, number[]>();
  const documents = new Set<string>();
  const twice: string[] = [];
  let unknown = 0;
  const register = async (uuid: string): Promise<readonly [status: number, answer: object]> => {
    const isLate = late.includes(uuid);
    if (passwords.has(uuid)) {
      rejected.push(uuid);
      if (isLate) return [403, { error: 'the agent exists' }];
    } else passwords.set(uuid, `${issued}${passwords.size}`);
    if (isLate) await answering.promise;
    return [201, { agentuuid: uuid, password: passwords.get(uuid) }];
  };
  const keepCheckRun = (checkRun: string): void => {
    if (documents.has(checkRun)) twice.push(checkRun);
    documents.add(checkRun);
  };
  const server = createServer(async (request, response) => {
    const { agentuuid: uuid, password, checkdata } = JSON.parse(await text(request)) as Pushed;
    const answer = (status: number, value: object): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
    };
    if (request.url?.endsWith('register_agent.json') === true) return answer(...(await register(uuid)));
    const known = passwords.get(uuid) === password;
    if (!known) unknown++;
    if (known) pushes.set(uuid, (pushes.get(uuid) ?? 0) + 1);
    keepCheckRun(`${uuid} ${checkdata?.agent?.last_updated_timestamp}`);
    const own = ports.get(uuid) ?? [];
    const port = request.socket.remotePort ?? 0;
    if (own.at(-1) !== port) ports.set(uuid, [...own, port]);
    answer(known ? 200 : 400, known ? { received_checks: 1 } : { error: 'unknown' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** By uuid, sorted. */
    pushes: () => [...pushes].sort(([a], [b]) => (a < b ? -1 : 1)),
    registered: () => [...passwords.keys()].sort(),
    /** For each agent, the connections that its pushes came over, in order. One that is there twice pushed after another had. */
    connections: () => [...ports.values()],
    /** Check runs that arrived twice; agents must push less often than every second. */
    twice: () => twice,
    /** Agents that tried to register again. */
    again: () => rejected,
    /** Pushes without the right password. */
    unknown: () => unknown,
    answerLate: () => answering.resolve(),
    forgetPushes: () => pushes.clear(),
    forget: () => {
      passwords.clear();
      pushes.clear();
      rejected.length = 0;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
