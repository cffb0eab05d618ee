import { decodedEscapes, masked } from './replacing.ts';
import { folded, headOf, nameOf, numbered, type TextKind, type Vocabulary } from './vocabulary.ts';

/*
 * What a recording may contain. Identifiers are recognized first. Each text is then taken apart in one pass: at blanks, then at
 * punctuation. A part stays if it is known to be harmless where it is; everything else is replaced.
 */

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

/** The names that one host has for its own things, and those of its programs, in lower case. */
export type HostNames = Readonly<Record<'devices' | 'own' | 'programs', ReadonlySet<string>>>;

/** Returns a text with everything replaced that is not known to be harmless. */
export type Sanitizer = (text: string, kind: TextKind) => string;

type Scope = Omit<SanitizerSettings, 'replace'> &
  HostNames & { readonly replace: (part: string) => string; readonly original: (part: string) => string };

export function sanitizerFor(settings: SanitizerSettings, names: HostNames): Sanitizer {
  const { rules, vocabulary } = settings;
  const { texts, versions, plain } = vocabulary.identifiers;
  const keeps = (piece: string) => rules.keep.has(piece.toLowerCase());
  return (text, kind) => {
    const replace = (part: string) => settings.replace(part, kind);
    // Nothing of a chosen name stays that could be a secret.
    const isChosen = vocabulary.shapes.has(kind);
    const anonymous = settings.anonymous || (isChosen && !isPlain(text, kind, vocabulary));
    const within = !anonymous ? plain : kind === 'version' ? versions : texts;
    const { text: made, original, shown, replaced } = masked(text, within, { keeps, replace });
    const scope = { ...settings, anonymous, ...names, replace: replaced, original };
    const sanitized = shown(isChosen && !anonymous ? made : RULES[kind](made, scope));
    settings.seen?.(sanitized);
    return rules.drop.size === 0
      ? sanitized
      : sanitized.replace(WORDS, (word) => (rules.drop.has(word.toLowerCase()) ? replace(word) : word));
  };
}

const WORDS = /[a-z0-9\u0080-\u{10ffff}]+/giu;

const RULES: Readonly<Record<TextKind, (text: string, scope: Scope) => string>> = {
  command,
  text: (text, scope) => byWords(text, (word) => inText(word, scope)),
  prose: (text, scope) =>
    isName(text, scope)
      ? text
      : text.replace(SENTENCES, (sentence) => {
          const isOpen = !scope.anonymous && !mayHoldSecret(sentence, scope.vocabulary);
          return byWords(sentence, (word) => (isOpen && LETTERS_ONLY.test(word) ? word : inProse(word, scope)));
        }),
  about: named,
  name: named,
  unit,
  own,
  user: own,
  terminal: own,
  machine: own,
  container: own,
  image: own,
  folder: place,
  source: place,
  program: place,
  device: (text, scope) => byWords(text, (word) => inDevice(word, scope)),
  system,
  version: system,
};

const SENTENCES = /(?:[^.!?;]|[.!?;](?!\s))+/g;
/** Words of descriptions, which may be those of public software. */
const LETTERS_ONLY = /^["'(]*\p{L}+(?:[-/]\p{L}+)*[)"'.,:;!?]*$/u;

function system(text: string, scope: Scope): string {
  return text.replace(WORDS, (run) => (isSystem(run, scope) ? run : scope.replace(run)));
}

/** Returns whether a chosen name looks like others of its kind: plain recordings keep it. */
export function isPlain(name: string, kind: TextKind, vocabulary: Vocabulary): boolean {
  const isShaped = vocabulary.shapes.get(kind)?.test(decodedEscapes(name)) ?? false;
  return isShaped && !mayHoldSecret(name, vocabulary);
}

/** Returns whether a text contains an assignment, a URL, an option, a user with a password, something like a key, or a word for a secret and an unknown one. */
function mayHoldSecret(text: string, { identifiers, names, words }: Vocabulary): boolean {
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

function isName(text: string, { vocabulary }: Scope): boolean {
  return vocabulary.names.has(folded(text));
}

function byWords(text: string, sanitize: (word: string) => string): string {
  return text.replace(/\S+/g, sanitize);
}

/** A word between the punctuation around it. */
function bare(word: string, sanitize: (core: string, tail: string) => string): string {
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
function isText(word: string, { vocabulary, anonymous, rules, own: names, original }: Scope): boolean {
  const lower = original(word).toLowerCase();
  if (rules.keep.has(lower)) return true;
  if (vocabulary.text.has(lower)) return word === lower || !vocabulary.ambiguous.has(lower);
  return !anonymous && (isProse(lower, vocabulary) || vocabulary.names.has(folded(word)) || names.has(lower));
}

function isProse(lower: string, { prose, ambiguous }: Vocabulary): boolean {
  return prose.has(lower) && !ambiguous.has(lower);
}

const UNIT = '%|[kmgt]i?b|[kmgtb]|[mun]?s|min|[hdc]|rpm|[mg]hz|[kmg]bit';
/** A small number, a fraction, or a quantity. Other numbers may be a PIN or a date of birth. */
const NUMBER = new RegExp(String.raw`^[+-]?(?:\d{1,2}|\d{1,9}(?:[.,]\d{1,9})?(?:${UNIT})|\d{1,9}[.,]\d{1,9})$`, 'i');

/** A number or quantity. What was recognized counts as a number. */
function isNumber(text: string): boolean {
  return NUMBER.test(numbered(text));
}

function inText(word: string, scope: Scope): string {
  if (word.includes('://')) return url(word, scope);
  if (isAbsolute(word)) return path(word, scope);
  return bare(word, (core, tail) => {
    if (isText(core, scope) || isNumber(tail.startsWith('%') ? `${core}%` : core)) return core;
    const equals = core.indexOf('=');
    if (equals > 0) return `${inText(core.slice(0, equals), scope)}=${measured(core.slice(equals + 1), scope)}`;
    return partly(core, scope);
  });
}

/** The values of performance data are numbers. */
function measured(values: string, scope: Scope): string {
  return values.replace(/[^;,|]+/g, (value) => (isNumber(value) ? value : scope.replace(value)));
}

/** Words and numbers that only punctuation separates. A name such as `web-01` is one word. */
function partly(core: string, scope: Scope): string {
  return core.replace(/[^,;|/()[\]:<>"']+/g, (part) =>
    isText(part, scope) || isNumber(part) ? part : scope.replace(part),
  );
}

function inProse(word: string, scope: Scope): string {
  if (isAbsolute(word)) return path(word, scope);
  return bare(word, (core) => {
    const isKnown = (part: string) => {
      return isProse(part.toLowerCase(), scope.vocabulary) || isText(part, scope) || isNumber(part);
    };
    return core.split(/[-/]/).every(isKnown) || isName(core, scope) ? core : inText(core, scope);
  });
}

/** Names and descriptions of software, units and event logs. */
function named(text: string, scope: Scope): string {
  const inName = (core: string) => (scope.vocabulary.system.has(folded(core)) ? core : inProse(core, scope));
  const sanitize = (word: string) => (isAbsolute(word) ? path(word, scope) : bare(word, inName));
  return isName(text, scope) ? text : byWords(text, sanitize);
}

/** Accounts of systems, terminals, and images of public software. */
function own(text: string, scope: Scope): string {
  return text.replace(/[^\s\\]+/g, (part) => {
    const isPublic = scope.vocabulary.account.has(part.toLowerCase()) || keeps(part, scope);
    if (isPublic || TERMINAL.test(part)) return part;
    return part.includes(':') && isName(part.slice(0, part.indexOf(':')), scope) && isName(part, scope)
      ? part
      : scope.replace(part);
  });
}

const TERMINAL = /^(?::?\d{1,2}(?:\.\d)?|pts\/\d{1,4}|tty\d{0,3}|ttyS\d{1,3}|rdp-tcp#\d{1,4}|~?)$/i;

const LETTERS = /[^0-9\u{f0000}-\u{10ffff}]+/gu;

/** Words and numbers. Letters that are hexadecimal digits are words only alone, or beside one short number. */
function isSystem(run: string, scope: Scope): boolean {
  const { system } = scope.vocabulary;
  const words = run.toLowerCase().match(LETTERS) ?? [];
  const isShort = words[0] === run.toLowerCase() || (words.length <= 1 && run.length <= 4);
  return (
    words.every((word) => system.has(word) && (isShort || !/^(?:.|[a-f]+)$/.test(word))) ||
    system.has(folded(run)) ||
    keeps(run, scope)
  );
}

function keeps(word: string, { rules, original }: Scope): boolean {
  return rules.keep.has(original(word).toLowerCase());
}

function isDeviceName(word: string, { vocabulary }: Scope): boolean {
  return vocabulary.device.test(numbered(word));
}

/** A device of this host. */
function isDevice(word: string, scope: Scope): boolean {
  return isDeviceName(word, scope) && scope.devices.has(scope.original(word).toLowerCase());
}

function inDevice(word: string, scope: Scope): string {
  return isDeviceName(word, scope) || isSystem(word, scope) || isText(word, scope) ? word : scope.replace(word);
}

function isAbsolute(word: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(word);
}

/** Folders in which the kernel lists devices. */
const KERNEL = new Set(['dev', 'sys', 'proc']);

/** The segments of a path that are known, and in plain recordings also those that are plain words. */
function path(text: string, scope: Scope): string {
  const { vocabulary, anonymous, own: names } = scope;
  const [, first = ''] = text.toLowerCase().split(/[/\\]/, 2);
  // Below these folders, everything comes from software.
  const isSoftware = vocabulary.software.has(first.replace(/ .*/s, ''));
  const isRooted = isSoftware || vocabulary.folder.has(first);
  if (!isRooted)
    return text.replace(/[^/\\]+/g, (segment) =>
      names.has(segment.toLowerCase()) && !anonymous ? segment : partly(segment, scope),
    );
  return text.replace(/[^/\\]+/g, (segment) => {
    const known = folded(segment);
    if (vocabulary.folders.has(known) || (isSoftware && vocabulary.programs.has(known)) || isDevice(segment, scope))
      return segment;
    if (KERNEL.has(first) && (isDeviceName(segment, scope) || isSystem(segment, scope))) return segment;
    if (!anonymous && isPlainName(segment, scope)) return segment;
    return bare(segment, (core) => file(core, scope));
  });
}

/** A file name keeps its extension. */
function file(name: string, scope: Scope): string {
  const { vocabulary } = scope;
  if (keeps(name, scope) || vocabulary.folders.has(folded(name)) || isText(name, { ...scope, anonymous: true }))
    return name;
  const dot = name.lastIndexOf('.');
  const isKnown = dot > 0 && vocabulary.suffix.has(name.slice(dot + 1).toLowerCase());
  return isKnown ? scope.replace(name.slice(0, dot)) + name.slice(dot) : scope.replace(name);
}

/** Words of letters, known words, and short numbers. */
function isPlainName(name: string, scope: Scope): boolean {
  if (scope.own.has(name.toLowerCase())) return true;
  return name
    .split(/[-_. ]/)
    .every((part) =>
      /^(?:\p{L}{0,20}|\d{1,3})$/u.test(part) && !/\p{Ll}\p{Lu}/u.test(part) ? true : isText(part, scope),
    );
}

/** A mount point, a device with its machine, or a program. */
function place(text: string, scope: Scope): string {
  if (isAbsolute(text)) return path(text, scope);
  const isKnown =
    isText(text, scope) ||
    isDeviceName(text, scope) ||
    isDevice(text, scope) ||
    scope.vocabulary.programs.has(folded(text));
  if (isKnown) return text;
  const colon = text.indexOf(':/');
  if (colon > 0) return `${own(text.slice(0, colon), scope)}:${path(text.slice(colon + 1), scope)}`;
  return byWords(text, (word) => (isAbsolute(word) ? path(word, scope) : bare(word, (core) => file(core, scope))));
}

/** Only the scheme stays, and in plain recordings the machine, unless it cannot be told from a password. */
function url(word: string, scope: Scope): string {
  const { vocabulary, anonymous, own: names, replace } = scope;
  const start = word.indexOf('://');
  const [scheme, rest] = [word.slice(0, start), word.slice(start + 3)];
  const known = scheme.replace(/[a-z0-9\u0080-\u{10ffff}]+/giu, (part) =>
    vocabulary.scheme.has(part.toLowerCase()) ? part : replace(part),
  );
  const at = rest.lastIndexOf('@');
  const isClear = !/[/?#]/.test(rest.slice(0, at + 1));
  const after = rest.slice(at + 1);
  const end = isClear ? `${after}/`.search(/[:/?#]/) : 0;
  const machine = after.slice(0, end);
  const isKept = (label: string) =>
    /^(?:\p{L}{1,20}|\d{1,3})$/u.test(label) || vocabulary.text.has(label) || names.has(label);
  const stays =
    machine === 'localhost' ||
    numbered(machine) === '0' ||
    (!anonymous && machine.toLowerCase().split(/[.-]/).every(isKept));
  return `${known}://${replace(rest.slice(0, at + 1))}${stays ? machine : replace(machine)}${replace(after.slice(end))}`;
}

const PATH_UNIT = /\.(?:device|mount|automount|swap)$/;

/** Units of devices and mount points are named after their path. Other units may have an instance. */
function unit(text: string, scope: Scope): string {
  const { vocabulary, replace } = scope;
  const dot = text.lastIndexOf('.');
  const isTyped = vocabulary.suffix.has(text.slice(dot + 1));
  const [stem, suffix] = isTyped ? [text.slice(0, dot), text.slice(dot)] : [text, ''];
  if (isName(text, scope) || isName(stem, scope)) return text;
  if (PATH_UNIT.test(text))
    return (
      stem
        .split('-')
        .map((part) => segmentOf(part, scope))
        .join('-') + suffix
    );
  const at = stem.indexOf('@');
  const name = at < 0 ? stem : stem.slice(0, at);
  const isKnown = isName(name, scope) || isName(`${name}@`, scope) || keeps(name, scope);
  const own = isKnown
    ? name
    : name
        .split('-')
        .map((part) => (isSystem(part, scope) ? part : replace(part)))
        .join('-');
  const instance = at < 0 ? '' : `@${segmentOf(stem.slice(at + 1), scope)}`;
  return own + instance + suffix;
}

/** A segment of a path in the name of a unit. Dashes in it are written as \x2d, and addresses on a bus consist of numbers. */
function segmentOf(part: string, scope: Scope): string {
  if (isDeviceName(part, scope) || scope.vocabulary.folders.has(folded(part))) return part;
  return part
    .split('\\x2d')
    .map((piece) =>
      piece.replace(/[^:.]+/g, (run) => {
        return isSystem(run, scope) || isDevice(run, scope) ? run : scope.replace(run);
      }),
    )
    .join('\\x2d');
}

function command(text: string, scope: Scope): string {
  const { vocabulary } = scope;
  if (vocabulary.commands.has(folded(text))) return text;
  const head = headOf(text);
  const program = folded(nameOf(head));
  let option: string | undefined;
  const args = byWords(text.slice(head.length), (word) => {
    const before = option;
    option = undefined;
    if (isOption(word, scope)) {
      const end = word.search(/[=:]/);
      if (end < 0) option = word;
      return end < 0
        ? sanitizedOption(word, scope)
        : `${sanitizedOption(word.slice(0, end), scope)}${word[end]}${argument(word.slice(end + 1), { program, option: word.slice(0, end) }, scope)}`;
    }
    return before === undefined ? positional(word, program, scope) : argument(word, { program, option: before }, scope);
  });
  return sanitizedProgram(head, scope) + args;
}

function isOption(word: string, { vocabulary }: Scope): boolean {
  if (word.startsWith('-')) return word.length > 1;
  return /^\/[A-Za-z?][\w-]*(?:[:=].*)?$/s.test(word) && !vocabulary.folder.has(word.slice(1).toLowerCase());
}

/** The name of an option. After a single letter, or if it is not known, it may contain the value. */
function sanitizedOption(name: string, scope: Scope): string {
  const { vocabulary, rules } = scope;
  const bareName = name.replace(/^[-/]+/, '');
  if (
    bareName.length <= 1 ||
    vocabulary.options.has(folded(name)) ||
    vocabulary.option.has(bareName.toLowerCase()) ||
    rules.option.has(name.toLowerCase())
  )
    return name;
  const isKnown = (part: string) =>
    part.length <= 1 || vocabulary.text.has(part.toLowerCase()) || isProse(part.toLowerCase(), vocabulary);
  if (/^--[\w.-]+$/.test(name)) return name.replace(WORDS, (part) => (isKnown(part) ? part : scope.replace(part)));
  const shown = /^[-/]/.test(name) ? 2 : 0;
  return name.slice(0, shown) + scope.replace(name.slice(shown));
}

type At = { readonly program: string; readonly option: string };

/** The value of an option: kept if the tables have it, if the option is known to be harmless, or if it is a path of a distribution. */
function argument(value: string, { program, option }: At, scope: Scope): string {
  const { vocabulary, rules, kept, replace } = scope;
  if (value === '' || keeps(value, scope)) return value;
  const isPaired =
    vocabulary.pairs.has(`${program} ${option} ${value}`) || vocabulary.pairs.has(`${program} ${option}=${value}`);
  const isNamed = rules.option.has(option.toLowerCase());
  const isHarmless = isNamed || vocabulary.option.has(option.replace(/^[-/]+/, '').toLowerCase());
  const isKept = isPaired || (isNamed && !scope.anonymous && isPlainName(value, scope));
  const sanitized = isKept
    ? value
    : isHarmless
      ? harmless(value, scope)
      : folders(value, { ...scope, anonymous: true });
  if (sanitized === undefined) return replace(value);
  if (sanitized === value) kept?.(option, scope.original(value));
  return sanitized;
}

/** A value in a form that holds no secret; `undefined` for others. */
function harmless(value: string, scope: Scope): string | undefined {
  const number = numbered(value);
  if (/^(?:\*|localhost)?:\d{1,5}$|^(?:0:)?\d{1,5}(?:[kmgt]i?b?|[mun]?s|min|[hd%])?$/i.test(number)) return value;
  if (isText(value, scope) || isProse(value.toLowerCase(), scope.vocabulary)) return value;
  return folders(value, scope);
}

/** A path without anything else; `undefined` for other values. */
function folders(value: string, scope: Scope): string | undefined {
  return isAbsolute(value) && !/[=@%?#&:]/.test(value.slice(2)) ? path(value, scope) : undefined;
}

/** An argument without an option, or a variable with its value. */
function positional(word: string, program: string, scope: Scope): string {
  const equals = word.indexOf('=');
  if (equals > 0 && !isAbsolute(word)) {
    const name = word.slice(0, equals);
    return `${sanitizedOption(`--${name}`, scope).slice(2)}=${argument(word.slice(equals + 1), { program, option: name }, scope)}`;
  }
  if (word.includes('://')) return url(word, scope);
  if (isAbsolute(word)) return folders(word, scope) ?? scope.replace(word);
  return bare(word, (core) => {
    const isKnown = isText(core, { ...scope, anonymous: true }) || /^\d{1,2}$/.test(numbered(core));
    return isKnown || (!scope.anonymous && scope.own.has(core.toLowerCase())) ? core : scope.replace(core);
  });
}

/** The program itself, or the start of a title. */
function sanitizedProgram(head: string, scope: Scope): string {
  const { vocabulary, anonymous } = scope;
  if (isAbsolute(head.replace('"', ''))) {
    if (!anonymous && isPlain(head.replaceAll('"', ''), 'program', vocabulary)) return head;
    const strict = { ...scope, anonymous: true };
    return head.startsWith('"') ? `"${path(head.slice(1), strict)}` : path(head, strict);
  }
  return bare(head, (core) => {
    const isKnown =
      vocabulary.programs.has(folded(core)) ||
      isText(core, scope) ||
      (!anonymous && scope.programs.has(core.toLowerCase()));
    return isKnown ? core : file(core, scope);
  });
}

/** Returns whether a text is the name of a kernel thread, which has no memory and the parent 2 on Linux. */
export function isThreadName(name: string, settings: SanitizerSettings, { devices }: HostNames): boolean {
  const { threads, system, device, identifiers } = settings.vocabulary;
  const { text } = masked(name, identifiers.texts, { keeps: () => false, replace: (piece) => piece });
  if (text !== name) return false;
  const parts = name
    .replace(/^\[/, '')
    .replace(/\]$/, '')
    .split(/[/:\-+_.]/);
  return parts.every((part) => {
    const known = folded(part).replace(/^0|0h?$/g, '');
    return (
      known === '' ||
      known === 'u' ||
      known === 'h' ||
      threads.has(folded(part)) ||
      threads.has(known) ||
      system.has(known) ||
      (devices.has(part) && device.test(part))
    );
  });
}
