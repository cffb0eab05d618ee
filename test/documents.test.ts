import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT_CODES } from '../src/cli/exit-codes.ts';

const ROOT = resolve(import.meta.dirname, '..');
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/listening-fleets.md',
  'docs/metrics.md',
  'docs/protocol.md',
  'docs/troubleshooting.md',
  'docs/web-server.md',
  'results/README.md',
].filter((name) => existsSync(join(ROOT, name)));

type Reference = { readonly from: string; readonly target: string };

function read(name: string): string {
  return readFileSync(join(ROOT, name), 'utf8');
}

function headings(document: string): readonly string[] {
  return [...read(document).matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
}

/** The fragment that leads to a heading, as code hosts make it. */
function fragmentOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
}

function links(from: string): readonly Reference[] {
  return [...read(from).matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ from, target: match[1] ?? '' }));
}

function isBroken({ from, target }: Reference): boolean {
  const [path = '', fragment] = target.split('#');
  const file = path === '' ? from : join(dirname(from), path);
  if (!existsSync(join(ROOT, file))) return true;
  return fragment !== undefined && !headings(file).map(fragmentOf).includes(fragment);
}

describe('the documents', () => {
  it('link only to files and sections that exist', () => {
    const inside = DOCUMENTS.flatMap(links).filter(({ target }) => !/^https?:/.test(target));
    expect(inside.filter(isBroken).map(({ from, target }) => `${from} → ${target}`)).toEqual([]);
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
    const sections = headings('docs/protocol.md');
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
