import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it } from 'vitest';
import { closedUrl, serve } from '../run/real-time/own-server.ts';
import { muster } from './muster.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));
const TINY =
  'fleet: { agents: 2, payload: lean, profiles: { windows-server-2022: 1 } }\nphases: [{ name: enroll, register: { over: 100ms } }]\n';

it('a run tells its verdict, cause and remedy, and no secret', async () => {
  const bodies: { text?: string; status?: string }[] = [];
  const url = await serve(async (request, response) => {
    bodies.push(JSON.parse(await text(request)));
    response.end();
  });
  const target = await closedUrl();
  writeFileSync(join(folder, 'down.yaml'), `target: { url: "${target}" }\n${TINY}`);
  writeFileSync(join(folder, 'up.yaml'), TINY);
  const env = { MUSTER_WEBHOOK: `${url}/services/hush`, MUSTER_API_KEY: 'hushhush' };
  const down = await muster(['run', 'down.yaml', '--quiet'], { cwd: folder, env });
  expect(down.code).toBe(115);
  expect(bodies[0]?.text).toMatch(
    /^down: ✗ TARGET UNREACHABLE: .*\n• run .*\n• nothing listens at .*: start the server/,
  );
  await muster(['run', 'up.yaml', '--quiet', '--webhook-format', 'alertmanager'], { cwd: folder, env });
  expect(bodies[1]?.status).toBe('resolved');
  expect(JSON.stringify([bodies, down])).not.toContain('hush');
});

it('a webhook that does not exist changes no exit code, and an invalid one is refused without being shown', async () => {
  writeFileSync(join(folder, 'up.yaml'), TINY);
  const url = await serve((_, response) => response.writeHead(404).end());
  const { code, stderr } = await muster(['run', 'up.yaml', '--quiet', '--webhook', `${url}/hush`], { cwd: folder });
  expect([code, stderr]).toEqual([
    0,
    expect.stringMatching(/^! the webhook at 127\.0\.0\.1:\d+ did not take the message: status 404\n$/),
  ]);
  for (const invalid of ['hooks.example/hush', 'https://50%:hush@hooks.example/', 'ftp://hooks.example/hush']) {
    const refused = await muster(['run', 'up.yaml', '--webhook', invalid], { cwd: folder });
    expect(refused).toMatchObject({ code: 104, stderr: expect.stringContaining('--webhook: expected a URL such as') });
    expect(refused.stderr).not.toContain('hush');
  }
});
