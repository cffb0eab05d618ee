/**
 * Writes the dependencies of Ubuntu's packages (`ubuntu-24.04.needs.tsv`) from those of Debian's packages with the same names,
 * because Ubuntu is built from Debian's sources. Then it ensures that hosts with a package have its dependencies: it adds groups,
 * services, and packages of roles. Run by hand after a change to either list:
 *
 *     node scripts/ubuntu-needs.ts
 *
 * Packages that Debian does not have get no dependencies here. Prints their number.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const DATA = new URL('../src/hosts/data/', import.meta.url);
const LIST = 'packages/ubuntu-24.04.tsv';
/** Packages with other names on Ubuntu: other versions in names, and the 64-bit time transition. */
const RENAMED: readonly (readonly [RegExp, string])[] = [
  [/$/, 't64'],
  [/3\.11/, '3.12'],
  [/3\.11(.*)$/, '3.12$1t64'],
  [/-12\b/, '-13'],
  [/php8\.2/, 'php8.3'],
  [/-15$/, '-16'],
  [/openjdk-17/, 'openjdk-21'],
  [/libicu72/, 'libicu74'],
  [/^libperl5\.36/, 'libperl5.38t64'],
  [/5\.36/, '5.38'],
  [/^libldap-2\.5-0$/, 'libldap2'],
  [/^libnetplan0$/, 'libnetplan1'],
];

type Row = { readonly cells: string[]; readonly groups: Set<string>; readonly services: Set<string> };

const read = (path: string) => readFileSync(new URL(path, DATA), 'utf8');
const split = (cell: string | undefined) => (cell ?? '').split(',').filter(Boolean);
const [header = '', ...lines] = read(LIST).trimEnd().split('\n');
const rows = new Map(
  lines.map((line) => {
    const cells = line.split('\t');
    const row: Row = { cells, groups: new Set(split(cells[5])), services: new Set(split(cells[6])) };
    return [cells[1] ?? '', row] as const;
  }),
);
const roles = readdirSync(new URL('roles/', DATA)).map((file) => {
  const text = read(`roles/${file}`);
  const [, section = ''] = text.split(/\[linux packages\]\n([^[]*)/);
  const own = [...section.matchAll(/^ubuntu-24\.04\t(.*)$/gm)].map(([, line = '']) => line);
  return { file, text, own: new Map(own.map((line) => [line.split('\t')[1] ?? '', line])) };
});
const known = new Set([...rows.keys(), ...roles.flatMap(({ own }) => [...own.keys()])]);

/** Known names on Ubuntu of a package of Debian. */
function onUbuntu(debian: string): readonly string[] {
  const names = [debian, ...RENAMED.map(([old, own]) => debian.replace(old, own))];
  return [...new Set(names)].filter((name) => known.has(name));
}

const needs = new Map(
  read('packages/debian-12.needs.tsv')
    .trimEnd()
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [name = '', all] = line.split('\t');
      return onUbuntu(name).map((own) => {
        const groups = split(all).map((group) => [...new Set(group.split('|').flatMap(onUbuntu))]);
        return [own, groups.filter((group) => group.length > 0 && !group.includes(own))] as const;
      });
    }),
);

/** Whether all hosts with the first package also have the second. */
function comesWith(first: Row, second: Row): boolean {
  if (second.groups.size + second.services.size === 0) return true;
  if (first.groups.size + first.services.size === 0) return false;
  return (
    [...first.groups].every((group) => second.groups.has(group)) &&
    [...first.services].every((service) => second.services.has(service))
  );
}

/** Installs the second package on all hosts that have the first. */
function bring(first: Row, second: Row): void {
  const isEverywhere = first.groups.size + first.services.size === 0;
  if (isEverywhere) {
    second.groups.clear();
    second.services.clear();
  }
  for (const group of first.groups) second.groups.add(group);
  for (const service of first.services) second.services.add(service);
}

let changed = 0;
for (let isSettled = false; !isSettled; ) {
  isSettled = true;
  for (const [name, row] of rows) {
    for (const group of needs.get(name) ?? []) {
      const there = group.flatMap((one) => rows.get(one) ?? []);
      const [first] = there;
      if (first === undefined || there.some((one) => comesWith(row, one))) continue;
      bring(row, first);
      changed++;
      isSettled = false;
    }
  }
}

const isOnAll = (name: string) => {
  const row = rows.get(name);
  return row !== undefined && row.groups.size + row.services.size === 0;
};
for (const { file, text, own } of roles) {
  if (own.size === 0) continue;
  const before = own.size;
  // Iterating a map also visits entries added meanwhile.
  for (const [name] of own) {
    for (const group of needs.get(name) ?? []) {
      const line = group.flatMap((one) => rows.get(one)?.cells.slice(0, 5).join('\t').trimEnd() ?? [])[0];
      if (line === undefined || group.some((one) => own.has(one) || isOnAll(one))) continue;
      own.set(group.find((one) => rows.has(one)) ?? '', line);
    }
  }
  changed += own.size - before;
  const section = [...own.values()].sort().map((line) => `ubuntu-24.04\t${line}\n`);
  writeFileSync(
    new URL(`roles/${file}`, DATA),
    text.replace(/(?:^ubuntu-24\.04\t.*\n)+(?=.*\t|\n)/m, section.join('')),
  );
}

const text = ({ cells, groups, services }: Row) =>
  [
    ...cells.slice(0, 5),
    ...Array(5 - Math.min(5, cells.length)).fill(''),
    [...groups].join(','),
    [...services].join(','),
  ]
    .join('\t')
    .trimEnd();
writeFileSync(new URL(LIST, DATA), [header, ...[...rows.values()].map(text), ''].join('\n'));
const written = [...needs].filter(([, groups]) => groups.length > 0);
const needed = written.map(
  ([name, groups]) => `${name}\t${[...new Set(groups.map((one) => one.join('|')))].sort().join(',')}`,
);
writeFileSync(new URL('packages/ubuntu-24.04.needs.tsv', DATA), ['package\tneeds', ...needed.sort(), ''].join('\n'));
const without = [...known].filter((name) => !needs.has(name));
process.stdout.write(
  `${written.length} of ${known.size} need others, ${changed} brought; not in Debian's list: ${without.length}\n`,
);
