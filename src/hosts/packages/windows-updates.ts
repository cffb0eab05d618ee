import { hash32 } from '../../base/kernel/random.ts';
import { DAY_SECONDS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { column, dataFault, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';
import { installedAt, monthOf, offeredAt, type Releases, revisionAt, type UpdateLevel } from './updates.ts';

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

type Revisions = {
  readonly published: (state: UpdateState) => number;
  readonly installed: (state: UpdateState) => number;
};

export type WindowsUpdate = Pick<
  UpdateRow,
  'description' | 'security' | 'optional' | 'restart' | 'id' | 'revisionNumber'
> & {
  /** The pieces of its title, some of them `{article}` and `{revision}`. */
  readonly title: readonly string[];
  /** Returns the article of a revision; `undefined` for drivers. */
  readonly article: ((revision: number) => number) | undefined;
  readonly titleNumber: (revision: number) => number;
  readonly revisions: Revisions;
};

const SCHEDULES = ['monthly', 'two-monthly', 'definitions', 'driver'] as const;

const UPDATE = {
  on: column.orEmpty(column.oneOf('client')),
  schedule: column.oneOf(...SCHEDULES),
  /** The period of a driver, and its offset as a share of it. */
  days: column.orEmpty(column.wholeNumber),
  phase: column.orEmpty(column.number),
  article: column.orEmpty(column.text),
  security: column.yesOrNo,
  optional: column.yesOrNo,
  restart: column.yesOrNo,
  /** Start of its identifiers. */
  id: column.text,
  revisionNumber: column.wholeNumber,
  title: column.text,
  description: column.text,
};

type UpdateRow = TableRow<typeof UPDATE>;

const rowsOf = oncePerData((data) => readTable(data, 'apps/windows-updates.tsv', UPDATE));

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
  return revisionAt(MONTHS, installedAt(host, host.bootMs));
}

const FRAMEWORK_ARTICLES = { client: 5_049_622, server: 5_049_617 };
const FRAMEWORK_STEP = 4130;
/** The first month of the framework's articles, and a month of the removal tool, with the number of its version. */
const FRAMEWORK_MONTH = monthOf(2025, 1);
const TOOL = { month: monthOf(2025, 12), version: 138 };

type Schedule = { readonly revisions: Revisions; readonly titleNumber: WindowsUpdate['titleNumber'] };

function scheduleOf({ schedule, days = 1, phase = 0 }: UpdateRow): Schedule {
  const titleNumber = (revision: number) => revision;
  switch (schedule) {
    case 'monthly':
      return { revisions: MONTHLY, titleNumber: (month) => Math.max(1, month - TOOL.month + TOOL.version) };
    case 'two-monthly':
      return { revisions: EVERY_OTHER_MONTH, titleNumber };
    case 'definitions':
      return { revisions: DEFINITIONS, titleNumber: (revision) => revision % 1000 };
    case 'driver':
      return { revisions: revisionsOf({ periodSeconds: days * DAY_SECONDS, phase, security: false }), titleNumber };
  }
}

export type WindowsLine = {
  readonly data: HostTables;
  /** As in the titles of updates. */
  readonly system: string;
  readonly client: boolean;
  readonly cumulative: CumulativeUpdates;
};

/** Updates that an edition's machines are offered. */
export function windowsUpdates({ data, system, client, cumulative }: WindowsLine): readonly WindowsUpdate[] {
  const framework = client ? FRAMEWORK_ARTICLES.client : FRAMEWORK_ARTICLES.server;
  const articleOf = (article: string): WindowsUpdate['article'] => {
    if (article === 'cumulative') return (month) => cumulativeOf(cumulative, month).article;
    if (article === 'framework') return (pair) => framework + FRAMEWORK_STEP * (pair - Math.floor(FRAMEWORK_MONTH / 2));
    return () => Number(article);
  };
  const offered = rowsOf(data).filter(({ on }) => client || on === undefined);
  return offered.map(({ title, article, ...row }) => ({
    ...row,
    ...scheduleOf({ title, article, ...row }),
    title: title.replace('{system}', system).split(/(\{article\}|\{revision\})/),
    article: article === undefined ? undefined : articleOf(article),
  }));
}

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

const FIRST_MONTH = monthOf(2024, 10);
/** Monthly growth of the numbers after the listed months. */
const ARTICLE_STEP = 2200;
const BUILD_STEP = 131;

const MONTHS_OF_EDITIONS = {
  edition: column.text,
  month: column.month,
  article: column.wholeNumber,
  build: column.wholeNumber,
};
const CUMULATIVE_FILE = 'apps/windows-cumulative.tsv';
const editionsOf = oncePerData((data) => {
  const rows = readTable(data, CUMULATIVE_FILE, MONTHS_OF_EDITIONS);
  const editions = Map.groupBy(rows, ({ edition }) => edition);
  for (const months of editions.values()) {
    months.forEach(({ month, line }, index) => {
      if (month === FIRST_MONTH + index) return;
      const expected = `${monthText(FIRST_MONTH + index)}, as no month is left out`;
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
export function cumulativeOf({ edition, months }: CumulativeUpdates, month: number) {
  const index = Math.max(0, month - FIRST_MONTH);
  const beyond = Math.max(0, index - (months.length - 1));
  const { article, build } = months[Math.min(index, months.length - 1)] ?? { article: 0, build: 0 };
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
  const askedSeconds = (Math.floor(secondsSinceEpoch(unixMs) / everySeconds + phase) - phase) * everySeconds;
  return Math.floor(askedSeconds / PUBLISHED_SECONDS);
}
