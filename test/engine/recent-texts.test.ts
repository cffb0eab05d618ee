import fc from 'fast-check';
import { expect, it } from 'vitest';
import { recentTexts } from '../../src/engine/recent-texts.ts';

it('the text of an agent is its own, whoever was asked for before, and is worked out once while it is wanted', () => {
  const near = fc.integer({ min: 0, max: 3 });
  // Agents this far apart share a slot.
  const anyAgent = fc.tuple(near, near).map(([slot, turn]) => slot + 4096 * turn);
  fc.assert(
    fc.property(fc.array(anyAgent), (agents) => {
      const asked: number[] = [];
      const text = recentTexts((agent) => {
        asked.push(agent);
        return `agent ${agent}`;
      });
      for (const agent of agents) for (const _ of 'again') expect(text(agent)).toBe(`agent ${agent}`);
      expect(asked.length).toBeLessThanOrEqual(agents.length);
    }),
  );
});
