import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/cli/exit-codes.ts';
import { brokenLinks, headings } from './links.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DOCUMENTS = globSync(['*.md', 'docs/*.md', 'examples/*.md', 'results/README.md'], { cwd: ROOT });

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

describe('the documents', () => {
  it('link only to files and sections that exist', () => {
    expect(DOCUMENTS.length).toBeGreaterThan(10);
    expect(brokenLinks(ROOT, DOCUMENTS)).toEqual([]);
  });

  it('name only files and folders of the project that exist', () => {
    const named = DOCUMENTS.flatMap((from) =>
      [...read(from).matchAll(/`((?:src|test|docs|scenarios)\/[\w./-]+)`/g)].map((match) => ({
        from,
        target: match[1] ?? '',
      })),
    );
    expect(named.filter(({ target }) => !existsSync(join(ROOT, target)))).toEqual([]);
  });

  it('have every section of docs/protocol.md that a comment in src names', () => {
    const sections = headings(join(ROOT, 'docs/protocol.md'));
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('.ts'),
    );
    const named = files.flatMap((file) =>
      [...read(`src/${file}`).matchAll(/docs\/protocol\.md,[\s*/]*"([^"]+)"/g)].map((match) => ({
        from: file,
        target: match[1] ?? '',
      })),
    );
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ target }) => !sections.includes(target))).toEqual([]);
  });

  it('say in docs/troubleshooting.md what to do about every exit code, outcome and reason', () => {
    const recording = read('src/metrics/recording/outcomes.ts');
    const names = [...recording.matchAll(/[|=] '([a-z_]+)'/g)].map((match) => match[1] ?? '');
    const terms = [...names, ...Object.values(EXIT_CODES).map(String)];
    expect(names.length).toBeGreaterThan(10);
    const document = read('docs/troubleshooting.md');
    expect(terms.filter((term) => !new RegExp(`^\\| *\`${term}\``, 'm').test(document))).toEqual([]);
  });
});
