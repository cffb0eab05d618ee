import { CHECK_NAMES } from '../base/protocol/checks.ts';
import { exactly, isMembers, type JsonMembers, written } from '../base/protocol/exact-json.ts';
import { type HostNames, isPlain, isThreadName, type Sharing, sharingFor } from './sharing.ts';
import type { Sort, Vocabulary } from './vocabulary.ts';

/* The texts of a document, and where they come from. */

/** A shorter password is a part of too many words. */
const MIN_SECRET_CHARACTERS = 4;

type Reading = {
  /** Secrets outside of the document. */
  readonly secrets: readonly string[];
  /** Is called before each text. */
  readonly alive: () => void;
};

/** A document in which everything is replaced that is not known to be harmless, and the number of texts that changed. */
export function sharedDocument(
  text: string,
  sharing: Sharing,
  { secrets, alive }: Reading = { secrets: [], alive: () => {} },
): { readonly text: string; readonly replaced: number } {
  const document = exactly(text) as JsonMembers;
  const { vocabulary } = sharing;
  const names = namesIn(document, vocabulary);
  const share = sharingFor(sharing, names);
  const isLinux = isMembers(document.agent) && document.agent.goos === 'linux';
  const isThread = (row: JsonMembers) =>
    isLinux && isKernelThread(row) && THREAD.every((name) => isThreadName(textOf(row[name]), sharing, names));
  const known = secrets.filter((secret) => secret.length >= MIN_SECRET_CHARACTERS);
  let replaced = 0;
  const change = (value: string, sort: Sort): string => {
    alive();
    // States and versions consist of public words, whatever the password.
    const hidden =
      sort === 'system' || sort === 'version'
        ? value
        : known.reduce((rest, secret) => rest.replaceAll(secret, () => sharing.replace(secret, sort)), value);
    const made = share(hidden, sort);
    if (made !== value) replaced++;
    return made;
  };
  const kept = (row: JsonMembers) => (isThread(row) ? THREAD : []);
  return { text: written(withTexts(document, vocabulary, { change, kept })), replaced };
}

type Changes = {
  readonly change: (text: string, sort: Sort) => string;
  /** Members of a part that stay. */
  readonly kept: (part: JsonMembers) => readonly string[];
};

/** A document with other texts and names of members. */
function withTexts(document: JsonMembers, { sorts, field }: Vocabulary, { change, kept }: Changes): JsonMembers {
  const isOfAgent = isMembers(document.agent);
  const ofMembers = (value: JsonMembers, check: string, path: string): unknown => {
    const sort = sorts.get(`${path}.#`);
    const isKeyed =
      sort !== undefined &&
      Object.values(value).every((member) => typeof member === 'object' && !JSON.isRawJSON(member as object));
    const isUnknown = isOfAgent && !CHECK_NAMES.includes(check);
    const isOpen = (check === 'libvirt' || isUnknown) && !isKeyed;
    const same = kept(value);
    const members = Object.entries(value).map(([name, member]): readonly [string, unknown] => {
      if (same.includes(name)) return [name, member];
      const inner = of(member, check, isKeyed ? path : `${check}.${name}`);
      if (isKeyed || (isOpen && !field.has(name.toLowerCase()))) return [change(name, sort ?? 'own'), inner];
      return [name, inner];
    });
    // Go writes names in alphabetical order.
    return Object.fromEntries(isKeyed ? members.sort(([a], [b]) => (a < b ? -1 : 1)) : members);
  };
  const of = (value: unknown, check: string, path: string): unknown => {
    if (typeof value === 'string') return change(value, sorts.get(path) ?? 'text');
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

/** The sorts of a host's own names. */
const OWN: Partial<Readonly<Record<Sort, keyof HostNames>>> = {
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
  const add = (kind: keyof typeof names, text: string, sort: Sort) => {
    if (!isPlain(text, sort, vocabulary)) return;
    const parts = text.toLowerCase().split(kind === 'programs' ? /[\s/\\]+/ : /[/\\]/);
    for (const part of parts.filter((part) => part !== '')) names[kind].add(part);
  };
  const change = (text: string, sort: Sort) => {
    const kind = OWN[sort];
    if (sort === 'command') for (const [path] of text.matchAll(PATHS)) add('programs', path, 'program');
    else if (kind !== undefined) add(kind, sort === 'unit' ? text.replace(/\.[a-z]+$/, '') : text, sort);
    return text;
  };
  const kept = (part: JsonMembers) => {
    // The kernel and processes of others show no program.
    if (isKernelThread(part) || part.exec === '') add('programs', textOf(part.name).replace(/[[\]]/g, ''), 'program');
    return [];
  };
  withTexts(document, vocabulary, { change, kept });
  for (const name of names.programs) names.programs.add(name.slice(0, MAX_PROGRAM_CHARACTERS));
  return names;
}

const PATHS = /(?<!\S)(?:\.{0,2}\/|[A-Za-z]:\\)[^\s"]+/g;
