import {
  byWords,
  isAbsolute,
  isDeviceName,
  isName,
  isNumber,
  isProse,
  isSystem,
  isText,
  type Scope,
  sanitizedPieces,
  WORDS,
  withinPunctuation,
} from './harmless.ts';
import { sanitizedPath, sanitizedUrl } from './paths.ts';
import { mayHoldSecret } from './secrets.ts';
import { folded } from './vocabulary.ts';

/** Output of plugins, messages and errors. */
export function sanitizedOutput(text: string, scope: Scope): string {
  return byWords(text, (word) => sanitizedWord(word, scope));
}

const SENTENCES = /(?:[^.!?;]|[.!?;](?!\s))+/g;
/** Words of descriptions, which may be those of public software. */
const LETTERS_ONLY = /^["'(]*\p{L}+(?:[-/]\p{L}+)*[)"'.,:;!?]*$/u;

/** Descriptions of public software and of units. */
export function sanitizedProse(text: string, scope: Scope): string {
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
export function sanitizedName(text: string, scope: Scope): string {
  const inName = (core: string) => (scope.vocabulary.system.has(folded(core)) ? core : sanitizedProseWord(core, scope));
  const sanitize = (word: string) => (isAbsolute(word) ? sanitizedPath(word, scope) : withinPunctuation(word, inName));
  return isName(text, scope) ? text : byWords(text, sanitize);
}

/** What systems report about themselves, and versions. */
export function sanitizedSystem(text: string, scope: Scope): string {
  return text.replace(WORDS, (run) => (isSystem(run, scope) ? run : scope.replace(run)));
}

/** Names of block devices and network cards. */
export function sanitizedDevice(text: string, scope: Scope): string {
  const isKnown = (word: string) => isDeviceName(word, scope) || isSystem(word, scope) || isText(word, scope);
  return byWords(text, (word) => (isKnown(word) ? word : scope.replace(word)));
}
