import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { listen } from '../run/real-time/own-server.ts';
import { total } from '../run/real-time/sums.ts';
import { GENERATOR_TOO_SLOW, resultsOf, scenario, start } from './muster.ts';

// The run takes three seconds. Even if this process stops it a second late, it is held up for more than a fifth of them.
const HELD_UP_MS = 1200;

const unwrapped = (text: string) => text.replace(/\s+/g, ' ');

it('a run whose process gets no CPU time is INVALID, reports why, and still writes all results', async () => {
  const { url, seen } = await listen({ status: 403, body: '' });
  const file = scenario(
    'starved',
    `target: { url: "${url}" }
fleet: { agents: 60, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, register: { rate: 20/s } }]`,
  );
  const run = start(['run', file]);
  while (seen() < 5) await wait(5);
  run.child.kill('SIGSTOP');
  await wait(HELD_UP_MS);
  run.child.kill('SIGCONT');
  const { code, stdout } = await run.ended;
  expect(code).toBe(GENERATOR_TOO_SLOW);
  expect(unwrapped(stdout)).toMatch(/✗ INVALID in enroll the generator was late for \d+% of the time \(limit 20%\)/);
  const { files, summary } = resultsOf('starved');
  expect(files).toEqual(expect.arrayContaining(['report.html', 'summary.json', 'timeline.csv', 'register.hgrm']));
  expect(total(summary, 'register', 'planned')).toBe(60);
  expect(summary.validity.schedulingDelayMaxMs).toBeGreaterThan(HELD_UP_MS / 2);
});

const STOPPED_MS = 5000;

it('a run that is stopped in a phase after a busy one is INVALID, and names the phase and the cause', async () => {
  const { url, seen } = await listen({ status: 403, body: '' });
  const busyArrivals = 400;
  const file = scenario(
    'stopped',
    `target: { url: "${url}" }
fleet: { agents: ${busyArrivals + 100}, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: busy, duration: 2s, register: { rate: ${busyArrivals / 2}/s } }
  - { name: quiet, duration: 8s, register: { rate: 1/s } }`,
  );
  const run = start(['run', file]);
  // The first arrival of the quiet phase.
  while (seen() <= busyArrivals) await wait(5);
  run.child.kill('SIGSTOP');
  await wait(STOPPED_MS);
  run.child.kill('SIGCONT');
  const { code, stdout } = await run.ended;
  expect(code).toBe(GENERATOR_TOO_SLOW);
  const words = unwrapped(stdout);
  expect(words).toMatch(/in quiet the generator was late for \d+% of the time \(limit 20%\)/);
  expect(words).toMatch(/worker \d+ stalled for \d+ ms without CPU time/);
  const { validity } = resultsOf('stopped').summary;
  const quiet = validity.phases.find(({ phase }) => phase === 'quiet');
  expect(quiet?.stalledMs).toBeGreaterThan(STOPPED_MS / 2);
  expect(quiet?.operations).toMatchObject([{ operation: 'register', valid: false }]);
});
