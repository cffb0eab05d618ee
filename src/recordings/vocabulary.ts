import { cellsByColumn, column, type HostTables, oncePerData, readTable } from '../hosts/host-data.ts';
import { type Identifiers, identifiersIn } from './replacing.ts';

/*
 * What is harmless in a recording, because it is the same everywhere: names and texts of the tables of simulated hosts, and the words of
 * `words/public.tsv`. Everything else is replaced.
 */

type Words = ReadonlySet<string>;

/** Where a text comes from decides what is harmless in it. */
const TEXT_KINDS = [
  /** Command lines and titles of processes. */
  'command',
  /** Output of plugins, messages and errors. */
  'text',
  /** Descriptions of public software, and of units, which may be commands. */
  'prose',
  'about',
  /** Names of software, and of systemd units, which may contain paths. */
  'name',
  'unit',
  /** Names that users chose: of checks and virtual machines, of accounts, machines and containers. */
  'own',
  'user',
  'terminal',
  'machine',
  'container',
  'image',
  /** Mount points, what is mounted there, and programs. */
  'folder',
  'source',
  'program',
  /** Block devices and network cards. */
  'device',
  /** What systems report about themselves, and versions, which consist of numbers. */
  'system',
  'version',
] as const;
export type TextKind = (typeof TEXT_KINDS)[number];

/** Names and words, folded. */
export type Vocabulary = {
  /** Whole names of packages, units, services, jobs, apps and their publishers. */
  readonly names: Words;
  /** Whole command lines. */
  readonly commands: Words;
  /** File names of programs, and folders of distributions. */
  readonly programs: Words;
  readonly folders: Words;
  readonly options: Words;
  /** A program, one of its options and a value that comes with it. */
  readonly pairs: Words;
  readonly threads: Words;
  /** Names that kernels give to devices and cards. */
  readonly device: RegExp;
  /** Kinds of texts, by the check and the nearest member; `#` are the names of members. */
  readonly textKinds: ReadonlyMap<string, TextKind>;
  /** What chosen names of a kind look like. */
  readonly shapes: ReadonlyMap<TextKind, RegExp>;
  readonly identifiers: Identifiers;
  /** Words of descriptions, and of everything public. */
  readonly prose: Words;
  readonly words: Words;
} & Readonly<Record<PublicKind, Words>>;

const PUBLIC = [
  'text',
  'system',
  'folder',
  'account',
  'option',
  'suffix',
  'scheme',
  'ambiguous',
  'thread',
  'software',
  'field',
] as const;
type PublicKind = (typeof PUBLIC)[number];

/** Names of releases differ only in numbers, so all numbers count as one. */
export function folded(text: string): string {
  return text.toLowerCase().replace(/[\d\u{f0000}-\u{10ffff}]+/gu, '0');
}

/** The same with a number for each recognized identifier only. */
export function numbered(text: string): string {
  return text.replace(/[\u{f0000}-\u{10ffff}]/gu, '0');
}

const NAMED = [
  'package',
  'unit',
  'name',
  'display',
  'label',
  'publisher',
  'source',
  'log',
  'image',
  'product',
  'program',
];
const DESCRIBED = ['description', 'display', 'summary', 'detail', 'message', 'about', 'title', 'name', 'publisher'];
const PLACEHOLDER = /\{[^{}]*\}|~/g;
const LETTERS = /[\p{L}\p{M}]+/gu;
const HOLES = /[/:\-+_.{}]+/;
/** The kernel cuts longer names. */
const MAX_THREAD_CHARACTERS = 15;

export const vocabularyOf: (tables: HostTables) => Vocabulary = oncePerData((tables) => {
  const rows = readTable(tables, 'words/public.tsv', { kind: column.text, words: column.text });
  const listed = (kind: PublicKind) => rows.flatMap((row) => (row.kind === kind ? row.words.split(' ') : []));
  const byColumn = cellsByColumn(tables);
  const cells = (name: string) => (byColumn.get(name) ?? []).map((cell) => cell.replace(PLACEHOLDER, '0'));
  const commands = cells('command');
  const paths = [...commands.map(headOf), ...commands.flatMap((line) => line.split(' ')).filter(isPath)];
  const segments = paths.filter(isPath).flatMap((path) => path.split(/[/\\]/));
  const names = NAMED.flatMap(cells).map(folded);
  const stems = names.map((name) => name.replace(/\.[a-z]+$/, ''));
  const programs = commands.map((line) => nameOf(headOf(line)));
  const devices = readTable(tables, 'words/devices.tsv', { devices: column.text, pattern: column.text }).map(
    ({ pattern }) => pattern,
  );
  const kinds = readTable(tables, 'words/text-kinds.tsv', { path: column.text, kind: column.oneOf(...TEXT_KINDS) });
  const shapes = readTable(tables, 'words/names.tsv', { kind: column.oneOf(...TEXT_KINDS), pattern: column.text });
  return {
    device: new RegExp(`^(?:${devices.join('|')})$`, 'i'),
    textKinds: new Map(kinds.map(({ path, kind }) => [path, kind])),
    shapes: new Map(shapes.map(({ kind, pattern }) => [kind, new RegExp(`^(?:${pattern})$`, 'iu')])),
    identifiers: identifiersIn(tables),
    ...({} as Record<PublicKind, Words>),
    ...Object.fromEntries(PUBLIC.map((kind) => [kind, new Set(listed(kind).map((word) => word.toLowerCase()))])),
    system: new Set(
      [...listed('system'), ...cells('version').flatMap((cell) => cell.match(LETTERS) ?? [])].map(folded),
    ),
    names: worded([...names, ...stems, ...commands.map((line) => folded(nameOf(headOf(line))))]),
    commands: new Set(commands.map(folded)),
    programs: worded([...programs.map(folded), ...names, ...stems]),
    folders: new Set([...listed('folder'), ...segments].map(folded)),
    options: new Set(
      commands.flatMap((line) =>
        line
          .split(' ')
          .filter((word) => /^[-/]./.test(word))
          .map(optionName),
      ),
    ),
    pairs: new Set(commands.flatMap(pairsOf)),
    threads: new Set(
      [...cells('thread'), ...listed('thread')]
        .flatMap((name) => [name, name.slice(0, MAX_THREAD_CHARACTERS)])
        .flatMap((name) => name.split(HOLES))
        .map(folded),
    ),
    prose: new Set(DESCRIBED.flatMap(cells).flatMap((text) => text.toLowerCase().match(LETTERS) ?? [])),
    words: new Set(
      [
        ...[...NAMED, ...DESCRIBED, 'version', 'thread'].flatMap(cells),
        ...commands,
        ...rows.map((row) => row.words),
      ].flatMap((text) => text.toLowerCase().match(LETTERS) ?? []),
    ),
  };
});

/** Folded, a number alone would stand for all numbers. */
function worded(names: readonly string[]): Words {
  return new Set(names.filter((name) => /\p{L}/u.test(name)));
}

function isPath(text: string): boolean {
  return /^(\/|[A-Za-z]:\\)/.test(text);
}

/** The program of a command line, with its path: up to the end of a quotation, of `.exe`, or to the first blank. */
export function headOf(command: string): string {
  const quoted = command.startsWith('"') ? command.indexOf('"', 1) : -1;
  if (quoted > 0) return command.slice(0, quoted + 1);
  const exe = /^[A-Za-z]:\\/.test(command) ? /\.(exe|com|cmd|bat|dll|sys)(?=[\s"]|$)/i.exec(command) : null;
  if (exe !== null) return command.slice(0, exe.index + exe[0].length);
  const blank = command.search(/\s/);
  return blank < 0 ? command : command.slice(0, blank);
}

/** The file name at the end of a path. */
export function nameOf(head: string): string {
  const bare = head.replaceAll('"', '');
  return bare.slice(Math.max(bare.lastIndexOf('/'), bare.lastIndexOf('\\')) + 1).replace(/:$/, '');
}

/** An option without its value. */
function optionName(word: string): string {
  const end = word.search(/[=:]/);
  return folded(end < 0 ? word : word.slice(0, end));
}

function pairsOf(command: string): readonly string[] {
  const [head = '', ...words] = [headOf(command), ...command.slice(headOf(command).length).trim().split(' ')];
  const program = folded(nameOf(head));
  return words.flatMap((word, index) => {
    const next = words[index + 1] ?? '';
    return word.startsWith('-') && !next.startsWith('-') ? [`${program} ${word} ${next}`, `${program} ${word}`] : [];
  });
}
