/** A keyed hash in 32 or more hexadecimal digits. Without the key, guessed words cannot be verified. */
export type KeyedHash = (text: string) => string;

/** Replaces identifiers, words and numbers by others of the same shape and length; the same ones throughout a recording. */
export type Replacer = (text: string) => string;

/** Prefixes of replacements: words that do not exist, and ranges that no host uses. Addresses are from RFC 2544. */
const WORD = 'zq';
const DIGITS = '57';
const HEX_DIGITS = '5a71';
const MAC = '025a71';
const IPV6 = 'fd5a:71::';

/** `kept` is the same on many hosts. The value of a `secret` is replaced wherever it is recognized, everything else in anonymous recordings. */
type Treatment = 'kept' | 'secret' | 'decimal' | 'hex' | 'ipv4' | 'ipv6' | 'word';
/** Versions consist of numbers, so some identifiers are recognized only outside of them, and others only there. */
type Recognizer = readonly [
  name: string,
  Treatment,
  where: 'texts' | 'versions' | 'all',
  ...patterns: readonly string[],
];

const H = '[0-9a-f]';
const BYTE = String.raw`(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const FRACTION = String.raw`[-+]?\d{1,3}[.,]`;
const MINUTES = String.raw`\s?\d{1,2}(?:[.,]\d{1,9})?\s?['′’](?:\s?\d{1,2}(?:[.,]\d{1,9})?\s?(?:["″”]|''))?`;
/** Words before a secret. */
export const SECRET = [
  'passw(?:or[dt]|d)?|passphrase|kennwort|secret|token|api[-_]?key|access[-_]?key|private[-_]?key|credentials?',
  'mot[-_ ]de[-_ ]passe|contrase(?:ñ|n)a|senha|parola|has(?:ł|l)o|heslo|wachtwoord|l(?:ö|o)senord|jelsz(?:ó|o)|(?:ş|s)ifre',
  'salasana|adgangskode|пароль|密码|密碼|パスワード',
  '(?<![a-z])(?:pass|psk|pwd?|auth|bearer|basic)',
].join('|');
/** Stand for recognized texts. Unicode has no characters there. */
const FIRST_ATOM = 0xf0000;
const ATOM = String.raw`\u{f0000}-\u{10ffff}`;
const ATOMS = new RegExp(`[${ATOM}]`, 'gu');
const ATOM_OR_OTHER = new RegExp(`([${ATOM}])`, 'u');
const MOST_ATOMS = 0x10_000;

const alone = (pattern: string, inside = '0-9a-z') => `(?<![${inside}])(?:${pattern})(?![${inside}])`;
const inHex = (pattern: string) => alone(pattern, '0-9a-f');
const inColons = (pattern: string) => `(?<![0-9a-f])(?:${pattern})(?![0-9a-z]|:[0-9a-f])`;
const quad = (first: string) => String.raw`(?<![\d.])(?:${first})(?:\.${BYTE}){3}(?![\w-]|\.\w)`;
const spelled = (signs: readonly string[], pattern: (sign: string) => string) => signs.map(pattern);

/**
 * What identifies a host, a part of it, a person or a customer, in any spelling, and what looks like that, but is the same on many hosts. The
 * first that matches applies. Nothing is taken apart before. Patterns have a bounded length, or consist of one class of characters.
 */
const RECOGNIZERS: readonly Recognizer[] = [
  ['reserved character', 'word', 'all', `[${ATOM}]+`],
  [
    ...(['value of a secret', 'secret', 'texts'] as const),
    String.raw`(?<=(?:${SECRET})["']?\s{0,2}(?:=>|[:=])\s{0,2}["']?)[^\s"',;&|<>]+`,
  ],
  [
    ...(['time', 'kept', 'versions'] as const),
    String.raw`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})? [+-]\d{4} [A-Z+-]\w{2,4}(?: m=[+-]\d{1,9}\.\d{1,9})?`,
  ],
  ['date of a release', 'kept', 'versions', inHex(String.raw`20[0-4]\d[01]\d[0-3]\d`)],
  [
    ...(['address on a bus', 'kept', 'texts'] as const),
    alone(String.raw`${H}{4}:${H}{2}:[01]${H}\.[0-7]`),
    `(?<=pci)${H}{4}:${H}{2}(?![0-9a-z:])`,
    alone(String.raw`\d{1,2}:\d:\d{1,2}:\d{1,2}`, '0-9a-z:.'),
  ],
  ['address of every host', 'kept', 'all', quad('127|255|198(?=[.]1[89][.])'), quad('0(?=[.]0[.]0[.]0)')],
  ['UUID', 'hex', 'all', ...spelled(['-', '_'], (sign) => inHex(`${H}{8}(?:${sign}${H}{4}){3}${sign}${H}{12}`))],
  ['SID', 'decimal', 'all', String.raw`(?<=S-1-\d{1,2}-\d{1,3}-)\d{1,10}(?:-\d{1,10}){1,14}`],
  [
    ...(['hardware address', 'hex', 'all'] as const),
    ...spelled([':', '-', '_', '[.]', '[ -]'], (sign) => inHex(`(?:${H}{2}${sign}){5,19}${H}{2}`)),
    ...spelled([':', '-', '[.]'], (sign) =>
      inHex(`(?=[0-9]{0,4}(?:${sign}[0-9]{1,4}){0,3}[a-f])${H}{4}(?:${sign}${H}{4}){2,3}`),
    ),
  ],
  [
    ...(['IPv6 address, or a part', 'ipv6', 'all'] as const),
    inColons(`(?:${H}{1,4}:){1,7}(?:(?::${H}{1,4}){1,7}|:)|::${H}{1,4}(?::${H}{1,4}){0,6}`),
    inColons(`(?=[0-9:]{0,30}(?:${H}{3}|[a-f]))${H}{1,4}(?::${H}{1,4}){2,7}:?`),
  ],
  ['IPv4 address', 'ipv4', 'texts', String.raw`(?<!\d)${BYTE}(?:\.${BYTE}){3,5}(?!\d)`],
  ['IPv4 address', 'ipv4', 'versions', String.raw`(?<![\d.])(?:10|1\d\d|2[0-4]\d|25[0-5])(?:\.${BYTE}){3}(?!\d|\.\d)`],
  [
    ...(['IPv4 address in another spelling, or a part', 'decimal', 'texts'] as const),
    ...spelled(['-', '_'], (sign) => alone(String.raw`(?=[\d${sign}]{8})${BYTE}(?:${sign}${BYTE}){3}`, '0-9')),
    String.raw`(?<!\d|\d\.)(?:(?:10|172|192)(?:\.${BYTE}){2}|\d{3}\.(?:\d{3}\.${BYTE}|${BYTE}\.\d{3}))(?!\d)`,
  ],
  [
    ...(['date of a day', 'decimal', 'texts'] as const),
    String.raw`(?<![\d.])(?:[0-3]?\d\.[01]?\d\.|[01]?\d/[0-3]?\d/)(?:19|20)\d\d(?!\d)`,
  ],
  [
    ...(['coordinates', 'decimal', 'texts'] as const),
    String.raw`\d{1,3}(?:[.,]\d{1,9})?\s?°(?:${MINUTES}|\s?(?-i:[NSEWO])(?![0-9a-z]))`,
    `(?<![\\d.,])${FRACTION}\\d{4,}(?![\\dA-Za-z_]|[.]\\d)`,
    `(?<![\\d.,])${FRACTION}\\d{2,}(?:, ?| |/| / )${FRACTION}\\d{3,}(?![\\d.]|[.]?\\w)`,
    `(?<=(?:lat|lon|long|lng|latitude|longitude|breite|l(?:ä|ae)nge)["']?\\s{0,2}[:= ]\\s{0,2}["']?)${FRACTION}\\d+`,
    `(?<![\\d.,])${FRACTION}\\d{3,}\\s?(?-i:[NSEWO])(?![0-9a-z])|(?<![0-9a-z])(?-i:[NSEWO])\\s?${FRACTION}\\d{3,}`,
  ],
  [
    ...(['quantity', 'kept', 'texts'] as const),
    String.raw`(?<==)\d{1,12}(?:\.\d{1,9})?(?:[kmgt]?b|[mun]?s|%)(?![0-9a-z])`,
    String.raw`(?<![\d.,])\d{1,5}[.,]\d{1,9}(?:[kmgt]i?b|[mun]?s|%)(?![0-9a-z])`,
  ],
  [
    ...(['telephone or card number in groups', 'decimal', 'texts'] as const),
    String.raw`(?<!\d|\d\.)(?=(?:\D{0,3}\d){7})\+?\(?\d{1,5}\)?(?:(?:[ /-]| - | \/ )\(?\d{1,6}\)?){2,9}(?!\d)`,
    String.raw`(?<!\d|\d\.)\d{2,3}(?:\.\d{2}){3,5}(?!\d)`,
    String.raw`\+\d{1,3}[ (/-]{1,2}\d{2,5}[ )/-]{1,2}\d{2,12}`,
  ],
  ['volume', 'hex', 'texts', inHex(`(?!(?:19|20)\\d\\d-(?:19|20)\\d\\d)${H}{4}-${H}{4}`)],
  ['suffix of a session', 'hex', 'texts', `(?<=[a-z]_)(?=[a-f]*[0-9])${H}{4,8}(?![0-9a-z_])`],
  ['hexadecimal digits', 'hex', 'all', inHex(`(?=[a-f]{0,64}[0-9])(?:(?=[0-9]{0,64}[a-f])${H}{6,}|[0-9]{12})`)],
  ['digits', 'decimal', 'all', alone(String.raw`\d{6,}`, '0-9')],
  [
    'number',
    'decimal',
    'texts',
    alone(String.raw`(?<!\d\.\d{1,3}\.)(?!(?:1000|19\d\d|20\d\d|8042|8250|8859|9660)(?!\d))\d{4,5}`, '0-9'),
  ],
];

/** Escapes of systemd, also escaped once more. It never escapes letters and digits. */
const ESCAPE = String.raw`\\x(?:5cx)?(?:2[0-9a-f]|3[a-f]|40|5[b-f]|60|7[b-f])`;
const CHARACTER = new RegExp(`${ESCAPE}|[^]`, 'g');
/** Anything beyond ASCII counts as a letter. */
const RUN = String.raw`[a-z0-9\u0080-\u{effff}]+`;

type Recognition = { readonly pattern: RegExp; readonly treatments: readonly Treatment[] };

function recognition(recognizers: readonly Recognizer[]): Recognition {
  const groups = recognizers.map(([, , , ...patterns]) => `(${patterns.join('|')})`);
  return { pattern: new RegExp(groups.join('|'), 'giu'), treatments: recognizers.map(([, treatment]) => treatment) };
}

const isAlways = ([, treatment]: Recognizer) => treatment === 'kept' || treatment === 'secret';
const WITHIN = {
  texts: recognition(RECOGNIZERS.filter(([, , where]) => where !== 'versions')),
  versions: recognition(RECOGNIZERS.filter(([, , where]) => where !== 'texts')),
  /** Names and addresses stay in plain recordings. */
  plain: recognition(
    RECOGNIZERS.filter((one) => one[2] !== 'versions' && (isAlways(one) || one[1] === 'ipv4')).map(
      ([name, treatment, ...rest]) => [name, treatment === 'ipv4' ? 'kept' : treatment, ...rest],
    ),
  ),
};
const WORDS: readonly Recognizer[] = [
  ['escape', 'kept', 'all', String.raw`\\x${H}{2}`],
  ['word or number', 'word', 'all', RUN],
];
const PIECES = recognition([...RECOGNIZERS.filter((one) => !isAlways(one) && one[2] !== 'versions'), ...WORDS]);
const UNUSUAL = recognition([...RECOGNIZERS.filter(([, treatment]) => treatment !== 'secret'), ...WORDS]);

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
  within: keyof typeof WITHIN,
  { keeps, replace }: { readonly keeps: (piece: string) => boolean; readonly replace: Replacer },
): Masked {
  const pieces: { readonly piece: string; readonly isKept: boolean }[] = [];
  const made = recognized(text, WITHIN[within], (piece, treatment) => {
    if (pieces.length === MOST_ATOMS) return replace(piece);
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
        .map((piece, place) => replace(place % 2 === 1 ? pieceOf(piece).piece : piece))
        .join(''),
  };
}

/** Longer words are too rare to be remembered. */
const LONGEST_KNOWN = 64;
const ATTEMPTS = 2;

export function createReplacer(hash: KeyedHash): Replacer {
  const known = new Map<string, string>();
  const taken = new Set<string>();
  /** Different words have different replacements, because they may be keys of a document. */
  const own = (text: string, make: Make): string => {
    if (text.length > LONGEST_KNOWN) return make(text, drawsFrom(hash(text), 0), 0);
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
    ...{ kept: (piece) => piece, secret: word, word, ipv4: lower(ipv4), ipv6: lower(ipv6) },
    ...{ hex: spelledLike(HEX_DIGIT, hexLike), decimal: spelledLike(DIGIT, decimalLike) },
  };
  return (text) => recognized(text, PIECES, (piece, treatment) => replacements[treatment](piece));
}

const DIGIT = new RegExp(String.raw`\\x(?:5cx)?${H}{2}|\d`, 'gi');
const HEX_DIGIT = new RegExp(String.raw`\\x(?:5cx)?${H}{2}|${H}`, 'gi');

type Draw = (below: number) => number;
/** A replacement, from random numbers. If too many of a length are taken, it is longer. */
type Make = (text: string, draw: Draw, longer: number) => string;

const SHORTEST_PREFIXED = 6;
const MAC_DIGITS = 12;
const SHORTEST_WORD = 4;
/** The letters before `g` are also hexadecimal digits. */
const FIRST_LETTER = 103;

const hexDigits = (draw: Draw, count: number) => Array.from({ length: count }, () => draw(16).toString(16)).join('');
const ipv6: Make = (_, draw) => `${IPV6}${hexDigits(draw, 4)}:${hexDigits(draw, 4)}:${hexDigits(draw, 4)}`;
const ipv4: Make = (_, draw) => `198.${18 + draw(2)}.${draw(256)}.${1 + draw(254)}`;

function hexLike({ length }: string, draw: Draw, longer: number): string {
  const half = length < SHORTEST_PREFIXED + 2 ? HEX_DIGITS.slice(0, 2) : HEX_DIGITS;
  const prefix = length < SHORTEST_PREFIXED ? '' : length === MAC_DIGITS ? MAC : half;
  return prefix + hexDigits(draw, length - prefix.length + longer);
}

function decimalLike({ length }: string, draw: Draw, longer: number): string {
  const first = length < SHORTEST_PREFIXED ? String(1 + draw(9)) : DIGITS;
  return first + Array.from({ length: length - first.length + longer }, () => draw(10)).join('');
}

function wordLike(text: string, draw: Draw, longer: number): string {
  if (/^[0-9]+$/.test(text)) return decimalLike(text, draw, longer);
  const length = Math.max(SHORTEST_WORD, Buffer.byteLength(text)) + longer;
  let made = WORD;
  for (let at = WORD.length; at < length; at++) {
    const code = text.charCodeAt(at);
    made += code >= 48 && code <= 57 ? draw(10) : String.fromCharCode(FIRST_LETTER + draw(20));
  }
  return made;
}

/** Random whole numbers below a limit, from the digits of a hash. */
function drawsFrom(digits: string, attempt: number): Draw {
  let state = (Number.parseInt(digits.slice(0, 8), 16) + 0x85ebca6b * attempt) | 1;
  let more = Number.parseInt(digits.slice(8, 16), 16);
  return (below) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    more = (more + 0x9e3779b9) >>> 0;
    return ((state ^ more) >>> 0) % below;
  };
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

/** The identifiers, words and numbers of a text, or only those that are not the same on many hosts. */
export function piecesOf(text: string, which: 'all' | 'unusual' = 'all'): readonly string[] {
  const pieces: string[] = [];
  recognized(text, which === 'all' ? PIECES : UNUSUAL, (piece, treatment) => {
    if (treatment !== 'kept') pieces.push(piece);
    return piece;
  });
  return pieces;
}
