import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';
import { analyze } from 'eslint-scope';

const SYNTAX = { ecmaVersion: 2024, sourceType: 'module' } as const;

/**
 * The names that a module takes from outside: used as values and declared nowhere in it. The clock and the chance that hang on
 * names that are harmless otherwise come as `Date.now`, `Math.random` and `new Date()`.
 */
export function freeNames(typeScript: string): ReadonlySet<string> {
  const source = stripTypeScriptTypes(typeScript);
  // The options of acorn say which of its fields are ranges; eslint-scope reads ESTree, which acorn writes.
  const { globalScope } = analyze(parse(source, { ...SYNTAX, ranges: true }) as never, SYNTAX);
  const names = globalScope?.through.map(({ identifier }) => effectIn(source, identifier as unknown as Node & Named));
  return new Set(names);
}

type Named = { readonly name: string };

function effectIn(source: string, { name, start, end }: Node & Named): string {
  const after = source.slice(end);
  if (name === 'Math' && /^\s*(\?\.|\.|\[['"`])\s*random\b/.test(after)) return 'Math.random';
  if (name !== 'Date') return name;
  if (/^\s*(\?\.|\.|\[['"`])\s*now\b/.test(after)) return 'Date.now';
  return /\bnew\s+$/.test(source.slice(0, start)) && !/^\s*\(\s*[^)\s]/.test(after) ? 'new Date()' : name;
}
