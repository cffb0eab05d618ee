import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { muster as inPlace } from '../cli/muster.ts';
import { FLEET, listen } from '../run/real-time/own-server.ts';
import { folder, resultsOf, scenario, start } from './muster.ts';

describe('muster report', () => {
  it('ends with 113 for a run that was killed with kill -9, and contains everything up to the last complete second', async () => {
    const { url } = await listen({ status: 403, body: '{"error":"no"}' });
    const text = `target: { url: "${url}" }\n${FLEET}\nphases: [{ name: enroll, duration: 10m, checkdata: { every: 1s }, register: { rate: 10/s } }]`;
    const run = start(['run', scenario('killed', text), '--workers', '2']);
    const timeline = join(folder, 'results/killed/latest/timeline.ndjson');
    await until(() => linesOf(timeline) >= 3);
    run.child.kill('SIGKILL');
    expect((await run.ended).signal).toBe('SIGKILL');
    const { code, stdout } = await inPlace(['report', 'results/killed/latest'], { cwd: folder });
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
