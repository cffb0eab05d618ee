import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { thresholdSchema } from '../../src/metrics/judging/thresholds.ts';
import { summarySchema } from '../../src/metrics/summary/summary-schema.ts';
import { runEndSchema, runStartSchema } from '../../src/results/histogram-log.ts';
import { timelineRowSchema } from '../../src/results/timeline.ts';
import { CSV_HEADER } from '../../src/results/timeline-csv.ts';

const PAGE = readFileSync(resolve(import.meta.dirname, '../../docs/reference/results.md'), 'utf8');

/** Returns the names of members at any depth. */
function members(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = 'properties' in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(members)];
}

/** The words in backticks, including the parts of `a.b[].c`. */
const written = new Set([...PAGE.matchAll(/`([^`\n]+)`/g)].flatMap(([, text = '']) => text.split(/[^A-Za-z0-9]+/)));

describe('docs/reference/results.md', () => {
  it.each([
    ['summary.json', summarySchema],
    ['a line of timeline.ndjson', timelineRowSchema],
    ['the head of the histogram log', runStartSchema],
    ['the end of the histogram log', runEndSchema],
  ])('names every member of %s', (_, schema) => {
    const names = [...new Set(members(z.toJSONSchema(schema, { io: 'input' })))];
    expect(names.length).toBeGreaterThan(3);
    expect(names.filter((name) => !written.has(name))).toEqual([]);
  });

  it.each(['kind', 'unit'])('names every value of the %s of a threshold', (member) => {
    const kinds = thresholdSchema.options.map(({ shape }) => z.toJSONSchema(shape[member as 'kind' | 'unit']));
    const values = kinds.flatMap((schema) => schema.enum ?? schema.const ?? []);
    expect(values).not.toEqual([]);
    expect(values.filter((value) => !PAGE.includes(`\`${value}\``))).toEqual([]);
  });

  it('names every column of timeline.csv in order, and no other', () => {
    const section = /^## timeline\.csv\n([\s\S]*?)^## /m.exec(PAGE)?.[1] ?? '';
    const cells = [...section.matchAll(/^\| (`.*?) +\|/gm)].flatMap(([, cell = '']) => cell.match(/\w+/g) ?? []);
    expect(cells).toEqual(CSV_HEADER.split(','));
  });
});
