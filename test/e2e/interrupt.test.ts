import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FLEET, listen } from '../run/real-time/own-server.ts';
import { folder, ROOT, resultsOf, scenario, spawned, start } from './muster.ts';

describe('SIGINT', () => {
  const long = (url: string) =>
    `target: { url: "${url}", timeout: 10m }\n${FLEET}\nphases: [{ name: enroll, duration: 10m, register: { rate: 100/s }, checkdata: { every: 1s } }]`;

  it('once: completes operations in flight, writes everything and ends with 105, even with a connected scraper', async () => {
    const { url, seen } = await listen({ status: 403, body: '{"error":"no"}' });
    const run = start(['run', scenario('stopped', long(url)), '--workers', '1', '--metrics-address', '127.0.0.1:0']);
    await until(() => seen() >= 40);
    const metrics = /^Metrics: (\S+)$/m.exec(run.words())?.[1] ?? '';
    const refused = 'finished_total{scenario="stopped",operation="register",phase="enroll",outcome="http_403"}';
    await until(async () => (await (await fetch(metrics)).text()).includes(refused));
    run.child.kill('SIGINT');
    const { code, stdout } = await run.ended;
    expect(code).toBe(105);
    expect(stdout).toContain('INTERRUPTED');
    const { summary } = resultsOf('stopped');
    for (const { planned, started, dropped, succeeded, failed } of summary.phases.flatMap(
      (phase) => phase.operations,
    )) {
      expect([planned, started]).toEqual([started + dropped, succeeded + failed]);
    }
  });

  it('twice: ends immediately, even if the server never answers', async () => {
    const { url, seen } = await listen();
    const run = start(['run', scenario('silent', long(url)), '--workers', '1']);
    await until(() => seen() >= 40);
    run.child.kill('SIGINT');
    await until(() => run.words().includes('interrupt again'));
    run.child.kill('SIGINT');
    expect((await run.ended).code).toBe(105);
    const { summary } = resultsOf('silent');
    expect(summary.phases[0]?.operations[0]?.outcomes).toEqual({ canceled: 40 });
  });
});

it('a signal to npx, whose shell does not pass it on, ends the program in order', async () => {
  const { url, seen } = await listen({ status: 403, body: '{}' });
  const file = scenario(
    'behind',
    `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: steady, duration: 1s, checkdata: { every: 100ms } }]`,
  );
  const fleet = spawned(['npx', 'muster', 'fleet', join(folder, file), '--data', join(folder, 'behind')], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
  await until(() => seen() >= 1);
  fleet.child.kill('SIGTERM');
  // Its output closes when the program ends, not when npx does.
  await fleet.ended;
  expect(
    fleet
      .words()
      .split('\n')
      .filter((line) => line.startsWith('stopping')),
  ).toHaveLength(1);
});

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 10));
}
