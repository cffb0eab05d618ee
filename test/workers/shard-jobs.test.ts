import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fleetIndex, shardWithin, shareOf, WHOLE_FLEET } from '../../src/load/shard.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { passwordsIn } from '../../src/wire/agent/passwords.ts';
import { jobsOf, passwordsByWorker } from '../../src/workers/shard-jobs.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const ADDRESSES = 4;

/** The source address of each connection, in the order of the whole run. */
function addressesOf(agents: number, workers: number): readonly (string | undefined)[] {
  const scenario = scenarioOf(`fleet: { agents: ${agents}, sourceAddresses: [127.0.0.2-127.0.0.4, 192.0.2.7] }
phases: [{ name: a, register: { rate: 1/s } }]`);
  const target = {
    bases: [{ url: 'http://127.0.0.1', addresses: [], reachedFrom: new Map(), loopbackOnly: true, proxy: undefined }],
    tls: { verify: true, ca: undefined },
  };
  const unknown = {
    knownPasswords: undefined,
    openJournal: undefined,
    claims: false,
    listening: undefined,
    poller: undefined,
    localPorts: undefined,
    debug: undefined,
    fileDescriptors: undefined,
    spareDials: 0,
    firstStartedAt: undefined,
  };
  const found: (string | undefined)[] = [];
  for (const job of jobsOf({ scenario, target, shard: WHOLE_FLEET, workers, ...unknown })) {
    if (job.entry !== 'shard-entry') continue;
    const { shard, sources } = job.task;
    for (let n = 0; n < shareOf(shard, agents); n++)
      found[shard.index + n * workers] = sources.addresses[n % sources.addresses.length];
  }
  return found;
}

describe('the connections of a run', () => {
  it.each([1, 2, 3, 4, 7])('use the same addresses in turn with %i workers as with one', (workers) => {
    const found = addressesOf(23, workers);
    expect(found).toEqual(addressesOf(23, 1));
    expect(found.slice(0, ADDRESSES)).toEqual(['127.0.0.2', '127.0.0.3', '127.0.0.4', '192.0.2.7']);
    expect(found.slice(ADDRESSES, 2 * ADDRESSES)).toEqual(found.slice(0, ADDRESSES));
  });
});

const SEED = 7;

describe('passwords from earlier runs', () => {
  it('reach only the worker and the number of their agent, however the fleet is sharded', () => {
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
          expect(packed.positions.length).toBe(shareOf(shard, agents));
          packed.positions.forEach((_, number) => {
            const agent = fleetIndex(shard, number);
            expect(passwordsIn(packed).get(number)).toBe(known.includes(agent) ? `of ${agent}` : '');
          });
        });
      }),
    );
  });
});
