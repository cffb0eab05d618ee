import { once } from 'node:events';
import { connect } from 'node:net';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endIdleThreads } from '../../../src/workers/threads.ts';
import { ask } from './client.ts';
import { startFleet, sums } from './running-fleet.ts';

const AGENTS = 12;
const POLLED = `
target: { url: embedded, pull: { every: 300ms, packages: 700ms } }
fleet: { agents: ${AGENTS}, seed: 1, payload: lean, profiles: { debian-12: 1 } }
webServer: { listen: LISTEN, interval: 3s }
phases: [{ name: asked, duration: 1m }]
thresholds:
  serve-checkdata: ["count > 100000"]
  poll: ["p(99) < 50s"]`;

describe('a polled fleet', () => {
  it('counts every request of any client, and is not harmed by hostile ones', async () => {
    const fleet = await startFleet(POLLED, { workers: 2 });
    onTestFinished(fleet.close);
    const idle = Array.from({ length: 50 }, () => connect(fleet.at(0)).on('error', () => {}));
    const slow = connect(fleet.at(1)).on('error', () => {});
    slow.pause().write('GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(200));
    const garbage = connect(fleet.at(2)).on('error', () => {});
    garbage.end('\x16\x03\x01\x00\xff garbage\r\n\r\n');
    await once(garbage, 'connect');

    const askers = Array.from({ length: 8 }, async (_, asker) => {
      let answered = 0;
      for (let n = 0; n < 25; n++) {
        const { status } = await ask(fleet.at(3 + ((asker + n) % (AGENTS - 3))), '/prometheus');
        if (status === 200) answered++;
      }
      return answered;
    });
    const answered = (await Promise.all(askers)).reduce((sum, count) => sum + count, 0);
    expect(answered).toBe(200);
    await expect.poll(() => fleet.latest()?.listening).toBe(AGENTS);
    for (const socket of [...idle, slow]) socket.destroy();
    const { summary } = await fleet.stop();

    expect(summary.verdict.kind).toBe('interrupted');
    expect(sums(summary, 'serve-prometheus')).toEqual({
      planned: 200,
      started: 200,
      dropped: 0,
      succeeded: 200,
      failed: 0,
    });
    for (const operation of ['poll', 'poll-packages', 'serve-checkdata', 'serve-packages']) {
      const { planned, started, dropped, succeeded, failed } = sums(summary, operation);
      expect([operation, planned, started]).toEqual([operation, started + dropped, succeeded + failed]);
    }
    const asked = sums(summary, 'poll-packages');
    expect(asked.succeeded).toBeGreaterThan(0);
    expect(sums(summary, 'serve-packages')).toMatchObject({ started: asked.started, succeeded: asked.started });
    const [served, polled] = summary.thresholds;
    expect(served).toMatchObject({ operation: 'serve-checkdata', passed: false });
    // On a busy machine, too little is on time to judge it.
    expect(polled).toMatchObject({
      operation: 'poll',
      ...(polled?.passed !== true && { unjudged: expect.any(String) }),
    });
  });

  it('ends as incomplete if the polling thread dies, while its agents keep listening', async () => {
    const workers: Worker[] = [];
    const remember = (worker: Worker) => void workers.push(worker);
    await endIdleThreads();
    process.on('worker', remember);
    onTestFinished(() => void process.off('worker', remember));
    const fleet = await startFleet(POLLED.replace('1m', '3s'));
    onTestFinished(fleet.close);
    // It starts after the threads of the embedded server and of the fleet.
    await workers.at(-1)?.terminate();
    const { summary } = await fleet.outcome;
    expect(summary.verdict.kind).toBe('incomplete');
    expect(summary.verdict.reasons[0]?.text).toMatch(/^worker 1 was lost: /);
    expect(summary.webServers).toMatchObject({ listening: AGENTS, downCount: 0 });
  });
});
