import 'fast-check';
import { env } from 'node:process';
import { expect, it } from 'vitest';
import { findingsOf, findingsText, observedHosts } from '../../scripts/host-consistency.ts';

/** Few hosts, as each takes two full documents and their packages; a search looks at a thousand of another seed. */
const SEARCH_SEED = env.MUSTER_SEARCH_SEED;

it('hosts of a fleet differ where they should, agree with themselves, and change over half a year', () => {
  const fleet = SEARCH_SEED === undefined ? { hosts: 44, seed: 1 } : { hosts: 1000, seed: Number(SEARCH_SEED) };
  const findings = findingsOf(observedHosts(fleet));
  // Shares of few values say little.
  const least = SEARCH_SEED === undefined ? 30 : 10;
  const wrong = findings.filter(({ list, found, of, limit }) => {
    return list === 'equal' ? of >= least && found / of > limit : of > 0 && found / of > limit;
  });
  expect(findingsText(wrong)).toBe('');
});
