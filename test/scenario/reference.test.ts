import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { scenarioReference } from '../../scripts/scenario-reference.ts';
import { problemsOf, scenarioOf } from './read-scenario.ts';
import { PLACES } from './schema/places.ts';
import { SAMPLES } from './schema/sample-files.ts';

const PAGE = scenarioReference();
const BLOCKS = [...PAGE.matchAll(/```yaml\n(.+?)```/gs)].map(([, text = '']) => text);

describe('the scenario reference', () => {
  it('in docs is current (npm run reference)', () => {
    const committed = readFileSync(resolve(import.meta.dirname, '../../docs/reference/scenario.md'), 'utf8');
    expect(committed).toBe(PAGE);
  });

  it('has a row with a description for every key', () => {
    const rows = PAGE.split('\n').filter((line) => line.startsWith('|'));
    const isTold = (key: string, what: string) => rows.some((row) => row.includes(`\`${key}\``) && row.includes(what));
    // Forms of a delay and of a condition are values, and the kinds of faults and events have a table of their own.
    const keys = PLACES.filter(
      ({ path, kind }) =>
        /^(optional )?key$/.test(kind) && !/\.(delay\..+|do)$|\[\]\.(condition|abort|after)$/.test(path),
    );
    const missing = keys.filter(({ path, schema: { description = '' } }) => {
      const [what = ''] = description.split(' Left out: ');
      return !isTold(path.split('.').at(-1) ?? '', what);
    });
    expect(missing.map(({ path }) => path)).toEqual([]);
  });

  it('starts with a complete scenario', () => {
    expect(scenarioOf(BLOCKS[0] ?? '').phases.map(({ name }) => name)).toEqual(['enroll', 'warm-up', 'steady']);
  });

  it('shows sections that are valid', () => {
    const shown = BLOCKS.filter((text) => !/\}\n(register|authorize|load|repeat)/.test(text));
    const isRead = (part: unknown) => SAMPLES.some((fileWith) => problemsOf(fileWith(part)).length === 0);
    expect(shown.length).toBeGreaterThan(10);
    expect(shown.filter((text) => !isRead(parse(text)))).toEqual([]);
  });
});
