import { digitsOf, isMembers, membersOf, valueIn, withDoubles } from '../../base/protocol/exact-json.ts';
import type { CheckResults, PackageDocument } from '../../base/protocol/shapes.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  isSlotted,
  type Node,
  type Optional,
  SLOT,
  type Slotted,
} from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { smoothNoise, unit } from '../host/noise.ts';
import { type Fill, inTurn, type Part } from '../host/part.ts';
import type { Level, Levels } from './recorded-hosts.ts';

export type RecordedValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordedValue[]
  | { readonly [key: string]: RecordedValue };

/** Replaces a recorded value: a node, live members (`*` for all others), or a function of value and index. `undefined` repeats it. */
export type Live = Node | Optional | LiveMembers | LiveOf | undefined;
type LiveOf = (recorded: never, index: number) => Live;
type LiveMembers = { readonly [member: string]: Live };

const NOTHING: ReadonlySet<unknown> = new Set();
const FIGURES: ReadonlySet<string> = new Set(['integer', 'float', 'tenths', 'share', 'wide']);

/** Some agents write texts such as NaN instead of a figure. No figure replaces these. */
function isFigure(recorded: RecordedValue): boolean {
  return typeof recorded === 'number' || digitsOf(recorded) !== undefined;
}

/**
 * A recorded value in which only the live members change. Their order and all others are as recorded, with all digits.
 * @param kept parts that stay as recorded
 */
export function template(recorded: RecordedValue, live: Live, kept = NOTHING, index = 0): Node | Optional {
  if (live === undefined || kept.has(recorded)) return recorded as Node;
  if (typeof live === 'function') return template(recorded, live(withDoubles(recorded) as never, index), kept);
  if (typeof live !== 'object' || live === null || Array.isArray(live)) return live as Node;
  if (isSlotted(live as Node))
    return FIGURES.has((live as Slotted)[SLOT]) && !isFigure(recorded) ? recorded : (live as Node);
  const members = live as LiveMembers;
  if (Array.isArray(recorded)) return recorded.map((one, at) => template(one, members['*'], kept, at) as Node);
  if (!isMembers(recorded)) return recorded as Node;
  const all = membersOf(recorded as { readonly [member: string]: RecordedValue }).map(([name, value], at) => {
    return [name, template(value, Object.hasOwn(members, name) ? members[name] : members['*'], kept, at)] as const;
  });
  return Object.fromEntries(all);
}

/** Cells with the functions that fill them, in the order in which they were added. */
export type LiveCells = {
  readonly cells: Cells;
  readonly filled: (value: (host: HostState, frame: CellValues) => number) => Cell;
  readonly add: (fill: Fill) => void;
  /** Adds the fill of a part, and returns its node. */
  readonly part: (part: Part) => Node;
  readonly fill: Fill;
};

export function liveCells(cells: Cells): LiveCells {
  const fills: Fill[] = [];
  const add = (fill: Fill) => void fills.push(fill);
  return {
    cells,
    add,
    filled(value) {
      const cell = cells.one();
      add((frame, host) => {
        frame[cell] = value(host, frame);
      });
      return cell;
    },
    part({ node, fill }) {
      add(fill);
      return node;
    },
    fill: inTurn(fills),
  };
}

/** The hosts of one recorded host differ from its level by up to this share in either direction. */
const OWN = 0.12;
/** The standard deviation of smooth noise. */
const NOISE = 0.5;

/** A figure of a host as a share: around the recorded level, and with the recorded spread. */
export function shareAt({ mean, spread }: Level, key: number, periods: number): number {
  const own = mean * (1 - OWN + 2 * OWN * unit(key, -1));
  return Math.max(0, own + (spread / NOISE) * smoothNoise(key, periods));
}

/* The parts of a recorded document that change. Others were sorted out when it was read, so nothing is checked again here. */

export type RecordedProcess = CheckResults['processes'][number];
export type RecordedDisk = CheckResults['disk_io'][string];
export type RecordedFileSystem = CheckResults['disks'][number];
export type RecordedStats = PackageDocument['Stats'];
export type RecordedPackages = PackageDocument;

export type RecordedService = { readonly [member: string]: RecordedValue };

type ServiceCheck = 'systemd_services' | 'launchd_services' | 'windows_services';

export type RecordedChecks = Partial<Omit<CheckResults, 'agent' | 'packagemanager' | ServiceCheck>> &
  Partial<Readonly<Record<ServiceCheck, readonly RecordedService[]>>> & {
    readonly agent: CheckResults['agent'] & {
      readonly goos: 'linux' | 'windows' | 'darwin';
      readonly goarch: 'amd64' | 'arm64';
    };
    readonly packagemanager?: { readonly Stats?: RecordedStats };
  };

/** A boot ends within this time. Counters say nothing about the hours after it. */
const BOOT_SECONDS = 600;

/** No counter rises faster: bytes of a network card, or milliseconds of a disk with a long queue. */
const MAX_PER_SECOND = 1e11;

type Counter = readonly [check: 'disk_io' | 'net_io', device: string, member: string];

/**
 * The rate between documents, or else since boot, or else in the last interval: containers show the counters of their machine.
 * @param average that of the last interval, which is near 2^64 after a counter fell; `each`: the most that one adds to a counter
 */
export function perSecond(
  { recorded, levels }: { readonly recorded: RecordedChecks; readonly levels: Levels },
  counter: Counter,
  { average, each }: { readonly average: number; readonly each: number },
): number {
  const { system_uptime: uptime } = recorded.agent;
  const sinceBoot = uptime >= BOOT_SECONDS ? Number(valueIn(recorded, counter)) / uptime : undefined;
  const most = MAX_PER_SECOND / Math.max(1, each);
  const rates = [levels.rates[counter.join(' ')], sinceBoot, average];
  return rates.find((rate) => rate !== undefined && rate >= 0 && rate <= most) ?? 0;
}
