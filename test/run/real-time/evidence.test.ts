import { expect, it } from 'vitest';
import { finishedRun } from './finished-run.ts';
import { FLEET, listen } from './own-server.ts';

const PHASES = 'phases: [{ name: enroll, duration: 1s, register: { rate: 50/s } }]';

it("a failed run quotes the server's answer without the secrets of the run", async () => {
  const { url } = await listen({ status: 500, body: 'no route for s3cret-key, ?token=t0ken' });
  const target = `target: { url: "${url}/?token=t0ken", apiKey: s3cret-key }`;
  const { evidence } = await finishedRun([target, FLEET, PHASES].join('\n'), 2);
  expect(evidence).toHaveLength(3);
  for (const one of evidence) {
    expect(one).toMatchObject({ phase: 'enroll', operation: 'register', outcome: 'http_500' });
    expect(one.head).toMatch(/^HTTP\/1\.1 500 Internal Server Error\nContent-Type: application\/json\n/);
    expect(one.body).toBe('no route for ***, ?***');
  }
});

it('a run with timeouts says how far its requests got', async () => {
  const { url } = await listen();
  const { evidence } = await finishedRun([`target: { url: "${url}", timeout: 300ms }`, FLEET, PHASES].join('\n'));
  expect(evidence[0]).toMatchObject({ outcome: 'timeout', reason: 'never answered, though the request was sent' });
});
