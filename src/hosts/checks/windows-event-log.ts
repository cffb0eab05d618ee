import { hash32 } from '../../ground/kernel/random.ts';
import { type Cell, either, integer, type Node, padded, type Row, text } from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { type HostTables, oncePerData, oneOf, readTable, TEXT, WHOLE_NUMBER } from '../host-data.ts';

/** Types of entries, as the event log API numbers them. */
const TYPES = { error: 1, warning: 2, information: 4, 'audit-success': 8, 'audit-failure': 16 } as const;
const LOGS = ['Application', 'Security', 'System'] as const;

const readEvents = oncePerData((data) => {
  return readTable(data, 'events/windows.tsv', {
    log: oneOf(...LOGS),
    id: WHOLE_NUMBER,
    type: oneOf('error', 'warning', 'information', 'audit-success', 'audit-failure'),
    source: TEXT,
    message: TEXT,
  });
});

const EVENT_LOG = streamLabel('windows_eventlog');
const ENTRY = ['which', 'index', 'time'] as const;

type Entry = Row<(typeof ENTRY)[number]>;

type EventLogInput = { readonly data: HostTables; readonly count: number };

/** The optional check `windows_eventlog`: the newest entries of three logs, newest first. */
export const windowsEventLogCheck: PartOf<EventLogInput> = ({ data, count }, cells) => {
  const machine = cells.one();
  const logs = LOGS.map((log, place) => {
    const events = readEvents(data).filter((event) => event.log === log);
    const length = Math.floor((count + place) / LOGS.length);
    return { log, events, entries: Array.from({ length }, () => cells.row(...ENTRY)) };
  });
  const lists = logs.map(({ log, events, entries }): readonly [string, Node] => {
    return [log, entries.map((entry) => entryNode(events, machine, entry))];
  });
  return {
    node: Object.fromEntries(lists),
    fill(frame, { hostKey, checkMs }) {
      frame[machine] = Math.floor(1_000_000 * unit(keyOf(hostKey, EVENT_LOG), -2));
      const now = secondsSinceEpoch(checkMs);
      logs.forEach(({ events, entries }, place) => {
        const key = keyOf(hostKey, EVENT_LOG) + place;
        // Mean seconds between entries. The newest entry is the last one whose time has passed.
        const every = 60 + Math.floor(400 * unit(key, -1));
        const newest = Math.floor(now / every) - 1;
        for (const [place, entry] of entries.entries()) {
          const index = newest - place;
          frame[entry.which] = Math.floor(unit(key, index) * events.length);
          frame[entry.index] = index;
          frame[entry.time] = EPOCH_SECONDS + index * every + Math.floor(every * unit(key, ~index));
        }
      });
    },
  };
};

function entryNode(events: ReturnType<typeof readEvents>, machine: Cell, entry: Entry): Node {
  const forms = events.map(({ id, type, source, message }) => ({
    MachineName: text('WIN-', padded(machine, 6)),
    Category: '(0)',
    CategoryNumber: hash32(0, source) % 3 === 0 ? 1 : 0,
    EventID: id,
    EntryType: TYPES[type],
    Message: message,
    Source: source,
    TimeGenerated: integer(entry.time),
    TimeWritten: integer(entry.time),
    Index: integer(entry.index),
  }));
  return either(entry.which, forms);
}
