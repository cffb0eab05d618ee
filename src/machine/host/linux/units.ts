import { type HostTables, oncePerData, orEmpty, readTable, TEXT, WHOLE_NUMBER } from '../../host-data.ts';

/** A unit of systemd that has no process, most important first in every list of them. */
export type UnitLine = { readonly name: string; readonly description: string; readonly state: UnitState };

export type UnitState = readonly [active: string, load: string, sub: string];

/** The units of a distribution's hosts besides those of their devices and of their role. */
export type UnitSet = { readonly units: readonly UnitLine[]; readonly timed: readonly TimedService[] };

/** A service that runs for a moment now and then, started by its timer. */
type TimedService = { readonly name: string; readonly periodSeconds: number };

/** How a distribution differs from others, beside what stands in `units/<name>.tsv`. */
export type UnitsOfDistribution = {
  readonly name: string;
  readonly siblingOf?: string;
  readonly system: string;
  readonly family: string;
  /** Common units that it lacks, and those that it calls otherwise. */
  readonly units: { readonly without?: RegExp; readonly renamed?: Readonly<Record<string, string>> };
};

const UNIT = { active: TEXT, load: TEXT, sub: TEXT, description: orEmpty(TEXT) };
const OWN = { unit: TEXT, ...UNIT };
/** `only`: a distribution or a family of them, if others do not have it. */
const COMMON = { unit: TEXT, only: orEmpty(TEXT), ...UNIT };
const TIMED = { distribution: orEmpty(TEXT), unit: TEXT, every_seconds: WHOLE_NUMBER };

const commonUnits = oncePerData((data) => readTable(data, 'units/linux.tsv', COMMON));
const timedUnits = oncePerData((data) => readTable(data, 'units/timed.tsv', TIMED));

type UnitRow = { readonly [Column in 'unit' | 'active' | 'load' | 'sub']: string } & {
  readonly description?: string | undefined;
};

/** A unit whose file is missing has nothing but its name to describe it. */
function unitLine({ unit, active, load, sub, description = unit }: UnitRow): UnitLine {
  return { name: unit, description, state: [active, load, sub] };
}

export function unitsOf(data: HostTables, distribution: UnitsOfDistribution): UnitSet {
  const { name: ownName, siblingOf = ownName, system, family } = distribution;
  const { without, renamed = {} } = distribution.units;
  const own = readTable(data, `units/${siblingOf}.tsv`, OWN).map(unitLine);
  const known = new Set(own.map(({ name }) => name));
  const others = commonUnits(data)
    .filter(({ unit, only = family }) => (only === family || only === system) && !without?.test(unit))
    .map((row) => ({ ...unitLine(row), name: renamed[row.unit] ?? row.unit }))
    .filter(({ name }) => !known.has(name));
  const timed = timedUnits(data).filter((row) => row.distribution === undefined || row.distribution === siblingOf);
  return {
    units: [...own, ...others],
    timed: timed.map(({ unit, every_seconds }) => ({ name: unit, periodSeconds: every_seconds })),
  };
}

/** Services that NetworkManager and chrony stand in for. */
export const NETWORKD = /^systemd-(networkd|networkd-wait-online|resolved|timesyncd)\./;
