import { html, type Markup, NOTHING, raw } from './markup.ts';

/** A term on the page with its meaning, in plain text. */
export type Term = { readonly words: readonly string[]; readonly meaning: string };

/** Terms in the tables of two pages: docs/glossary.md, and docs/reference/exit-codes.md, which has outcomes and reasons. */
export function termsOf(glossary: string, outcomes: string): readonly Term[] {
  const rows = [
    ...glossary.matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\| [^|]*`[^|]*\|$/gm),
    ...outcomes.matchAll(/^\| `([a-zN]+_\w+|canceled|timeout)` \| ([^|]+?) \|/gm),
  ];
  return rows.map(([, words = '', meaning = '']) => ({
    words: words.split(', '),
    meaning: meaning.replaceAll('`', ''),
  }));
}

/** Elements whose text becomes a link if the glossary has it. A script shows the meaning. */
const NAMED = /(<th scope="col">|<dt>|<td>|<figcaption>|<td><code class="(?:good|bad)">)([^<]+)(?=<)/g;

/** Spellings to look up: plurals, statuses and drop reasons share an entry. */
const spellings = (text: string): readonly string[] => [
  text,
  text.replace(/s$/, ''),
  text.replace(/^http_\d+$/, 'http_nnn').replace(/^dropped: /, ''),
];

/** Links glossary terms in headings, facts and charts to their entries in `glossarySection`. */
export function withTerms({ markup }: Markup, terms: readonly Term[]): Markup {
  const known = new Map(terms.flatMap(({ words }) => words.map((word) => [word.toLowerCase(), idOf(words)] as const)));
  return raw(
    markup.replaceAll(NAMED, (whole, before: string, word: string) => {
      const id = spellings(word.toLowerCase()).flatMap((text) => known.get(text) ?? [])[0];
      return id === undefined ? whole : `${before}<a class="term" href="#${id}" aria-describedby="${id}">${word}</a>`;
    }),
  );
}

export function glossarySection(terms: readonly Term[]): Markup {
  if (terms.length === 0) return NOTHING;
  const entries = terms.map(
    ({ words, meaning }) =>
      html`<div data-words="${words.join('\n').toLowerCase()}"><dt>${words.join(', ')}</dt><dd id="${idOf(words)}">${meaning}</dd></div>\n`,
  );
  return html`<section aria-labelledby="glossary"><h2 id="glossary">Glossary</h2>
<details><summary>The words of this page</summary><dl class="words">${entries}</dl></details>
</section>
`;
}

function idOf([word = '']: readonly string[]): string {
  return `term-${word.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
}
