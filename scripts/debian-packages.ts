/**
 * Renews the list of Debian 12's packages, its groups and its date in `src/machine/data/packages` from the package index
 * that apt has fetched. Run by hand on a machine with Debian's archives among its sources, after `apt-get update`:
 *
 *     node scripts/debian-packages.ts
 *
 * Names, versions, sources and dependencies are the index's; which packages are asked for stands in debian-roots.ts.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { GROUPS_OF_ROLES } from '../src/machine/packages/catalog.ts';
import { ROOTS, SERVICES } from './debian-roots.ts';

/** An entry of the index. */
type Binary = {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly sourceVersion: string;
  readonly priority: string;
  /** Each with its alternatives. */
  readonly depends: readonly (readonly string[])[];
  readonly provides: readonly string[];
};

type Index = { readonly binaries: ReadonlyMap<string, Binary>; readonly providers: ReadonlyMap<string, string> };

const CODENAME = 'bookworm';
const RELEASED = Date.UTC(2023, 5, 10);
const DAY_MS = 86_400_000;
const ALWAYS = new Set(['required', 'important', 'standard']);
/** Sources whose upstream versions move with updates: what stands before the number that does, and after how many days. */
const FOLLOWED: Readonly<Record<string, readonly [RegExp, number]>> = {
  bind9: [/^(1:9\.18\.)(\d+)(.*)$/, 45],
  'firefox-esr': [/^(\d+\.)(\d+)(.*)$/, 28],
  linux: [/^(6\.1\.)(\d+)(.*)$/, 31],
  mariadb: [/^(1:10\.11\.)(\d+)(.*)$/, 91],
  'openjdk-17': [/^(17\.0\.)(\d+)(.*)$/, 91],
  openssl: [/^(3\.0\.)(\d+)(.*)$/, 80],
  'php8.2': [/^(8\.2\.)(\d+)(.*)$/, 40],
  'postgresql-15': [/^(15\.)(\d+)(.*)$/, 91],
  systemd: [/^(252\.)(\d+)(.*)$/, 75],
  thunderbird: [/^(1:\d+\.)(\d+)(.*)$/, 28],
  tomcat10: [/^(10\.1\.)(\d+)(.*)$/, 40],
};
/** Of all others Debian's own number moves. */
const STABLE = /^(.*[+~]deb12u)(\d+)(.*)$/;
const FEWEST_DAYS = 30;

const read = (program: string, ...args: string[]) =>
  execFileSync(program, args, { encoding: 'utf8', maxBuffer: 2 ** 30 });

function indexFiles(): readonly string[] {
  const lines = read('apt-get', 'indextargets', '--format', '$(FILENAME)', 'Created-By: Packages', 'Origin: Debian');
  const files = lines.split('\n').filter((file) => file.includes(`dists_${CODENAME}`));
  if (files.length < 2)
    throw new Error(`apt has ${files.length} indexes of ${CODENAME} and its security archive, two are needed`);
  return files;
}

function entries(file: string): readonly Binary[] {
  return read('/usr/lib/apt/apt-helper', 'cat-file', file).split('\n\n').filter(Boolean).map(binary);
}

function binary(stanza: string): Binary {
  const fields = new Map(stanza.split('\n').map((line) => line.split(/: (.*)/, 2) as [string, string]));
  const field = (name: string) => fields.get(name) ?? '';
  const [, source = field('Package'), sourceVersion = field('Version')] =
    /^(\S+)(?: \((.*)\))?$/.exec(field('Source')) ?? [];
  const depends = [field('Pre-Depends'), field('Depends')].filter(Boolean).flatMap((list) => list.split(', '));
  return {
    name: field('Package'),
    version: field('Version'),
    source,
    sourceVersion,
    priority: field('Priority'),
    depends: depends.map((one) => one.split(' | ').map(bareName)),
    provides: field('Provides').split(', ').filter(Boolean).map(bareName),
  };
}

function bareName(relation: string): string {
  return relation.trim().replace(/[ :(].*$/, '');
}

function newest(a: Binary | undefined, b: Binary): Binary {
  if (a === undefined || a.version === b.version) return b;
  try {
    read('dpkg', '--compare-versions', a.version, 'gt', b.version);
    return a;
  } catch {
    return b;
  }
}

function indexOf(all: readonly Binary[]): Index {
  const binaries = new Map<string, Binary>();
  for (const one of all) binaries.set(one.name, newest(binaries.get(one.name), one));
  const providers = new Map<string, string>();
  for (const { name, provides } of binaries.values()) {
    for (const virtual of provides) if (!providers.has(virtual)) providers.set(virtual, name);
  }
  return { binaries, providers };
}

/** The packages and all that they depend on, beyond those that are there already. */
function closure(index: Index, roots: readonly string[], there: ReadonlySet<string>): ReadonlySet<string> {
  const chosen = new Set<string>();
  const visit = (name: string) => {
    const found = index.binaries.get(name);
    if (found === undefined || there.has(name) || chosen.has(name)) return;
    chosen.add(name);
    for (const alternatives of found.depends) {
      const has = (one: string) => there.has(one) || chosen.has(one);
      if (alternatives.some((one) => has(one) || has(index.providers.get(one) ?? ''))) continue;
      const best = alternatives.find((one) => index.binaries.has(one)) ?? index.providers.get(alternatives[0] ?? '');
      if (best !== undefined) visit(best);
    }
  };
  const missing = roots.filter((name) => !index.binaries.has(name));
  if (missing.length > 0) process.stderr.write(`not in the index: ${missing.join(' ')}\n`);
  roots.forEach(visit);
  return chosen;
}

/** Why hosts have a package; on every host if there is no reason. */
type Why = { readonly groups: readonly string[]; readonly services: readonly string[] };

/** Each package with the groups and the services that need it. */
function grouped(index: Index): ReadonlyMap<string, Why> {
  const [base = [], ...others] = Object.entries(ROOTS).map(([, { names }]) => names.trim().split(/\s+/));
  const drawn = new Set(Object.values(SERVICES).flatMap((names) => names.split(' ')));
  const always = [...index.binaries.values()]
    .filter(({ name, priority }) => ALWAYS.has(priority) && !drawn.has(name))
    .map(({ name }) => name);
  const everywhere = closure(index, [...always, ...base], new Set());
  const why = new Map<string, Why>([...everywhere].map((name) => [name, { groups: [], services: [] }]));
  const known = (name: string): Why => why.get(name) ?? { groups: [], services: [] };
  const groups = Object.keys(ROOTS).slice(1);
  others.forEach((roots, place) => {
    for (const name of closure(index, roots, everywhere)) {
      const { groups: before, services } = known(name);
      why.set(name, { groups: [...before, groups[place] ?? ''], services });
    }
  });
  for (const [service, names] of Object.entries(SERVICES)) {
    for (const name of closure(index, names.split(' '), everywhere)) {
      const { groups: own, services } = known(name);
      why.set(name, { groups: own, services: [...services, service] });
    }
  }
  return why;
}

type Moving = { readonly version: string; readonly security: string; readonly days: string };

/** The version with the number that updates raise in braces, whether they are for security, and the days between them. */
function moving(source: string, version: string, { security, days }: { security: boolean; days: number }): Moving {
  const [pattern, period] = FOLLOWED[source] ?? [STABLE, undefined];
  const [, head, number = '0', tail] = pattern.exec(version) ?? [];
  if (head === undefined) return { version, security: '', days: '' };
  const every = period ?? Math.max(FEWEST_DAYS, Math.round(days / Number(number)));
  return { version: `${head}{${number}}${tail}`, security: security ? 'yes' : 'no', days: String(every) };
}

/** A binary's version: that of its source, with what it says more, or one of its own that does not move. */
function ownVersion({ version, sourceVersion }: Binary, common: string, source: Moving): Moving {
  if (version === common) return source;
  if (version.includes(common)) return { ...source, version: version.replace(common, () => source.version) };
  const moves = common === sourceVersion && version.includes(sourceVersion);
  return moves
    ? { ...source, version: version.replace(sourceVersion, () => source.version) }
    : { version, security: '', days: '' };
}

function rowsOf(index: Index, secured: ReadonlySet<string>, nowMs: number): readonly (readonly string[])[] {
  const days = (nowMs - RELEASED) / DAY_MS;
  const reasons = grouped(index);
  const binaries = [...reasons.keys()]
    .filter((name) => !/^linux-(image|headers)-/.test(name))
    .flatMap((name) => index.binaries.get(name) ?? []);
  return [...Map.groupBy(binaries, ({ source }) => source)].flatMap(([source, members]) => {
    const common = members[0]?.sourceVersion ?? '';
    const all = moving(source, common, { security: secured.has(source), days });
    return members.map((one) => {
      const { version, security, days: every } = ownVersion(one, common, all);
      const { groups = [], services = [] } = reasons.get(one.name) ?? {};
      return [source, one.name, version, security, every, groups.join(','), services.join(',')];
    });
  });
}

/** In the order of sources and packages; empty cells at the end are left out. */
function tsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const key = ([first, second]: readonly string[]) => `${first}\t${second}`;
  const sorted = rows.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  return [header, ...sorted].map((cells) => `${cells.join('\t').trimEnd()}\n`).join('');
}

const files = indexFiles();
const secured = new Set(
  files
    .filter((file) => file.includes('security'))
    .flatMap(entries)
    .map(({ source }) => source),
);
/** From the archive of those who make it. */
const AGENT = ['openitcockpit-agent', 'openitcockpit-agent', '3.6.1', '', '', '', ''];
const COLUMNS = ['source', 'package', 'version', 'security', 'days', 'groups', 'services'];

const FOLDER = new URL('../src/machine/data/packages/', import.meta.url);
/** Whole days, so that the index of a day gives one list. */
const today = new Date().toISOString().slice(0, 10);
const rows = [AGENT, ...rowsOf(indexOf(files.flatMap(entries)), secured, Date.parse(today))];
const groups = Object.entries(ROOTS)
  .filter(([name]) => name !== 'base' && !GROUPS_OF_ROLES.includes(name))
  .map(([name, { share }]) => [name, String(share)]);
const lists = new URL('lists.tsv', FOLDER);
writeFileSync(new URL('debian-12.tsv', FOLDER), tsv(COLUMNS, rows));
writeFileSync(new URL('debian-12.groups.tsv', FOLDER), tsv(['group', 'share'], groups));
writeFileSync(lists, readFileSync(lists, 'utf8').replace(/^(debian-12\t)\S+/m, `$1${today}`));
