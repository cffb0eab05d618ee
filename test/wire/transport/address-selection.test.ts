import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { byPreference } from '../../../src/wire/transport/dial-order.ts';

/** What Go 1.26.8 made of drawn destinations and sources; an empty source means an unreachable destination. */
type Vector = { readonly addresses: string[]; readonly sources: string[]; readonly ordered: string[] };

const VECTORS: readonly Vector[] = readFileSync(join(import.meta.dirname, 'address-selection.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const ordered = (addresses: readonly string[], sources: readonly (string | undefined)[]) =>
  byPreference(addresses.map((address, place) => ({ address, source: sources[place] || undefined }))).map(
    ({ address }) => address,
  );

describe('the selection of addresses', () => {
  it('has the same order as that of Go for 200 sets', () => {
    expect(VECTORS).toHaveLength(200);
    for (const { addresses, sources, ordered: expected } of VECTORS)
      expect([addresses, sources, ordered(addresses, sources)]).toEqual([addresses, sources, expected]);
  });

  it.each([
    ['IPv4 before a private IPv6 address', ['fd00::2', '10.0.0.2'], ['fd00::1', '10.0.0.1'], '10.0.0.2'],
    ['public IPv6 before IPv4', ['10.0.0.2', '2001:db8::2'], ['10.0.0.1', '2001:db8::1'], '2001:db8::2'],
    ['what can be reached', ['2001:db8::2', '10.0.0.2'], [undefined, '10.0.0.1'], '10.0.0.2'],
    ['::1 before 127.0.0.1', ['127.0.0.1', '::1'], ['127.0.0.1', '::1'], '::1'],
  ] as const)('takes %s', (_, addresses, sources, first) => {
    expect(ordered(addresses, sources)[0]).toBe(first);
  });
});
