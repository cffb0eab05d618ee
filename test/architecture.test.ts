import { globSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ARROWS } from '../.dependency-cruiser.mjs';

const ROOT = resolve(import.meta.dirname, '..');

type Arrows = Readonly<Record<string, readonly string[]>>;

function roomOf(path: string): string {
  return path.split('/')[1]?.replace(/\.c?[jt]s$/, '') ?? '';
}

function sorted(arrows: Arrows): readonly string[] {
  return Object.entries(arrows)
    .flatMap(([from, targets]) => targets.map((to) => `${from} → ${to}`))
    .sort();
}

/** The arrows of the first drawing in ARCHITECTURE.md: lines such as `cli --> run & workers`. */
function drawnArrows(): readonly string[] {
  const text = readFileSync(resolve(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const drawing = /```mermaid\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  return [...drawing.matchAll(/^\s*(.+?) --> (.+)$/gm)]
    .flatMap(([, from = '', to = '']) =>
      from.split(' & ').flatMap((source) => to.split(' & ').map((target) => `${source} → ${target}`)),
    )
    .sort();
}

/** The arrows of all imports, those of types included. */
function usedArrows(): readonly string[] {
  const arrows = globSync('src/**/*.{ts,cjs}', { cwd: ROOT }).flatMap((path) => {
    const imports = readFileSync(resolve(ROOT, path), 'utf8').matchAll(/\b(?:from|import\(|import)\s*'(\.[^']+)'/g);
    return [...imports].map(([, to = '']) => [roomOf(path), roomOf(join(dirname(path), to))] as const);
  });
  const between = arrows.filter(([from, to]) => from !== to && to !== 'ground');
  return [...new Set(between.map(([from, to]) => `${from} → ${to}`))].sort();
}

describe('the rooms of src', () => {
  it('use exactly the arrows that the rules permit', () => {
    expect(usedArrows()).toEqual(sorted(ARROWS));
  });

  it('are drawn in ARCHITECTURE.md as in the rules', () => {
    expect(drawnArrows()).toEqual(sorted(ARROWS));
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
