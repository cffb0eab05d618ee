import { hash32 } from '../../kernel/random.ts';
import { ALWAYS, type Group, neededGroups } from './groups.ts';
import type { Inventory, InventoryPackage } from './inventory.ts';
import { type Pattern, patternText } from './pattern.ts';
import { type PackageTable, packageTable, type TablePackage, type TableText } from './table.ts';
import { upTo } from './wishes.ts';

/** Where the hosts of a distribution have their packages from. */
export type Archive = {
  readonly table: TableText;
  /** Told by every host, after the agent and before all others. */
  readonly kernels: readonly Omit<InventoryPackage, 'groups'>[];
  /** Names in the order of their importance: the base system, and the packages of what runs. */
  readonly first: string;
  /** The text of a package, as long as the agent tells it. */
  readonly describe: (name: string, source: string) => string;
};

export type Roles = { readonly all: readonly string[]; readonly own: string };

/** What of all the packages that a host of a role may have is told, and which share of them that is. */
export type Told = Pick<Inventory, 'packages' | 'groups'> & { readonly share: number };

type Candidate = { readonly entry: InventoryPackage; readonly rank: number; readonly share: number };
type Reader = (roles: readonly string[]) => PackageTable;

const AGENT = 'openitcockpit-agent';

/** Makes inventories of hosts of one role that have about so many packages; reads the table once, at first use. */
export function inventories(archive: Archive): (roles: Roles, count: number) => Told {
  let table: PackageTable | undefined;
  const read: Reader = (roles) => {
    table ??= packageTable(archive.table, roles);
    return table;
  };
  return (roles, count) => toldPackages(archive, read(roles.all), { role: roles.own, count });
}

/**
 * How many are told depends on the size, which they are on the host alone: smaller sizes tell less of the same host. All
 * packages have a place in one order, and so many of them are told that a host has `count` of those in the mean.
 */
function toldPackages(
  { first, kernels, describe }: Archive,
  table: PackageTable,
  { role, count }: { readonly role: string; readonly count: number },
): Told {
  const importance = new Map(`${AGENT} ${first}`.split(/\s+/).map((name, place) => [name, place]));
  const candidates = table.packages.flatMap((one): readonly Candidate[] => {
    const reason = reasonFor(one, table, role);
    if (reason === undefined) return [];
    const mask =
      reason === ALWAYS ? ALWAYS : reason.reduce((sum, letter) => sum | (table.groups.get(letter)?.bit ?? 0), 0);
    const entry = { ...one, name: [one.name] as Pattern, description: describe(one.name, one.source), groups: mask };
    const place = importance.get(one.name);
    const share = reason === ALWAYS ? 1 : shareOf(reason.map((letter) => table.groups.get(letter)));
    return [{ entry, share, rank: place === undefined ? rankOf(one, reason) : place - importance.size }];
  });
  const ranked = candidates.sort((a, b) => a.rank - b.rank);
  const [agent, ...others] = ranked.map(({ entry, share }) => ({ entry, share }));
  const all = [
    ...(agent ? [agent] : []),
    ...kernels.map((kernel) => ({ entry: { ...kernel, groups: ALWAYS }, share: 1 })),
    ...others,
  ];
  const told = upTo(all, count);
  const packages = sorted(told.map(({ entry }) => entry));
  return { packages, groups: neededGroups([...table.groups.values()], packages), share: told.length / all.length };
}

/** Why a host of a role may have a package: always, or for some groups. */
function reasonFor({ letters }: TablePackage, { roles, groups }: PackageTable, role: string) {
  if (letters === '' || [...letters].some((letter) => roles.get(letter) === role)) return ALWAYS;
  const optional = [...letters].filter((letter) => groups.has(letter));
  return optional.length === 0 ? undefined : optional;
}

function shareOf(groups: readonly (Group | undefined)[]): number {
  return 1 - groups.reduce((rest, group) => rest * (1 - (group?.share ?? 0)), 1);
}

/** What every host has comes first, but for some that most do not have: short lists differ, too. */
function rankOf({ name, letters }: TablePackage, reason: ReturnType<typeof reasonFor>): number {
  const chance = hash32(0, `packages.rank.${name}`) / 0x1_0000_0000;
  if (letters === '') return 0.45 * chance;
  return reason === ALWAYS ? 0.7 * chance : 0.05 + 0.95 * chance;
}

function sorted(packages: readonly InventoryPackage[]): readonly InventoryPackage[] {
  const keyed = packages.map((entry) => ({ entry, key: patternText(entry.name, 0) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ entry }) => entry);
}
