import { isIPv4 } from 'node:net';
import { faker } from '@faker-js/faker/locale/en';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hash32 } from '../../../src/base/kernel/random.ts';
import { hostNameOf, identityOf, uuidOf } from '../../../src/wire/agent/identity.ts';
import { draws } from '../../draws.ts';

/** The name from faker itself. */
function madeByFaker(seed: number, agent: number): string {
  faker.seed(hash32(seed, 'host name', agent));
  return `${faker.hacker.noun().replaceAll(' ', '-')}-${faker.location.countryCode()}-`.toLowerCase();
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('identities', () => {
  it('have version 4 uuids, distinct across a large fleet', () => {
    const uuids = new Set<string>();
    for (let agent = 0; agent < 20_000; agent++) {
      const uuid = uuidOf(1, agent);
      expect(uuid).toMatch(UUID_V4);
      uuids.add(uuid);
    }
    expect(uuids.size).toBe(20_000);
  });

  it('have the host names that faker generates from their seed', () => {
    fc.assert(
      fc.property(fc.integer(), fc.nat(1_000_000), (seed, agent) => {
        expect(hostNameOf(seed, agent).startsWith(madeByFaker(seed, agent))).toBe(true);
      }),
      { numRuns: draws(200) },
    );
  });

  it('have distinct, valid host names and addresses', () => {
    const identities = Array.from({ length: 500 }, (_, agent) => identityOf(3, agent));
    expect(new Set(identities.map(({ hostName }) => hostName)).size).toBe(500);
    expect(new Set(identities.map(({ address }) => address)).size).toBe(500);
    for (const { hostName, address } of identities) {
      expect(hostName).toMatch(/^[a-z0-9][a-z0-9-]{0,62}$/);
      expect(address).toMatch(/^10(\.\d{1,3}){3}$/);
    }
  });

  it('are not sequential: neither names nor addresses reveal the next agent', () => {
    const identities = Array.from({ length: 300 }, (_, agent) => identityOf(3, agent));
    const steps = (values: readonly number[]) => values.slice(1).map((value, n) => value - (values[n] ?? 0));
    const ups = (values: readonly number[]) => steps(values).filter((step) => step > 0).length;
    const numbers = identities.map(({ hostName }) => Number.parseInt(hostName.split('-').at(-1) ?? '', 36));
    const hosts = identities.map(({ address }) => Number(address.split('.')[3]));
    for (const values of [numbers, hosts]) {
      expect(ups(values)).toBeGreaterThan(110);
      expect(ups(values)).toBeLessThan(190);
      expect(steps(values).filter((step) => step === 1).length).toBeLessThan(10);
    }
    const networks = new Set(identities.map(({ address }) => address.replace(/\.\d+$/, '')));
    expect(networks.size).toBe(16);
    expect(Math.min(...hosts)).toBeGreaterThan(0);
    expect(Math.max(...hosts)).toBeLessThan(255);
  });

  it('are distinct up to the end of the largest fleet', () => {
    const agents = [0, 4063, 4064, 1_000_000, 9_999_998, 9_999_999];
    const identities = agents.map((agent) => identityOf(1, agent));
    expect(new Set(identities.map(({ hostName }) => hostName.split('-').at(-1))).size).toBe(agents.length);
    expect(new Set(identities.map(({ address }) => address)).size).toBe(agents.length);
    for (const { address } of identities) expect(isIPv4(address)).toBe(true);
  });

  it('are the same for the same seed and index, in any order', () => {
    const forward = [0, 1, 2, 3].map((agent) => identityOf(9, agent));
    const backward = [3, 2, 1, 0].map((agent) => identityOf(9, agent)).reverse();
    expect(backward).toEqual(forward);
    expect(identityOf(10, 0)).not.toEqual(identityOf(9, 0));
  });

  it('keep their values across releases', () => {
    expect(identityOf(1, 0)).toMatchInlineSnapshot(`
      {
        "address": "10.220.55.181",
        "hostName": "card-gu-tk6vs",
        "uuid": "548fb66a-619d-4ea4-976d-ada3ea161897",
      }
    `);
  });
});
