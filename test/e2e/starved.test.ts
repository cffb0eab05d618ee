import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listen } from '../run/real-time/own-server.ts';
import { total } from '../run/real-time/sums.ts';
import { GENERATOR_TOO_SLOW, resultsOf, scenario, start } from './muster.ts';

const HELD_UP_MS = 300;

it('a run whose process gets no processor time is INVALID, says so, and writes everything all the same', async () => {
  const { url, seen } = await listen({ status: 403, body: '' });
  const file = scenario(
    'starved',
    `target: { url: "${url}" }
fleet: { agents: 100, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enrol, register: { rate: 100/s } }]`,
  );
  const run = start(['run', file]);
  while (seen() < 10) await wait(5);
  run.child.kill('SIGSTOP');
  await wait(HELD_UP_MS);
  run.child.kill('SIGCONT');
  const { code, stdout } = await run.ended;
  expect(code).toBe(GENERATOR_TOO_SLOW);
  expect(stdout).toMatch(/✗ INVALID\n {4}the generator picked 1% of arrivals up more than \d+ ms late/);
  const { files, summary } = resultsOf('starved');
  expect(files).toEqual(expect.arrayContaining(['report.html', 'summary.json', 'timeline.csv', 'register.hgrm']));
  expect(total(summary, 'register', 'planned')).toBe(100);
  expect(summary.validity.schedulingDelayMaxMs).toBeGreaterThan(HELD_UP_MS / 2);
});
