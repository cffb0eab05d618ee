import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { finishedRun } from './finished-run.ts';

/** Servers on one port that record the uuids of the agents that send requests. */
async function serversAt(hosts: readonly string[]) {
  const heard = hosts.map(() => new Set<string>());
  let port = 0;
  for (const [place, host] of hosts.entries()) {
    const server: Server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        const { agentuuid } = JSON.parse(body) as { agentuuid: string };
        heard[place]?.add(agentuuid);
        const answer = { agentuuid, password: '' };
        response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer));
      });
    });
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    port = (server.address() as AddressInfo).port;
  }
  return { heard, urls: hosts.map((host) => `http://${host}:${port}`) };
}

const THREE = ['127.0.0.2', '127.0.0.3', '127.0.0.4'];

const scenarioAt = (urls: readonly string[], connections: string) => `
target: { urls: ${JSON.stringify(urls)} }
fleet: { agents: 12, payload: lean, profiles: { windows-server-2022: 1 }, connections: ${connections} }
phases: [{ name: enroll, duration: 1s, register: { over: 200ms } }]
`;

describe('a target with several base URLs', () => {
  it('assigns each agent the same one, with any number of workers and with shared connections', async () => {
    const told = async (workers: number, connections: string): Promise<string[][]> => {
      const { heard, urls } = await serversAt(THREE);
      const summary = await finishedRun(scenarioAt(urls, connections), workers);
      expect(summary.overall[0]).toMatchObject({ operation: 'register', planned: 12, succeeded: 12 });
      expect(summary.addresses?.map(({ address, requests, failed }) => [address, requests, failed])).toEqual(
        THREE.map((address) => [address, 4, 0]),
      );
      return heard.map((agents) => [...agents].toSorted());
    };
    const [one, ...others] = await Promise.all([told(1, 'per-agent'), told(2, 'per-agent'), told(2, '{ shared: 7 }')]);
    for (const other of others) expect(other).toEqual(one);
    expect(one.map(({ length }) => length)).toEqual([4, 4, 4]);
  });
});
