import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fragmentOf } from '../docs/site/pages.ts';

type Link = { readonly from: string; readonly target: string };

/** Returns links of these documents to missing files and sections of a folder, as `README.md → gone.md`. */
export function brokenLinks(root: string, documents: readonly string[]): readonly string[] {
  const inside = documents.flatMap((from) => links(root, from)).filter(({ target }) => !/^https?:/.test(target));
  return inside.filter((link) => isBroken(root, link)).map(({ from, target }) => `${from} → ${target}`);
}

/** Returns the headings of a document, without their marks. */
export function headings(file: string): readonly string[] {
  return [...readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) => match[1] ?? '');
}

function links(root: string, from: string): readonly Link[] {
  const text = readFileSync(join(root, from), 'utf8');
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map((match) => ({ from, target: match[1] ?? '' }));
}

function isBroken(root: string, { from, target }: Link): boolean {
  const [path = '', fragment] = target.split('#');
  const file = join(root, path === '' ? from : join(dirname(from), path));
  if (!existsSync(file)) return true;
  return fragment !== undefined && !headings(file).map(fragmentOf).includes(fragment);
}
