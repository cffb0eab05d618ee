import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { uuidOf } from '../../src/agent/identity.ts';
import { passwordsIn } from '../../src/agent/passwords.ts';
import { fleetIndex, shardWithin, shareOf } from '../../src/load/shard.ts';
import { passwordsByWorker } from '../../src/workers/known-passwords.ts';

const SEED = 7;

describe('passwords from earlier runs', () => {
  it('reach the worker and the number of their agent, in any split, and no others do', () => {
    const fleet = fc.record({
      agents: fc.integer({ min: 1, max: 60 }),
      machine: fc.record({ index: fc.nat(2), count: fc.constant(3) }),
      workers: fc.integer({ min: 1, max: 5 }),
      known: fc.uniqueArray(fc.nat(80)),
    });
    fc.assert(
      fc.property(fleet, ({ agents, machine, workers, known }) => {
        const entries = known.map((agent) => ({ uuid: uuidOf(SEED, agent), password: `of ${agent}` }));
        const strangers = [
          { uuid: uuidOf(SEED + 1, 0), password: 'p' },
          { uuid: 'not a uuid', password: 'p' },
        ];
        const fleetPart = { fleet: { seed: SEED, agents }, shard: machine, workers };
        passwordsByWorker([...strangers, ...entries], fleetPart).forEach((packed, index) => {
          const shard = shardWithin(machine, { index, count: workers });
          expect(packed.places.length).toBe(shareOf(shard, agents));
          packed.places.forEach((_, number) => {
            const agent = fleetIndex(shard, number);
            expect(passwordsIn(packed).get(number)).toBe(known.includes(agent) ? `of ${agent}` : '');
          });
        });
      }),
    );
  });
});
