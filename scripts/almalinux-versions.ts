/**
 * Updates versions in the list of AlmaLinux 9's packages to the newest published ones, from AlmaLinux's own advisories in OSV
 * format. Run by hand on the folder of AlmaLinux 9's advisories:
 *
 *     node scripts/almalinux-versions.ts osv-database/advisories/almalinux9 2026-08-21
 *
 * Packages without an advisory stay unchanged. Prints the number of packages with advisories.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

type Advisory = {
  readonly affected: readonly {
    readonly package: { readonly ecosystem: string; readonly name: string };
    readonly ranges: readonly { readonly events: readonly { readonly fixed?: string }[] }[];
  }[];
};

const LIST = new URL('../src/hosts/data/packages/almalinux-9.tsv', import.meta.url);
const LISTS = new URL('../src/hosts/data/packages/lists.tsv', import.meta.url);
/** Gems have versions of their own, which do not tell the Ruby version. */
const GEM = /^rubygem/;
/** These packages have the version of the running kernel, which is in the profile. */
const OF_THE_KERNEL = 'kernel-headers';

const [folder, date] = process.argv.slice(2);
if (folder === undefined || date === undefined) throw new Error('usage: almalinux-versions.ts <folder> <date>');

const published = new Map<string, Set<string>>();
for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
  const { affected } = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Advisory;
  for (const { package: of, ranges } of affected) {
    if (of.ecosystem !== 'AlmaLinux:9') continue;
    const fixed = ranges.flatMap(({ events }) => events.flatMap((event) => event.fixed ?? []));
    published.set(of.name, new Set([...(published.get(of.name) ?? []), ...fixed]));
  }
}

/** Compares versions as rpm does: numbers by value, and more parts are newer. */
function compare(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [one = '', other = ''] = [left[i], right[i]];
    const difference = /^\d+$/.test(one) && /^\d+$/.test(other) ? Number(one) - Number(other) : one < other ? -1 : 1;
    if (one !== other && difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): readonly string[] {
  return (version.includes(':') ? version : `0:${version}`).match(/\d+|[a-z]+/gi) ?? [];
}

/** The stream of a module, from the start of its version; empty for the system's own packages. */
function streamOf(name: string, version: string): string {
  if (!version.includes('.module_el9')) return '';
  const pattern = /^(nodejs|postgresql)/.test(name) ? /^(?:\d+:)?(\d+)/ : /^(?:\d+:)?(\d+\.\d+)/;
  return pattern.exec(version)?.[1] ?? '';
}

/** Marks the first number of the release as the one that updates increase. All packages of a source use the same number. */
function moving(version: string): string {
  return version.replace(/-(\d+)/, '-{$1}');
}

/** The newest version of a package's stream, unless the listed one is newer. */
function renewed(name: string, version: string): string | undefined {
  if (GEM.test(name)) return undefined;
  const plain = version.replace(/[{}]/g, '');
  const stream = streamOf(name, plain);
  const newest = [...(published.get(name) ?? [])]
    .filter((one) => streamOf(name, one) === stream)
    .sort(compare)
    .at(-1);
  if (newest === undefined) return undefined;
  const isOlder = epochOf(newest) === epochOf(plain) && compare(newest, plain) < 0;
  return isOlder || newest === plain ? version : version === plain ? newest : moving(newest);
}

const [header = '', ...lines] = readFileSync(LIST, 'utf8').trimEnd().split('\n');
const rows = lines.map((line) => line.split('\t') as [string, string, string, ...string[]]);
const confirmed = rows.filter(
  ([source, name, version]) => source !== OF_THE_KERNEL && renewed(name, version) !== undefined,
);
/** Packages with the version of another package of their source get that package's new version. */
const together = new Map(confirmed.map(([source, name, version]) => [`${source} ${version}`, renewed(name, version)]));
const renewedLines = rows
  .map(([source, name, version, ...rest]) => {
    if (source === OF_THE_KERNEL) return [source, name, version, ...rest];
    return [source, name, renewed(name, version) ?? together.get(`${source} ${version}`) ?? version, ...rest];
  })
  .map((cells) => cells.join('\t'))
  .sort();

function epochOf(version: string): string {
  return version.includes(':') ? (version.split(':')[0] ?? '0') : '0';
}

writeFileSync(LIST, [header, ...renewedLines, ''].join('\n'));
writeFileSync(LISTS, readFileSync(LISTS, 'utf8').replace(/^(almalinux-9\t)\S+/m, `$1${date}`));
process.stdout.write(`${confirmed.length} of ${lines.length} packages have advisories\n`);
