import { env } from 'node:process';
import fc from 'fast-check';
import { DAY_MS } from '../src/base/kernel/units.ts';

/** Seed of a search (`npm run test:search`): any number. `npm test` always draws the same. */
const SEARCH_SEED = env.MUSTER_SEARCH_SEED;
const SEARCH_FACTOR = 75;

/** How many values a property draws: in a search, 75 times as many as usual. */
export function draws(usual: number): number {
  return SEARCH_SEED === undefined ? usual : usual * SEARCH_FACTOR;
}

fc.configureGlobal({ seed: Number(SEARCH_SEED ?? 1), numRuns: draws(40) });

const FROM = Date.UTC(2025, 0, 1);
const TO = Date.UTC(2028, 0, 1);
const YEARS = [2025, 2026, 2027];

/** Any time within three years, often a few minutes from midnight or from the end of a month, in UTC. */
export const anyInstant: fc.Arbitrary<number> = fc.oneof(
  { weight: 3, arbitrary: fc.integer({ min: FROM, max: TO }) },
  {
    weight: 1,
    arbitrary: near(fc.integer({ min: 1, max: (TO - FROM) / DAY_MS - 1 }).map((day) => FROM + day * DAY_MS)),
  },
  {
    weight: 1,
    arbitrary: near(
      fc
        .tuple(fc.constantFrom(...YEARS), fc.integer({ min: 1, max: 11 }))
        .map(([year, month]) => Date.UTC(year, month, 1)),
    ),
  },
);

/** Times around an edge: mostly within a minute of it. */
export function near(edges: fc.Arbitrary<number>): fc.Arbitrary<number> {
  const apart = fc.oneof(
    fc.integer({ min: -2, max: 2 }),
    fc.integer({ min: -60_000, max: 60_000 }),
    fc.integer({ min: -900_000, max: 900_000 }),
  );
  return fc.tuple(edges, apart).map(([edge, ms]) => edge + ms);
}
