import {
  byWords,
  isAbsolute,
  isPlainName,
  isProse,
  isText,
  keeps,
  type Scope,
  WORDS,
  withinPunctuation,
} from './harmless.ts';
import { sanitizedFile, sanitizedPath, sanitizedUrl } from './paths.ts';
import { isPlain } from './secrets.ts';
import { folded, headOf, nameOf, numbered } from './vocabulary.ts';

/** A command line: its program, and its arguments one after the other. */
export function sanitizedCommand(text: string, scope: Scope): string {
  if (scope.vocabulary.commands.has(folded(text))) return text;
  const head = headOf(text);
  const program = folded(nameOf(head));
  /** The option before a word, which may be its value. */
  let before: string | undefined;
  const args = byWords(text.slice(head.length), (word) => {
    const option = before;
    before = undefined;
    if (!isOption(word, scope))
      return option === undefined
        ? sanitizedPositional(word, program, scope)
        : sanitizedArgument(word, { program, option }, scope);
    const end = word.search(/[=:]/);
    if (end >= 0) return sanitizedAssignment(word, { program, end }, scope);
    before = word;
    return sanitizedOption(word, scope);
  });
  return sanitizedProgram(head, scope) + args;
}

/** An option and its value, with `=` or `:` between them. */
function sanitizedAssignment(
  word: string,
  { program, end }: { readonly program: string; readonly end: number },
  scope: Scope,
): string {
  const option = word.slice(0, end);
  const value = sanitizedArgument(word.slice(end + 1), { program, option }, scope);
  return `${sanitizedOption(option, scope)}${word[end]}${value}`;
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
function sanitizedArgument(value: string, { program, option }: At, scope: Scope): string {
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
      ? harmlessValue(value, scope)
      : plainPath(value, { ...scope, anonymous: true });
  if (sanitized === undefined) return replace(value);
  if (sanitized === value) kept?.(option, scope.original(value));
  return sanitized;
}

/** A value in a form that holds no secret; `undefined` for others. */
function harmlessValue(value: string, scope: Scope): string | undefined {
  const number = numbered(value);
  if (/^(?:\*|localhost)?:\d{1,5}$|^(?:0:)?\d{1,5}(?:[kmgt]i?b?|[mun]?s|min|[hd%])?$/i.test(number)) return value;
  if (isText(value, scope) || isProse(value.toLowerCase(), scope.vocabulary)) return value;
  return plainPath(value, scope);
}

/** A path without anything else; `undefined` for other values. */
function plainPath(value: string, scope: Scope): string | undefined {
  return isAbsolute(value) && !/[=@%?#&:]/.test(value.slice(2)) ? sanitizedPath(value, scope) : undefined;
}

/** An argument without an option, or a variable with its value. */
function sanitizedPositional(word: string, program: string, scope: Scope): string {
  const equals = word.indexOf('=');
  if (equals > 0 && !isAbsolute(word)) {
    const name = word.slice(0, equals);
    return `${sanitizedOption(`--${name}`, scope).slice(2)}=${sanitizedArgument(word.slice(equals + 1), { program, option: name }, scope)}`;
  }
  if (word.includes('://')) return sanitizedUrl(word, scope);
  if (isAbsolute(word)) return plainPath(word, scope) ?? scope.replace(word);
  return withinPunctuation(word, (core) => {
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
    return head.startsWith('"') ? `"${sanitizedPath(head.slice(1), strict)}` : sanitizedPath(head, strict);
  }
  return withinPunctuation(head, (core) => {
    const isKnown =
      vocabulary.programs.has(folded(core)) ||
      isText(core, scope) ||
      (!anonymous && scope.programs.has(core.toLowerCase()));
    return isKnown ? core : sanitizedFile(core, scope);
  });
}
