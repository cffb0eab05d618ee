import {
  byWords,
  isAbsolute,
  isDevice,
  isDeviceName,
  isName,
  isPlainName,
  isSystem,
  isText,
  keeps,
  type Scope,
  sanitizedPieces,
  withinPunctuation,
} from './harmless.ts';
import { folded, numbered } from './vocabulary.ts';

/** Folders in which the kernel lists devices. */
const KERNEL = new Set(['dev', 'sys', 'proc']);

/** The segments of a path that are known, and in plain recordings also those that are plain words. */
export function sanitizedPath(text: string, scope: Scope): string {
  const { vocabulary, anonymous, own: names } = scope;
  const [, first = ''] = text.toLowerCase().split(/[/\\]/, 2);
  // Below these folders, everything comes from software.
  const isSoftware = vocabulary.software.has(first.replace(/ .*/s, ''));
  const isRooted = isSoftware || vocabulary.folder.has(first);
  if (!isRooted)
    return text.replace(/[^/\\]+/g, (segment) =>
      names.has(segment.toLowerCase()) && !anonymous ? segment : sanitizedPieces(segment, scope),
    );
  return text.replace(/[^/\\]+/g, (segment) => {
    const known = folded(segment);
    if (vocabulary.folders.has(known) || (isSoftware && vocabulary.programs.has(known)) || isDevice(segment, scope))
      return segment;
    if (KERNEL.has(first) && (isDeviceName(segment, scope) || isSystem(segment, scope))) return segment;
    if (!anonymous && isPlainName(segment, scope)) return segment;
    return withinPunctuation(segment, (core) => sanitizedFile(core, scope));
  });
}

/** A file name keeps its extension. */
export function sanitizedFile(name: string, scope: Scope): string {
  const { vocabulary } = scope;
  if (keeps(name, scope) || vocabulary.folders.has(folded(name)) || isText(name, { ...scope, anonymous: true }))
    return name;
  const dot = name.lastIndexOf('.');
  const isKnown = dot > 0 && vocabulary.suffix.has(name.slice(dot + 1).toLowerCase());
  return isKnown ? scope.replace(name.slice(0, dot)) + name.slice(dot) : scope.replace(name);
}

/** A mount point, a device with its machine, or a program. */
export function sanitizedLocation(text: string, scope: Scope): string {
  if (isAbsolute(text)) return sanitizedPath(text, scope);
  const isKnown =
    isText(text, scope) ||
    isDeviceName(text, scope) ||
    isDevice(text, scope) ||
    scope.vocabulary.programs.has(folded(text));
  if (isKnown) return text;
  const colon = text.indexOf(':/');
  if (colon > 0)
    return `${sanitizedAccount(text.slice(0, colon), scope)}:${sanitizedPath(text.slice(colon + 1), scope)}`;
  return byWords(text, (word) =>
    isAbsolute(word) ? sanitizedPath(word, scope) : withinPunctuation(word, (core) => sanitizedFile(core, scope)),
  );
}

/** Accounts of systems, terminals, and images of public software. */
export function sanitizedAccount(text: string, scope: Scope): string {
  return text.replace(/[^\s\\]+/g, (part) => {
    const isPublic = scope.vocabulary.account.has(part.toLowerCase()) || keeps(part, scope);
    if (isPublic || TERMINAL.test(part)) return part;
    return part.includes(':') && isName(part.slice(0, part.indexOf(':')), scope) && isName(part, scope)
      ? part
      : scope.replace(part);
  });
}

const TERMINAL = /^(?::?\d{1,2}(?:\.\d)?|pts\/\d{1,4}|tty\d{0,3}|ttyS\d{1,3}|rdp-tcp#\d{1,4}|~?)$/i;

/** Only the scheme stays, and in plain recordings the machine, unless it cannot be told from a password. */
export function sanitizedUrl(word: string, scope: Scope): string {
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
export function sanitizedUnit(text: string, scope: Scope): string {
  const { vocabulary, replace } = scope;
  const dot = text.lastIndexOf('.');
  const isTyped = vocabulary.suffix.has(text.slice(dot + 1));
  const [stem, suffix] = isTyped ? [text.slice(0, dot), text.slice(dot)] : [text, ''];
  if (isName(text, scope) || isName(stem, scope)) return text;
  if (PATH_UNIT.test(text))
    return (
      stem
        .split('-')
        .map((part) => sanitizedSegment(part, scope))
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
  const instance = at < 0 ? '' : `@${sanitizedSegment(stem.slice(at + 1), scope)}`;
  return own + instance + suffix;
}

/** A segment of a path in the name of a unit. Dashes in it are written as \x2d, and addresses on a bus consist of numbers. */
function sanitizedSegment(part: string, scope: Scope): string {
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
