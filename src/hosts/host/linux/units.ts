import { type HostTables, oncePerData, orEmpty, readTable, TEXT, WHOLE_NUMBER } from '../../host-data.ts';

/** A systemd unit without a process. Lists have the most important units first. */
export type UnitLine = { readonly name: string; readonly description: string; readonly state: UnitState };

export type UnitState = readonly [active: string, load: string, sub: string];

/** Units of a distribution's hosts, except those of their devices and role. */
export type UnitSet = { readonly units: readonly UnitLine[]; readonly timed: readonly TimedService[] };

/** A service that its timer starts for a moment from time to time. */
type TimedService = { readonly name: string; readonly periodSeconds: number };

/** Differences between a distribution and others, in addition to `units/<name>.tsv`. */
export type UnitsOfDistribution = {
  readonly name: string;
  readonly siblingOf?: string;
  readonly system: string;
  readonly family: string;
  /** Common units that it lacks, and units with other names. */
  readonly units: { readonly without?: RegExp; readonly renamed?: Readonly<Record<string, string>> };
};

const UNIT = { active: TEXT, load: TEXT, sub: TEXT, description: orEmpty(TEXT) };
const OWN = { unit: TEXT, ...UNIT };
/** `only`: the distribution or family that has the unit, if not all do. */
const COMMON = { unit: TEXT, only: orEmpty(TEXT), ...UNIT };
const TIMED = { distribution: orEmpty(TEXT), unit: TEXT, every_seconds: WHOLE_NUMBER };

const commonUnits = oncePerData((data) => readTable(data, 'units/linux.tsv', COMMON));
const timedUnits = oncePerData((data) => readTable(data, 'units/timed.tsv', TIMED));

type UnitRow = { readonly [Column in 'unit' | 'active' | 'load' | 'sub']: string } & {
  readonly description?: string | undefined;
};

/** If the file of a unit is missing, its name is its description. */
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

/** Services that NetworkManager and chrony replace. */
export const NETWORKD = /^systemd-(networkd|networkd-wait-online|resolved|timesyncd)\./;
