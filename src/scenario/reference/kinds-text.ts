import type { JsonSchema } from '../schema/written-schema.ts';
import { code, defaultOf, meaningOf, valueText } from './cells.ts';
import { tableOf } from './markdown.ts';
import type { Section } from './sections.ts';

type Kind = { readonly name: string; readonly what: string; readonly keys: readonly Key[] };
type Key = { readonly key: string; readonly schema: JsonSchema; readonly isRequired: boolean };

/** What faults or incidents there are by their `do`, and the keys that they have. */
export function kindsText(branches: readonly JsonSchema[], sections: readonly Section[]): string {
  const kinds = branches.map(kindOf);
  const first = kinds.map(({ name, what, keys }) => {
    const needed = keys.filter(({ isRequired }) => isRequired).map(({ key }) => code(key));
    return [code(name), needed.join(', '), what];
  });
  const second = distinctKeys(kinds).map(({ key, schema, isRequired }) => [
    ...[code(key), holders(key, schema, kinds), valueText(schema, key, sections)],
    ...[defaultOf(schema, isRequired), meaningOf(schema)],
  ]);
  return [
    tableOf(['`do`', 'Needs', 'What happens'], first),
    tableOf(['Key', 'Of', 'Value', 'Default', 'Meaning'], second),
  ].join('\n\n');
}

function kindOf({ properties: { do: kind = {}, ...others } = {}, required = [] }: JsonSchema): Kind {
  const keys = Object.entries(others).map(([key, schema]) => ({ key, schema, isRequired: required.includes(key) }));
  return { name: kind.const ?? '', what: meaningOf(kind), keys };
}

/** Keys of the same name that say different things stand there each; those that all have come first. */
function distinctKeys(kinds: readonly Kind[]): readonly Key[] {
  const all = kinds.flatMap(({ keys }) => keys);
  const distinct = all.filter((key, index) => all.findIndex((other) => isSame(other, key)) === index);
  const count = (key: Key) => all.filter((other) => isSame(other, key)).length;
  return distinct.sort((a, b) => count(b) - count(a));
}

function isSame(a: Pick<Key, 'key' | 'schema'>, b: Pick<Key, 'key' | 'schema'>): boolean {
  return a.key === b.key && JSON.stringify(a.schema) === JSON.stringify(b.schema);
}

/** Which kinds have the key: all, a few, or all but a few. */
function holders(key: string, schema: JsonSchema, kinds: readonly Kind[]): string {
  const has = ({ keys }: Kind) => keys.some((other) => isSame(other, { key, schema }));
  const names = (some: readonly Kind[]) => some.map(({ name }) => code(name)).join(', ');
  const others = kinds.filter((kind) => !has(kind));
  if (others.length === 0) return 'all';
  return others.length * 2 < kinds.length ? `all but ${names(others)}` : names(kinds.filter(has));
}
