import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';
import { analyze } from 'eslint-scope';

const SYNTAX = { ecmaVersion: 2025, sourceType: 'module' } as const;

/**
 * Returns the free names of a module: those it uses as values and does not declare. Uses of the clock and of randomness through otherwise
 * harmless names are returned as `Date.now`, `Math.random` and `new Date()`.
 */
export function freeNames(typeScript: string): ReadonlySet<string> {
  const source = stripTypeScriptTypes(typeScript);
  // acorn's options make it store ranges; eslint-scope reads ESTree, which acorn produces.
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
