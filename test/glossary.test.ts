import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');

/** Rows of the glossary's tables: the word, and the names in the last column. */
function entries(): readonly (readonly [word: string, names: readonly string[]])[] {
  const text = readFileSync(resolve(ROOT, 'docs/glossary.md'), 'utf8');
  return [...text.matchAll(/^\| ([^|]+?) +\|.*\| ([^|]+?) +\|$/gm)]
    .map(([, word = '', names = '']) => [word, [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name)] as const)
    .filter(([, names]) => names.length > 0);
}

/** All words of the code, without comments. */
function wordsOfCode(): ReadonlySet<string> {
  const words = globSync('src/**/*.ts', { cwd: ROOT }).flatMap((path) => {
    const source = readFileSync(resolve(ROOT, path), 'utf8');
    return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, '').match(/\w+/g) ?? [];
  });
  return new Set(words);
}

describe('the glossary', () => {
  it('explains only words whose names exist in the code, each once', () => {
    const code = wordsOfCode();
    const missing = entries().flatMap(([word, names]) =>
      names.filter((name) => !code.has(name)).map((name) => `${word}: ${name}`),
    );
    expect(missing).toEqual([]);
    const words = entries().map(([word]) => word);
    expect(words.length).toBeGreaterThan(40);
    expect(new Set(words).size).toBe(words.length);
  });

  it('is included in the package and in the image, whose reports read it', () => {
    const read = (name: string) => readFileSync(resolve(ROOT, name), 'utf8');
    expect(JSON.parse(read('package.json'))).toMatchObject({ files: expect.arrayContaining(['docs']) });
    expect(read('Containerfile')).toContain('COPY docs/glossary.md docs/glossary.md');
    expect(read('.dockerignore').split('\n')).toContain('!docs/glossary.md');
  });

  it('is linked from the README', () => {
    expect(readFileSync(resolve(ROOT, 'README.md'), 'utf8')).toContain('docs/glossary.md');
  });
});
