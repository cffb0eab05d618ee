import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startMonitoringServer } from '../../src/server/start.ts';

/**
 * The process under load of `monitoring-server.ts`. Starts the named kind of server and prints its port. When stdin ends, prints
 * the CPU time spent serving, in microseconds.
 */
const [kind = '', uuid = '', password = ''] = process.argv.slice(2);

function startBare(): Promise<number> {
  const server = createServer((request, response) => {
    request.on('data', () => {});
    request.on('end', () => {
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', 22);
      response.end('{"received_checks":21}');
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
}

async function startMuster(): Promise<number> {
  const dialect = kind === 'shipped' ? 'shipped' : 'documented';
  return (await startMonitoringServer({ dialect, registrations: [{ uuid, password }] })).port;
}

const port = await (kind === 'bare' ? startBare() : startMuster());
process.stdout.write(`${port}\n`);
const before = process.cpuUsage();
process.stdin.resume().on('end', () => {
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${user + system}\n`);
  process.exit();
});
