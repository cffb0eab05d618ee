import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CohortFacts, membership } from '../../../src/load/cohorts/cohort.ts';
import { parseCohort } from '../../../src/load/cohorts/parse.ts';
import { type NamedCohort, segmentsOf } from '../../../src/load/cohorts/segments.ts';
import { fleetIndex, type Shard, shareOf } from '../../../src/load/shard.ts';

const AGENTS = 50;
const ROLES = ['web', 'database', 'office'];
const FACTS: CohortFacts = {
  seed: 3,
  agents: AGENTS,
  profile: (agent) => (agent % 2 === 0 ? 'windows-11' : 'ubuntu-24.04'),
  role: (agent) => ROLES[agent % 3] ?? '',
  group: () => '',
  host: (agent) => `host-${agent}`,
  uuid: String,
};

const EXPRESSIONS = [
  'role=web',
  'profile=windows-*',
  '10%',
  '0..9',
  'not role=office',
  'host=*7',
  'all',
  '30% and 10..40',
];

const anyCohorts = fc.uniqueArray(fc.constantFrom(...EXPRESSIONS)).map((texts) =>
  texts.map((text, n): NamedCohort => {
    const read = parseCohort(text);
    if (read.kind === 'mistake') throw new Error(text);
    return { name: `c${n}`, cohort: read.cohort };
  }),
);
const anyShard = fc
  .integer({ min: 1, max: 4 })
  .chain((count) => fc.nat(count - 1).map((index): Shard => ({ index, count })));

it('each agent of a shard is in the one segment with exactly its cohorts, and no two segments are alike', () => {
  fc.assert(
    fc.property(anyCohorts, anyShard, (cohorts, shard) => {
      const agents = shareOf(shard, AGENTS);
      const indexOf = (n: number) => fleetIndex(shard, n);
      const { list, of } = segmentsOf(cohorts, FACTS, { agents, indexOf });
      for (let n = 0; n < agents; n++) {
        const own = cohorts.filter(({ name, cohort }) => membership(cohort, name, FACTS)(indexOf(n)));
        expect(list[of(n)]).toEqual(own.map(({ name }) => name));
      }
      const used = new Set(Array.from({ length: agents }, (_, n) => of(n)));
      expect(used.size).toBe(list.length);
      expect(new Set(list.map((names) => names.join())).size).toBe(list.length);
    }),
  );
});
