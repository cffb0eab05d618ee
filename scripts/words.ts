/**
 * Counts the words of each page of docs: everything between spaces with a letter or a digit, so no bars and rules of tables. Words in code
 * are also counted separately. Generated pages count, too; pages for developers have a sum of their own.
 *
 *     node scripts/words.ts
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

const sums = { users: { words: 0, code: 0 }, developers: { words: 0, code: 0 } };
for (const page of globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/site'] }).sort()) {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const [words, code] = [wordsIn(text), wordsIn((text.match(/^```.*?^```/gms) ?? []).join('\n'))];
  const sum = sums[page.startsWith('docs/developers/') ? 'developers' : 'users'];
  sum.words += words;
  sum.code += code;
  process.stdout.write(`${String(words).padStart(6)} ${String(code).padStart(5)} in code  ${page}\n`);
}
for (const [readers, { words, code }] of Object.entries(sums))
  process.stdout.write(`${String(words).padStart(6)} ${String(code).padStart(5)} in code  all pages for ${readers}\n`);

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
