import { DAY_MS, DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cells, type CellValues, type Node, slot, type Text } from '../document/nodes.ts';
import { civilDate, EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';
import { patternOf, revisionCells } from './versions.ts';

const CHANNEL = { channel: column.text, days: column.wholeNumber, since: column.date, version: column.text };
const channelsOf = oncePerData((data) => {
  return readTable(data, 'apps/channels.tsv', CHANNEL).map(({ since, ...row }) => {
    return {
      ...row,
      sinceSeconds: Date.parse(since) / 1000 - EPOCH_SECONDS,
      label: streamLabel(`channel.${row.channel}`),
    };
  });
});
type Channel = ReturnType<typeof channelsOf>[number];

/** Programs that update themselves within this time after a release. */
const LATE_SECONDS = 6 * DAY_SECONDS;
const PLACEHOLDER = /\{([a-z][a-z\d-]+)\}/;
/** In a version, the year, month and day of the release, or its day of the year. */
const DATE = /\{(yy|mm|dd|ddd)\}/;

/** Versions of programs that update themselves, in texts of a document: `{chrome}` stands for the version of that channel. */
export type ChannelTexts = {
  readonly of: (pattern: string) => Node;
  readonly partsOf: (pattern: string) => Text['parts'];
  /** When a host got its present version of the first channel that a text names (Unix ms); `undefined` if it names none. */
  readonly changedMs: (pattern: string) => ((hostKey: number, unixMs: number) => number) | undefined;
  readonly fill: (frame: CellValues, hostKey: number, unixMs: number) => void;
};

/** Has cells only for the channels that texts name. */
export function channelTexts(data: HostTables | undefined, cells: Cells): ChannelTexts {
  const named = new Map<string, ReturnType<typeof channelCells>>();
  const versionOf = (name: string): Text['parts'] => {
    const channel = data && channelsOf(data).find((one) => one.channel === name);
    if (channel === undefined) return [`{${name}}`];
    const known = named.get(name) ?? channelCells(channel, cells);
    named.set(name, known);
    return known.parts;
  };
  const partsOf = (pattern: string): Text['parts'] => {
    return pattern.split(PLACEHOLDER).flatMap((piece, index) => (index % 2 === 0 ? [piece] : versionOf(piece)));
  };
  return {
    partsOf,
    changedMs: (pattern) => {
      const [, name = ''] = PLACEHOLDER.exec(pattern) ?? [];
      return named.get(name)?.changedMs;
    },
    of: (pattern) => (PLACEHOLDER.test(pattern) ? slot.text(...partsOf(pattern)) : pattern),
    fill(frame, hostKey, unixMs) {
      for (const channel of named.values()) channel.fill(frame, hostKey, unixMs);
    },
  };
}

function channelCells({ version, days: every, sinceSeconds, label }: Channel, cells: Cells) {
  const revision = revisionCells(cells);
  const date = cells.row('yy', 'mm', 'dd', 'ddd');
  const parts = version.split(DATE).flatMap((piece, index): Text['parts'] => {
    if (index % 2 === 1) return [slot.padded(date[piece as keyof typeof date], piece.length)];
    const node = revision.node(patternOf(piece));
    return typeof node === 'string' ? [node] : (node as Text).parts;
  });
  const lateSeconds = (hostKey: number) => LATE_SECONDS * unit(keyOf(hostKey, label), 0);
  const numberAt = (hostKey: number, unixMs: number) =>
    Math.floor((secondsSinceEpoch(unixMs) - lateSeconds(hostKey) - sinceSeconds) / (every * DAY_SECONDS));
  return {
    parts,
    changedMs(hostKey: number, unixMs: number): number {
      const releaseSeconds = sinceSeconds + numberAt(hostKey, unixMs) * every * DAY_SECONDS;
      return 1000 * (EPOCH_SECONDS + releaseSeconds + lateSeconds(hostKey));
    },
    fill(frame: CellValues, hostKey: number, unixMs: number) {
      const number = numberAt(hostKey, unixMs);
      revision.fill(frame, number);
      const days = Math.floor((sinceSeconds + EPOCH_SECONDS) / DAY_SECONDS) + number * every;
      const { year, month, day } = civilDate(days);
      frame[date.yy] = year % 100;
      frame[date.mm] = month;
      frame[date.dd] = day;
      frame[date.ddd] = 1 + days - Date.UTC(year, 0, 1) / DAY_MS;
    },
  };
}
