import table from './foreign-words.json' with { type: 'json' };

/** Where a word of another tool, or a word in the wrong place, stands: in a scenario, as a flag, as a command, or after `muster ctl`. */
export type WordContext = 'scenario' | 'flag' | 'command' | 'ctl';

/** Words of other tools, and what to use instead, or why there is nothing and what helps. */
export type ForeignWord = { readonly words: string } & ({ readonly use: string } | { readonly none: string });

/**
 * Words of k6, Gatling, Locust, Artillery, JMeter, vegeta, oha and wrk, and keys in the wrong place. Messages, completion, the search of
 * the site and docs/how-to/coming-from.md show them.
 */
export const FOREIGN_WORDS: Readonly<Record<WordContext, readonly ForeignWord[]>> = table;

const MEANINGS: Readonly<Record<string, ReadonlyMap<string, ForeignWord>>> = Object.fromEntries(
  Object.entries(FOREIGN_WORDS).map(([context, rows]) => [
    context,
    new Map(rows.flatMap((row) => wordsOf(row).map((word) => [word, row] as const))),
  ]),
);

export function wordsOf({ words }: ForeignWord): readonly string[] {
  return words.split(' ');
}

/** `use fleet.agents`, or `Muster has none: …`; `undefined` for an unknown word. */
export function foreignWordText(context: WordContext, word: string): string | undefined {
  const meaning = MEANINGS[context]?.get(word);
  if (meaning === undefined) return undefined;
  return 'use' in meaning ? `use ${meaning.use}` : `Muster has none: ${meaning.none}`;
}
