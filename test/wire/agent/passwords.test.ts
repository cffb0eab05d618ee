import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noPasswords, passwordsIn } from '../../../src/wire/agent/passwords.ts';
import { anyCharacter } from '../../any-character.ts';
import { draws } from '../../draws.ts';

const AGENTS = 20;

describe('packed passwords', () => {
  it('return the last one of each agent, even after a transfer to another thread', () => {
    const password = fc.oneof(
      { arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }), weight: 9 },
      { arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789abcdefA'), maxLength: 8 }), weight: 5 },
      { arbitrary: fc.nat(9).map((n) => String(n).repeat(400_000)), weight: 1 },
    );
    const changes = fc.array(fc.tuple(fc.nat(AGENTS - 1), password), { maxLength: 40 });
    fc.assert(
      fc.property(changes, changes, (before, after) => {
        const expected = new Map([...before, ...after]);
        const first = noPasswords(AGENTS);
        const here = passwordsIn(first);
        for (const [agent, text] of before) here.set(agent, text);
        const crossed = structuredClone(first);
        const there = passwordsIn(crossed);
        for (const [agent, text] of after) there.set(agent, text);
        for (let agent = 0; agent < AGENTS; agent++) expect(there.get(agent)).toBe(expected.get(agent) ?? '');
      }),
      { numRuns: draws(30) },
    );
  });

  it('take a little more than half their length if they are hexadecimal digits', () => {
    const agents = 15_000;
    const packed = noPasswords(agents);
    const passwords = passwordsIn(packed);
    for (let agent = 0; agent < agents; agent++) passwords.set(agent, agent.toString(16).padStart(128, '0'));
    expect(packed.pieces.map(({ length }) => length)).toEqual([1 << 20]);
  });

  it('take no more memory for an agent that gets a new one of the same length', () => {
    const packed = noPasswords(1);
    const passwords = passwordsIn(packed);
    for (let n = 0; n < 20_000; n++) passwords.set(0, n.toString(16).padStart(128, '0'));
    expect(packed.pieces.length).toBe(1);
    expect(passwords.get(0)).toBe('4e1f'.padStart(128, '0'));
  });
});
