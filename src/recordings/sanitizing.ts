import { sanitizedCommand } from './command-lines.ts';
import { type HostNames, type SanitizerSettings, type Scope, WORDS } from './harmless.ts';
import { sanitizedAccount, sanitizedLocation, sanitizedUnit } from './paths.ts';
import { masked } from './replacing.ts';
import { isPlain } from './secrets.ts';
import { folded, type TextKind } from './vocabulary.ts';
import { sanitizedDevice, sanitizedName, sanitizedOutput, sanitizedProse, sanitizedSystem } from './words.ts';

/*
 * What a recording may contain. Identifiers are recognized first. Each text is then taken apart in one pass: at blanks, then at
 * punctuation. A part stays if it is known to be harmless where it is; everything else is replaced.
 */

/** Returns a text with everything replaced that is not known to be harmless. */
export type Sanitizer = (text: string, kind: TextKind) => string;

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
