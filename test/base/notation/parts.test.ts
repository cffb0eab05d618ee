import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readPart, writePart } from '../../../src/base/notation/parts.ts';
import { schemaFindings } from '../../../src/base/notation/schema-findings.ts';

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

describe('a part that is written', () => {
  const seconds = z.codec(z.string('seconds').regex(/^\d+s$/, 'seconds'), z.number('seconds'), {
    decode: (text) => Number(text.slice(0, -1)),
    encode: (number) => `${number}s`,
  });
  const step = z.discriminatedUnion('do', [
    z.strictObject({ do: z.literal('wait'), for: seconds.prefault('1s') }),
    z.strictObject({ do: z.literal('pause'), lengths: z.array(seconds).default([]) }),
  ]);
  const schema = z
    .strictObject({ name: z.string(), first: seconds.optional(), most: z.int().max(9).exactOptional() })
    .catchall(z.array(step));

  it('reads back as it was, with the keys in the order of the value', () => {
    const value = {
      more: [
        { for: 2, do: 'wait' },
        { do: 'pause', lengths: [3, 4] },
      ],
      first: 5,
      name: 'x',
    };
    const written = writePart(schema, value);
    expect(JSON.stringify(written)).toBe(
      '{"more":[{"for":"2s","do":"wait"},{"do":"pause","lengths":["3s","4s"]}],"first":"5s","name":"x"}',
    );
    expect(readPart(schema, written)).toEqual({ value, findings: [] });
  });

  it('may have values that cannot be read: a run derives them', () => {
    expect(writePart(schema, { first: -1, most: 10, more: [{ do: 'wait', for: -0.5 }] })).toEqual({
      first: '-1s',
      most: 10,
      more: [{ do: 'wait', for: '-0.5s' }],
    });
  });

  it('keeps missing keys missing, and texts and instances as they are', () => {
    const reference = new Map([['a', 1]]);
    const value = { first: '7s', more: [{ do: 'wait' }], name: reference };
    expect(writePart(schema, value)).toEqual(value);
    expect(writePart(schema, { name: undefined })).toEqual({ name: undefined });
  });
});
