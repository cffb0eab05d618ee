import { type HostTables, oncePerData, orEmpty, readTable, TEXT, WHOLE_NUMBER } from '../../host-data.ts';
import type { Distribution } from './distribution.ts';

/** A systemd unit without a process. Lists have the most important units first. */
export type UnitLine = { readonly name: string; readonly description: string; readonly state: UnitState };

export type UnitState = readonly [active: string, load: string, sub: string];

/** Units of a distribution's hosts, except those of their devices and role. */
export type UnitSet = { readonly units: readonly UnitLine[]; readonly timed: readonly TimedService[] };

/** A service that its timer starts for a moment from time to time. */
type TimedService = { readonly name: string; readonly periodSeconds: number };

const UNIT = { active: TEXT, load: TEXT, sub: TEXT, description: orEmpty(TEXT) };
const OWN = { unit: TEXT, ...UNIT };
/** `only`: the distribution or family that has the unit, if not all do. */
const COMMON = { unit: TEXT, only: orEmpty(TEXT), ...UNIT };
const TIMED = { distribution: orEmpty(TEXT), unit: TEXT, everySeconds: WHOLE_NUMBER };

const commonUnits = oncePerData((data) => readTable(data, 'units/linux.tsv', COMMON));
const timedUnits = oncePerData((data) => readTable(data, 'units/timed.tsv', TIMED));

type UnitRow = { readonly [Column in 'unit' | 'active' | 'load' | 'sub']: string } & {
  readonly description?: string | undefined;
};

/** If the file of a unit is missing, its name is its description. */
function unitLine({ unit, active, load, sub, description = unit }: UnitRow): UnitLine {
  return { name: unit, description, state: [active, load, sub] };
}

export function unitsOf(data: HostTables, distribution: Distribution): UnitSet {
  const { siblingOf, system, family, withoutUnits, texts } = distribution;
  const isLacking = (unit: string) => withoutUnits.some((start) => unit.startsWith(start));
  const own = readTable(data, `units/${siblingOf}.tsv`, OWN).map(unitLine);
  const known = new Set(own.map(({ name }) => name));
  const others = commonUnits(data)
    .filter(({ unit, only = family }) => (only === family || only === system) && !isLacking(unit))
    .map((row) => ({ ...unitLine(row), name: texts.units[row.unit] ?? row.unit }))
    .filter(({ name }) => !known.has(name));
  const timed = timedUnits(data).filter((row) => row.distribution === undefined || row.distribution === siblingOf);
  return {
    units: [...own, ...others],
    timed: timed.map(({ unit, everySeconds }) => ({ name: unit, periodSeconds: everySeconds })),
  };
}
