import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scenarioJsonSchema } from '../../../src/scenario/json-schema.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { scenarioOf } from '../read-scenario.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

describe('the JSON Schema of scenarios', () => {
  it('in docs/schema is current (muster schema > docs/schema/scenario.schema.json)', () => {
    const committed = readFileSync(join(ROOT, 'docs/schema/scenario.schema.json'), 'utf8');
    expect(committed).toBe(`${JSON.stringify(scenarioJsonSchema(), null, 2)}\n`);
  });
});

describe('a value in the JSON Schema of scenarios', () => {
  type Part = { readonly title?: string; readonly anyOf?: readonly object[]; readonly [key: string]: unknown };
  const at = (...path: readonly string[]) =>
    path.reduce<Part>(
      (part, key) => (part.properties as Record<string, Part>)[key] ?? {},
      scenarioJsonSchema() as Part,
    );

  it.each([
    ['target', 'timeout'],
    ['target', 'tls', 'verify'],
    ['fleet', 'agents'],
    ['fleet', 'seed'],
  ])('%s.%s has one description in editors: no title above it and no alternatives', (...path) => {
    const { title, anyOf, description } = at(...path);
    expect([title, anyOf, at().title, typeof description]).toEqual([undefined, undefined, undefined, 'string']);
  });
});

describe('the alternatives of a value in the JSON Schema of scenarios', () => {
  type Part = { readonly title?: string; readonly description?: string; readonly anyOf?: readonly Part[] };
  const partsIn = (part: unknown): readonly Part[] =>
    typeof part !== 'object' || part === null ? [] : [part, ...Object.values(part).flatMap(partsIn)];

  it('differ in title or description, else editors show a heading such as "disconnect || disconnect"', () => {
    const several = partsIn(scenarioJsonSchema()).filter(({ anyOf = [] }) => anyOf.length > 1);
    const headings = ({ anyOf = [] }: Part) =>
      new Set(anyOf.map(({ title, description }) => `${title} ${description}`));
    expect(several.length).toBeGreaterThan(50);
    expect(several.filter((part) => headings(part).size === 1)).toEqual([]);
  });
});

describe('every scenario that comes with Muster', () => {
  const folder = join(ROOT, 'scenarios');
  const texts = readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')] as const);

  it.each(texts)('%s starts with its question, names its schema and is valid', (_, text) => {
    expect(text).toMatch(/^# [^\n]+\?/);
    expect(text).toContain('# yaml-language-server: $schema=../docs/schema/scenario.schema.json\n');
    expect(scenarioOf(text).target.url).toBe('embedded');
  });

  it('reads the target from the environment, unless it uses faults or polls agents', () => {
    const needsEmbedded = (text: string) => {
      const { faults, pull } = scenarioOf(text).target;
      return faults.length > 0 || pull !== undefined;
    };
    for (const [, text] of texts.filter(([, text]) => !needsEmbedded(text)))
      expect(scenarioOf(text, [], { MUSTER_TARGET: 'http://127.0.0.1:1' }).target.url).toBe('http://127.0.0.1:1');
  });

  it('completes the quick start in 30 seconds', () => {
    const [, text = ''] = texts.find(([name]) => name === 'quickstart.yaml') ?? [];
    expect(planOf(scenarioOf(text), HOST_DATA)).toMatchObject({ durationMs: 30_000, size: { connections: 200 } });
  });
});
