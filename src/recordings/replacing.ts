import { randomStream } from '../base/kernel/random.ts';
import { column, type HostTables, readTable } from '../hosts/host-data.ts';

/** Replaces identifiers, words and numbers by others of the same shape and length; the same ones throughout a recording. */
export type Replacer = (text: string) => string;

/** Prefixes of replacements: words that do not exist, and ranges that no host uses. Addresses are from RFC 2544. */
const WORD = 'zq';
const DIGITS = '57';
const HEX_DIGITS = '5a71';
const MAC = '025a71';
const IPV6 = 'fd5a:71::';

/** `kept` is the same on many hosts. The value of a `secret` is replaced wherever it is recognized, everything else in anonymous recordings. */
const TREATMENTS = ['kept', 'secret', 'decimal', 'hex', 'ipv4', 'ipv6', 'word'] as const;
type Treatment = (typeof TREATMENTS)[number];

/** Versions consist of numbers, so some identifiers are recognized only outside of them, and others only there. */
const COLUMNS = {
  identifier: column.text,
  treatment: column.oneOf(...TREATMENTS, 'part'),
  within: column.oneOf('texts', 'versions', 'all'),
  apart: column.orEmpty(column.text),
  pattern: column.text,
};

/** Stand for recognized texts. Unicode has no characters there. */
const FIRST_ATOM = 0xf0000;
const ATOM = String.raw`\u{f0000}-\u{10ffff}`;
const ATOMS = new RegExp(`[${ATOM}]`, 'gu');
const ATOM_OR_OTHER = new RegExp(`([${ATOM}])`, 'u');
const MAX_ATOMS = 0x10_000;

/** Escapes of systemd, also escaped once more. It never escapes letters and digits. */
const ESCAPE = String.raw`\\x(?:5cx)?(?:2[0-9a-f]|3[a-f]|40|5[b-f]|60|7[b-f])`;
const CHARACTER = new RegExp(`${ESCAPE}|[^]`, 'g');
/** Anything beyond ASCII counts as a letter. */
const RUN = String.raw`[a-z0-9\u0080-\u{effff}]+`;

type Recognition = { readonly pattern: RegExp; readonly treatments: readonly Treatment[] };

type Row = { readonly treatment: Treatment; readonly pattern: string };

function recognition(rows: readonly Row[]): Recognition {
  const pattern = new RegExp(rows.map((row) => `(${row.pattern})`).join('|'), 'giu');
  return { pattern, treatments: rows.map(({ treatment }) => treatment) };
}

const WORDS: readonly Row[] = [
  { treatment: 'kept', pattern: String.raw`\\x[0-9a-f]{2}` },
  { treatment: 'word', pattern: RUN },
];

/** Where which identifiers are recognized. */
export type Identifiers = ReturnType<typeof identifiersIn>;

/**
 * Reads what identifies a host, a part of it, a person or a customer, in any spelling, and what looks like that, but is the same on many
 * hosts. The first pattern that matches applies. Nothing is taken apart before.
 */
export function identifiersIn(tables: HostTables) {
  const rows = readTable(tables, 'words/identifiers.tsv', COLUMNS);
  const part = (name: string): string =>
    rows.flatMap((row) => (row.treatment === 'part' && row.identifier === name ? row.pattern : [])).join('|');
  const all = rows.flatMap(({ treatment, within, apart, pattern }) => {
    if (treatment === 'part') return [];
    const whole = pattern.replace(/\{([a-z]+)\}/g, (_, name: string) => `(?:${part(name)})`);
    return { treatment, within, pattern: apart ? `(?<![${apart}])(?:${whole})(?![${apart}])` : whole };
  });
  const isAlways = ({ treatment }: Row) => treatment === 'kept' || treatment === 'secret';
  const inTexts = all.filter(({ within }) => within !== 'versions');
  return {
    texts: recognition(inTexts),
    versions: recognition(all.filter(({ within }) => within !== 'texts')),
    /** Names and addresses stay in plain recordings. */
    plain: recognition(
      inTexts.flatMap((row) =>
        row.treatment === 'ipv4' ? { ...row, treatment: 'kept' as const } : isAlways(row) ? row : [],
      ),
    ),
    pieces: recognition([...inTexts.filter((row) => !isAlways(row)), ...WORDS]),
    unusual: recognition([...all.filter(({ treatment }) => treatment !== 'secret'), ...WORDS]),
    /** What only a text with a secret contains. */
    secretive: new RegExp(part('secretive'), 'iu'),
    /** Words before a value that may be a secret. */
    secret: new RegExp(
      `(?:${part('secret')}|${part('key')})s?(?:(?!\\p{L})|(?-i:(?<=[a-z])(?=[A-Z]\\p{L}*\\d)))`,
      'giu',
    ),
  };
}

function decoded(character: string): string {
  return character.length === 1 ? character : String.fromCharCode(Number.parseInt(character.slice(-2), 16));
}

/** A text without escapes of systemd. */
export function decodedEscapes(text: string): string {
  return text.match(CHARACTER)?.map(decoded).join('') ?? '';
}

/** Replaces what is recognized, with escapes of systemd decoded. */
function recognized(
  text: string,
  { pattern, treatments }: Recognition,
  each: (piece: string, treatment: Treatment) => string,
): string {
  const treatmentIn = (groups: readonly unknown[]) =>
    treatments[groups.findIndex((group) => group !== undefined)] ?? 'word';
  if (!text.includes('\\x')) return text.replace(pattern, (piece, ...groups) => each(piece, treatmentIn(groups)));
  const characters = text.match(CHARACTER) ?? [];
  // Where each UTF-16 unit of the decoded text begins.
  const starts = [0];
  for (const character of characters) starts.push((starts.at(-1) ?? 0) + character.length);
  let [made, end] = ['', 0];
  for (const { 0: piece, index, ...groups } of decodedEscapes(text).matchAll(pattern)) {
    const [from = 0, to = 0] = [starts[index], starts[index + piece.length]];
    made += text.slice(end, from) + each(text.slice(from, to), treatmentIn(Object.values(groups)));
    end = to;
  }
  return made + text.slice(end);
}

/** A text with an atom, one character, instead of each recognized piece, and what stands for them. */
export type Masked = {
  readonly text: string;
  /** The text with the original pieces. */
  readonly original: (part: string) => string;
  /** The text with what is shown of the pieces: those that are kept, and replacements of the others. */
  readonly shown: (part: string) => string;
  /** Everything replaced, also pieces that would be kept. */
  readonly replaced: (part: string) => string;
};

/** Recognizes identifiers in a text, or in plain recordings only what is kept and what is secret. */
export function masked(
  text: string,
  within: Recognition,
  { keeps, replace }: { readonly keeps: (piece: string) => boolean; readonly replace: Replacer },
): Masked {
  const pieces: { readonly piece: string; readonly isKept: boolean }[] = [];
  const made = recognized(text, within, (piece, treatment) => {
    if (pieces.length === MAX_ATOMS) return replace(piece);
    pieces.push({ piece, isKept: treatment === 'kept' || keeps(piece) });
    return String.fromCodePoint(FIRST_ATOM + pieces.length - 1);
  });
  const pieceOf = (atom: string) => pieces[(atom.codePointAt(0) ?? 0) - FIRST_ATOM] ?? { piece: '', isKept: true };
  return {
    text: made,
    original: (part) => part.replace(ATOMS, (atom) => pieceOf(atom).piece),
    shown: (part) =>
      part.replace(ATOMS, (atom) => (pieceOf(atom).isKept ? pieceOf(atom).piece : replace(pieceOf(atom).piece))),
    replaced: (part) =>
      part
        .split(ATOM_OR_OTHER)
        .map((piece, index) => replace(index % 2 === 1 ? pieceOf(piece).piece : piece))
        .join(''),
  };
}

/** Longer words are too rare to be remembered. */
const MAX_CACHED_CHARACTERS = 64;
const ATTEMPTS = 2;

/** @param hash a keyed hash in 32 or more hexadecimal digits. Without the key, guessed words cannot be verified. */
export function createReplacer(hash: (text: string) => string, { pieces }: Identifiers): Replacer {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  /** Different words have different replacements, because they may be keys of a document. */
  const own = (text: string, make: Make): string => {
    if (text.length > MAX_CACHED_CHARACTERS) return make(text, drawsFrom(hash(text), 0), 0);
    const found = known.get(text);
    if (found !== undefined) return found;
    const digits = hash(text);
    for (let attempt = 0; ; attempt++) {
      const made = make(text, drawsFrom(digits, attempt), Math.floor(attempt / ATTEMPTS));
      if (taken.has(made) || made === text) continue;
      taken.add(made);
      known.set(text, made);
      return made;
    }
  };
  /** An identifier has the same digits in each of its spellings. */
  const spelledLike = (digit: RegExp, make: Make) => (piece: string) => {
    const digits = piece.match(digit)?.filter((part) => part.length === 1) ?? [];
    const made = own(digits.join('').toLowerCase(), make);
    const shown = /[A-F]/.test(piece) ? made.toUpperCase() : made;
    let at = 0;
    return piece.replace(digit, (part) => (part.length > 1 ? part : (shown[at++] ?? ''))) + shown.slice(at);
  };
  const lower = (make: Make) => (piece: string) => own(piece.toLowerCase(), make);
  const word = (piece: string) => cased(own(piece.toLowerCase(), wordLike), piece);
  const replacements: Readonly<Record<Treatment, Replacer>> = {
    kept: (piece) => piece,
    secret: word,
    word,
    ipv4: lower(ipv4),
    ipv6: lower(ipv6),
    hex: spelledLike(HEX_DIGIT, hexLike),
    decimal: spelledLike(DIGIT, decimalLike),
  };
  return (text) => recognized(text, pieces, (piece, treatment) => replacements[treatment](piece));
}

const DIGIT = /\\x(?:5cx)?[0-9a-f]{2}|\d/gi;
const HEX_DIGIT = /\\x(?:5cx)?[0-9a-f]{2}|[0-9a-f]/gi;

type Draw = (below: number) => number;
/** A replacement, from random numbers. If too many of a length are taken, it is longer. */
type Make = (text: string, draw: Draw, longer: number) => string;

const MIN_PREFIXED_CHARACTERS = 6;
const MAC_DIGITS = 12;
const MIN_WORD_CHARACTERS = 4;
/** The letters before `g` are also hexadecimal digits. */
const FIRST_LETTER = 103;

const hexDigits = (draw: Draw, count: number) => Array.from({ length: count }, () => draw(16).toString(16)).join('');
const ipv6: Make = (_, draw) => `${IPV6}${hexDigits(draw, 4)}:${hexDigits(draw, 4)}:${hexDigits(draw, 4)}`;
const ipv4: Make = (_, draw) => `198.${18 + draw(2)}.${draw(256)}.${1 + draw(254)}`;

function hexLike({ length }: string, draw: Draw, longer: number): string {
  const half = length < MIN_PREFIXED_CHARACTERS + 2 ? HEX_DIGITS.slice(0, 2) : HEX_DIGITS;
  const prefix = length < MIN_PREFIXED_CHARACTERS ? '' : length === MAC_DIGITS ? MAC : half;
  return prefix + hexDigits(draw, length - prefix.length + longer);
}

function decimalLike({ length }: string, draw: Draw, longer: number): string {
  const first = length < MIN_PREFIXED_CHARACTERS ? String(1 + draw(9)) : DIGITS;
  return first + Array.from({ length: length - first.length + longer }, () => draw(10)).join('');
}

function wordLike(text: string, draw: Draw, longer: number): string {
  if (/^[0-9]+$/.test(text)) return decimalLike(text, draw, longer);
  const length = Math.max(MIN_WORD_CHARACTERS, Buffer.byteLength(text)) + longer;
  let made = WORD;
  for (let at = WORD.length; at < length; at++) {
    const code = text.charCodeAt(at);
    made += code >= 48 && code <= 57 ? draw(10) : String.fromCharCode(FIRST_LETTER + draw(20));
  }
  return made;
}

/** Random whole numbers below a limit, from the digits of a hash. */
function drawsFrom(digits: string, attempt: number): Draw {
  const random = randomStream(Number.parseInt(digits.slice(0, 8), 16) + attempt);
  return (below) => Math.floor(random() * below);
}

/** Words that differ only in case stay words that differ only in case. */
function cased(made: string, piece: string): string {
  if (piece === piece.toLowerCase()) return made;
  return piece.length > 1 && piece === piece.toUpperCase()
    ? made.toUpperCase()
    : made.charAt(0).toUpperCase() + made.slice(1);
}

/** Returns whether an identifier, a word or a long number is a replacement. */
export function isReplacement(piece: string): boolean {
  return /^(?:zq|5a71|5a[0-9a-f]{4,5}$|025a71|1981[89]|fd5a71|57\d{4})/i.test(
    decodedEscapes(piece).replace(/[^0-9a-z]/gi, ''),
  );
}

/** The identifiers, words and numbers of a text that are recognized, without what is the same on many hosts. */
export function piecesOf(text: string, within: Recognition): readonly string[] {
  const pieces: string[] = [];
  recognized(text, within, (piece, treatment) => {
    if (treatment !== 'kept') pieces.push(piece);
    return piece;
  });
  return pieces;
}
