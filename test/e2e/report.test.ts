import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folder, muster, resultsOf, scenario, start } from './muster.ts';
import { ENROL_AND_REPORT, FLEET, listen } from './own-server.ts';

describe('muster report', () => {
  it('rebuilds the summary of a run to the byte', async () => {
    const ran = await muster('run', scenario('whole', `${FLEET}${ENROL_AND_REPORT}`), '--workers', '2', '--quiet');
    const file = join(resultsOf('whole').path, 'summary.json');
    const written = readFileSync(file, 'utf8');
    rmSync(file);
    const { code } = await muster('report', 'results/whole/latest');
    expect(code).toBe(ran.code);
    expect(readFileSync(file, 'utf8')).toBe(written);
  });

  it('ends with 113 after kill -9 in mid-run, and has everything up to the last whole second', async () => {
    const { url } = await listen({ status: 403, body: '{"error":"no"}' });
    const text = `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enrol, duration: 10m, checkdata: { every: 1s }, register: { rate: 10/s } }]`;
    const run = start(['run', scenario('killed', text), '--workers', '2']);
    const timeline = join(folder, 'results/killed/latest/timeline.ndjson');
    await until(() => linesOf(timeline) >= 3);
    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    const { code, stdout } = await muster('report', 'results/killed/latest');
    expect(stdout).toContain('INCOMPLETE');
    expect(code).toBe(113);
    const { verdict, overall, elapsedMs } = resultsOf('killed').summary;
    expect(verdict.kind).toBe('incomplete');
    expect(elapsedMs).toBe(linesOf(timeline) * 1000);
    expect(overall[0]?.planned).toBeGreaterThan(0);
  });
});

function linesOf(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}
