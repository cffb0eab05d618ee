import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { schemaFindings } from '../../../src/ground/notation/schema-findings.ts';
import { readPart } from '../../../src/scenario/reading/read-part.ts';

function countingSchema() {
  const counts = { texts: 0 };
  const counted = z.string('a text').transform((text) => {
    counts.texts++;
    return text;
  });
  const entry = z.discriminatedUnion(
    'do',
    [
      z.strictObject({ do: z.literal('say'), text: counted, times: z.number('a number').default(1) }),
      z.strictObject({ do: z.literal('wait') }),
    ],
    'say or wait',
  );
  const schema = z.strictObject(
    {
      name: counted.optional(),
      entries: z.array(entry, 'a list').min(1, 'at least one entry'),
      more: z
        .object({ fixed: z.number('a number').optional() })
        .catchall(z.array(counted))
        .default({}),
      deep: z.strictObject({ flag: z.boolean('true or false').default(true) }, 'a section with flag').prefault({}),
    },
    'a section with name, entries, more, deep',
  );
  return { schema, counts };
}

const { schema } = countingSchema();

describe('a value without mistakes', () => {
  it.each([
    { entries: [{ do: 'wait' }] },
    { name: 'a', entries: [{ do: 'say', text: 'b' }], more: { fixed: 1, x: ['c', 'd'] }, deep: { flag: false } },
  ])('%o is read as the schema would read it', (raw) => {
    expect(readPart(schema, raw)).toEqual({ value: schema.parse(raw), findings: [] });
  });

  it('has each part read once', () => {
    const { schema, counts } = countingSchema();
    readPart(schema, { name: 'a', entries: [{ do: 'say', text: 'b' }], more: { x: ['c', 'd'] } });
    expect(counts.texts).toBe(4);
  });
});

describe('a value with mistakes', () => {
  it.each([
    [undefined],
    ['text'],
    [[]],
    [{}],
    [{ entries: [] }],
    [{ entries: {} }],
    [{ entries: [{ do: 'sya', text: 'a' }, 5, { do: 'say' }, { do: 'wait', text: 'a' }] }],
    [{ name: 5, entries: [{ do: 'wait' }], more: { x: 'c', y: [1] }, deep: { flag: 1, flga: 2 }, other: 1 }],
  ])('%o yields the findings of the whole schema', (raw) => {
    const issues = schema.safeParse(raw).error?.issues ?? [];
    const sorted = (findings: readonly object[]) => findings.map((finding) => JSON.stringify(finding)).sort();
    expect(issues.length).toBeGreaterThan(0);
    expect(sorted(readPart(schema, raw).findings)).toEqual(sorted(schemaFindings(issues, raw)));
  });

  it('keeps its valid parts', () => {
    const raw = {
      name: 5,
      entries: [{ do: 'say', text: 'a', times: 'x' }, 5, { do: 'wait' }],
      more: { x: 5, y: ['z'] },
    };
    expect(readPart(schema, raw).value).toEqual({
      entries: [{ do: 'say', text: 'a' }, undefined, { do: 'wait' }],
      more: { y: ['z'] },
      deep: { flag: true },
    });
  });
});
