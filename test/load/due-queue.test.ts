import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDueQueue } from '../../src/load/due-queue.ts';

const dueMs = fc.integer({ min: 0, max: 5 });

it('entries leave the queue by due time, and then by number, in whatever order they were added', () => {
  fc.assert(
    fc.property(fc.array(dueMs, { maxLength: 60 }), fc.infiniteStream(fc.nat()), (instants, chance) => {
      const entries = instants.map((dueMs, entry) => ({ dueMs, entry }));
      const shuffled = entries
        .map((it) => ({ it, place: chance.next().value }))
        .sort((a, b) => a.place - b.place)
        .map(({ it }) => it);
      const queue = createDueQueue(1);
      for (const { dueMs, entry } of shuffled) queue.push(dueMs, entry);
      const left = entries.map(() => ({ dueMs: queue.nextDueMs(), entry: queue.pop() }));
      expect(left).toEqual(entries.toSorted((a, b) => a.dueMs - b.dueMs || a.entry - b.entry));
      expect(queue.nextDueMs()).toBe(Number.POSITIVE_INFINITY);
    }),
  );
});

it('entries that are added between removals take their place in the order', () => {
  const queue = createDueQueue();
  for (const entry of [4, 2, 3]) queue.push(10, entry);
  expect(queue.pop()).toBe(2);
  queue.push(10, 1);
  queue.push(9, 5);
  expect([queue.pop(), queue.pop(), queue.pop(), queue.pop()]).toEqual([5, 1, 3, 4]);
});
