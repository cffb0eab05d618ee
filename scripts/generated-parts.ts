/**
 * Writes the parts of pages that are made from data, between `<!-- NAME: npm run reference -->` and `<!-- end of NAME -->`. Run by hand
 * after a change to the data:
 *
 *     npm run reference
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { titleOf } from '../docs/site/pages.ts';
import { FOREIGN_WORDS, wordsOf } from '../src/base/notation/foreign-words.ts';
import { REMEDIES, type Remedy } from '../src/report/remedies.ts';

const ROOT = resolve(import.meta.dirname, '..');

const PARTS = {
  missing: { page: 'how-to/coming-from', text: missingText },
  remedies: { page: 'how-to/troubleshooting', text: remediesText },
} as const;

/** A part with its marks. */
export function generatedPart(name: keyof typeof PARTS): string {
  return `${startOf(name)}\n\n${PARTS[name].text()}\n\n${endOf(name)}`;
}

function startOf(name: string): string {
  return `<!-- ${name}: npm run reference -->`;
}

function endOf(name: string): string {
  return `<!-- end of ${name} -->`;
}

function remediesText(): string {
  return tableOf(
    ['Outcome', 'Evidence', 'Cause', 'What to do'],
    REMEDIES.map((remedy) => [
      outcomeText(remedy),
      evidenceText(remedy),
      marked(remedy.cause.replaceAll('{target}', 'the target')),
      marked(linked(remedy.remedy).replaceAll('{target}', 'URL')),
    ]),
  );
}

const WORDS_SHOWN = 3;

/** What other tools have and Muster does not; a reason that flags and keys share has one row. */
function missingText(): string {
  const missing = Object.values(FOREIGN_WORDS)
    .flat()
    .flatMap((row) => ('none' in row ? [{ words: wordsOf(row), none: row.none }] : []));
  const rows = [...Map.groupBy(missing, ({ none }) => none.split(';')[0])].map(([, alike]) => {
    const words = [...new Set(alike.flatMap((row) => row.words.filter((word) => word.length > 1)))];
    return [words.slice(0, WORDS_SHOWN).map(code).join(', '), marked(linked(alike[0]?.none ?? ''))];
  });
  return tableOf(['You know', 'Muster has none:'], rows);
}

function outcomeText({ outcomes, operations = [] }: Remedy): string {
  const names = outcomes.map(code).join(', ');
  const shown = operations.slice(0, OPERATIONS_SHOWN).map(code);
  const more = operations.length > OPERATIONS_SHOWN ? [...shown, '…'] : shown;
  return operations.length === 0 ? names : `${names} of ${more.join(', ')}`;
}

const OPERATIONS_SHOWN = 2;

function evidenceText({ evidence = [], when = {} }: Remedy): string {
  const { hasKey, isKept } = when;
  const circumstances = [
    ...(hasKey === undefined ? [] : [hasKey ? 'with a key' : 'without a key']),
    ...(isKept === undefined ? [] : ['with `fleet.identities`']),
  ];
  // One text says what the evidence is like.
  return [...evidence.slice(0, 1).map(code), ...circumstances].join(', ');
}

const COMMAND = /getent hosts NAME|curl -v (?:--proxy PROXY )?URL|openssl s_client -connect HOST:PORT/;
const NAME = /--[\w.-]+(?:=\w+)?|https?:\/\/[^\s,;]*|\/agentconnector\/…?|\w+_\w+|\b(?:target|fleet|webServer)\.[\w.]+/;
const MARKED = new RegExp(`${COMMAND.source}|${NAME.source}`, 'g');

/** Marks commands, flags, keys, settings and URLs. */
function marked(text: string): string {
  return text.replaceAll(MARKED, code);
}

/** Replaces file names of pages with links. */
function linked(text: string): string {
  const from = resolve(ROOT, 'docs', PARTS.remedies.page, '..');
  return text.replaceAll(
    /docs\/([\w/-]+)\.md/g,
    (file, page) => `[${titleOf(page)}](${relative(from, resolve(ROOT, file))})`,
  );
}

function code(text: string): string {
  return `\`${text}\``;
}

function tableOf(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(titles), line(titles.map(() => '---')), ...rows.map(line)].join('\n');
}

if (import.meta.main)
  for (const [name, { page }] of Object.entries(PARTS)) {
    const path = resolve(ROOT, 'docs', `${page}.md`);
    const text = readFileSync(path, 'utf8');
    const [start, end] = [text.indexOf(startOf(name)), text.indexOf(endOf(name))];
    if (start < 0 || end < start) throw new Error(`${path}: expected the marks ${startOf(name)} and ${endOf(name)}.`);
    const part = generatedPart(name as keyof typeof PARTS);
    writeFileSync(path, text.slice(0, start) + part + text.slice(end + endOf(name).length));
  }
