import { parsePercent } from '../../base/kernel/units.ts';
import { oneOfText, quoted } from '../../base/notation/finding.ts';
import { LIFECYCLE_STATES } from '../../base/protocol/operations.ts';
import { type Cohort, EVERYONE, FACTS, type Fact, matcher } from './cohort.ts';

export type CohortMistake = {
  /** Its first character, counted from 1. */
  readonly column: number;
  readonly expected: string;
  readonly found: string;
  /** Suggested corrections. */
  readonly candidates: readonly string[];
};

export type CohortRead =
  | { readonly kind: 'cohort'; readonly cohort: Cohort }
  | { readonly kind: 'mistake'; readonly mistake: CohortMistake };

/** Existing values of facts; a `*` at the end matches any text. A fact that is absent may have any value. */
export type KnownValues = Readonly<Partial<Record<Exclude<Fact, 'state'>, readonly string[]>>>;

const LONGEST = 1000;

export const COHORT_FORM =
  'agents such as 30%, 10..19, profile=windows-*, role=database, group=shop, host=*-de-*, uuid=… or state=refused, combined with and, or, not and parentheses';

/**
 * Parses a cohort: shares, indices and facts, combined by parentheses and, in order of precedence, `not`, `and` and `or`. Values may be in
 * quotes, in which a backslash escapes the next character.
 */
export function parseCohort(text: string, known: KnownValues = {}): CohortRead {
  if (text.length > LONGEST) {
    const found = `${text.length} characters`;
    return { kind: 'mistake', mistake: { column: 1, expected: `at most ${LONGEST}`, found, candidates: [] } };
  }
  const reader: Reader = { tokens: tokensOf(text), at: 0, known: { ...known, state: LIFECYCLE_STATES } };
  const cohort = readOr(reader);
  const rest = tokenAt(reader);
  if (rest.kind === ')') fail(reader, rest, 'no ) without a matching (');
  else if (rest.kind !== 'end') fail(reader, rest, 'and or or before the next term', JOINTS);
  const { mistake } = reader;
  return mistake === undefined ? { kind: 'cohort', cohort } : { kind: 'mistake', mistake };
}

type Token = { readonly kind: '(' | ')' | 'word' | 'end'; readonly text: string; readonly column: number };

type Reader = {
  readonly tokens: readonly Token[];
  readonly known: Readonly<Partial<Record<Fact, readonly string[]>>>;
  at: number;
  /** The first mistake; later ones may be caused by it. */
  mistake?: CohortMistake;
};

const JOINTS = ['and', 'or'];

// A word ends at a space or a parenthesis, except within quotes.
const TOKEN = /[()]|(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s()"'])+/gs;

function tokensOf(text: string): readonly Token[] {
  const tokens = [...text.matchAll(TOKEN)].map(({ 0: part, index }): Token => {
    return { kind: part === '(' || part === ')' ? part : 'word', text: part, column: index + 1 };
  });
  return [...tokens, { kind: 'end', text: '', column: text.trimEnd().length + 1 }];
}

function tokenAt({ tokens, at }: Reader): Token {
  return tokens[at] ?? { kind: 'end', text: '', column: 1 };
}

function takes(reader: Reader, word: string): boolean {
  if (tokenAt(reader).text !== word) return false;
  reader.at++;
  return true;
}

function fail(reader: Reader, { text, column }: Token, expected: string, candidates: readonly string[] = []): Cohort {
  reader.mistake ??= { column, expected, found: text === '' ? 'nothing' : quoted(text), candidates };
  return EVERYONE;
}

function readOr(reader: Reader): Cohort {
  let left = readAnd(reader);
  while (takes(reader, 'or')) left = { kind: 'or', left, right: readAnd(reader) };
  return left;
}

function readAnd(reader: Reader): Cohort {
  let left = readNot(reader);
  while (takes(reader, 'and')) left = { kind: 'and', left, right: readNot(reader) };
  return left;
}

function readNot(reader: Reader): Cohort {
  if (takes(reader, 'not')) return { kind: 'not', cohort: readNot(reader) };
  const token = tokenAt(reader);
  if (takes(reader, '(')) {
    const cohort = readOr(reader);
    if (!takes(reader, ')')) fail(reader, tokenAt(reader), `and, or, or a ) for the ( at column ${token.column}`);
    return cohort;
  }
  if (token.kind !== 'word' || JOINTS.includes(token.text)) return fail(reader, token, COHORT_FORM);
  reader.at++;
  return readChoice(reader, token);
}

const SHARE = /^\d{1,3}(\.\d{1,6})?%$/;
const INDICES = /^(\d{1,8})(?:\.\.(\d{1,8}))?$/;
const FRACTION = /^0?\.\d+$/;
const FACT = /^([^="']*)=(.*)$/s;

function readChoice(reader: Reader, token: Token): Cohort {
  const { text } = token;
  if (text === 'all') return EVERYONE;
  if (SHARE.test(text)) {
    const share = parsePercent(text);
    return share <= 1 ? { kind: 'share', share } : fail(reader, token, 'a share from 0% to 100%');
  }
  const [, first, last = first] = INDICES.exec(text) ?? [];
  if (first !== undefined) {
    const agents = { kind: 'agents', first: Number(first), last: Number(last) } as const;
    return agents.first <= agents.last ? agents : fail(reader, token, 'the lower index before the higher one');
  }
  if (FRACTION.test(text)) return fail(reader, token, `a share in percent, such as ${Number(text) * 100}%`);
  const [, name, value] = FACT.exec(text) ?? [];
  if (name === undefined || value === undefined) return strangeWord(reader, token);
  return readFact(reader, token, [name, value]);
}

/** A word without an equals sign: an operator in another case, or a value without its fact. */
function strangeWord(reader: Reader, token: Token): Cohort {
  const value = token.text.toLowerCase();
  const bare = Object.entries(reader.known).find(([, values]) => values.includes(value));
  const meant = bare === undefined ? [...JOINTS, 'not'] : [`${bare[0]}=${value}`];
  if (isFact(value)) return fail(reader, token, `${value}= with a value directly after it`);
  return fail(reader, token, bare === undefined ? COHORT_FORM : (meant[0] ?? ''), meant);
}

function readFact(reader: Reader, token: Token, [name, written]: readonly [string, string]): Cohort {
  if (!isFact(name)) {
    if (name.endsWith('!')) return fail(reader, token, `not ${name.slice(0, -1)}=${written} for a negation`);
    return fail(reader, { ...token, text: name }, oneOfText(FACTS), FACTS);
  }
  const at = { ...token, text: written, column: token.column + name.length + 1 };
  const pattern = unquoted(written);
  if (pattern === undefined) return fail(reader, at, 'a value in matching quotes, or without quotes');
  if (pattern === '') return fail(reader, at, `a value directly after ${name}=`);
  const values = reader.known[name];
  if (values !== undefined && !values.some((value) => isMeant(value, pattern)))
    return fail(reader, { ...at, text: pattern }, oneOfText(values), values);
  return { kind: 'fact', fact: name, pattern };
}

/** A known value that ends with an asterisk matches all values with this prefix. */
function isMeant(value: string, pattern: string): boolean {
  return value.endsWith('*') ? pattern.startsWith(value.slice(0, -1)) : matcher(pattern)(value);
}

function isFact(name: string): name is Fact {
  return (FACTS as readonly string[]).includes(name);
}

/** `undefined` if there are quotes in the middle, or they are not closed. */
export function unquoted(text: string): string | undefined {
  const [quote] = text;
  if (quote !== '"' && quote !== "'") return /["'\\]/.test(text) ? undefined : text;
  const inner = /^(["'])((?:(?!\1)[^\\]|\\.)*)\1$/s.exec(text)?.[2];
  return inner?.replaceAll(/\\(.)/gs, '$1');
}
