/**
 * Updates versions of Arch's packages, in its list and in the tables of roles, from Arch's own record of its repositories
 * (`archlinux/state` on GitHub: a folder per repository, with a file per source). Run by hand:
 *
 *     node scripts/arch-versions.ts state 2026-02-02
 *
 * All packages of a source have its version. Prints the sources that the record does not contain.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const DATA = new URL('../src/hosts/data/', import.meta.url);
const LIST = new URL('packages/arch.tsv', DATA);
const LISTS = new URL('packages/lists.tsv', DATA);
const ROLES = new URL('roles/', DATA);
const REPOSITORIES = ['core-any', 'core-x86_64', 'extra-any', 'extra-x86_64'];
/** These packages have the version of the running kernel, which is in the profile. */
const OF_THE_KERNEL = 'linux';

const [folder, date] = process.argv.slice(2);
if (folder === undefined || date === undefined) throw new Error('usage: arch-versions.ts <folder> <date>');

const published = new Map(
  REPOSITORIES.flatMap((repository) =>
    readdirSync(`${folder}/${repository}`).map((source) => {
      const [name = '', version = ''] = readFileSync(`${folder}/${repository}/${source}`, 'utf8').split(' ');
      return [name, version] as const;
    }),
  ),
);
const unknown = new Set<string>();
let confirmed = 0;

/** The same line with its source's version. A number that updates increase stays marked. */
function renewed(line: string): string {
  const [source = '', name = '', version = '', ...rest] = line.split('\t');
  if (source === OF_THE_KERNEL) return line;
  const newest = published.get(source);
  if (newest === undefined) unknown.add(source);
  else confirmed++;
  return [source, name, newest === undefined ? version : inItsPlace(version, newest), ...rest].join('\t');
}

function inItsPlace(version: string, newest: string): string {
  const [head, tail] = version.split('{');
  if (head === undefined || tail === undefined) return newest;
  const runsBefore = [...head.matchAll(/\d+/g)].length;
  const begun = /\d*$/.exec(head)?.[0].length ?? 0;
  const run = [...newest.matchAll(/\d+/g)][begun > 0 ? runsBefore - 1 : runsBefore];
  if (run === undefined) throw new Error(`${version}: no such number in ${newest}`);
  const [digits] = run;
  const zeros = /^0*(?=\d)/.exec(digits.slice(begun))?.[0].length ?? 0;
  const from = run.index + begun + zeros;
  const to = run.index + digits.length;
  return `${newest.slice(0, from)}{${newest.slice(from, to)}}${newest.slice(to)}`;
}

const [header = '', ...lines] = readFileSync(LIST, 'utf8').trimEnd().split('\n');
writeFileSync(LIST, [header, ...lines.map(renewed).sort(), ''].join('\n'));
for (const file of readdirSync(ROLES)) {
  const role = new URL(file, ROLES);
  const [before = '', section = '', ...after] = readFileSync(role, 'utf8').split(/(?<=\[linux packages\]\n)([^[]*)/);
  const ofRole = section.replace(/^arch\t(.*)$/gm, (_, line: string) => `arch\t${renewed(line)}`);
  writeFileSync(role, [before, ofRole, ...after].join(''));
}
writeFileSync(LISTS, readFileSync(LISTS, 'utf8').replace(/^(arch\t)\S+/m, `$1${date}`));
process.stdout.write(`${confirmed} packages have the version of their source; not known: ${[...unknown].join(' ')}\n`);
