import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { listOf, MOST_FAULTY_ENTRIES, mapOf } from '../../src/protocol/shapes/kinds.ts';

/** Refuses everything and counts how often it was asked. */
function refusing() {
  let asked = 0;
  const shape = z.custom(() => {
    asked++;
    return false;
  }, 'wrong');
  return { shape, asked: () => asked };
}

describe.each([
  ['a list', listOf, Array.from({ length: 10_000 }, () => 0)],
  ['a map', mapOf, Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`name ${i}`, 0]))],
] as const)('%s', (_name, make, hostile) => {
  it('with nothing but faults is read only until enough of them were found', () => {
    const { shape, asked } = refusing();
    const issues = make(shape).safeParse(hostile).error?.issues;
    expect([asked(), issues?.length]).toEqual([MOST_FAULTY_ENTRIES, MOST_FAULTY_ENTRIES]);
  });
});

it('an entry that is wrong deep inside is named by its whole path', () => {
  const shape = listOf(z.strictObject({ name: z.string(), sizes: mapOf(z.number()) }));
  const faults = shape.safeParse([
    { name: 'a', sizes: {} },
    { name: 'b', sizes: { large: 'x' } },
  ]).error?.issues;
  expect(faults?.map(({ path }) => path)).toEqual([[1, 'sizes', 'large']]);
});
