import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Whether a server is installed for tests: Debian's package nats-server. */
export const hasNats = spawnSync('nats-server', ['--version']).status === 0;

export type NatsServer = {
  readonly url: string;
  /** Ends it like a crash. */
  kill(): Promise<void>;
  /** Starts it again on the same port, with its stored data. */
  start(): Promise<void>;
  /** Ends it, and removes its stored data. */
  close(): Promise<void>;
};

/** Starts a server with JetStream on loopback, with its own store. */
export async function startNats(...flags: string[]): Promise<NatsServer> {
  const store = mkdtempSync(join(tmpdir(), 'muster-nats-'));
  const port = await freePort();
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store, ...flags];
    const started = spawn('nats-server', args, { stdio: ['ignore', 'ignore', 'pipe'] });
    child = started;
    for await (const line of createInterface({ input: started.stderr }))
      if (line.includes('Server is ready')) {
        started.stderr.resume();
        return;
      }
    throw new Error('nats-server did not start');
  };
  const kill = async (): Promise<void> => {
    const ending = child;
    child = undefined;
    if (ending === undefined) return;
    ending.kill('SIGKILL');
    await once(ending, 'exit');
  };
  await start();
  return {
    url: `nats://127.0.0.1:${port}`,
    kill,
    start,
    close: async () => {
      await kill();
      rmSync(store, { recursive: true, force: true });
    },
  };
}

/** Starts three servers that know each other, named by their index. */
export async function startNatsCluster(): Promise<readonly NatsServer[]> {
  const ports = await Promise.all([0, 1, 2].map(freePort));
  const routes = ports.map((port) => `nats://127.0.0.1:${port}`);
  const flagsOf = (route: string, index: number) => [
    '-n',
    `${index}`,
    '--cluster',
    route,
    '--routes',
    routes.join(','),
  ];
  return Promise.all(routes.map((route, index) => startNats('--cluster_name', 'three', ...flagsOf(route, index))));
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
