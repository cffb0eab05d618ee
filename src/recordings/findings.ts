import { sharedDocument } from './document-texts.ts';
import { isReplacement, piecesOf } from './replacing.ts';
import { NO_RULES } from './sharing.ts';
import type { Sort, Vocabulary } from './vocabulary.ts';

const KINDS = ['name', 'address', 'identity', 'number', 'word', 'value'] as const;

/** What a recording contains beyond the vocabulary, and the values of options, with the number of documents. */
export type SharedText = { readonly kind: (typeof KINDS)[number]; readonly text: string; readonly documents: number };

/**
 * What anonymizing would replace in documents, and the values of options that stay: by kind, the most frequent first. In anonymous
 * documents, numbers have been replaced.
 */
export function findingsIn(
  documents: Iterable<string>,
  { vocabulary, anonymous }: { readonly vocabulary: Vocabulary; readonly anonymous: boolean },
): readonly SharedText[] {
  const isShown = (piece: string) => isTelling(piece) && !(anonymous && /^\d+$/.test(piece));
  const byText = new Map<string, SharedText>();
  for (const document of documents) {
    const found = new Map<string, SharedText['kind']>();
    const replace = (text: string, sort: Sort) => {
      if (piecesOf(text).some(isShown)) found.set(text, kindOf(text, sort));
      return text;
    };
    const kept = (option: string, value: string) => void found.set(`${option} ${value}`, 'value');
    sharedDocument(document, { vocabulary, rules: NO_RULES, anonymous: true, replace, kept });
    for (const [text, kind] of found) {
      byText.set(`${kind} ${text}`, { kind, text, documents: 1 + (byText.get(`${kind} ${text}`)?.documents ?? 0) });
    }
  }
  const order = ({ kind }: SharedText) => KINDS.indexOf(kind);
  return [...byText.values()].sort(
    (a, b) => order(a) - order(b) || b.documents - a.documents || (a.text < b.text ? -1 : 1),
  );
}

/** Replacements, single letters and short numbers reveal nothing. */
function isTelling(piece: string): boolean {
  return !isReplacement(piece) && !/^(?:[a-z]|\d{1,3})$/i.test(piece);
}

function kindOf(text: string, sort: Sort): SharedText['kind'] {
  if (sort === 'own') return 'name';
  if (/^\d+$/.test(text)) return 'number';
  const isHex = /^[0-9a-f:.-]+$/i.test(text);
  if (!isHex) return text.includes('@') ? 'address' : 'word';
  return /[:.]/.test(text) ? 'address' : 'identity';
}
