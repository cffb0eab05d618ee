import { expect, it } from 'vitest';
import type { Claim, ClaimRequest } from '../../src/base/protocol/claim.ts';
import { uuidOf } from '../../src/wire/agent/identity.ts';
import { createClaims } from '../../src/workers/claims.ts';

const SEED = 5;
const UUID = uuidOf(SEED, 0);

function claimsOfOne() {
  const asked: ClaimRequest[] = [];
  const claims = createClaims({ shard: { index: 0, count: 1 }, seed: SEED, agents: 1 }, (requests) =>
    asked.push(...requests),
  );
  const may = (isRefused: boolean): boolean => claims.mayRegister(0, UUID, isRefused);
  /** What it asked after the answer, and whether it may register. */
  const after = async (claim: Claim, isRefused: boolean) => {
    claims.answered(0, claim);
    asked.length = 0;
    const isAllowed = may(isRefused);
    await new Promise(setImmediate);
    return { isAllowed, asked: asked.map((one) => one.isRefused) };
  };
  return { claims, asked, may, after };
}

it('an agent whose claim is inherited registers until the server refuses it, and asks again then', async () => {
  const { claims, asked, may, after } = claimsOfOne();
  expect([may(false), may(false)]).toEqual([false, false]);
  await new Promise(setImmediate);
  expect(asked).toEqual([{ agent: 0, uuid: UUID, isRefused: false }]);
  const inherited: Claim = { kind: 'granted', isInherited: true };
  expect(await after(inherited, false)).toEqual({ isAllowed: true, asked: [] });
  expect(await after(inherited, true)).toEqual({ isAllowed: false, asked: [true] });
  expect(await after({ kind: 'held' }, true)).toEqual({ isAllowed: false, asked: [false] });
  // A real agent asks the server at every interval.
  expect(await after({ kind: 'granted', isInherited: false }, true)).toEqual({ isAllowed: true, asked: [] });
  claims.answered(0, inherited);
  claims.registered(0);
  expect(may(true)).toBe(true);
});
