import { CHECK_NAMES } from '../base/protocol/checks.ts';
import { isMembers, type JsonMembers, parseExactly, stringifyExactly } from '../base/protocol/exact-json.ts';
import type { HostNames, SanitizerSettings } from './harmless.ts';
import { isThreadName, sanitizerFor } from './sanitizing.ts';
import { isPlain } from './secrets.ts';
import type { TextKind, Vocabulary } from './vocabulary.ts';

/* The texts of a document, and where they come from. */

/** A shorter password is a part of too many words. */
const MIN_SECRET_CHARACTERS = 4;

/**
 * A document in which everything is replaced that is not known to be harmless, and the number of texts that changed.
 * @param secrets those outside of the document
 */
export function sanitizedDocument(
  text: string,
  settings: SanitizerSettings,
  secrets: readonly string[] = [],
): { readonly text: string; readonly replaced: number } {
  const document = parseExactly(text) as JsonMembers;
  const { vocabulary } = settings;
  const names = namesIn(document, vocabulary);
  const sanitize = sanitizerFor(settings, names);
  const isLinux = isMembers(document.agent) && document.agent.goos === 'linux';
  const isThread = (row: JsonMembers) =>
    isLinux && isKernelThread(row) && THREAD.every((name) => isThreadName(textOf(row[name]), settings, names));
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  let replaced = 0;
  const change = (value: string, kind: TextKind): string => {
    // States and versions consist of public words, whatever the password.
    const hidden =
      kind === 'system' || kind === 'version'
        ? value
        : known.reduce((rest, secret) => rest.replaceAll(secret, () => settings.replace(secret, kind)), value);
    const sanitized = sanitize(hidden, kind);
    if (sanitized !== value) replaced++;
    return sanitized;
  };
  const kept = (row: JsonMembers) => (isThread(row) ? THREAD : []);
  return { text: stringifyExactly(mapTexts(document, vocabulary, { change, kept })), replaced };
}

type TextMapping = {
  readonly change: (text: string, kind: TextKind) => string;
  /** Names of an object's members that stay as they are. */
  readonly kept: (object: JsonMembers) => readonly string[];
};

/** A copy of a document in which `change` has replaced each text, and each name of a member that is not part of the format. */
function mapTexts(document: JsonMembers, { textKinds, field }: Vocabulary, { change, kept }: TextMapping): JsonMembers {
  const isOfAgent = isMembers(document.agent);
  const ofMembers = (value: JsonMembers, check: string, path: string): unknown => {
    const nameKind = textKinds.get(`${path}.#`);
    // Rows by name, such as network cards.
    const isKeyed =
      nameKind !== undefined &&
      Object.values(value).every((member) => typeof member === 'object' && !JSON.isRawJSON(member as object));
    const isUnknown = isOfAgent && !CHECK_NAMES.includes(check);
    // The format does not determine all names.
    const isOpen = (check === 'libvirt' || isUnknown) && !isKeyed;
    const same = kept(value);
    const members = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
      if (same.includes(name)) return [name, member];
      const inner = of(member, check, isKeyed ? path : `${check}.${name}`);
      if (isKeyed || (isOpen && !field.has(name.toLowerCase()))) return [change(name, nameKind ?? 'own'), inner];
      return [name, inner];
    });
    // Go writes names in alphabetical order.
    return Object.fromEntries(isKeyed ? members.sort(([a], [b]) => (a < b ? -1 : 1)) : members);
  };
  const of = (value: unknown, check: string, path: string): unknown => {
    if (typeof value === 'string') return change(value, textKinds.get(path) ?? 'text');
    if (Array.isArray(value)) return value.map((element) => of(element, check, path));
    return isMembers(value) ? ofMembers(value, check, path) : value;
  };
  return Object.fromEntries(Object.entries(document).map(([check, value]) => [check, of(value, check, check)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

const THREAD: readonly string[] = ['name', 'exec', 'cmdline'];

function isKernelThread({ pid, ppid, Memory }: JsonMembers): boolean {
  return (pid === 2 || ppid === 2) && isMembers(Memory) && Memory.rss === 0 && Memory.vms === 0;
}

/** Kinds of texts that are a host's own names. */
const OWN_NAMES: Partial<Readonly<Record<TextKind, keyof HostNames>>> = {
  own: 'own',
  user: 'own',
  machine: 'own',
  container: 'own',
  unit: 'own',
  folder: 'own',
  device: 'devices',
  source: 'devices',
  program: 'programs',
};
/** Linux shows as many characters of a program's name. */
const MAX_PROGRAM_CHARACTERS = 15;

/** What a host calls its devices, users, machines, checks, containers, units and mount points, and the names in the paths of its programs. */
function namesIn(document: JsonMembers, vocabulary: Vocabulary): HostNames {
  const names = { devices: new Set<string>(), own: new Set<string>(), programs: new Set<string>() };
  const add = (list: keyof typeof names, text: string, kind: TextKind) => {
    if (!isPlain(text, kind, vocabulary)) return;
    const parts = text.toLowerCase().split(list === 'programs' ? /[\s/\\]+/ : /[/\\]/);
    for (const part of parts.filter((part) => part !== '')) names[list].add(part);
  };
  const visit = (text: string, kind: TextKind) => {
    const list = OWN_NAMES[kind];
    if (kind === 'command') for (const [path] of text.matchAll(PATHS)) add('programs', path, 'program');
    else if (list !== undefined) add(list, kind === 'unit' ? text.replace(/\.[a-z]+$/, '') : text, kind);
    return text;
  };
  const visitObject = (object: JsonMembers) => {
    // The kernel and processes of others show no program.
    const isHidden = isKernelThread(object) || object.exec === '';
    if (isHidden) add('programs', textOf(object.name).replace(/[[\]]/g, ''), 'program');
    return [];
  };
  mapTexts(document, vocabulary, { change: visit, kept: visitObject });
  for (const name of names.programs) names.programs.add(name.slice(0, MAX_PROGRAM_CHARACTERS));
  return names;
}

const PATHS = /(?<!\S)(?:\.{0,2}\/|[A-Za-z]:\\)[^\s"]+/g;
