import { once } from '../../base/kernel/memoize.ts';
import { AGENT_VERSION } from '../../base/protocol/push.ts';
import { type Cells, type CellValues, isSlotted, type Node, SLOT, slot } from '../document/nodes.ts';
import { clockOffsetAt, type HostState } from '../host/host-state.ts';
import type { Part, PartOf } from '../host/part.ts';
import { collectionBefore } from './updates.ts';

export type SoftwareFigures = {
  readonly installed: number;
  readonly upgradable: number;
  readonly security: number;
  readonly rebootRequired: boolean;
};

/** The arrays of a package document, in order. Each system fills its own and leaves the others empty. */
export const LISTS = [
  'LinuxPackages',
  'LinuxUpdates',
  'WindowsApps',
  'WindowsUpdates',
  'MacosApps',
  'MacosUpdates',
] as const;

export type SoftwareLists = {
  readonly nodes: Partial<Readonly<Record<(typeof LISTS)[number], Node>>>;
  /** Fills the lists with the findings of a collection that started at `collectionMs` (Unix ms). */
  readonly fill: (frame: CellValues, host: HostState, collectionMs: number) => void;
};

/** The software of a system as its agent reports it, in the package document and in `packagemanager`. */
export type Software = {
  readonly operatingSystem: 'linux' | 'windows' | 'macos';
  readonly packageManager: string;
  readonly osName: string;
  readonly osFamily: string;
  /** May change from boot to boot. */
  readonly osVersion: (cells: Cells) => Part;
  /** Counts the installed and upgradable software of a host at a time (Unix ms). */
  readonly foundAt: (host: HostState, unixMs: number) => SoftwareFigures;
  readonly lists: (cells: Cells) => SoftwareLists;
  /** Error of each collection, which only the package document reports. Absent if there is none. */
  readonly lastError?: string;
};

/** The check `packagemanager`: the counts of the last collection, or zeros and empty texts before the first one. */
export const packageManagerCheck: PartOf<Software> = (software, cells) => {
  const form = cells.one();
  const stats = statsPart({ ...software, foundAt: rememberingLast(software.foundAt) }, cells);
  const collected = { Enabled: true, Pending: false, LastUpdate: stats.lastUpdate, Stats: stats.node };
  return {
    node: slot.either(form, [PENDING, collected]),
    fill(frame, host) {
      const collectionMs = collectionBefore(host);
      frame[form] = collectionMs === undefined ? 0 : 1;
      if (collectionMs !== undefined) stats.fill(frame, host, collectionMs);
    },
  };
};

export const NO_STATS = {
  InstalledPackages: 0,
  UpgradablePackages: 0,
  SecurityUpdates: 0,
  RebootRequired: false,
  LastError: '',
  OperatingSystem: '',
  PackageManager: '',
  OsName: '',
  OsVersion: '',
  OsFamily: '',
  AgentVersion: '',
  Uptime: 0,
};

const PENDING = { Enabled: true, Pending: true, LastUpdate: 0, Stats: NO_STATS };
const OFF = { Enabled: false, Pending: false, LastUpdate: 0, Stats: NO_STATS };

/** Answers of an agent's web server about packages without a collection. See docs/reference/documents.md, "Package information". */
export const WITHOUT_COLLECTION = {
  /** Before the first result of the checks. */
  unknown: documentText(OFF, null),
  pending: documentText(PENDING, []),
  disabled: documentText(OFF, []),
};

function documentText(head: typeof PENDING, list: [] | null): string {
  return JSON.stringify({ ...head, ...Object.fromEntries(LISTS.map((name) => [name, list])) });
}

const EMPTY_LISTS = Object.fromEntries(LISTS.map((name) => [name, []]));

/** The package document of a host. Arrays of other systems are empty. What fills it captures no nodes, so that they can go. */
export const packagesDocument: PartOf<Software> = (software, cells) => {
  const { lastUpdate, node: stats, fill: fillStats } = statsPart(software, cells);
  const { nodes, fill: fillLists } = software.lists(cells);
  const own = { ...stats, LastError: software.lastError ?? '' };
  const head = { Enabled: true, Pending: false, LastUpdate: lastUpdate, Stats: own };
  return {
    node: { ...head, ...EMPTY_LISTS, ...nodes },
    fill(frame, host) {
      const collectionMs = collectionBefore(host) ?? host.agentStartMs;
      fillStats(frame, host, collectionMs);
      fillLists(frame, host, collectionMs);
    },
  };
};

const STATS = ['lastUpdate', 'installed', 'upgradable', 'security', 'reboot', 'uptime'] as const;

function statsPart(software: Software, cells: Cells) {
  const { lastUpdate, installed, upgradable, security, reboot, uptime } = cells.row(...STATS);
  const osVersion = software.osVersion(cells);
  // Not all of the software: its lists take more memory than everything else.
  const { foundAt } = software;
  const node = {
    InstalledPackages: slot.integer(installed),
    UpgradablePackages: slot.integer(upgradable),
    SecurityUpdates: slot.integer(security),
    RebootRequired: slot.either(reboot, [false, true]),
    LastError: '',
    OperatingSystem: software.operatingSystem,
    PackageManager: software.packageManager,
    OsName: software.osName,
    OsVersion: osVersion.node,
    OsFamily: software.osFamily,
    AgentVersion: AGENT_VERSION,
    Uptime: slot.integer(uptime),
  };
  return {
    node,
    lastUpdate: slot.integer(lastUpdate),
    fill(frame: CellValues, host: HostState, collectionMs: number) {
      const found = foundAt(host, collectionMs);
      osVersion.fill(frame, host);
      frame[lastUpdate] = Math.floor((collectionMs + clockOffsetAt(host.incidents, collectionMs)) / 1000);
      frame[installed] = found.installed;
      frame[upgradable] = found.upgradable;
      frame[security] = found.security;
      frame[reboot] = found.rebootRequired ? 1 : 0;
      frame[uptime] = Math.floor((collectionMs - host.bootMs) / 1000);
    },
  };
}

type DocumentMembers = { readonly [key: string]: Node };

const NO_UPDATES = Object.fromEntries(LISTS.filter((name) => name.endsWith('Updates')).map((name) => [name, []]));

/** The package document of an agent that does not look for updates. */
export function documentWithoutUpdates(document: Node): Node {
  return { ...(withoutCounts(document) as DocumentMembers), ...NO_UPDATES };
}

/** The check `packagemanager` of such an agent, in all of its forms. */
export function checkWithoutUpdates(check: Node | undefined): Node {
  if (typeof check !== 'object' || check === null || !isSlotted(check) || check[SLOT] !== 'either') {
    throw new Error('the check of packages has other forms than were looked for');
  }
  return { ...check, forms: check.forms.map(withoutCounts) };
}

function withoutCounts(node: Node): Node {
  const members = node as DocumentMembers;
  // Keeps the order of the members.
  return { ...members, Stats: { ...(members.Stats as DocumentMembers), UpgradablePackages: 0, SecurityUpdates: 0 } };
}

/** At most this many hosts are cached in a thread, in 2.6 MB. */
const SLOTS = 65_536;
const COLUMNS = 4;

/** Per slot: software, host, collection, boot; and the counts. The software of a free slot is 0. */
const lastFound = once(() => {
  return { keys: new Float64Array(SLOTS * COLUMNS), counts: new Uint16Array(SLOTS * COLUMNS), softwares: 0 };
});

/**
 * Caches the findings of a host's last collection. Pushes come every half minute and collections every hour; counting again would
 * take a twelfth of a push. Hosts whose keys end in the same bits share a slot. Hosts with incidents that bring fixes are not
 * cached, because these change the findings.
 */
export function rememberingLast(foundAt: Software['foundAt']): Software['foundAt'] {
  const all = lastFound();
  const { keys, counts } = all;
  const software = ++all.softwares;
  return (host, unixMs) => {
    if (host.incidents.some(({ kind }) => kind === 'security-updates-due')) return foundAt(host, unixMs);
    const { hostKey, bootMs } = host;
    const offset = (hostKey & (SLOTS - 1)) * COLUMNS;
    const isKnown = keys[offset] === software && keys[offset + 1] === hostKey && keys[offset + 2] === unixMs;
    if (!isKnown || keys[offset + 3] !== bootMs) {
      const { installed, upgradable, security, rebootRequired } = foundAt(host, unixMs);
      keys.set([software, hostKey, unixMs, bootMs], offset);
      counts.set([installed, upgradable, security, rebootRequired ? 1 : 0], offset);
    }
    return {
      installed: counts[offset] as number,
      upgradable: counts[offset + 1] as number,
      security: counts[offset + 2] as number,
      rebootRequired: counts[offset + 3] === 1,
    };
  };
}
