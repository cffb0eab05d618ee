import { hash32 } from '../../base/kernel/random.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type Node, type Optional, slot, type Text } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { Distribution } from '../host/linux/distribution.ts';
import type { ServiceState, ServiceStates } from '../host/linux/software.ts';
import { keyOf, scramble, streamLabel, unit } from '../host/noise.ts';
import type { Fill, PartOf } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { type DeviceInput, deviceUnits, type UnitLine, type UnitState } from './device-units.ts';
import type { LoginSession, Users } from './users.ts';

/** Units of a distribution's hosts, except those of their devices and role. */
export type UnitSet = {
  readonly units: readonly UnitLine[];
  /** Services that their timers start for a moment from time to time. */
  readonly timed: readonly Omit<TableRow<typeof TIMED>, 'line'>[];
};

const UNIT = { active: column.text, load: column.text, sub: column.text, description: column.orEmpty(column.text) };
const OWN = { unit: column.text, ...UNIT };
/** `only`: the distribution or family that has the unit, if not all do. `while`: it exists only while a user is signed in. */
const COMMON = {
  unit: column.text,
  only: column.orEmpty(column.text),
  while: column.orEmpty(column.oneOf('users')),
  ...UNIT,
};
const TIMED = { distribution: column.orEmpty(column.text), unit: column.text, everySeconds: column.wholeNumber };

const commonUnits = oncePerData((data) => readTable(data, 'units/linux.tsv', COMMON));
const timedUnits = oncePerData((data) => readTable(data, 'units/timed.tsv', TIMED));

/** If the file of a unit is missing, its name is its description. */
function unitLine({ unit, active, load, sub, description = unit }: TableRow<typeof OWN>): UnitLine {
  return { unit, description, state: [active, load, sub] };
}

export function unitsOf(data: HostTables, distribution: Distribution): UnitSet {
  const { siblingOf, system, family, withoutUnits, texts } = distribution;
  const isAbsent = (unit: string) => withoutUnits.some((start) => unit.startsWith(start));
  const own = readTable(data, `units/${siblingOf}.tsv`, OWN).map(unitLine);
  const known = new Set(own.map(({ unit }) => unit));
  const others = commonUnits(data)
    .filter(({ unit, only = family }) => [family, system, siblingOf].includes(only) && !isAbsent(unit))
    .map((row) => ({ ...unitLine(row), while: row.while, unit: texts.units[row.unit] ?? row.unit }))
    .filter(({ unit }) => !known.has(unit));
  const timed = timedUnits(data).filter((row) => row.distribution === undefined || row.distribution === siblingOf);
  return { units: [...own, ...others], timed };
}

type SystemdInput = DeviceInput & {
  readonly states: ServiceStates;
  readonly users: Pick<Users, 'some' | 'sessions' | 'seat'>;
  readonly set: UnitSet;
  readonly count: number;
  /** List exactly `count` units instead of at most `count`. */
  readonly exact: boolean;
  /** Seed of the order in which systemd lists units. It differs with each boot of each machine. */
  readonly order: number;
};

const SYSTEMD = streamLabel('systemd_services');
const IDENTIFIERS = streamLabel('identifiers');
const RUNNING: UnitState = ['active', 'loaded', 'running'];
/** Time for which a timed service runs. This figure and the next two are chosen. */
const RUN_SECONDS = 40;
/** Occasionally a timed service fails and stays failed for such a spell. */
const NEGLECT_SECONDS = 5 * DAY_SECONDS;
const NEGLECTED = 0.012;

/** The check `systemd_services`: all units in systemd's internal order, which appears random and is the same for hosts of a variant. */
export const systemdServicesCheck: PartOf<SystemdInput> = (input, cells) => {
  const { states, set, count, users } = input;
  const running = states.all.filter(({ service }) => service.unit !== undefined);
  const known = new Set(running.map(({ service }) => service.unit?.name));
  const others = [...set.units, ...seatUnits(users), ...deviceUnits(input)].filter((line) => {
    return !known.has(line.unit) && !(input.exact && line.while !== undefined);
  });
  const rest = Math.max(0, count - running.length);
  const chosen = [...mostImportantOf(others, rest), ...instances(input.exact ? rest - others.length : 0)];
  const identifiers = identifierSlots(cells);
  const timed = set.timed
    .filter(({ unit }) => chosen.some((line) => line.unit === unit))
    .map((service) => ({ ...service, state: cells.one() }));
  const entries = [
    ...running.slice(0, count).map((state) => ({ name: state.service.unit?.name ?? '', node: runningUnit(state) })),
    ...chosen.map((line) => {
      const timer = timed.find(({ unit }) => unit === line.unit);
      const node = timer === undefined ? idleUnit(line, identifiers) : timedUnit(line, timer.state);
      return { name: line.unit, node: slot.optional(line.while && users.some, node) };
    }),
    ...(input.exact || count === 0 ? [] : users.sessions.map(sessionUnit)),
  ];
  entries.sort((a, b) => hash32(input.order, a.name) - hash32(input.order, b.name));
  return {
    node: entries.map(({ node }) => node),
    fill(frame, host) {
      identifiers.fill(frame, host);
      const key = keyOf(host.hostKey, SYSTEMD);
      for (const [i, { everySeconds, state }] of timed.entries()) {
        frame[state] = timedState(key + 7 * i, everySeconds, secondsSinceEpoch(host.checkMs));
      }
    },
  };
};

function seatUnits({ seat }: SystemdInput['users']): readonly UnitLine[] {
  if (seat === undefined) return [];
  const description = slot.text('Session 2 of User ', ...seat.name.parts);
  return [{ unit: 'session-2.scope', description, state: RUNNING, while: 'users' }];
}

/** All file systems, which other checks report, too, and the most important units of each other type, with the types in proportion. */
function mostImportantOf(all: readonly UnitLine[], most: number): readonly UnitLine[] {
  if (most >= all.length) return all;
  const mounts = all.filter(isMount).slice(0, most);
  const lines = all.filter((line) => !isMount(line));
  const count = most - mounts.length;
  const counts = new Map<string, number>();
  const ranked = lines.map((line) => {
    const type = line.unit.slice(line.unit.lastIndexOf('.') + 1);
    const position = (counts.get(type) ?? 0) + 1;
    counts.set(type, position);
    return { line, rank: position / (TYPE_WEIGHTS[type] ?? OTHER_WEIGHT) };
  });
  const others = ranked.sort((a, b) => a.rank - b.rank).slice(0, count);
  return [...mounts, ...others.map(({ line }) => line)];
}

function isMount({ unit }: UnitLine): boolean {
  return /\.(mount|swap)$/.test(unit);
}

/** Relative numbers of units of each type on a list. Chosen. */
const TYPE_WEIGHTS: Readonly<Record<string, number>> = { service: 4, device: 2.5, target: 2, socket: 1.5, timer: 1.2 };
const OTHER_WEIGHT = 0.7;

/** Instances of a host's own services, for hosts with more units than the system has. */
function instances(count: number): readonly UnitLine[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    unit: `shop-import@${index + 1}.service`,
    description: `Import ${index + 1} of the shop`,
    state: ['inactive', 'loaded', 'dead'],
  }));
}

const WAITS = 0;
const RUNS = 1;
const FAILED = 2;

function timedState(key: number, periodSeconds: number, now: number): number {
  const spell = Math.floor(now / NEGLECT_SECONDS + unit(key, -2));
  if (unit(key, spell) < NEGLECTED) return FAILED;
  return (now + Math.floor(unit(key, -1) * periodSeconds)) % periodSeconds < RUN_SECONDS ? RUNS : WAITS;
}

function unitNode(
  Name: Node,
  Description: Node,
  [ActiveState, LoadState, SubState]: readonly [Node, Node, Node],
): Node {
  return { ActiveState, Description, LoadState, Name, SubState };
}

function timedUnit({ unit, description, state: [active, load, sub] }: UnitLine, cell: Cell): Node {
  const states = (usual: string, starting: string) => slot.either(cell, [usual, starting, 'failed']);
  return unitNode(unit, description, [states(active, 'activating'), load, states(sub, 'start')]);
}

/** A service with processes. It is failed while it has none. */
function runningUnit({ service, installed, running, life }: ServiceState): Node | Optional {
  const { name = '', description = '' } = service.unit ?? {};
  const changes = running !== undefined && (life !== undefined || installed === undefined);
  const state = (well: string) => (changes ? slot.either(running, ['failed', well]) : well);
  const [active, load, sub] = RUNNING;
  return slot.optional(installed, unitNode(name, description, [state(active), load, state(sub)]));
}

function sessionUnit({ terminal, names, row }: LoginSession) {
  const number = slot.integer(row.number);
  const description = slot.text('Session ', number, ' of User ', slot.word(row.name, names));
  const node = unitNode(slot.text('session-', number, '.scope'), description, RUNNING);
  return { name: terminal, node: slot.optional(row.present, node) };
}

function idleUnit({ unit, named = unit, description, state }: UnitLine, { textOf }: Identifiers): Node {
  return unitNode(textOf(named), textOf(description), state);
}

type Identifiers = {
  /** Text with the host's own digits instead of its marks: `{s0}` for serial numbers, `{u0}` and `{v0}` for UUIDs, `{f0}` for a FAT. */
  readonly textOf: (text: string | Text) => Node;
  readonly fill: Fill;
};

const MARK = /\{([sufv]\d+)\}/;
const HEX = [...'0123456789ABCDEF'];
const SERIAL_DIGITS = 8;
const FAT_DIGITS = 8;
/** Marks of one kind have numbers below this, so that each kind has random numbers of its own. */
const MAX_MARKS = 200;

function identifierSlots(cells: Cells): Identifiers {
  const rows = new Map<string, Cell>();
  let numbers: readonly MarkNumber[] | undefined;
  const cellOf = (mark: string): Cell => {
    const cell = rows.get(mark) ?? cells.one();
    rows.set(mark, cell);
    return cell;
  };
  const slots = (mark: string): Text['parts'] => {
    // The ID of a FAT has upper-case digits, each in a cell of its own.
    if (mark.startsWith('f')) {
      const first = FAT_DIGITS * Number(mark.slice(1));
      const digits = Array.from({ length: FAT_DIGITS }, (_, index) => slot.word(cellOf(`d${first + index}`), HEX));
      return [...digits.slice(0, 4), '-', ...digits.slice(4)];
    }
    return mark.startsWith('s') ? [slot.padded(cellOf(mark), SERIAL_DIGITS)] : [slot.hex(cellOf(mark), 8)];
  };
  return {
    textOf(line) {
      if (typeof line !== 'string' || !MARK.test(line)) return line;
      return slot.text(...line.split(MARK).flatMap((piece, index) => (index % 2 === 0 ? [piece] : slots(piece))));
    },
    fill(frame, { hostKey }) {
      const key = keyOf(hostKey, IDENTIFIERS);
      // All marks are known once the document has been described.
      numbers ??= [...rows].map(([mark, cell]) => markNumber(mark, cell));
      for (let i = 0; i < numbers.length; i++) {
        const { cell, number, below } = numbers[i] as MarkNumber;
        frame[cell] = scramble(key, number) % below;
      }
    },
  };
}

/** The random number below a limit that a mark stands for, and its position in the host's stream. */
type MarkNumber = { readonly cell: Cell; readonly number: number; readonly below: number };

function markNumber(mark: string, cell: Cell): MarkNumber {
  const number = Number(mark.slice(1));
  if (mark.startsWith('d')) return { cell, number: 2 * MAX_MARKS + number, below: HEX.length };
  if (mark.startsWith('s')) return { cell, number, below: 10 ** SERIAL_DIGITS };
  return { cell, number: number + MAX_MARKS * (mark.startsWith('u') ? 1 : 20), below: 2 ** 32 };
}
