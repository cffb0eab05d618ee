import { type Cells, type Node, slot } from '../document/nodes.ts';
import type { HostState } from '../host/host-state.ts';
import type { Part } from '../host/part.ts';
import type { HostTables } from '../host-data.ts';
import { appsSoftware, type ListedApps, type ListPart, textsPart } from './apps.ts';
import { cutDescription } from './descriptions.ts';
import type { Software } from './document.ts';
import type { WindowsApp } from './windows-apps.ts';
import {
  type CumulativeUpdates,
  cumulativeOf,
  runningMonth,
  type UpdateState,
  updateStateAt,
  type WindowsUpdate,
} from './windows-updates.ts';

export type WindowsInventory = {
  /** Such as `Microsoft Windows 11 Pro`. */
  readonly osName: string;
  /** Such as `24H2`, and the build. */
  readonly release: string;
  readonly build: string;
  readonly cumulative: CumulativeUpdates;
  readonly listed: ListedApps<WindowsApp>;
  readonly updates: readonly WindowsUpdate[];
  /** `undefined` if no program updates itself. */
  readonly data?: HostTables;
};

const IDENTIFIER_DIGITS = 9;
/** Spreads the identifiers of successive revisions over all numbers with these digits. */
const IDENTIFIER_STEP = 264_435_769;

/** The software of a Windows host: programs that update themselves, and system updates. */
export function windowsSoftware(inventory: WindowsInventory): Software {
  const { osName, listed, data, updates } = inventory;
  return appsSoftware({
    operatingSystem: 'windows',
    packageManager: 'windows-updates',
    osName,
    osFamily: 'windows',
    osVersion: (cells) => osVersion(inventory, cells),
    listed,
    data,
    members: ['WindowsApps', 'WindowsUpdates'],
    stateAt: updateStateAt,
    dueAt: (host, unixMs) => dueAt(updates, host, unixMs),
    appPart: ({ name: Name, version: Version, publisher: Publisher, releases }, channels, cells) => {
      return textsPart({ Name, Version, Publisher }, releases, { channels, cells });
    },
    updateParts: (cells) => updates.map((update) => updatePart(update, cells)),
  });
}

/** The running build is that of the last boot. */
function osVersion({ release, build, cumulative }: WindowsInventory, cells: Cells): Part {
  const revision = cells.one();
  const full = [`10.0.${build}.`, slot.integer(revision), ` Build ${build}.`, slot.integer(revision)] as const;
  return {
    node: slot.text(`${release} (`, ...full, ')'),
    fill(frame, host) {
      frame[revision] = cumulativeOf(cumulative, runningMonth(host)).build;
    },
  };
}

/** A restart is due from the installation of an update that needs one until the next boot. */
function dueAt(updates: WindowsInventory['updates'], host: HostState, unixMs: number) {
  const due = { upgradable: 0, security: 0, rebootRequired: false };
  const now = updateStateAt(host, unixMs);
  const boot = updateStateAt(host, host.bootMs);
  for (const { revisions, security, restart } of updates) {
    const current = revisions.installed(now);
    if (restart && current > revisions.installed(boot)) due.rebootRequired = true;
    if (revisions.published(now) <= current) continue;
    due.upgradable++;
    if (security) due.security++;
  }
  return due;
}

function updatePart(update: WindowsUpdate, cells: Cells): ListPart<UpdateState> {
  const row = cells.row('pending', 'article', 'revision', 'identifier');
  const slots = new Map([
    ['{article}', slot.integer(row.article)],
    ['{revision}', slot.integer(row.revision)],
  ]);
  const { article, titleNumber, revisions } = update;
  const node: Node = {
    Title: slot.text(...update.title.map((piece) => slots.get(piece) ?? piece)),
    Description: cutDescription(update.description),
    KBArticleIDs: article === undefined ? [] : [slot.text(slot.integer(row.article))],
    IsInstalled: false,
    IsSecurityUpdate: update.security,
    IsOptional: update.optional,
    UpdateID: slot.text(update.id, slot.padded(row.identifier, IDENTIFIER_DIGITS)),
    RevisionNumber: update.revisionNumber,
    RebootRequired: false,
  };
  return {
    node: slot.optional(row.pending, node),
    fill(frame, state) {
      const newest = revisions.published(state);
      frame[row.pending] = newest > revisions.installed(state) ? 1 : 0;
      frame[row.article] = article?.(newest) ?? 0;
      frame[row.revision] = titleNumber(newest);
      frame[row.identifier] = Math.abs(newest * IDENTIFIER_STEP) % 10 ** IDENTIFIER_DIGITS;
    },
  };
}
