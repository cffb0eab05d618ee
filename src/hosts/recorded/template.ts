import type { CheckResults, PackageDocument } from '../../ground/protocol/shapes.ts';
import { type Cell, type Cells, type CellValues, isSlotted, type Node, type Optional } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import { smoothNoise, unit } from '../host/noise.ts';
import { type Fill, inTurn, type Part } from '../host/part.ts';
import type { Level } from './recorded-hosts.ts';

export type RecordedValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordedValue[]
  | { readonly [key: string]: RecordedValue };

/**
 * What replaces a recorded value: a node; live members by name, `*` for every other member or element; or a function of the
 * value and its place in the list. `undefined` repeats the recorded value.
 */
export type Live = Node | Optional | LiveMembers | LiveOf | undefined;
type LiveOf = (recorded: never, place: number) => Live;
type LiveMembers = { readonly [member: string]: Live };

/** A recorded value in which only the live members change. Their order and all others are as recorded. */
export function template(recorded: RecordedValue, live: Live, place = 0): Node | Optional {
  if (typeof live === 'function') return template(recorded, live(recorded as never, place));
  if (live === undefined) return recorded as Node;
  if (typeof live !== 'object' || live === null || Array.isArray(live) || isSlotted(live as Node)) return live as Node;
  const members = live as LiveMembers;
  if (Array.isArray(recorded)) return recorded.map((one, index) => template(one, members['*'], index) as Node);
  if (typeof recorded !== 'object' || recorded === null) return recorded;
  const all = Object.entries(recorded).map(([name, value], index) => {
    return [name, template(value, Object.hasOwn(members, name) ? members[name] : members['*'], index)] as const;
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

/* The parts of a recorded document that change. Documents are checked when they are read, so nothing is checked again here. */

export type RecordedProcess = CheckResults['processes'][number];
export type RecordedDisk = CheckResults['disk_io'][string];
export type RecordedFileSystem = CheckResults['disks'][number];
export type RecordedStats = PackageDocument['Stats'];
export type RecordedPackages = PackageDocument;

/** A systemd unit, launchd job or Windows service. */
export type RecordedService = { readonly [member: string]: RecordedValue };

type ServiceCheck = 'systemd_services' | 'launchd_services' | 'windows_services';

/** The checks that did not fail. */
export type RecordedChecks = Partial<Omit<CheckResults, 'agent' | 'packagemanager' | ServiceCheck>> &
  Partial<Readonly<Record<ServiceCheck, readonly RecordedService[]>>> & {
    readonly agent: CheckResults['agent'] & {
      readonly goos: 'linux' | 'windows' | 'darwin';
      readonly goarch: 'amd64' | 'arm64';
    };
    readonly packagemanager?: { readonly Stats?: RecordedStats };
  };

/** A boot ends within this time. Its counters say nothing about the hours after it. */
const BOOT_SECONDS = 600;

/** The time in which the counters of a document reached their values. */
export function secondsCounted({ agent }: RecordedChecks): number {
  return Math.max(BOOT_SECONDS, agent.system_uptime);
}
