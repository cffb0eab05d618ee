import type { Draw } from '../host/draws.ts';
import { type HostTables, oncePerData } from '../host-data.ts';
import { type Cause, serviceDrawn } from './causes.ts';
import type { Inventory, InventoryPackage } from './inventory.ts';
import { type Pattern, patternText } from './pattern.ts';
import { withReasons } from './reasons.ts';
import { type Catalog, type CatalogPackage, readCatalog } from './table.ts';
import { upTo } from './wishes.ts';

/** Where the hosts of a distribution have their packages from. */
export type Archive = {
  /** Its packages in `packages/` of the data, and those of vendors. */
  readonly lists: readonly [string, ...string[]];
  /** Told by every host, after the agent and before all others. */
  readonly kernels: readonly Omit<InventoryPackage, 'reasons'>[];
  /** Names in the order of their importance: the base system, and the packages of what runs. */
  readonly first: string;
  /** The text of a package, as long as the agent tells it. */
  readonly describe: (name: string, source: string) => string;
};

export type Roles = {
  readonly own: string;
  readonly services: ServicesHere;
};

/** The services that hosts have: all of them, or those of a draw. */
export type ServicesHere = ReadonlyMap<string, Draw | 'always'>;

/** What of all the packages that a host of a role may have is told, and which share of them that is. */
export type Told = Pick<Inventory, 'packages' | 'known'> & { readonly share: number };

const AGENT = 'openitcockpit-agent';

/** Makes inventories of hosts of one role that have about so many packages; reads the catalog once, at first use. */
export function inventories(
  archive: Archive,
  all: readonly string[],
): (data: HostTables, roles: Roles, count: number) => Told {
  const catalogOf = oncePerData((data) => readCatalog(data, archive.lists, all));
  return (data, roles, count) =>
    toldPackages(archive, catalogOf(data), { role: roles.own, causeOf: causesFrom(roles.services), count });
}

type HostsOfRole = { readonly role: string; readonly causeOf: (service: string) => Cause | 'always' | undefined };

/**
 * How many are told depends on the size, which they are on the host alone: smaller sizes tell less of the same host. All
 * packages have a place in one order, and so many of them are told that a host has `count` of those in the mean.
 */
function toldPackages(archive: Archive, table: Catalog, hosts: HostsOfRole & { readonly count: number }): Told {
  const { first, kernels, describe } = archive;
  const importance = new Map(`${AGENT} ${first}`.split(/\s+/).map((name, place) => [name, place]));
  const ranked = table.packages.flatMap((one) => {
    const causes = causesOf(one, table, hosts);
    if (causes === undefined) return [];
    const place = importance.get(one.name);
    const rank = place === undefined ? rankOf(one, causes) : place - importance.size;
    const entry = () => ({ ...one, name: [one.name] as Pattern, description: describe(one.name, one.source) });
    return [{ entry, causes, rank }];
  });
  const [agent, ...others] = ranked.sort((a, b) => a.rank - b.rank);
  const all = [...(agent ? [agent] : []), ...kernels.map((kernel) => ({ entry: () => kernel, causes: [] })), ...others];
  const told = upTo(all, hosts.count);
  const { known, members } = withReasons(told);
  // Described last, because that takes longest and most packages are not told.
  const packages = sorted(members.map(({ entry, reasons }) => ({ ...entry(), reasons })));
  return { packages, known, share: told.length / all.length };
}

/** What brings a package to hosts of a role, to all of them if that is nothing; undefined: none has it. */
function causesOf(one: CatalogPackage, table: Catalog, { role, causeOf }: HostsOfRole) {
  const services = one.services.map(causeOf);
  const everywhere = one.groups.length === 0 && services.length === 0;
  if (everywhere || one.groups.includes(role)) return [];
  if (services.includes('always')) return [];
  const byChance = one.groups.map((group) => table.groups.get(group));
  const causes = [...byChance, ...services].filter((cause) => cause !== undefined && cause !== 'always');
  return causes.length === 0 ? undefined : causes;
}

/** One cause for all packages of a service, and for services of one draw. */
function causesFrom(services: ServicesHere): HostsOfRole['causeOf'] {
  const known = new Map<string, Cause>();
  return (service) => {
    const draw = services.get(service);
    if (draw === undefined || draw === 'always') return draw;
    const key = `${draw.name} ${draw.from} ${draw.to}`;
    const cause = known.get(key) ?? serviceDrawn(draw);
    known.set(key, cause);
    return cause;
  };
}

/** What every host has comes first, but for some that most do not have: short lists differ, too. */
function rankOf({ chance, groups, services }: CatalogPackage, causes: readonly Cause[]): number {
  // What tells of a service that is told.
  if (groups.length === 0 && services.length > 0) return 0.06 * chance;
  if (groups.length === 0) return 0.45 * chance;
  return causes.length === 0 ? 0.7 * chance : 0.05 + 0.95 * chance;
}

function sorted(packages: readonly InventoryPackage[]): readonly InventoryPackage[] {
  const keyed = packages.map((entry) => ({ entry, key: patternText(entry.name, 0) }));
  return keyed.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)).map(({ entry }) => entry);
}
