import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODULE_IMPORTS } from '../.dependency-cruiser.mjs';

const ROOT = resolve(import.meta.dirname, '..');

type Imports = Readonly<Record<string, readonly string[]>>;

function moduleOf(path: string): string {
  return path.split('/')[1]?.replace(/\.c?[jt]s$/, '') ?? '';
}

function sorted(imports: Imports): readonly string[] {
  return Object.entries(imports)
    .flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`))
    .sort();
}

/** The imports of the first diagram in ARCHITECTURE.md: lines such as `cli --> run & workers`. */
function drawnImports(): readonly string[] {
  const text = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const diagram = /```mermaid\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return [...diagram.matchAll(/^\s*(.+?) --> (.+)$/gm)]
    .flatMap(([, from = '', to = '']) =>
      from.split(' & ').flatMap((source) => to.split(' & ').map((target) => `${source} → ${target}`)),
    )
    .sort();
}

/** The modules of all imports, of types too. */
function usedImports(): readonly string[] {
  const imports = globSync('src/**/*.{ts,cjs}', { cwd: ROOT }).flatMap((path) => {
    const paths = readFileSync(resolve(ROOT, path), 'utf8').matchAll(/\b(?:from|import\(|import)\s*'(\.[^']+)'/g);
    return [...paths].map(([, to = '']) => [moduleOf(path), moduleOf(join(dirname(path), to))] as const);
  });
  const between = imports.filter(([from, to]) => from !== to && to !== 'base');
  return [...new Set(between.map(([from, to]) => `${from} → ${to}`))].sort();
}

describe('the modules of src', () => {
  it('import exactly what the rules permit', () => {
    expect(usedImports()).toEqual(sorted(MODULE_IMPORTS));
  });

  it('are drawn in ARCHITECTURE.md as in the rules', () => {
    expect(drawnImports()).toEqual(sorted(MODULE_IMPORTS));
  });
});

describe('the names of src', () => {
  /** The thread pool requires this name for the function that a thread runs. */
  const COMMON_NAMES = ['run'];

  it('are exported once, with one meaning each', () => {
    const places = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((path) =>
      [
        ...readFileSync(resolve(ROOT, path), 'utf8').matchAll(
          /^export (?:async )?(?:function|const|type|class) (\w+)/gm,
        ),
      ].map(([, name = '']) => ({ name, path })),
    );
    const twice = [...Map.groupBy(places, ({ name }) => name)].filter(
      ([name, { length }]) => length > 1 && !COMMON_NAMES.includes(name),
    );
    expect(places.length).toBeGreaterThan(500);
    expect(twice.map(([name, all]) => `${name}: ${all.map(({ path }) => path).join(', ')}`)).toEqual([]);
  });
});
