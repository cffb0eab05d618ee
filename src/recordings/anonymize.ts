import { withTexts } from './document-texts.ts';
import { isPublic, type PublicWords, personalNames, REPLACED, textParts } from './personal-data.ts';

/** A keyed hash in 32 or more hexadecimal digits. Without the key, guessed names cannot be verified. */
export type KeyedHash = (text: string) => string;

export type Anonymizer = {
  readonly rewritten: (text: string) => string;
  /** Collects the names in a document, to replace them in later ones. */
  readonly learn: (text: string) => void;
};

/**
 * Anonymizes the documents of a recording. Only public words stay: those of systems, services, programs and packages that ship with
 * Muster. Other words, users, addresses and identities are replaced by values of the same kind. A value has the same replacement
 * throughout the recording.
 */
export function createAnonymizer(words: PublicWords, hash: KeyedHash): Anonymizer {
  // Names in a document are known in all later ones.
  const names = new Set<string>();
  const replacedPart = (part: string, kind: string): string =>
    replacements[kind as keyof typeof replacements](part, hash);
  const replaced = (text: string): string =>
    textParts(text)
      .map(({ text: part, kind }) => {
        if (kind === 'plain' || isPublic({ text: part, kind }, words, names)) return part;
        return replacedPart(part, kind);
      })
      .join('');
  const learn = (text: string): void => {
    for (const name of namesIn(text)) names.add(name.toLowerCase());
  };
  return {
    learn,
    rewritten: (text) => {
      learn(text);
      return withTexts(text, replaced);
    },
  };
}

/** Empty if the text is not a document. */
function namesIn(text: string): readonly string[] {
  try {
    const document = JSON.parse(text) as { readonly checkdata?: unknown };
    return personalNames(document.checkdata ?? document);
  } catch {
    return [];
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Letters from hexadecimal digits. */
function lettersOf(digits: string, count: number): string {
  const found = [...digits].map(
    (_, place) => LETTERS[Number.parseInt(digits.slice(place, place + 2), 16) % LETTERS.length],
  );
  return found.join('').slice(0, count);
}

function word(part: string, hash: KeyedHash): string {
  const length = Math.min(24, Math.max(6, part.length)) - REPLACED.word.length;
  return `${REPLACED.word}${lettersOf(hash(`word ${part.toLowerCase()}`), length)}`;
}

function inForm(part: string, digits: string): string {
  let at = 0;
  return part.replace(/\\x2d|[0-9a-fA-F]/g, (piece) =>
    piece.length > 1 ? piece : (digits[at++ % digits.length] ?? '0'),
  );
}

const replacements = {
  word,
  mail: (part: string, hash: KeyedHash) => `${word(part, hash)}@${word(`host of ${part}`, hash)}.example`,
  ipv4: (part: string, hash: KeyedHash) => {
    const number = Number.parseInt(hash(`ipv4 ${part}`).slice(0, 6), 16);
    return `${REPLACED.ipv4}${18 + (number & 1)}.${(number >> 1) & 0xff}.${1 + ((number >> 9) % 254)}`;
  },
  ipv6: (part: string, hash: KeyedHash) => {
    const digits = hash(`ipv6 ${part.toLowerCase()}`);
    return `${REPLACED.ipv6}${digits.slice(0, 4)}:${digits.slice(4, 8)}:${digits.slice(8, 12)}`;
  },
  mac: (part: string, hash: KeyedHash) => {
    const digits = hash(`mac ${part.toLowerCase()}`);
    return `${REPLACED.mac}${digits.slice(0, 2)}:${digits.slice(2, 4)}:${digits.slice(4, 6)}`;
  },
  identity: (part: string, hash: KeyedHash) => {
    const digits = part.toLowerCase().replace(/\\x2d|-/g, '');
    return inForm(part, `${REPLACED.identity}${hash(`identity ${digits}`)}`);
  },
  number: (part: string, hash: KeyedHash) => {
    const digits = hash(`number ${part}`).replace(/[a-f]/g, (letter) => String(letter.charCodeAt(0) % 10));
    return `${REPLACED.number}${digits}`.slice(0, Math.max(part.length, REPLACED.number.length));
  },
};
