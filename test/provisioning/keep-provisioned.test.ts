import { describe, expect, it } from 'vitest';
import { keepProvisioned } from '../../src/provisioning/keep-provisioned.ts';
import type { Provisioned } from '../../src/provisioning/provision.ts';

const NOTHING: Provisioned = {
  hostsAdded: 0,
  hostsFound: 0,
  configured: 0,
  assigned: 0,
  servicesCreated: 0,
  elsewhere: 0,
  unregistered: [],
  failures: [],
  isInterrupted: false,
};
const FAILED: Provisioned = { ...NOTHING, failures: [{ hostName: 'web-1', reason: 'host: status 400' }] };

/** A fleet with these results of its rounds; `steps` lists the rounds, the pauses and the problems in their order. */
function keptFleet(rounds: readonly (Provisioned | Error)[], { withServices = false, wakes = [] as number[] } = {}) {
  const steps: (string | number)[] = [];
  const ending = new AbortController();
  let round = 0;
  const keeping = keepProvisioned({
    provisionAll: async () => {
      const result = rounds[round++];
      steps.push('round');
      await Promise.resolve();
      if (wakes.includes(round)) keeping.wake();
      if (round >= rounds.length) ending.abort();
      if (result instanceof Error) throw result;
      return result;
    },
    pause: async (durationMs) => void steps.push(durationMs),
    onProblem: (sentence) => steps.push(sentence),
    withServices: () => withServices,
    signal: ending.signal,
  });
  return { steps, keeping, end: () => ending.abort() };
}

describe('a fleet that provisions itself', () => {
  it('names a failure once, tries again after a minute, and names it anew after a round without it', async () => {
    const gone = new Error('Nothing answers');
    const { steps, keeping } = keptFleet([FAILED, FAILED, gone, gone, FAILED, NOTHING]);
    await keeping.ended;
    expect(steps).toEqual([
      ...['round', 'web-1: host: status 400', 60_000, 'round', 60_000],
      ...['round', 'Nothing answers', 60_000, 'round', 60_000],
      ...['round', 'web-1: host: status 400', 60_000, 'round', expect.any(Number)],
    ]);
  });

  it('does nothing after a complete round until it is woken, also by a registration during the round', async () => {
    const { steps, keeping, end } = keptFleet([NOTHING, NOTHING, NOTHING], { wakes: [1] });
    await new Promise(setImmediate);
    expect(steps).toEqual(['round', 2000, 'round']);
    await new Promise(setImmediate);
    expect(steps).toHaveLength(3);
    end();
    await keeping.ended;
  });

  it('looks for services in the ten minutes after an assignment, and then no more', async () => {
    const { steps, keeping, end } = keptFleet([{ ...NOTHING, assigned: 1 }, ...Array(15).fill(NOTHING)], {
      withServices: true,
    });
    await new Promise(setImmediate);
    expect(steps.filter((step) => step === 'round')).toHaveLength(11);
    end();
    await keeping.ended;
  });
});
