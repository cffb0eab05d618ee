import { describe, expect, it } from 'vitest';
import { countSourceAddresses, sourceAddressesOf } from '../../src/scenario/source-addresses.ts';
import { problemsOf, SMALLEST } from './read-scenario.ts';

describe('an entry of source addresses', () => {
  it.each([
    ['127.0.0.2', ['127.0.0.2']],
    ['10.0.0.254-10.0.1.1', ['10.0.0.254', '10.0.0.255', '10.0.1.0', '10.0.1.1']],
    ['fd00:0::2', ['fd00::2']],
  ])('%s means %j', (entry, addresses) => {
    expect(sourceAddressesOf([entry])).toEqual(addresses);
    expect(countSourceAddresses(entry)).toBe(addresses.length);
  });

  it.each(['127.0.0.9-127.0.0.2', '127.0.0.256', '127.0.0.02', '127.0.0', '1::2::3', 'eth0'])(
    '%s is invalid',
    (entry) => {
      expect(countSourceAddresses(entry)).toBe(0);
    },
  );
});

describe('a list of source addresses', () => {
  const found = (list: string) =>
    problemsOf(SMALLEST, [`fleet.sourceAddresses=${list}`]).map((problem) => [problem.path, problem.found]);

  it('must not repeat an address, however it is written', () => {
    expect(found('[127.0.0.2-127.0.0.4, 127.0.0.5]')).toEqual([]);
    expect(found('[127.0.0.2-127.0.0.4, 127.0.0.3]')).toEqual([['fleet.sourceAddresses', '127.0.0.3 twice']]);
    expect(found('["fd00::2", "fd00:0::2"]')).toEqual([['fleet.sourceAddresses', 'fd00::2 twice']]);
  });

  it('has at most 65536 addresses', () => {
    expect(found('[10.0.0.0-10.0.255.255]')).toEqual([]);
    expect(found('[10.0.0.0-10.0.255.255, 127.0.0.2]')).toEqual([['fleet.sourceAddresses', '65537']]);
  });

  it('reports each invalid entry once', () => {
    expect(found('[eth0, 10.0.0.0/24, 127.0.0.2, 127.0.0.9-127.0.0.3]')).toEqual([
      ['fleet.sourceAddresses.0', '"eth0"'],
      ['fleet.sourceAddresses.1', '"10.0.0.0/24"'],
      ['fleet.sourceAddresses.3', '"127.0.0.9-127.0.0.3"'],
    ]);
  });
});
