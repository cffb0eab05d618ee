import { afterEach, beforeEach, expect, it } from 'vitest';
import { ALONE, startRun } from '../../src/run/run.ts';
import { DEFAULT_SETTINGS } from '../../src/server/settings.ts';
import { startServerThread } from '../../src/workers/server-thread.ts';
import { endIdleThreads } from '../../src/workers/threads.ts';
import { rememberingServer } from '../run/real-time/remembering-server.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

let created = 0;
const count = (): void => void created++;

beforeEach(async () => {
  await endIdleThreads();
  created = 0;
  process.on('worker', count);
});
afterEach(() => void process.off('worker', count));

it('a run leaves its threads to the next one, without a connection', async () => {
  const server = await rememberingServer();
  for (let run = 1; run <= 2; run++) {
    const scenario = scenarioOf(`target: { url: "${server.url}" }
fleet: { agents: 20, seed: ${run}, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: all, register: { over: 100ms } }]`);
    const { outcome } = startRun({ ...ALONE, scenario, workers: 2, resultsFolder: undefined }, () => {});
    await outcome;
    expect(server.passwords.size).toBe(20 * run);
    await expect.poll(server.connections).toBe(0);
    expect(created).toBe(2);
  }
  server.stop();
});

it('a thread whose job failed serves no other job', async () => {
  const first = await startServerThread(DEFAULT_SETTINGS);
  const taken = { ...DEFAULT_SETTINGS, port: Number(new URL(first.url).port) };
  await expect(startServerThread(taken)).rejects.toThrow(/port/);
  await first.stop();
  const second = await startServerThread(DEFAULT_SETTINGS);
  await second.stop();
  expect(created).toBe(2);
  const third = await startServerThread(DEFAULT_SETTINGS);
  const fourth = await startServerThread(DEFAULT_SETTINGS);
  expect(created).toBe(3);
  await Promise.all([third.stop(), fourth.stop()]);
});
