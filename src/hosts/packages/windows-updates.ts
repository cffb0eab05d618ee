import { hash32 } from '../../ground/kernel/random.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../../ground/kernel/units.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { dataFault, type HostTables, MONTH, oncePerData, readTable, TEXT, WHOLE_NUMBER } from '../host-data.ts';
import {
  installedAt,
  monthOf,
  offeredAt,
  type Releases,
  revisionAt,
  servicedRevision,
  type UpdateLevel,
} from './updates.ts';

/** The offered and installed updates of a host at a time (Unix ms): computed once for all programs of a document. */
export type UpdateState = {
  readonly hostKey: number;
  readonly unixMs: number;
  readonly offered: UpdateLevel;
  readonly installed: UpdateLevel;
};

export function updateStateAt(host: HostState, unixMs: number): UpdateState {
  return { hostKey: host.hostKey, unixMs, offered: offeredAt(host, unixMs), installed: installedAt(host, unixMs) };
}

/** Revisions of an update: the published and the installed one. */
type Revisions = {
  readonly published: (state: UpdateState) => number;
  readonly installed: (state: UpdateState) => number;
};

/** An update that the vendor publishes again from time to time. */
export type WindowsUpdate = {
  /** Returns the title for the number of the article and, if the title has one, that of the revision. */
  readonly title: (article: Piece, revision: Piece) => readonly Piece[];
  readonly description: string;
  /** Returns the article of a revision; `undefined` for drivers. */
  readonly article: ((revision: number) => number) | undefined;
  /** Returns the number in the title. */
  readonly shown: (revision: number) => number;
  readonly security: boolean;
  readonly optional: boolean;
  readonly rebootRequired: boolean;
  readonly updateIdHead: string;
  readonly revisionNumber: number;
  readonly revisions: Revisions;
};

export const ARTICLE: unique symbol = Symbol('article');
export const REVISION: unique symbol = Symbol('revision');
export type Piece = string | typeof ARTICLE | typeof REVISION;

const MONTHS = { revision: 0, month: 0, security: true };

/** One revision per month, from its second Tuesday. */
const MONTHLY = revisionsOf(MONTHS);
const EVERY_OTHER_MONTH: Revisions = {
  published: (state) => Math.floor(MONTHLY.published(state) / 2),
  installed: (state) => Math.floor(MONTHLY.installed(state) / 2),
};
const DEFINITIONS: Revisions = {
  published: ({ unixMs }) => publishedDefinitions(unixMs),
  installed: installedDefinitions,
};

/** Month of the cumulative update that a host runs, which is the one installed at boot. */
export function runningMonth(host: HostState): number {
  return servicedRevision(MONTHS, host, host.bootMs);
}
const FRAMEWORK_ARTICLES = { client: 5_049_622, server: 5_049_617 };
const FRAMEWORK_STEP = 4130;
const USUAL = { shown: (revision: number) => revision, optional: false, rebootRequired: false, revisionNumber: 1 };

export type WindowsLine = {
  /** As in the titles of updates. */
  readonly system: string;
  readonly client: boolean;
  readonly cumulative: CumulativeUpdates;
};

/** Updates that an edition's machines are offered. */
export function windowsUpdates({ system, client, cumulative }: WindowsLine): readonly WindowsUpdate[] {
  const frameworkArticle = client ? FRAMEWORK_ARTICLES.client : FRAMEWORK_ARTICLES.server;
  return [
    {
      ...USUAL,
      title: (article) => [`Cumulative Update for ${system} for x64-based Systems (KB`, article, ')'],
      description: 'All fixes of this version so far, those of vulnerabilities included. Restart after it.',
      article: (month) => cumulativeOf(cumulative, month).article,
      security: true,
      rebootRequired: true,
      updateIdHead: 'c41d8e07-9a2f-4d13-8b60-f5a',
      revisions: MONTHLY,
    },
    {
      ...USUAL,
      title: (article) => [
        `Cumulative Update for .NET Framework 3.5 and 4.8.1 for ${system} for x64 (KB`,
        article,
        ')',
      ],
      description: 'Fixes of the frameworks that programs share; a restart may be needed after it.',
      article: (pair) => frameworkArticle + FRAMEWORK_STEP * (pair - Math.floor(monthOf(2025, 1) / 2)),
      security: true,
      rebootRequired: true,
      updateIdHead: '0b9c7a52-53c1-4f68-a3d4-81b',
      revisions: EVERY_OTHER_MONTH,
    },
    {
      ...USUAL,
      title: (article, revision) => [
        'Security Intelligence Update for Microsoft Defender Antivirus - KB',
        article,
        ' (Version 1.443.',
        revision,
        '.0) - Current Channel (Broad)',
      ],
      description: 'Descriptions of the threats that were found since the last update of this kind.',
      article: () => 2_267_602,
      shown: (revision) => revision % 1000,
      security: true,
      updateIdHead: 'd1f6a30e-7725-4b0a-90ce-4c2',
      revisionNumber: 200,
      revisions: DEFINITIONS,
    },
    {
      ...USUAL,
      title: (article, revision) => [
        'Windows Malicious Software Removal Tool x64 - v5.',
        revision,
        ' (KB',
        article,
        ')',
      ],
      description: 'Looks once for common malicious software and removes it where it is found.',
      article: () => 890_830,
      shown: (month) => Math.max(1, month - monthOf(2025, 12) + 138),
      security: false,
      updateIdHead: '77e2c9d4-1a3b-4c55-b1f7-0e9',
      revisionNumber: 200,
      revisions: MONTHLY,
    },
    ...(client ? CLIENT_UPDATES : []),
  ];
}

const DRIVERS = [
  ['Lenovo Driver Update (1.69.', 'Lenovo System driver update', '5f0d2b66-c0a1-4a0c-8a9b-6d3', 61],
  [
    'Intel Corporation - Display - 32.0.101.',
    'Intel Corporation Display driver update',
    'e9b43c18-02de-4b7f-9c3d-a17',
    83,
  ],
  ['Realtek - Net - 1168.20.', 'Realtek Net driver update', '3ac6f5d9-8e64-47b2-bb0e-92c', 139],
] as const;

const CLIENT_UPDATES: readonly WindowsUpdate[] = DRIVERS.map(([head, description, updateIdHead, days], index) => ({
  ...USUAL,
  title: (_article, revision) => [head, revision, index === 0 ? '.0)' : ''],
  description,
  article: undefined,
  security: false,
  optional: index > 0,
  updateIdHead,
  revisions: revisionsOf({ periodSeconds: days * DAY_SECONDS, phase: 0.2 * index, security: false }),
}));

function revisionsOf(releases: Releases): Revisions {
  return {
    published: ({ offered }) => revisionAt(releases, offered),
    installed: ({ installed }) => revisionAt(releases, installed),
  };
}

/** The cumulative updates of an edition by month: their articles, and the builds that they install. */
export type CumulativeUpdates = {
  readonly edition: string;
  readonly months: readonly { readonly article: number; readonly build: number }[];
};

/** The first month with a listed article. */
const FIRST_MONTH = monthOf(2024, 10);
/** Monthly growth of the numbers after the listed months. */
const ARTICLE_STEP = 2200;
const BUILD_STEP = 131;

const MONTHS_OF_EDITIONS = { edition: TEXT, month: MONTH, article: WHOLE_NUMBER, build: WHOLE_NUMBER };
const CUMULATIVE_FILE = 'apps/windows-cumulative.tsv';
const editionsOf = oncePerData((data) => {
  const rows = readTable(data, CUMULATIVE_FILE, MONTHS_OF_EDITIONS);
  const editions = Map.groupBy(rows, ({ edition }) => edition);
  for (const months of editions.values()) {
    months.forEach(({ month, line }, place) => {
      if (month === FIRST_MONTH + place) return;
      const expected = `${monthText(FIRST_MONTH + place)}, as no month is left out`;
      throw dataFault({ file: CUMULATIVE_FILE, line, column: 'month' }, expected, monthText(month));
    });
  }
  return editions;
});

export function cumulativeUpdates(data: HostTables, edition: string): CumulativeUpdates {
  const months = editionsOf(data).get(edition);
  if (months === undefined)
    throw dataFault({ file: CUMULATIVE_FILE, line: 1, column: 'edition' }, `lines of ${edition}`);
  return { edition, months };
}

function monthText(month: number): string {
  return `${1970 + Math.floor(month / 12)}-${String((month % 12) + 1).padStart(2, '0')}`;
}

/** Article and build of a month, counted from January 1970. Months after the listed ones continue the series. */
export function cumulativeOf(
  { edition, months }: CumulativeUpdates,
  month: number,
): { article: number; build: number } {
  const place = Math.max(0, month - FIRST_MONTH);
  const beyond = Math.max(0, place - (months.length - 1));
  const { article, build } = months[Math.min(place, months.length - 1)] ?? { article: 0, build: 0 };
  const scatter = beyond === 0 ? 0 : hash32(0, `windows.articles.${edition}`, month);
  return {
    article: article + beyond * ARTICLE_STEP + (scatter % 1900),
    build: build + beyond * BUILD_STEP + (scatter % 90),
  };
}

const DEFINITIONS_STREAM = streamLabel('packages.definitions');
const PUBLISHED_SECONDS = 8 * 3600;

/** The newest threat definitions that are published at a time (Unix ms): three a day. */
function publishedDefinitions(unixMs: number): number {
  return Math.floor(secondsSinceEpoch(unixMs) / PUBLISHED_SECONDS);
}

/** The threat definitions that a host has at a time (Unix ms). It asks for new ones every few hours. */
function installedDefinitions({ hostKey, unixMs }: { readonly hostKey: number; readonly unixMs: number }): number {
  const key = keyOf(hostKey, DEFINITIONS_STREAM);
  const everySeconds = (2 + 4 * unit(key, 0)) * HOUR_SECONDS;
  const phase = unit(key, 1);
  const asked = (Math.floor(secondsSinceEpoch(unixMs) / everySeconds + phase) - phase) * everySeconds;
  return Math.floor(asked / PUBLISHED_SECONDS);
}
