import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newFolder, recordedRun } from '../results/result.ts';
import { muster } from './muster.ts';

const shards = async () => Promise.all([0, 1].map(async (index) => (await recordedRun(7, { index, count: 2 })).folder));

describe('muster merge', () => {
  it('prints the summary of the whole run, and ends with the exit code of its verdict', async () => {
    const cwd = newFolder();
    const { code, stdout, stderr } = await muster(['merge', ...(await shards()), '--junit', 'junit.xml'], { cwd });
    expect([code, stderr]).toEqual([99, '']);
    expect(stdout).toContain('20 agents · 2 shards · 4 workers');
    expect(stdout).toContain('THRESHOLD CROSSED');
    expect(stdout).toContain('  results     results/kept/2026-11-21T10-15-30Z-seed7-merged\n');
    expect(readFileSync(join(cwd, 'junit.xml'), 'utf8')).toContain('<testsuite name="kept"');
  });

  it('prints only JSON with --json', async () => {
    const { stdout } = await muster(['merge', ...(await shards()), '--json', '--out', newFolder()]);
    expect(JSON.parse(stdout)).toMatchObject({ shards: [{ number: 1 }, { number: 2 }] });
  });

  it('ends with 104 and names what is missing', async () => {
    const { code, stderr } = await muster(['merge', ...(await shards()).slice(1)], { cwd: newFolder() });
    expect([code, stderr]).toEqual([104, 'Shard 1 of 2 is missing: add its folder.\n']);
  });
});
