import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { SERVER_CASES } from '../../../src/conformance/server/mode.ts';
import { startMonitoringServer } from '../../../src/server/start.ts';
import { tryAt } from './try-server.ts';

const hasCurl = spawnSync('curl', ['--version']).status === 0;

it.skipIf(!hasCurl)('the lines of each broken rule get the same answer again in a shell', async () => {
  const server = await startMonitoringServer({ apiKey: "Key's 7" });
  const { results } = await tryAt(server.url, SERVER_CASES, { apiKey: "Key's 7" });
  const broken = results.filter(({ verdict }) => verdict.kind === 'broken');
  const statuses = await Promise.all(
    broken.map(async ({ repeat }) => {
      const env = { ...process.env, MUSTER_API_KEY: "Key's 7" };
      const { stdout } = await promisify(execFile)('bash', ['-c', repeat.join('\n')], { env, timeout: 60_000 });
      return [...stdout.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status]) => status);
    }),
  );
  await server.stop();
  const found = broken.map(({ verdict }) => (verdict.kind === 'broken' ? verdict.found.slice(0, 3) : ''));
  expect(broken.length).toBeGreaterThanOrEqual(10);
  expect(statuses.map((all, place) => (all.includes(found[place]) ? found[place] : all))).toEqual(found);
});
