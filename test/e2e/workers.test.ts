import { describe, expect, it } from 'vitest';
import { GENERATOR_TOO_SLOW, muster, resultsOf, scenario, total } from './muster.ts';
import { ENROL_AND_REPORT, FLEET, listen } from './own-server.ts';

describe('the workers of a run', () => {
  it('plans and starts the same with one worker and with four', async () => {
    const file = scenario('split', `${FLEET}\n${ENROL_AND_REPORT}`);
    const planned: number[][] = [];
    for (const workers of ['1', '4']) {
      const { code } = await muster('run', file, '--workers', workers, '--quiet');
      const { summary } = resultsOf('split');
      expect(summary.environment.workers).toBe(Number(workers));
      if (code === GENERATOR_TOO_SLOW) return;
      planned.push(['register', 'authorize', 'checkdata', 'packages'].map((name) => total(summary, name, 'planned')));
    }
    expect(planned[1]).toEqual(planned[0]);
  });

  it('shares one connection among all agents, however many workers are asked for', async () => {
    const { url, seen, connections } = await listen({ status: 403, body: '' });
    const fleet = 'fleet: { agents: 8, payload: lean, connections: { shared: 1 } }';
    const phases = 'phases: [{ name: enrol, register: { over: 200ms } }]';
    const file = scenario('shared', `target: { url: "${url}" }\n${fleet}\n${phases}`);
    await muster('run', file, '--workers', '4', '--quiet');
    expect(seen()).toBe(8);
    // One more asks whether the port takes connections at all.
    expect(connections()).toBe(2);
  });

  it.each(['1', '3'])('sees with %s workers that everything which was sent arrived, once', async (workers) => {
    const file = scenario(
      'delivered',
      `${FLEET}\n${ENROL_AND_REPORT}\nthresholds: { delivery: ["lost == 0", "duplicated == 0", "unknown == 0"] }`,
    );
    const { stdout } = await muster('run', file, '--workers', workers);
    const { delivery, phases, thresholds } = resultsOf('delivered').summary;
    const started = phases.flatMap(({ operations }) => operations).reduce((sum, entry) => sum + entry.started, 0);
    expect(delivery).toMatchObject({
      observed: true,
      ...{ sent: started, acknowledged: started, received: started },
      ...{ lost: 0, duplicated: 0, unknown: 0, refused: 0, unattributed: 0 },
    });
    const arrived = delivery.observed ? delivery.operations : [];
    expect(arrived.map(({ operation, sent, received }) => [operation, received - sent])).toEqual([
      ['register', 0],
      ['authorize', 0],
      ['checkdata', 0],
      ['packages', 0],
    ]);
    expect(arrived[2]?.documents).toMatchObject({ stale: 0, ahead: 0, undated: 0 });
    expect(thresholds.map(({ passed }) => passed)).toEqual([true, true, true]);
    expect(stdout).toContain('✓ delivery lost == 0: 0');
  });
});
