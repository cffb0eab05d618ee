import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { endIdleThreads } from '../../src/workers/threads.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-lost-'));
const server = createServer();

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

/** Leaves all registrations unanswered until `release` admits them, so that the run cannot end before. */
async function holdingServer() {
  const held: (() => void)[] = [];
  server.on('request', async (request, response) => {
    const { agentuuid, password } = JSON.parse(await text(request)) as { agentuuid: string; password: string };
    response.setHeader('Content-Type', 'application/json');
    if (password !== '') response.end('{"received_checks":1}');
    else held.push(() => response.writeHead(201).end(JSON.stringify({ agentuuid, password: 'issued' })));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    release: () => {
      for (const admit of held.splice(0)) admit();
    },
  };
}

describe('a lost worker', () => {
  it('is noticed: the others continue to the end, and the run is incomplete', async () => {
    const { url, held, release } = await holdingServer();
    await endIdleThreads();
    const workers: Worker[] = [];
    const remember = (worker: Worker): void => {
      workers.push(worker);
    };
    process.on('worker', remember);
    writeFileSync(
      join(folder, 'lost.yaml'),
      `target: { url: "${url}", timeout: 10m }
fleet: { agents: 20, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: all, duration: 200ms, register: { over: 100ms } }]`,
    );
    let stdout = '';
    const end = runMuster(['run', 'lost.yaml', '--workers', '2', '--json'], {
      stdin: Readable.from([]),
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: () => {} },
      env: {},
      cwd: folder,
      onInterrupt: () => () => {},
    });
    await expect.poll(() => held.length).toBe(20);
    await workers[1]?.terminate();
    release();
    const code = await end;
    process.off('worker', remember);
    expect(code).toBe(113);
    const summary = JSON.parse(stdout);
    expect(summary.verdict.kind).toBe('incomplete');
    expect(summary.verdict.reasons[0].text).toMatch(/^worker [01] was lost: /);
    const [register] = summary.phases[0].operations.filter(
      ({ operation }: { operation: string }) => operation === 'register',
    );
    expect(register).toMatchObject({ succeeded: 10, failed: 0 });
  });
});
