import { AGENT_VERSION } from '../../protocol/push.ts';
import type { Cells, CellValues } from '../document/cells.ts';
import { either, integer, type Node } from '../document/nodes.ts';
import { clockOffsetAt } from '../incidents/effects.ts';
import type { PartOf } from '../part.ts';
import type { Moment } from '../time/moment.ts';
import { rememberingLast } from './last-found.ts';
import { collectionBefore } from './releases.ts';
import { LISTS, type Software } from './software.ts';

/** The check `packagemanager`: the counts of the last collection, or zeros and empty texts while there is none. */
export const packageManagerCheck: PartOf<Software> = (software, cells) => {
  const form = cells.one();
  const stats = statsPart({ ...software, foundAt: rememberingLast(software.foundAt) }, cells);
  const collected = { Enabled: true, Pending: false, LastUpdate: stats.lastUpdate, Stats: stats.node };
  return {
    node: either(form, [PENDING, collected]),
    fill(frame, moment) {
      const collectionMs = collectionBefore(moment);
      frame[form] = collectionMs === undefined ? 0 : 1;
      if (collectionMs !== undefined) stats.fill(frame, moment, collectionMs);
    },
  };
};

const NO_STATS = {
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

/** What an agent's web server says of packages while there is no collection. See docs/protocol.md, "Package information". */
export const WITHOUT_COLLECTION = {
  /** Before the first result of the checks. */
  unknown: documentText(OFF, null),
  pending: documentText(PENDING, []),
  disabled: documentText(OFF, []),
};

function documentText(head: typeof PENDING, list: [] | null): string {
  return JSON.stringify({ ...head, ...Object.fromEntries(LISTS.map((name) => [name, list])) });
}

/** The package document of a host. Arrays of other systems are empty. */
export const packagesDocument: PartOf<Software> = (software, cells) => {
  const stats = statsPart(software, cells);
  const lists = software.lists(cells);
  const arrays = LISTS.map((name): readonly [string, Node] => [name, lists.nodes[name] ?? []]);
  const head = { Enabled: true, Pending: false, LastUpdate: stats.lastUpdate, Stats: stats.node };
  return {
    node: { ...head, ...Object.fromEntries(arrays) },
    fill(frame, moment) {
      const collectionMs = collectionBefore(moment) ?? moment.agentStartMs;
      stats.fill(frame, moment, collectionMs);
      lists.fill(frame, moment, collectionMs);
    },
  };
};

type StatsPart = {
  readonly node: Node;
  readonly lastUpdate: Node;
  readonly fill: (frame: CellValues, moment: Moment, collectionMs: number) => void;
};

const STATS = ['lastUpdate', 'installed', 'upgradable', 'security', 'reboot', 'uptime'] as const;

function statsPart(software: Software, cells: Cells): StatsPart {
  const { lastUpdate, installed, upgradable, security, reboot, uptime } = cells.row(...STATS);
  const osVersion = software.osVersion(cells);
  const node = {
    InstalledPackages: integer(installed),
    UpgradablePackages: integer(upgradable),
    SecurityUpdates: integer(security),
    RebootRequired: either(reboot, [false, true]),
    LastError: '',
    OperatingSystem: software.operatingSystem,
    PackageManager: software.packageManager,
    OsName: software.osName,
    OsVersion: osVersion.node,
    OsFamily: software.osFamily,
    AgentVersion: AGENT_VERSION,
    Uptime: integer(uptime),
  };
  return {
    node,
    lastUpdate: integer(lastUpdate),
    fill(frame, moment, collectionMs) {
      const found = software.foundAt(moment, collectionMs);
      osVersion.fill(frame, moment);
      frame[lastUpdate] = Math.floor((collectionMs + clockOffsetAt(moment.incidents, collectionMs)) / 1000);
      frame[installed] = found.installed;
      frame[upgradable] = found.upgradable;
      frame[security] = found.security;
      frame[reboot] = found.rebootRequired ? 1 : 0;
      frame[uptime] = Math.floor((collectionMs - moment.bootMs) / 1000);
    },
  };
}
