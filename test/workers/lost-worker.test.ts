import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it } from 'vitest';
import { runMuster } from '../../src/cli/muster.ts';
import { startMonitoringServer } from '../../src/monitoring-server/start.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-lost-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a worker that dies', () => {
  it('is noticed: the others go on to the end, and the run ends as incomplete', async () => {
    const server = await startMonitoringServer();
    const workers: Worker[] = [];
    const remember = (worker: Worker): void => {
      workers.push(worker);
    };
    process.on('worker', remember);
    writeFileSync(
      join(folder, 'lost.yaml'),
      `target: { url: "${server.url}" }
fleet: { agents: 20, payload: lean }
phases: [{ name: all, duration: 3s, register: { over: 100ms }, checkdata: { every: 200ms } }]`,
    );
    let stdout = '';
    const end = runMuster(['run', 'lost.yaml', '--workers', '2', '--json'], {
      stdout: { write: (text) => (stdout += text) },
      stderr: { write: () => {} },
      env: {},
      cwd: folder,
      onInterrupt: () => () => {},
    });
    while (server.counts().registrations < 20) await new Promise((resolve) => setTimeout(resolve, 5));
    await workers[1]?.terminate();
    const code = await end;
    process.off('worker', remember);
    await server.stop();
    expect(code).toBe(113);
    const summary = JSON.parse(stdout);
    expect(summary.verdict.kind).toBe('incomplete');
    expect(summary.verdict.reasons[0].text).toMatch(/^worker [01] was lost: /);
    expect(summary.elapsedMs).toBe(3000);
  });
});
