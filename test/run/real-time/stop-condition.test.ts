import { expect, it } from 'vitest';
import { finishedRun } from './finished-run.ts';
import { listen } from './own-server.ts';

it('a run that a threshold stops early says so, and has the verdict of a crossed threshold', async () => {
  const { url } = await listen({ status: 403, body: '{"error":"no"}' });
  const { verdict, elapsedMs, thresholds, agents } = await finishedRun(
    `target: { url: "${url}" }
fleet: { agents: 200, payload: lean, profiles: { windows-server-2022: 1 } }
phases: [{ name: enroll, duration: 1m, register: { rate: 20/s } }]
thresholds: { register: [{ condition: error_rate < 1%, abort: true, after: 1s }] }`,
  );
  expect(elapsedMs).toBeGreaterThanOrEqual(1000);
  expect(elapsedMs).toBeLessThan(60_000);
  expect(agents.unregistered).toBeGreaterThan(0);
  expect(thresholds).toMatchObject([{ passed: false, observed: 1 }]);
  expect(verdict.reasons).toContainEqual({
    kind: 'threshold_crossed',
    text: expect.stringMatching(
      /^a threshold ended the run early, after \d+ s of 60 s: register error_rate < 1%: observed [\d.]+%$/,
    ),
  });
  expect(['threshold_crossed', 'invalid']).toContain(verdict.kind);
});
