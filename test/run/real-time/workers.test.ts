import { beforeAll, describe, expect, it } from 'vitest';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { PLAIN } from '../../../src/report/palette.ts';
import { summaryText } from '../../../src/report/summary-text.ts';
import { finishedRun, GENERATOR_TOO_SLOW, measuredRun, NOT_KEPT_UP } from './finished-run.ts';
import { ENROL_AND_REPORT, FLEET, listen } from './own-server.ts';
import { total } from './sums.ts';

const SPLIT = `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { delivery: ["lost == 0", "duplicated == 0", "unknown == 0"] }`;
const WORKERS = [1, 4];

describe('the workers of a run', () => {
  const summaries = new Map<number, Summary>();
  beforeAll(async () => {
    for (const workers of WORKERS) summaries.set(workers, await measuredRun(SPLIT, workers));
  });
  const of = (workers: number) => summaries.get(workers) as Summary;

  it('plan and start the same operations with one worker and with four', ({ skip }) => {
    const all = WORKERS.map(of);
    expect(all.map(({ environment }) => environment.workers)).toEqual(WORKERS);
    skip(
      all.some(({ verdict }) => verdict.kind === GENERATOR_TOO_SLOW),
      NOT_KEPT_UP,
    );
    const [one, four] = all.map((summary) =>
      ['register', 'authorize', 'checkdata', 'packages'].map((name) => total(summary, name, 'planned')),
    );
    expect(four).toEqual(one);
  });

  it('share one connection among all agents, however many workers are requested', async () => {
    const { url, seen, connections } = await listen({ status: 403, body: '' });
    const fleet =
      'fleet: { agents: 8, payload: lean, profiles: { windows-server-2022: 1 }, connections: { shared: 1 } }';
    const phases = 'phases: [{ name: enroll, duration: 1s, register: { over: 200ms } }]';
    await finishedRun(`target: { url: "${url}" }\n${fleet}\n${phases}`, 4);
    expect(seen()).toBe(8);
    expect(connections()).toBe(1);
  });

  it.each(WORKERS)('confirm with %s workers that every request arrived exactly once', (workers) => {
    const { delivery, phases, thresholds, verdict } = of(workers);
    const started = phases.flatMap(({ operations }) => operations).reduce((sum, entry) => sum + entry.started, 0);
    expect(delivery).toMatchObject({
      observed: true,
      sent: started,
      acknowledged: started,
      received: started,
      lost: 0,
      duplicated: 0,
      unknown: 0,
      refused: 0,
      unattributed: 0,
    });
    const arrived = delivery.observed ? delivery.operations : [];
    expect(arrived.filter(({ sent, received }) => sent !== received)).toEqual([]);
    const checkdata = arrived.find(({ operation }) => operation === 'checkdata');
    if (verdict.kind !== GENERATOR_TOO_SLOW) {
      const operations = arrived.map(({ operation }) => operation);
      expect(operations).toEqual(['register', 'authorize', 'checkdata', 'packages']);
      expect(checkdata?.documents).toMatchObject({ stale: 0, ahead: 0, undated: 0 });
    }
    expect(thresholds.map(({ passed }) => passed)).toEqual([true, true, true]);
    expect(summaryText(of(workers), undefined, PLAIN)).toContain('✓ delivery lost == 0: 0');
  });
});
