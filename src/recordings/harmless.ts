import { folded, numbered, type TextKind, type Vocabulary } from './vocabulary.ts';

/** The names that one host has for its own things, and those of its programs, in lower case. */
export type HostNames = Readonly<Record<'devices' | 'own' | 'programs', ReadonlySet<string>>>;

/** Rules of the user, in lower case: words that stay everywhere, words that stay nowhere, and options whose values are harmless. */
export type SanitizerRules = Readonly<Record<'keep' | 'drop' | 'option', ReadonlySet<string>>>;
export const NO_RULES: SanitizerRules = { keep: new Set(), drop: new Set(), option: new Set() };

export type SanitizerSettings = {
  readonly vocabulary: Vocabulary;
  readonly rules: SanitizerRules;
  /** Anonymous recordings also replace names and addresses. */
  readonly anonymous: boolean;
  readonly replace: (text: string, kind: TextKind) => string;
  /** Receives the values of options that stay. */
  readonly kept?: (option: string, value: string) => void;
  /** Receives each sanitized text. */
  readonly seen?: (sanitized: string) => void;
};

/** What decides whether a part of a text is harmless, and how other parts are replaced. */
export type Scope = Omit<SanitizerSettings, 'replace'> &
  HostNames & {
    readonly replace: (part: string) => string;
    /** The part as it was before identifiers in it were recognized. */
    readonly original: (part: string) => string;
  };

/** A whole name of public software. */
export function isName(text: string, { vocabulary }: Scope): boolean {
  return vocabulary.names.has(folded(text));
}

export function byWords(text: string, sanitize: (word: string) => string): string {
  return text.replace(/\S+/g, sanitize);
}

/** A word between the punctuation around it. */
export function withinPunctuation(word: string, sanitize: (core: string, tail: string) => string): string {
  let [first, end] = [0, word.length];
  while (first < end && !isInner(word.charCodeAt(first))) first++;
  while (end > first && !isInner(word.charCodeAt(end - 1))) end--;
  if (first === end) return word;
  const tail = word.slice(end);
  return word.slice(0, first) + sanitize(word.slice(first, end), tail) + tail;
}

function isInner(code: number): boolean {
  return code >= 128 || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

/** Words of outputs, as monitoring plugins write them. */
export function isText(word: string, { vocabulary, anonymous, rules, own: names, original }: Scope): boolean {
  const lower = original(word).toLowerCase();
  if (rules.keep.has(lower)) return true;
  if (vocabulary.text.has(lower)) return word === lower || !vocabulary.ambiguous.has(lower);
  return !anonymous && (isProse(lower, vocabulary) || vocabulary.names.has(folded(word)) || names.has(lower));
}

/** A word of descriptions of public software. */
export function isProse(lower: string, { prose, ambiguous }: Vocabulary): boolean {
  return prose.has(lower) && !ambiguous.has(lower);
}

const UNIT = '%|[kmgt]i?b|[kmgtb]|[mun]?s|min|[hdc]|rpm|[mg]hz|[kmg]bit';
/** A small number, a fraction, or a quantity. Other numbers may be a PIN or a date of birth. */
const NUMBER = new RegExp(String.raw`^[+-]?(?:\d{1,2}|\d{1,9}(?:[.,]\d{1,9})?(?:${UNIT})|\d{1,9}[.,]\d{1,9})$`, 'i');

/** A number or quantity. What was recognized counts as a number. */
export function isNumber(text: string): boolean {
  return NUMBER.test(numbered(text));
}

const LETTERS = /[^0-9\u{f0000}-\u{10ffff}]+/gu;

/** Words and numbers. Letters that are hexadecimal digits are words only alone, or beside one short number. */
export function isSystem(run: string, scope: Scope): boolean {
  const { system } = scope.vocabulary;
  const words = run.toLowerCase().match(LETTERS) ?? [];
  const isShort = words[0] === run.toLowerCase() || (words.length <= 1 && run.length <= 4);
  return (
    words.every((word) => system.has(word) && (isShort || !/^(?:.|[a-f]+)$/.test(word))) ||
    system.has(folded(run)) ||
    keeps(run, scope)
  );
}

/** Whether the user wants to keep a word. */
export function keeps(word: string, { rules, original }: Scope): boolean {
  return rules.keep.has(original(word).toLowerCase());
}

/** A name that kernels give to devices. */
export function isDeviceName(word: string, { vocabulary }: Scope): boolean {
  return vocabulary.device.test(numbered(word));
}

/** A device of this host. */
export function isDevice(word: string, scope: Scope): boolean {
  return isDeviceName(word, scope) && scope.devices.has(scope.original(word).toLowerCase());
}

/** Words of letters, known words, and short numbers. */
export function isPlainName(name: string, scope: Scope): boolean {
  if (scope.own.has(name.toLowerCase())) return true;
  return name
    .split(/[-_. ]/)
    .every((part) => (/^(?:\p{L}{0,20}|\d{1,3})$/u.test(part) && !/\p{Ll}\p{Lu}/u.test(part)) || isText(part, scope));
}

/** A path of Linux, macOS or Windows. */
export function isAbsolute(word: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(word);
}

/** Words and numbers that only punctuation separates. A name such as `web-01` is one word. */
export function sanitizedPieces(core: string, scope: Scope): string {
  return core.replace(/[^,;|/()[\]:<>"']+/g, (part) =>
    isText(part, scope) || isNumber(part) ? part : scope.replace(part),
  );
}

/** Runs of letters and digits. */
export const WORDS = /[a-z0-9\u0080-\u{10ffff}]+/giu;
