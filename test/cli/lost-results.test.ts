import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { muster } from './muster.ts';

it('a run whose results are taken away tells its verdict all the same, and what is missing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'muster-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(
    join(folder, 'robbed.yaml'),
    'fleet: { agents: 5, payload: lean, profiles: { windows-server-2022: 1 } }\nphases: [{ name: all, duration: 4s, register: { over: 100ms }, checkdata: { every: 500ms } }]',
  );
  const ended = muster(['run', 'robbed.yaml', '--json'], { cwd: folder });
  await expect.poll(() => existsSync(join(folder, 'results', 'robbed', 'latest', 'timeline.ndjson'))).toBe(true);
  rmSync(join(folder, 'results'), { recursive: true });
  const { code, stdout, stderr } = await ended;
  expect(code).toBe(116);
  expect(JSON.parse(stdout).overall).not.toEqual([]);
  expect(stderr).toMatch(/DONE|INVALID/);
  expect(stderr).not.toMatch(/^ {2}report /m);
  expect(stderr).toMatch(/What is on disk is not complete: cannot write the results to .*robbed/);
});
