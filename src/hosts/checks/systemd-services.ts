import { hash32 } from '../../base/kernel/random.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type Node, type Optional, slot, type Text } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { FileSystem, NetworkInterface } from '../host/hardware.ts';
import type { HostState } from '../host/host-state.ts';
import type { Distribution } from '../host/linux/distribution.ts';
import type { Snap } from '../host/linux/hardware.ts';
import type { ServiceState, ServiceStates } from '../host/linux/software.ts';
import type { Disk, Partition, Platform } from '../host/linux/storage.ts';
import { keyOf, scramble, streamLabel, unit } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
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

type UnitState = readonly [active: string, load: string, sub: string];

/** A systemd unit without a process. Lists have the most important units first. */
type UnitLine = {
  readonly unit: string;
  /** The name as hosts report it, if it moves with releases. */
  readonly named?: string | Text;
  readonly description: string | Text;
  readonly state: UnitState;
  readonly while?: 'users' | undefined;
};

/** If the file of a unit is missing, its name is its description. */
function unitLine({ unit, active, load, sub, description = unit }: TableRow<typeof OWN>): UnitLine {
  return { unit, description, state: [active, load, sub] };
}

export function unitsOf(data: HostTables, distribution: Distribution): UnitSet {
  const { siblingOf, system, family, withoutUnits, texts } = distribution;
  const isLacking = (unit: string) => withoutUnits.some((start) => unit.startsWith(start));
  const own = readTable(data, `units/${siblingOf}.tsv`, OWN).map(unitLine);
  const known = new Set(own.map(({ unit }) => unit));
  const others = commonUnits(data)
    .filter(({ unit, only = family }) => [family, system, siblingOf].includes(only) && !isLacking(unit))
    .map((row) => ({ ...unitLine(row), while: row.while, unit: texts.units[row.unit] ?? row.unit }))
    .filter(({ unit }) => !known.has(unit));
  const timed = timedUnits(data).filter((row) => row.distribution === undefined || row.distribution === siblingOf);
  return { units: [...own, ...others], timed };
}

type SystemdInput = DeviceInput & {
  /** Running services, with their processes. */
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
/** Time for which a timed service runs. */
const RUN_SECONDS = 40;
/** Occasionally a timed service fails and stays failed for days. */
const NEGLECT_SECONDS = 5 * DAY_SECONDS;
const NEGLECTED = 0.012;

/** The check `systemd_services`: all units in systemd's internal order, which appears random and is the same for hosts of a variant. */
export const systemdServicesCheck: PartOf<SystemdInput> = (input, cells) => {
  const { states, set, count, users } = input;
  const running = states.all.filter(({ service }) => service.unit !== undefined);
  const known = new Set(running.map(({ service }) => service.unit?.name));
  const { seat } = users;
  const description = seat && slot.text('Session 2 of User ', ...seat.name.parts);
  const own = description && { unit: 'session-2.scope', description, state: RUNNING };
  const seats: readonly UnitLine[] = own === undefined ? [] : [{ ...own, while: 'users' }];
  const others = [...set.units, ...seats, ...deviceUnits(input)].filter((line) => {
    return !known.has(line.unit) && !(input.exact && line.while !== undefined);
  });
  const rest = Math.max(0, count - running.length);
  const chosen = [...someOf(others, rest), ...instances(input.exact ? rest - others.length : 0)];
  const identifiers = identifierSlots(cells);
  const timed = set.timed
    .filter(({ unit }) => chosen.some((line) => line.unit === unit))
    .map((service) => ({ ...service, state: cells.one() }));
  const entries = [
    ...running.slice(0, count).map((state) => ({ name: state.service.unit?.name ?? '', node: runningUnit(state) })),
    ...chosen.map((line) => {
      const own = timed.find(({ unit }) => unit === line.unit);
      const node = own === undefined ? stillUnit(line, identifiers) : timedUnit(line, own.state);
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

/** All file systems, which other checks report, too, and the most important units of each other type, with the types in proportion. */
function someOf(all: readonly UnitLine[], most: number): readonly UnitLine[] {
  if (most >= all.length) return all;
  const mounts = all.filter(isMount).slice(0, most);
  const lines = all.filter((line) => !isMount(line));
  const count = most - mounts.length;
  const seen = new Map<string, number>();
  const ranked = lines.map((line) => {
    const type = line.unit.slice(line.unit.lastIndexOf('.') + 1);
    const place = seen.get(type) ?? 0;
    seen.set(type, place + 1);
    return { line, rank: (place + 1) / (TYPE_WEIGHTS[type] ?? 0.7) };
  });
  const others = ranked.sort((a, b) => a.rank - b.rank).slice(0, count);
  return [...mounts, ...others.map(({ line }) => line)];
}

function isMount({ unit }: UnitLine): boolean {
  return /\.(mount|swap)$/.test(unit);
}

const TYPE_WEIGHTS: Readonly<Record<string, number>> = {
  service: 4,
  device: 2.5,
  target: 2,
  socket: 1.5,
  timer: 1.2,
};

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

function stillUnit({ unit, named = unit, description, state }: UnitLine, { shown }: Identifiers): Node {
  return unitNode(shown(named), shown(description), state);
}

type Identifiers = {
  /** Text with the host's own digits instead of its marks: `{s0}` for serial numbers, `{u0}` and `{v0}` for UUIDs. */
  readonly shown: (text: string | Text) => Node;
  readonly fill: (frame: Parameters<ReturnType<PartOf<unknown>>['fill']>[0], host: HostState) => void;
};

const MARK = /\{([sufv])(\d+)\}/;
const HEX = [...'0123456789ABCDEF'];
const MAX_MARKS = 200;

function identifierSlots(cells: Cells): Identifiers {
  const rows = new Map<string, Cell>();
  let drawn: readonly RenderedMark[] | undefined;
  const cellOf = (mark: string): Cell => {
    const row = rows.get(mark) ?? cells.one();
    rows.set(mark, row);
    return row;
  };
  const slots = (mark: string): Text['parts'] => {
    // The ID of a FAT has upper-case digits, each in a cell of its own.
    if (mark.startsWith('f')) {
      const digits = Array.from({ length: 8 }, (_, index) =>
        slot.word(cellOf(`d${8 * Number(mark.slice(1)) + index}`), HEX),
      );
      return [...digits.slice(0, 4), '-', ...digits.slice(4)];
    }
    return mark.startsWith('s') ? [slot.padded(cellOf(mark), 8)] : [slot.hex(cellOf(mark), 8)];
  };
  return {
    shown(line) {
      if (typeof line !== 'string' || !MARK.test(line)) return line;
      const pieces = line.split(MARK);
      const parts: Text['parts'][number][] = [];
      for (let i = 0; i < pieces.length; i += 3) {
        parts.push(pieces[i] ?? '');
        if (i + 2 < pieces.length) parts.push(...slots(`${pieces[i + 1]}${pieces[i + 2]}`));
      }
      return slot.text(...parts);
    },
    fill(frame, { hostKey }) {
      const key = keyOf(hostKey, IDENTIFIERS);
      // All marks are known once the document has been described.
      drawn ??= [...rows].map(([mark, cell]) => renderedMark(mark, cell));
      for (let i = 0; i < drawn.length; i++) {
        const { cell, number, below } = drawn[i] as RenderedMark;
        frame[cell] = scramble(key, number) % below;
      }
    },
  };
}

type RenderedMark = { readonly cell: Cell; readonly number: number; readonly below: number };

function renderedMark(mark: string, cell: Cell): RenderedMark {
  const number = Number(mark.slice(1));
  if (mark.startsWith('d')) return { cell, number: 2 * MAX_MARKS + number, below: HEX.length };
  if (mark.startsWith('s')) return { cell, number, below: 100_000_000 };
  return { cell, number: number + MAX_MARKS * (mark.startsWith('u') ? 1 : 20), below: 2 ** 32 };
}

const PLUGGED: UnitState = ['active', 'loaded', 'plugged'];
const MOUNTED: UnitState = ['active', 'loaded', 'mounted'];

type DeviceInput = {
  readonly data: HostTables;
  readonly disks: readonly Disk[];
  /** File systems that the host reports. */
  readonly mounted: readonly FileSystem[];
  readonly platform: Platform;
  /** Cards with hardware, or that the host makes itself. */
  readonly interfaces: readonly NetworkInterface[];
  /** Where it swaps to if not to a partition or volume; `undefined` without swap. */
  readonly swapFile: string | undefined;
  /** Number of serial ports that the kernel is built for, whether or not they exist. */
  readonly serialPorts: number;
  readonly snaps: readonly Snap[];
};

/** The units that systemd creates for devices and mounts: each device under all of its names. */
function deviceUnits(input: DeviceInput): readonly UnitLine[] {
  const { disks, mounted: mountedHere, serialPorts, snaps } = input;
  const mounts = mountedHere.filter(({ mountpoint }) => mountpoint !== '/').map(mountUnit);
  const blocks = disks.flatMap((disk, index) => diskUnits(disk, index, input));
  const images = snaps.flatMap(({ name, revision }, index) => [
    {
      ...mounted(`snap-${escapeDashes(name)}`, slot.text(`Mount unit for ${name}, revision `, ...revision)),
      named: slot.text(`snap-${escapeDashes(name)}-`, ...revision, '.mount'),
    },
    plugged(`dev-loop${index}`, `/dev/loop${index}`),
    plugged(`sys-devices-virtual-block-loop${index}`, `/sys/devices/virtual/block/loop${index}`),
  ]);
  const terminals = Array.from({ length: serialPorts }, (_, index) => [
    plugged(`dev-ttyS${index}`, `/dev/ttyS${index}`),
    plugged(`sys-devices-platform-serial8250-tty-ttyS${index}`, `/sys/devices/platform/serial8250/tty/ttyS${index}`),
  ]);
  return [...mounts, ...swapUnits(input), ...cardUnits(input), ...images, ...blocks, ...terminals.flat()];
}

/** Swap is on the first partition or volume of the system disk without a file system. */
function swapUnits({ disks: [system], swapFile }: DeviceInput): readonly UnitLine[] {
  if (swapFile === undefined) return [];
  const parts = system?.partitions.flatMap((partition) => [partition, ...partition.volumes]) ?? [];
  const free = parts.find(({ fileSystems, volumes }) => fileSystems.length === 0 && volumes.length === 0);
  const path = free === undefined ? swapFile : `/dev/${free.name}`;
  return [{ unit: `${unitOf(path)}.swap`, description: path, state: ['active', 'loaded', 'active'] }];
}

/** Each card has a unit for its class and one for its place. */
function cardUnits({ interfaces, platform }: DeviceInput): readonly UnitLine[] {
  const cards = interfaces.filter(({ loops }) => !loops);
  return cards.flatMap(({ name, members }, index) => {
    const isVirtual = members !== undefined || /^(wg|\w+\.\d)/.test(name);
    const bus = platform.on === 'metal' ? '0000:04:00' : '0000:00:12';
    const place = isVirtual ? 'virtual' : `pci0000:00/${bus}.${index}`;
    const path = `/sys/subsystem/net/devices/${name}`;
    const device = `/sys/devices/${place}/net/${name}`;
    return [path, device].map((at) => plugged(unitOf(at), isVirtual ? at : platform.card));
  });
}

/** Units of a disk, under all of its names. A hypervisor's disks have no model, so their descriptions are their paths. */
function diskUnits(disk: Disk, index: number, { data, platform }: DeviceInput): readonly UnitLine[] {
  const { device, model, serial, partitions } = disk;
  const { links, bus } = busOf(
    data,
    { device: device.name, platform: platform.platform, id: `${model.replaceAll(' ', '_')}_${serial}` },
    index,
  );
  const names = (own: string, part: string, partition?: Partition) => {
    const paths = [
      `/dev/${own}`,
      ...links.map((link) => `/dev/disk/${link}${part && `-part${part}`}`),
      `/sys/devices/${bus}/${device.name}${part && `/${own}`}`,
      ...(partition === undefined
        ? []
        : [`/dev/disk/by-uuid/${partition.uuid}`, `/dev/disk/by-partuuid/${partition.partUuid}`]),
    ];
    return paths.map((path) => plugged(unitOf(path), isParavirtual(device.name) ? path : `${model} ${part}`.trim()));
  };
  const parts = partitions.flatMap((partition) =>
    names(partition.name, partition.name.slice(device.name.length).replace('p', ''), partition),
  );
  const volumes = partitions
    .flatMap((partition) => partition.volumes)
    .flatMap(({ name, uuid }) => [
      plugged(`dev-${escapeDashes(name)}`, `/dev/${name}`),
      plugged(`sys-devices-virtual-block-${escapeDashes(name)}`, `/sys/devices/virtual/block/${name}`),
      plugged(`dev-disk-by\\x2duuid-${escapeDashes(uuid)}`, `/dev/disk/by-uuid/${uuid}`),
    ]);
  return [...names(device.name, ''), ...parts, ...volumes];
}

/** Disks without a model. */
function isParavirtual(device: string): boolean {
  return /^x?vd/.test(device);
}

type Attached = { readonly device: string; readonly platform: Platform['platform']; readonly id: string };

/** The links that udev creates for a disk, and its place on the bus. `{16i+9}` is a number that follows from the disk's index. */
const BUS = { disk: column.text, platform: column.orEmpty(column.text), links: column.text, bus: column.text };
const buses = oncePerData((data) => readTable(data, 'disk-buses.tsv', BUS));

function busOf(data: HostTables, { device, platform, id }: Attached, index: number) {
  const row = buses(data).find((bus) => device.startsWith(bus.disk) && (bus.platform ?? platform) === platform);
  const shown = (pattern = '') =>
    pattern
      .replace(/\{(\d*)i\+?(\d*)\}/g, (_, factor, offset) => String(Number(factor || 1) * index + Number(offset)))
      .replaceAll('{slot}', (index + 4).toString(16).padStart(2, '0'))
      .replaceAll('{drive}', device.replace(/n\d+$/, ''))
      .replaceAll('{id}', id);
  return { links: shown(row?.links).split('|'), bus: shown(row?.bus) };
}

/** Unit name of a path: slashes become dashes, and dashes are escaped. */
function unitOf(path: string): string {
  return escapeDashes(path.slice(1)).replaceAll('/', '-');
}

function mountUnit({ mountpoint }: FileSystem): UnitLine {
  return mounted(unitOf(mountpoint).replace(/^\./, '\\x2e'), mountpoint);
}

/** Escapes the dashes of a path, because a dash in a unit's name means a slash. */
function escapeDashes(part: string): string {
  return part.replaceAll('-', '\\x2d');
}

function mounted(name: string, description: string | Text): UnitLine {
  return { unit: `${name}.mount`, description, state: MOUNTED };
}

function plugged(name: string, description: string): UnitLine {
  return { unit: `${name}.device`, description, state: PLUGGED };
}
