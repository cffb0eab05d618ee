import { decodedEscapes } from './replacing.ts';
import { folded, type TextKind, type Vocabulary } from './vocabulary.ts';

/** Returns whether a chosen name looks like others of its kind: plain recordings keep it. */
export function isPlain(name: string, kind: TextKind, vocabulary: Vocabulary): boolean {
  const isShaped = vocabulary.shapes.get(kind)?.test(decodedEscapes(name)) ?? false;
  return isShaped && !mayHoldSecret(name, vocabulary);
}

/** Returns whether a text contains an assignment, a URL, an option, a user with a password, something like a key, or a word for a secret and an unknown one. */
export function mayHoldSecret(text: string, { identifiers, names, words }: Vocabulary): boolean {
  if (names.has(folded(text))) return false;
  const decoded = decodedEscapes(text);
  if (identifiers.secretive.test(decoded)) return true;
  const isKnown = (word: string) =>
    /^(?:\p{L}|\d{1,2})$/u.test(word) || (word.match(PARTS) ?? ['']).every((part) => words.has(part.toLowerCase()));
  for (const { 0: found, index } of decoded.matchAll(identifiers.secret)) {
    const after = index + found.length;
    const rest = decoded.slice(after, after + MAX_CLAUSE_CHARACTERS).match(VALUES) ?? [];
    // A token service has no token in its name.
    const isProgram = DOER.test(rest[0] ?? '') && isKnown(rest[0] ?? '');
    if (!isProgram && !rest.every(isKnown)) return true;
  }
  return false;
}

/** A value is not farther from its name. */
const MAX_CLAUSE_CHARACTERS = 400;
const PARTS = /[\p{L}\p{M}]+|\d{3,}/gu;
const VALUES = /[\p{L}\p{M}\p{N}!$&+*#~^%]+/gu;
const DOER = /(?:(?<!^us|^numb)er|or|agent|client|service|daemon|proxy|api|store)s?$/i;
