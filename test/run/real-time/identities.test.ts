import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { finishedRun, WITHOUT_FAULT } from './finished-run.ts';
import { rememberingServer } from './remembering-server.ts';
import { stored } from './stored.ts';
import { total } from './sums.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-'));
afterAll(() => rmSync(folder, { recursive: true }));

const FILE = join(folder, 'fleet.db');
const run = (target: string) =>
  finishedRun(`target: { url: "${target}" }
fleet: { agents: 30, payload: lean, profiles: { windows-server-2022: 1 }, identities: ${FILE} }
phases:
  - { name: enrol, duration: 500ms, register: { over: 300ms } }
  - { name: steady, duration: 500ms, checkdata: { every: 250ms } }`);

describe('an identity file', () => {
  it('brings the same registered hosts back in the next run, at the embedded server too', async () => {
    const [first, second] = [await run('embedded'), await run('embedded')];
    for (const { verdict } of [first, second]) expect(WITHOUT_FAULT).toContain(verdict.kind);
    expect(total(first, 'register', 'succeeded')).toBe(30);
    expect(total(second, 'register', 'planned')).toBe(0);
    expect(total(second, 'checkdata', 'planned')).toBe(60);
    expect(total(second, 'checkdata', 'failed')).toBe(0);
  });

  it('serves several targets', async () => {
    const before = stored(FILE, 'embedded');
    const { url, passwords, stop } = await rememberingServer();
    await run(url);
    stop();
    expect([before.size, passwords.size]).toEqual([30, 30]);
    expect(stored(FILE, url)).toEqual(passwords);
    expect(stored(FILE, 'embedded')).toEqual(before);
  });
});
