/**
 * Updates Debian 12's packages, dependencies, groups and their date in `src/hosts/data/packages`, and the packages of roles in
 * `src/hosts/data/roles`, from the package index that apt has fetched. Run by hand after `apt-get update`, on a machine with
 * Debian's archives among its sources:
 *
 *     node scripts/debian-packages.ts
 *
 * Names, versions, sources and dependencies are from the index. debian-roots.ts lists the requested packages.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { GROUPS_OF_ROLES } from '../src/hosts/packages/catalog.ts';
import { ROLES, ROOTS, SERVICES } from './debian-roots.ts';

/** An entry of the index. */
type Binary = {
  readonly name: string;
  readonly version: string;
  readonly source: string;
  readonly sourceVersion: string;
  readonly priority: string;
  /** Each dependency is a list of alternatives. */
  readonly depends: readonly (readonly string[])[];
  readonly provides: readonly string[];
  /** Packages that cannot be installed with it, in any version. */
  readonly conflicts: readonly string[];
};

type Index = {
  readonly binaries: ReadonlyMap<string, Binary>;
  /** By name, the packages that provide it, starting with the package of this name. */
  readonly providers: ReadonlyMap<string, readonly string[]>;
};

const CODENAME = 'bookworm';
const RELEASED = Date.UTC(2023, 5, 10);
const DAY_MS = 86_400_000;
const ALWAYS = new Set(['required', 'important', 'standard']);
/** Sources whose upstream version changes with updates: the text before the number that increases, and the days between updates. */
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
/** For all other sources, Debian's own revision increases. */
const STABLE = /^(.*[+~]deb12u)(\d+)(.*)$/;
const MIN_DAYS = 30;
/** Rounding keeps changes small between lists of different days. */
const ROUND_DAYS = 10;

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
    conflicts: [...field('Conflicts').split(', '), ...field('Breaks').split(', ')]
      .filter((relation) => relation !== '' && !relation.includes('('))
      .map(bareName),
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
  const providers = new Map([...binaries.keys()].map((name) => [name, [name]]));
  for (const { name, provides } of binaries.values()) {
    for (const virtual of provides) providers.set(virtual, [...(providers.get(virtual) ?? []), name]);
  }
  return { binaries, providers };
}

/** The packages that satisfy a dependency: its alternatives, and the packages that provide them. */
function satisfying({ providers }: Index, alternatives: readonly string[]): readonly string[] {
  return [...new Set(alternatives.flatMap((one) => providers.get(one) ?? []))];
}

/** The roots and all their dependencies, except the packages in `there`. */
function closure(index: Index, roots: readonly string[], there: ReadonlySet<string>): ReadonlySet<string> {
  const chosen = new Set<string>();
  const visit = (name: string) => {
    const found = index.binaries.get(name);
    if (found === undefined || there.has(name) || chosen.has(name)) return;
    chosen.add(name);
    for (const alternatives of found.depends) {
      const candidates = satisfying(index, alternatives);
      const best = candidates.find((one) => !conflicting(index, one, [...there, ...chosen, ...roots])) ?? candidates[0];
      const has = (one: string) => there.has(one) || chosen.has(one) || roots.includes(one);
      if (best !== undefined && !candidates.some(has)) visit(best);
    }
  };
  const missing = roots.filter((name) => !index.binaries.has(name));
  if (missing.length > 0) process.stderr.write(`not in the index: ${missing.join(' ')}\n`);
  roots.forEach(visit);
  return chosen;
}

/** The first of `others` that conflicts with a package. */
function conflicting({ binaries, providers }: Index, name: string, others: readonly string[]): string | undefined {
  const excluded = (one: string) => (binaries.get(one)?.conflicts ?? []).flatMap((it) => providers.get(it) ?? []);
  const own = excluded(name);
  return others.find((other) => other !== name && (own.includes(other) || excluded(other).includes(name)));
}

/** Reasons to install a package. Without any, it is on every host. */
type Why = { readonly groups: readonly string[]; readonly services: readonly string[] };

type Reasons = {
  /** Groups and services that need a package. */
  readonly why: ReadonlyMap<string, Why>;
  /** Packages that only a role's hosts need, by role. */
  readonly ofRoles: ReadonlyMap<string, ReadonlySet<string>>;
};

function reasonsFor(index: Index): Reasons {
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
  const ofRoles = Object.entries(ROLES).map(([role, names]) => {
    return [role, closure(index, names.split(' '), everywhere)] as const;
  });
  return { why, ofRoles: new Map(ofRoles) };
}

/** Kernel packages come from the profile. Hosts have fewer of them than the index. */
const KERNEL = /^linux-(image|headers)-/;

/** Dependencies of each package among `names`: groups separated by commas, alternatives by bars. */
function needsOf(index: Index, names: ReadonlySet<string>): readonly (readonly string[])[] {
  return [...names].flatMap((name) => {
    const groups = (index.binaries.get(name)?.depends ?? []).map((alternatives) => {
      return satisfying(index, alternatives).filter((one) => names.has(one));
    });
    if (groups.some((alternatives) => alternatives.length === 0)) throw new Error(`${name} lacks what it needs`);
    const texts = groups.filter((alternatives) => !alternatives.includes(name)).map((one) => one.join('|'));
    return texts.length === 0 ? [] : [[name, [...new Set(texts)].sort().join(',')]];
  });
}

type Moving = { readonly version: string; readonly security: string; readonly days: string };

/** The version with its increasing number in braces, whether updates are for security, and the days between them. */
function moving(source: string, version: string, { security, days }: { security: boolean; days: number }): Moving {
  const [pattern, period] = FOLLOWED[source] ?? [STABLE, undefined];
  const [, head, number = '0', tail] = pattern.exec(version) ?? [];
  if (head === undefined) return { version, security: '', days: '' };
  const every = period ?? Math.max(MIN_DAYS, ROUND_DAYS * Math.round(days / Number(number) / ROUND_DAYS));
  return { version: `${head}{${number}}${tail}`, security: security ? 'yes' : 'no', days: String(every) };
}

/** A binary's version: that of its source, possibly with additions, or an unrelated one, which does not change. */
function ownVersion({ version, sourceVersion }: Binary, common: string, source: Moving): Moving {
  if (version === common) return source;
  if (version.includes(common)) return { ...source, version: version.replace(common, () => source.version) };
  const moves = common === sourceVersion && version.includes(sourceVersion);
  return moves
    ? { ...source, version: version.replace(sourceVersion, () => source.version) }
    : { version, security: '', days: '' };
}

type Dated = { readonly secured: ReadonlySet<string>; readonly days: number };

/** Rows with source, package, version, security and days. */
function rowsOf(index: Index, names: Iterable<string>, { secured, days }: Dated): readonly (readonly string[])[] {
  const binaries = [...names].flatMap((name) => index.binaries.get(name) ?? []);
  return [...Map.groupBy(binaries, ({ source }) => source)].flatMap(([source, members]) => {
    const common = members[0]?.sourceVersion ?? '';
    const all = moving(source, common, { security: secured.has(source), days });
    return members.map((one) => {
      const { version, security, days: every } = ownVersion(one, common, all);
      return [source, one.name, version, security, every];
    });
  });
}

/** Sorted by source and package, without empty cells at the end. */
function lines(rows: readonly (readonly string[])[]): string {
  const sorted = rows.map((cells) => `${cells.join('\t').trimEnd()}\n`).sort();
  return sorted.join('');
}

function tsv(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${header.join('\t')}\n${lines(rows)}`;
}

/** Replaces Debian's packages in the file of a role. */
function withPackages(text: string, rows: readonly (readonly string[])[]): string {
  const head = text.indexOf('\n', text.indexOf('[linux packages]\n') + '[linux packages]\n'.length) + 1;
  const kept = text.slice(head).replace(/^debian-12\t.*\n/gm, '');
  return `${text.slice(0, head)}${lines(rows.map((row) => ['debian-12', ...row]))}${kept}`;
}

const files = indexFiles();
const secured = new Set(
  files
    .filter((file) => file.includes('security'))
    .flatMap(entries)
    .map(({ source }) => source),
);
/** From the vendor's own archive. */
const AGENT = ['openitcockpit-agent', 'openitcockpit-agent', '3.6.1'];
const COLUMNS = ['source', 'package', 'version', 'security', 'days', 'groups', 'services'];

const DATA = new URL('../src/hosts/data/', import.meta.url);
/** A date without a time, so that an index always results in the same list. */
const today = new Date().toISOString().slice(0, 10);
const index = indexOf(files.flatMap(entries));
const { why, ofRoles } = reasonsFor(index);
const dated = { secured, days: (Date.parse(today) - RELEASED) / DAY_MS };
const names = new Set(
  [...why.keys(), ...[...ofRoles.values()].flatMap((own) => [...own])].filter((name) => !KERNEL.test(name)),
);
const clashes = [...names].flatMap((name, place) => {
  const other = conflicting(index, name, [...names].slice(0, place));
  return other === undefined ? [] : [`${other} with ${name}`];
});
if (clashes.length > 0) process.stderr.write(`cannot be on one host: ${clashes.join(', ')}\n`);

const rows = rowsOf(
  index,
  [...why.keys()].filter((name) => names.has(name)),
  dated,
).map((row) => {
  const { groups = [], services = [] } = why.get(row[1] ?? '') ?? {};
  return [...row, groups.join(','), services.join(',')];
});
const groups = Object.entries(ROOTS)
  .filter(([name]) => name !== 'base' && !GROUPS_OF_ROLES.includes(name))
  .map(([name, { share }]) => [name, String(share)]);
writeFileSync(new URL('packages/debian-12.tsv', DATA), tsv(COLUMNS, [AGENT, ...rows]));
writeFileSync(new URL('packages/debian-12.groups.tsv', DATA), tsv(['group', 'share'], groups));
writeFileSync(new URL('packages/debian-12.needs.tsv', DATA), tsv(['package', 'needs'], needsOf(index, names)));
rewrite('packages/lists.tsv', (text) => text.replace(/^(debian-12\t)\S+/m, `$1${today}`));
for (const [role, own] of ofRoles)
  rewrite(`roles/${role}.tsv`, (text) => withPackages(text, rowsOf(index, own, dated)));

function rewrite(path: string, change: (text: string) => string): void {
  const file = new URL(path, DATA);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
}
