/** A keyed hash in 32 or more hexadecimal digits. Without the key, guessed words cannot be verified. */
export type KeyedHash = (text: string) => string;

/** Replaces the words and numbers of a text by others of the same shape and length; the same ones throughout a recording. */
export type Replacer = (text: string) => string;

/** Prefixes of replacements: words that do not exist, and ranges that no host uses. Addresses are from RFC 2544. */
const WORD = 'zq';
const IDENTITY = '5a71';
const MAC = '02:5a:71:';
const IPV6 = 'fd5a:71::';

/** Anything beyond ASCII counts as a letter. */
const RUN = /[a-z0-9\u0080-\u{10ffff}]+/giu;
const HEX = '[0-9a-fA-F]';
const DASH = String.raw`(?:-|\\x2d)`;
/** Each alternative has a bounded length, except the last, which takes one character after the other. */
const PIECES = new RegExp(
  [
    `((?<![0-9a-zA-Z])${HEX}{8}${DASH}${HEX}{4}${DASH}${HEX}{4}${DASH}${HEX}{4}${DASH}${HEX}{12}(?![0-9a-zA-Z]))`,
    `((?<![0-9a-fA-F:])(?:${HEX}{2}[:-]){5}${HEX}{2}(?![0-9a-fA-F:]))`,
    `((?<![0-9a-zA-Z:])(?:${HEX}{1,4}:){2,7}(?::|${HEX}{1,4}|(?::${HEX}{1,4}){1,6})(?![0-9a-zA-Z:]))`,
    String.raw`((?<![\d.])\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}(?![\d.]))`,
    String.raw`\\x[0-9a-f]{2}`,
    `(${RUN.source})`,
  ].join('|'),
  'giu',
);

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
  const run = (piece: string) => cased(own(piece.toLowerCase(), runLike), piece);
  const uuid = (piece: string) => {
    const digits = own(piece.toLowerCase().replace(/\\x2d|-/g, ''), runLike);
    let at = 0;
    return piece.replace(/\\x2d|[0-9a-f]/gi, (part) => (part.length > 1 ? part : (digits[at++] ?? '0')));
  };
  const address = (make: Make) => (piece: string) => own(piece.toLowerCase(), make);
  /** In the order of the groups. */
  const replacements = [uuid, address(mac), address(ipv6), address(ipv4), run];
  return (text) => {
    if (!/[:.\\-]/.test(text)) return text.replace(RUN, run);
    return text.replace(PIECES, (piece: string, ...groups: readonly unknown[]) => {
      const kind = groups.findIndex((group) => group !== undefined);
      return replacements[kind]?.(piece) ?? piece;
    });
  };
}

type Draw = (below: number) => number;
/** A replacement, from random numbers. If too many of a length are taken, it is longer. */
type Make = (text: string, draw: Draw, longer: number) => string;

const hexDigits = (draw: Draw, count: number) => Array.from({ length: count }, () => draw(16).toString(16)).join('');
const mac: Make = (_, draw) => `${MAC}${hexDigits(draw, 2)}:${hexDigits(draw, 2)}:${hexDigits(draw, 2)}`;
const ipv6: Make = (_, draw) => `${IPV6}${hexDigits(draw, 4)}:${hexDigits(draw, 4)}:${hexDigits(draw, 4)}`;
const ipv4: Make = (_, draw) => `198.${18 + draw(2)}.${draw(256)}.${1 + draw(254)}`;

const SHORTEST_WORD = 4;

function runLike(text: string, draw: Draw, longer: number): string {
  if (/^[0-9]+$/.test(text)) {
    const first = text.startsWith('0') ? '0' : String(1 + draw(9));
    return first + Array.from({ length: text.length - 1 + longer }, () => draw(10)).join('');
  }
  const isIdentity =
    text.length >= 12 && text.length <= LONGEST_KNOWN && /^[0-9a-f]+$/.test(text) && /[0-9]/.test(text);
  if (isIdentity) return IDENTITY + hexDigits(draw, text.length - IDENTITY.length);
  const length = Math.max(SHORTEST_WORD, Buffer.byteLength(text)) + longer;
  let made = WORD;
  for (let at = WORD.length; at < length; at++) {
    const code = text.charCodeAt(at);
    made += code >= 48 && code <= 57 ? draw(10) : String.fromCharCode(97 + draw(26));
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

/** Returns whether a word or an address is a replacement. */
export function isReplacement(piece: string): boolean {
  return /^(zq|5a71|198\.1[89]\.|fd5a:71::|02:5a:71:)/i.test(piece);
}

/** The words, numbers and addresses of a text. */
export function piecesOf(text: string): readonly string[] {
  return text.match(PIECES)?.filter((piece) => !piece.startsWith('\\x')) ?? [];
}
