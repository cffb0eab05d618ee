/**
 * Makes the table of Debian 12's packages from the package index that apt has fetched. Run by hand on a machine with
 * Debian's archives among its sources, after `apt-get update`:
 *
 *     node scripts/debian-packages.ts > src/machine/inventory/tables/debian-12.ts && npx biome check --write src
 *
 * Names, versions, sources and dependencies are the index's; which packages are asked for stands in debian-roots.ts.
 */
import { execFileSync } from 'node:child_process';
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

const letterOf = (place: number) => String.fromCharCode(place <= 26 ? 96 + place : 64 + place - 26);

/** Each package with the letters of the groups and the names of the services that need it; none for what every host has. */
function grouped(index: Index): ReadonlyMap<string, string> {
  const [base, ...others] = Object.values(ROOTS).map(({ names }) => names.trim().split(/\s+/));
  const drawn = new Set(Object.values(SERVICES).flatMap((names) => names.split(' ')));
  const always = [...index.binaries.values()]
    .filter(({ name, priority }) => ALWAYS.has(priority) && !drawn.has(name))
    .map(({ name }) => name);
  const everywhere = closure(index, [...always, ...(base ?? [])], new Set());
  const letters = new Map([...everywhere].map((name) => [name, '']));
  others.forEach((roots, place) => {
    for (const name of closure(index, roots, everywhere))
      letters.set(name, (letters.get(name) ?? '') + letterOf(place + 1));
  });
  for (const [service, names] of Object.entries(SERVICES)) {
    for (const name of closure(index, names.split(' '), everywhere))
      letters.set(name, `${letters.get(name) ?? ''}+${service}`);
  }
  return letters;
}

/** The version with the number that updates raise in braces: `!` for security, and the days between updates. */
function moving(source: string, version: string, { security, days }: { security: boolean; days: number }): string {
  const [pattern, period] = FOLLOWED[source] ?? [STABLE, undefined];
  const [, head, number = '0', tail] = pattern.exec(version) ?? [];
  if (head === undefined) return version;
  const every = period ?? Math.max(FEWEST_DAYS, Math.round(days / Number(number)));
  return `${head}{${security ? '!' : ''}${number}/${every}}${tail}`;
}

/** A binary's version by that of its source, where it says more. */
function ownVersion({ version, sourceVersion }: Binary, common: string): string {
  if (version === common) return '';
  if (version.includes(common)) return `=${version.replace(common, '*')}`;
  return version.includes(sourceVersion) && common.includes(sourceVersion)
    ? `=${version}`.replace(sourceVersion, common === sourceVersion ? '*' : sourceVersion)
    : `=${version}`;
}

function table(index: Index, secured: ReadonlySet<string>, nowMs: number): readonly string[] {
  const days = (nowMs - RELEASED) / DAY_MS;
  const sources = Map.groupBy(
    [...grouped(index)].filter(([name]) => !/^linux-(image|headers)-/.test(name)),
    ([name]) => index.binaries.get(name)?.source ?? name,
  );
  return [...sources]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, members]) => {
      const binaries = members.flatMap(([name]) => index.binaries.get(name) ?? []);
      const common = binaries[0]?.sourceVersion ?? '';
      const names = binaries.map((one) => {
        const letters = members.find(([name]) => name === one.name)?.[1] ?? '';
        return one.name + ownVersion(one, common) + (letters && `@${letters}`);
      });
      return `${source} ${moving(source, common, { security: secured.has(source), days })} ${names.sort().join(' ')}`;
    });
}

const files = indexFiles();
const secured = new Set(
  files
    .filter((file) => file.includes('security'))
    .flatMap(entries)
    .map(({ source }) => source),
);
/** From the archive of those who make it. */
const AGENT = 'openitcockpit-agent 3.6.1 openitcockpit-agent';

const rows = [AGENT, ...table(indexOf(files.flatMap(entries)), secured, Date.now())];
const date = new Date().toISOString().slice(0, 10);
const groups = Object.entries(ROOTS)
  .slice(1)
  .map(([name, { share }], place) => `  ${letterOf(place + 1)}: ['${name}', ${share}],`);
process.stdout.write(`import type { TableText } from '../table.ts';

/** Made by scripts/debian-packages.ts from the package index of Debian 12 on ${date}. */
export const DEBIAN_12: TableText = {
  date: '${date}',
  groups: {
${groups.join('\n')}
  },
  lines: \`
${rows.join('\n').replaceAll('\\', '\\\\')}
\`,
};
`);
