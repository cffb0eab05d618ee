import { sanitizedCommand } from './command-lines.ts';
import {
  byWords,
  type HostNames,
  isAbsolute,
  isDeviceName,
  isName,
  isNumber,
  isProse,
  isSystem,
  isText,
  type SanitizerSettings,
  type Scope,
  sanitizedPieces,
  WORDS,
  withinPunctuation,
} from './harmless.ts';
import { sanitizedAccount, sanitizedLocation, sanitizedPath, sanitizedUnit, sanitizedUrl } from './paths.ts';
import { masked } from './replacing.ts';
import { isPlain, mayHoldSecret } from './secrets.ts';
import { folded, type TextKind } from './vocabulary.ts';

/*
 * What a recording may contain. Identifiers are recognized first. Each text is then taken apart in one pass: at blanks, then at
 * punctuation. A part stays if it is known to be harmless where it is; everything else is replaced.
 */

/** The function replaces everything in a text that is not known to be harmless. */
export function sanitizerFor(settings: SanitizerSettings, names: HostNames): (text: string, kind: TextKind) => string {
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

const RULES: Readonly<Record<TextKind, (text: string, scope: Scope) => string>> = {
  command: sanitizedCommand,
  text: sanitizedOutput,
  prose: sanitizedProse,
  about: sanitizedName,
  name: sanitizedName,
  unit: sanitizedUnit,
  own: sanitizedAccount,
  user: sanitizedAccount,
  terminal: sanitizedAccount,
  machine: sanitizedAccount,
  container: sanitizedAccount,
  image: sanitizedAccount,
  folder: sanitizedLocation,
  source: sanitizedLocation,
  program: sanitizedLocation,
  device: sanitizedDevice,
  system: sanitizedSystem,
  version: sanitizedSystem,
};

/** Output of plugins, messages and errors. */
function sanitizedOutput(text: string, scope: Scope): string {
  return byWords(text, (word) => sanitizedWord(word, scope));
}

const SENTENCES = /(?:[^.!?;]|[.!?;](?!\s))+/g;
/** Words of descriptions, which may be those of public software. */
const LETTERS_ONLY = /^["'(]*\p{L}+(?:[-/]\p{L}+)*[)"'.,:;!?]*$/u;

/** Descriptions of public software and of units. */
function sanitizedProse(text: string, scope: Scope): string {
  if (isName(text, scope)) return text;
  return text.replace(SENTENCES, (sentence) => {
    const isOpen = !scope.anonymous && !mayHoldSecret(sentence, scope.vocabulary);
    return byWords(sentence, (word) => (isOpen && LETTERS_ONLY.test(word) ? word : sanitizedProseWord(word, scope)));
  });
}

function sanitizedWord(word: string, scope: Scope): string {
  if (word.includes('://')) return sanitizedUrl(word, scope);
  if (isAbsolute(word)) return sanitizedPath(word, scope);
  return withinPunctuation(word, (core, tail) => {
    if (isText(core, scope) || isNumber(tail.startsWith('%') ? `${core}%` : core)) return core;
    const equals = core.indexOf('=');
    if (equals > 0)
      return `${sanitizedWord(core.slice(0, equals), scope)}=${sanitizedFigures(core.slice(equals + 1), scope)}`;
    return sanitizedPieces(core, scope);
  });
}

/** The values of performance data are numbers. */
function sanitizedFigures(values: string, scope: Scope): string {
  return values.replace(/[^;,|]+/g, (value) => (isNumber(value) ? value : scope.replace(value)));
}

function sanitizedProseWord(word: string, scope: Scope): string {
  if (isAbsolute(word)) return sanitizedPath(word, scope);
  return withinPunctuation(word, (core) => {
    const isKnown = (part: string) => {
      return isProse(part.toLowerCase(), scope.vocabulary) || isText(part, scope) || isNumber(part);
    };
    return core.split(/[-/]/).every(isKnown) || isName(core, scope) ? core : sanitizedWord(core, scope);
  });
}

/** Names and descriptions of software, units and event logs. */
function sanitizedName(text: string, scope: Scope): string {
  const inName = (core: string) => (scope.vocabulary.system.has(folded(core)) ? core : sanitizedProseWord(core, scope));
  const sanitize = (word: string) => (isAbsolute(word) ? sanitizedPath(word, scope) : withinPunctuation(word, inName));
  return isName(text, scope) ? text : byWords(text, sanitize);
}

/** What systems report about themselves, and versions. */
function sanitizedSystem(text: string, scope: Scope): string {
  return text.replace(WORDS, (run) => (isSystem(run, scope) ? run : scope.replace(run)));
}

/** Names of block devices and network cards. */
function sanitizedDevice(text: string, scope: Scope): string {
  const isKnown = (word: string) => isDeviceName(word, scope) || isSystem(word, scope) || isText(word, scope);
  return byWords(text, (word) => (isKnown(word) ? word : scope.replace(word)));
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
