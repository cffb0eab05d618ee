import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { uuidOf } from '../../../src/wire/agent/identity.ts';

export type Pushes = { readonly checkdata: readonly string[]; readonly packages: readonly string[] };

export type RecordingServer = {
  readonly url: string;
  /** Documents that the agent has pushed, byte for byte, in order of arrival. */
  readonly of: (agent: number) => Pushes;
  /** Check data under a uuid, whichever agent sent them. */
  readonly under: (uuid: string) => readonly string[];
  /** All registered uuids, in order. */
  readonly uuids: () => readonly string[];
  /** Values of the header with the API key. */
  readonly keysOf: (agent: number) => ReadonlySet<string>;
  readonly close: () => void;
};

/** A push server that admits every agent. `noted` runs after it has stored a document and before it answers. */
export async function recordingServer(
  agents: number,
  noted: (agent: number, kind: keyof Pushes) => Promise<void> = async () => {},
): Promise<RecordingServer> {
  const all = Array.from({ length: agents }, () => ({
    pushes: { checkdata: [] as string[], packages: [] as string[] },
    keys: new Set<string>(),
  }));
  const under = new Map<string, string[]>();
  const numbers = new Map(all.map((_, agent) => [uuidOf(1, agent), agent]));
  const take = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { agentuuid } = JSON.parse(body) as { agentuuid: string };
    const agent = numbers.get(agentuuid) ?? -1;
    all[agent]?.keys.add(request.headers.authorization ?? '');
    response.setHeader('Content-Type', 'application/json');
    const endpoint = request.url ?? '';
    if (endpoint.endsWith('register_agent.json')) {
      under.set(agentuuid, under.get(agentuuid) ?? []);
      response.writeHead(201).end(JSON.stringify({ agentuuid, password: 'issued' }));
      return;
    }
    const kind = endpoint.endsWith('submit_checkdata.json') ? 'checkdata' : 'packages';
    const document = body.slice('{"checkdata":'.length, body.lastIndexOf(',"agentuuid"'));
    all[agent]?.pushes[kind].push(document);
    if (kind === 'checkdata') under.get(agentuuid)?.push(document);
    await noted(agent, kind);
    response.end(kind === 'checkdata' ? '{"received_checks":1}' : '{"success":true}');
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    of: (agent) => all[agent]?.pushes ?? { checkdata: [], packages: [] },
    under: (uuid) => under.get(uuid) ?? [],
    uuids: () => [...under.keys()],
    keysOf: (agent) => all[agent]?.keys ?? new Set(),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
