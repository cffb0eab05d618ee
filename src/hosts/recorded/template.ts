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

/*
 * The parts of a recorded document that change. Documents are checked against `CHECK_SHAPES` when they are read, so nothing is
 * checked again here.
 */

type Of<Name extends string, Value> = Readonly<Record<Name, Value>>;

type WorkingSet = Of<'working_set' | 'working_set_private' | 'private_bytes', number>;

export type RecordedProcess = Of<'pid' | 'ppid' | 'cpu_percent' | 'CreateTime', number> &
  Of<'name' | 'cmdline' | 'exec', string> & { readonly Memory: Of<'rss', number> | WorkingSet };

type RecordedCard = Of<
  'bytes_sent' | 'bytes_recv' | 'packets_sent' | 'packets_recv' | 'errin' | 'errout' | 'dropin' | 'dropout',
  number
>;

export type RecordedDisk = { readonly [counter: string]: number };

export type RecordedFileSystem = {
  readonly disk: Of<'device' | 'mountpoint', string>;
  readonly usage: Of<'total' | 'used' | 'free', number>;
};

/** A systemd unit, launchd job or Windows service. */
export type RecordedService = { readonly [member: string]: RecordedValue };

/** The checks that did not fail. */
export type RecordedChecks = {
  readonly agent: Of<'last_updated_timestamp' | 'system_uptime', number> &
    Of<'system' | 'kernel_version' | 'mac_version' | 'family' | 'goversion', string> &
    Of<'windows_release_id' | 'windows_current_build', string> & {
      readonly goos: 'linux' | 'windows' | 'darwin';
      readonly goarch: 'amd64' | 'arm64';
    };
  readonly cpu?: { readonly cpu_percentage: readonly number[] };
  readonly memory?: Of<'total' | 'used' | 'wired', number>;
  readonly swap?: Of<'total', number>;
  readonly disks?: readonly RecordedFileSystem[];
  readonly disk_io?: { readonly [name: string]: RecordedDisk };
  readonly net_io?: { readonly [name: string]: RecordedCard };
  readonly ntp?: { readonly SyncStatus: boolean; readonly Offset: number };
  readonly processes?: readonly RecordedProcess[];
  readonly systemd_services?: readonly RecordedService[];
  readonly launchd_services?: readonly RecordedService[];
  readonly windows_services?: readonly RecordedService[];
  readonly packagemanager?: { readonly Stats?: RecordedStats };
};

export type RecordedStats = Of<'PackageManager' | 'OsName' | 'OsVersion' | 'OsFamily', string> &
  Of<'InstalledPackages' | 'UpgradablePackages' | 'SecurityUpdates', number> & {
    readonly RebootRequired: boolean;
    readonly LastError: string | null;
  };

export type RecordedPackages = {
  readonly LastUpdate: number;
  readonly Stats: RecordedStats;
  readonly LinuxPackages: readonly Of<'Name' | 'Version' | 'Description', string>[];
  readonly LinuxUpdates: readonly (Of<'Name' | 'CurrentVersion' | 'AvailableVersion', string> &
    Of<'IsSecurityUpdate', boolean>)[];
  readonly WindowsApps: readonly Of<'Name' | 'Version' | 'Publisher', string>[];
} & { readonly [list: string]: RecordedValue };

/** A boot ends within this time. Its counters say nothing about the hours after it. */
const BOOT_SECONDS = 600;

/** The time in which the counters of a document reached their values. */
export function secondsCounted({ agent }: RecordedChecks): number {
  return Math.max(BOOT_SECONDS, agent.system_uptime);
}
