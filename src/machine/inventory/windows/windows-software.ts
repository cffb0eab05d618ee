import type { Cell, Cells, Frame } from '../../document/cells.ts';
import { integer, type Node, optional, padded, text } from '../../document/nodes.ts';
import type { Part } from '../../part.ts';
import type { Moment } from '../../time/moment.ts';
import type { Revised } from '../inventory.ts';
import { cutBytes } from '../packaging.ts';
import { installed, offerAt, offered, wavesAt } from '../releases.ts';
import type { Pending, Software } from '../software.ts';
import type { WindowsApp } from './apps.ts';
import { ARTICLE, MONTHLY, type Piece, REVISION, type WindowsUpdate } from './updates.ts';

export type WindowsInventory = {
  /** As `Microsoft Windows 11 Pro`. */
  readonly osName: string;
  /** As `24H2`, with the build and the first revision of it that is counted. */
  readonly release: string;
  readonly build: string;
  readonly firstRevision: number;
  readonly apps: readonly WindowsApp[];
  readonly updates: readonly WindowsUpdate[];
};

/** Each cumulative update brings the build to a revision about this much higher. */
const REVISION_STEP = 194;
/** Descriptions of updates are cut at this many bytes. */
const DESCRIPTION_BYTES = 80;

/** The software of a Windows host: programs that update themselves, and updates of the system. */
export function windowsSoftware(inventory: WindowsInventory): Software {
  return {
    operatingSystem: 'windows',
    packageManager: 'windows-updates',
    osName: inventory.osName,
    osFamily: 'windows',
    osVersion: (cells) => osVersion(inventory, cells),
    installed: inventory.apps.length,
    pendingAt: (moment, unixMs) => pendingAt(inventory, moment, unixMs),
    lists(cells) {
      const apps = inventory.apps.map((app) => appPart(app, cells));
      const updates = inventory.updates.map((update) => updatePart(update, cells));
      return {
        nodes: { WindowsApps: apps.map(({ node }) => node), WindowsUpdates: updates.map(({ node }) => node) },
        fill(frame, moment, collectionMs) {
          for (const part of [...apps, ...updates]) part.fill(frame, moment, collectionMs);
        },
      };
    },
  };
}

/** The running build is the one of the last boot. */
function osVersion({ release, build, firstRevision }: WindowsInventory, cells: Cells): Part {
  const revision = cells.one();
  const full = [`10.0.${build}.`, integer(revision), ` Build ${build}.`, integer(revision)] as const;
  return {
    node: text(`${release} (`, ...full, ')'),
    fill(frame, moment) {
      frame[revision] = firstRevision + REVISION_STEP * installed(MONTHLY, wavesAt(moment, moment.bootMs));
    },
  };
}

/** A restart is due from the installation of an update that wants one until the next boot. */
function pendingAt({ updates }: WindowsInventory, moment: Moment, unixMs: number): Pending {
  const waves = wavesAt(moment, unixMs);
  const boot = wavesAt(moment, moment.bootMs);
  const offer = offerAt(moment, unixMs);
  const pending = { upgradable: 0, security: 0, rebootRequired: false };
  for (const { releases, rebootRequired } of updates) {
    const have = installed(releases, waves);
    if (rebootRequired && have > installed(releases, boot)) pending.rebootRequired = true;
    if (offered(releases, offer) === have) continue;
    pending.upgradable++;
    if (releases.security) pending.security++;
  }
  return pending;
}

type ListPart = {
  readonly node: Node | ReturnType<typeof optional>;
  readonly fill: (frame: Frame, moment: Moment, collectionMs: number) => void;
};

function appPart({ name, version, publisher, releases }: WindowsApp, cells: Cells): ListPart {
  if (releases === undefined) {
    return { node: { Name: plainText(name), Version: plainText(version), Publisher: publisher }, fill: () => {} };
  }
  const cell = cells.one();
  return {
    node: { Name: revisedText(name, cell), Version: revisedText(version, cell), Publisher: publisher },
    fill(frame, moment, collectionMs) {
      frame[cell] = installed(releases, wavesAt(moment, collectionMs));
    },
  };
}

function plainText(text: string | Revised): string {
  return typeof text === 'string' ? text : text.head + text.tail;
}

function revisedText(revised: string | Revised, cell: Cell): Node {
  if (typeof revised === 'string') return revised;
  const parts = revised.tail.split('~').flatMap((piece, index) => (index === 0 ? [piece] : [integer(cell), piece]));
  return text(revised.head, integer(cell), ...parts);
}

function updatePart(update: WindowsUpdate, cells: Cells): ListPart {
  const row = cells.row('pending', 'article', 'revision', 'identifier');
  const slot = (piece: Piece) => {
    return piece === ARTICLE ? integer(row.article) : piece === REVISION ? integer(row.revision) : piece;
  };
  const { article, releases, updateIdHead } = update;
  const node: Node = {
    Title: text(...update.title(ARTICLE, REVISION).map(slot)),
    Description: cutBytes(update.description, DESCRIPTION_BYTES),
    KBArticleIDs: article === undefined ? [] : [text(integer(row.article))],
    IsInstalled: false,
    IsSecurityUpdate: releases.security,
    IsOptional: update.optional,
    UpdateID: text(updateIdHead, padded(row.identifier, 9)),
    RevisionNumber: article?.step === 0 ? 200 : 1,
    RebootRequired: false,
  };
  return {
    node: optional(row.pending, node),
    fill(frame, moment, collectionMs) {
      const there = offered(releases, offerAt(moment, collectionMs));
      frame[row.pending] = there > installed(releases, wavesAt(moment, collectionMs)) ? 1 : 0;
      frame[row.article] = article === undefined ? 0 : article.first + article.step * there;
      frame[row.revision] = there;
      frame[row.identifier] = (there * 264_435_769) % 1_000_000_000;
    },
  };
}
