import { sanitizedDocument } from './document-texts.ts';
import { NO_RULES } from './harmless.ts';
import { decodedEscapes, isReplacement, piecesOf } from './replacing.ts';
import type { TextKind, Vocabulary } from './vocabulary.ts';

const KINDS = ['name', 'address', 'identity', 'number', 'word', 'value'] as const;

/** What a recording contains beyond the vocabulary, and the values of options, with the number of documents. */
export type SharedText = { readonly kind: (typeof KINDS)[number]; readonly text: string; readonly documents: number };

/**
 * What anonymizing would replace in documents, the values of options that stay, and whatever else stays that is not public: by kind, the
 * most frequent first. In anonymous documents, numbers of up to five digits have been replaced, or belong to versions.
 */
export function findingsIn(
  documents: Iterable<string>,
  { vocabulary, anonymous }: { readonly vocabulary: Vocabulary; readonly anonymous: boolean },
): readonly SharedText[] {
  const { identifiers } = vocabulary;
  // Replacements, single letters and short numbers reveal nothing.
  const nothing = anonymous ? /^(?:[a-z]|\d{1,5}|57\d{4,})$/i : /^(?:[a-z]|\d{1,3})$/i;
  const isShown = (piece: string) => !isReplacement(piece) && !nothing.test(piece);
  const isPublicWord = (word: string) => word.length === 1 || vocabulary.words.has(word.toLowerCase());
  const isPublic = (piece: string) => vocabulary.device.test(piece) || (piece.match(LETTERS) ?? []).every(isPublicWord);
  const byText = new Map<string, SharedText>();
  for (const document of documents) {
    const found = new Map<string, SharedText['kind']>();
    const replace = (text: string, textKind: TextKind) => {
      if (piecesOf(text, identifiers.pieces).some(isShown)) found.set(text, kindOf(text, textKind));
      return '';
    };
    const kept = (option: string, value: string) => void found.set(`${option} ${value}`, 'value');
    const seen = (sanitized: string) => {
      for (const piece of piecesOf(sanitized, identifiers.unusual)) {
        if (isShown(piece) && !isPublic(piece)) found.set(piece, kindOf(piece, 'text'));
      }
    };
    sanitizedDocument(document, { vocabulary, rules: NO_RULES, anonymous: true, replace, kept, seen });
    for (const [text, kind] of found) {
      byText.set(`${kind} ${text}`, { kind, text, documents: 1 + (byText.get(`${kind} ${text}`)?.documents ?? 0) });
    }
  }
  const order = ({ kind }: SharedText) => KINDS.indexOf(kind);
  return [...byText.values()].sort(
    (a, b) => order(a) - order(b) || b.documents - a.documents || (a.text < b.text ? -1 : 1),
  );
}

const LETTERS = /[\p{L}\p{M}]+|\d{6,}/gu;

const CHOSEN: ReadonlySet<TextKind> = new Set(['own', 'user', 'terminal', 'machine', 'container', 'image']);

function kindOf(text: string, textKind: TextKind): SharedText['kind'] {
  if (CHOSEN.has(textKind)) return 'name';
  if (/^\d+$/.test(text)) return 'number';
  const isHex = /^[0-9a-f:.-]+$/i.test(decodedEscapes(text));
  if (!isHex) return text.includes('@') ? 'address' : 'word';
  return /[:.]/.test(text) ? 'address' : 'identity';
}
