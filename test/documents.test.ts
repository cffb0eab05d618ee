import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { KEYWORDS } from '../docs/site/keywords.ts';
import { DEVELOPER_SECTIONS, fragmentOf, USER_SECTIONS } from '../docs/site/pages.ts';
import manifest from '../package.json' with { type: 'json' };
import { EXIT_CODES } from '../src/cli/exit-codes.ts';
import { brokenLinks, headings } from './links.ts';

const ROOT = resolve(import.meta.dirname, '..');
const PAGES = globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site'] }).sort();
const DOCUMENTS = [...PAGES, ...globSync(['*.md', 'examples/*.md', 'results/README.md'], { cwd: ROOT })];

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

/** The headings of a page as text, without backquotes. */
function sections(page: string): readonly string[] {
  return headings(join(ROOT, page)).map((heading) => heading.replaceAll('`', ''));
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

  it('include every page and section that sources refer to', () => {
    const named = globSync(
      ['{src,test,scripts,bench}/**/*.{ts,js}', 'examples/**/*', '.github/**/*.yml', 'Containerfile'],
      {
        cwd: ROOT,
        exclude: (name) => name.endsWith('/golden') || name.endsWith('/node_modules'),
      },
    )
      .filter((name) => statSync(join(ROOT, name)).isFile())
      .flatMap((from) =>
        [...read(from).matchAll(/\b(docs\/[\w./-]+\.md)\b(?:,[\s*/]*"([^"]+)")?/g)].map(([, page = '', section]) => ({
          from,
          page,
          section,
        })),
      );
    expect(named.filter(({ section }) => section !== undefined).length).toBeGreaterThan(50);
    const missing = named.filter(
      ({ page, section }) =>
        !existsSync(join(ROOT, page)) || (section !== undefined && !sections(page).includes(section)),
    );
    expect(missing).toEqual([]);
  });

  it('have no two empty lines in a row', () => {
    expect(DOCUMENTS.filter((name) => /\n\n\n/.test(read(name)))).toEqual([]);
  });

  it('run the file that README.md just had written and edited, also against a server', () => {
    const written = [...read('README.md').matchAll(/\bmuster (init|run) (\S+)/g)].map(([, , file]) => file);
    expect(written.length).toBeGreaterThan(2);
    expect(new Set(written)).toEqual(new Set(['first.yaml']));
  });

  it('explain every exit code, outcome, reason and doubt in docs/reference/exit-codes.md', () => {
    const recording = read('src/metrics/recording/outcomes.ts');
    const told = recording.replace(/^type Reach = .*$/m, '');
    const names = [...told.matchAll(/(?:(?<!=)[|=] '|^ {2})([a-z_]+)(?:'|: ')/gm)].map((match) => match[1] ?? '');
    const terms = [...names, ...Object.values(EXIT_CODES).map(String)];
    expect(names.length).toBeGreaterThan(15);
    const document = read('docs/reference/exit-codes.md');
    expect(terms.filter((term) => !new RegExp(`^\\| \`${term}\` `, 'm').test(document))).toEqual([]);
  });

  it('list every exit code in docs/reference/exit-codes.md, and the required version of Node in platforms.md', () => {
    const rows = [...read('docs/reference/exit-codes.md').matchAll(/^\| `(\d+)`/gm)].map(([, code]) => Number(code));
    expect(rows).toEqual(Object.values(EXIT_CODES));
    const needed = manifest.engines.node.replace('>=', '');
    expect(read('docs/reference/platforms.md')).toContain(`| from a tarball | Node ${needed} or newer.`);
  });
});

describe('the site', () => {
  it('lists every page of docs once in its sidebar, and no other', () => {
    const listed = [...USER_SECTIONS, ...DEVELOPER_SECTIONS].flatMap(({ pages }) =>
      pages.map((page) => `docs/${page}.md`),
    );
    expect(['docs/index.md', ...listed].sort()).toEqual(PAGES);
  });

  it('has keywords only for pages and sections that exist', () => {
    const isThere = (key: string) => {
      const [page = '', fragment] = key.split('#');
      if (!PAGES.includes(`docs/${page}.md`)) return false;
      return (
        fragment === undefined ||
        headings(join(ROOT, `docs/${page}.md`))
          .map(fragmentOf)
          .includes(fragment)
      );
    };
    expect(Object.keys(KEYWORDS).filter((key) => !isThere(key))).toEqual([]);
  });

  it('has pages that start with a single title and a paragraph', () => {
    const begin = /^# .+\n\n(<!--.*-->\n\n)?[A-Z`*[]/;
    expect(PAGES.filter((page) => !begin.test(read(page)))).toEqual([]);
    const titles = PAGES.map(
      (page) =>
        [
          ...read(page)
            .replaceAll(/^```[\s\S]*?^```/gm, '')
            .matchAll(/^# /gm),
        ].length,
    );
    expect(PAGES.filter((_, n) => titles[n] !== 1)).toEqual([]);
  });

  it('has links that describe their target, instead of a file name', () => {
    const named = PAGES.flatMap((page) =>
      [...read(page).matchAll(/\[[^\]]*\.md\]\(/g)].map(([link]) => `${page}: ${link}`),
    );
    expect(named).toEqual([]);
  });

  it('has no link to a folder, or to Markdown outside docs, which is not on the site', () => {
    const targets = PAGES.flatMap((from) =>
      [...read(from).matchAll(/\]\((\.[^)#\s]+)/g)].map(([, target = '']) => join(from, '..', target)),
    );
    const isWrong = (target: string) =>
      statSync(join(ROOT, target)).isDirectory() || (target.endsWith('.md') && !target.startsWith('docs/'));
    expect(targets.filter(isWrong)).toEqual([]);
  });
});
