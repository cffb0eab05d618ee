import { hash32, randomStream } from '../../base/kernel/random.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import {
  type Cell,
  type Cells,
  type CellValues,
  type Node,
  type Row,
  slot,
  type Text,
  valueAt,
} from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { type Incident, isRunning } from '../host/incident.ts';
import { keyOf, scramble, streamLabel, unit, weighted } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { type FleetHostNames, hostName } from '../host/profile.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';

/** Types of entries, as the event log API numbers them. */
const TYPES = { error: 1, warning: 2, information: 4, 'audit-success': 8, 'audit-failure': 16 } as const;
const LOGS = ['Application', 'Security', 'System'] as const;

const EVENT = {
  log: column.oneOf(...LOGS),
  id: column.wholeNumber,
  type: column.oneOf('error', 'warning', 'information', 'audit-success', 'audit-failure'),
  source: column.text,
  on: column.orEmpty(column.text),
  often: column.number,
  message: column.text,
};

type Event = Omit<TableRow<typeof EVENT>, 'line'>;

const readEvents = oncePerData((data): readonly Event[] => readTable(data, 'events/windows.tsv', EVENT));

const EVENT_LOG = streamLabel('windows_eventlog');
const ENTRY = ['which', 'index', 'time', 'uptime'] as const;
/** What the text of an entry names. */
const WORDS = ['service', 'program', 'user', 'number', 'network', 'address'] as const;

type LogEntry = Row<(typeof ENTRY | typeof WORDS)[number]>;

type EventLogInput = {
  readonly data: HostTables;
  readonly count: number;
  readonly role: string;
  readonly client: boolean;
  /** Distinguishes variants, whose hosts log different events. */
  readonly stream: number;
  readonly services: readonly string[];
  readonly programs: readonly string[];
  readonly users: readonly string[];
  /** The user of a workplace, by index in `users`; `undefined` if anybody may appear in its logs. */
  readonly user: Cell | undefined;
  readonly names: FleetHostNames | undefined;
  readonly incidents: readonly Incident[];
};

/** Kinds of events in each log of a variant. Chosen, like the next figures. */
const KINDS = 26;
/** Mean seconds between two entries of a log: at least, and at most as much more. */
const MIN_SECONDS = 60;
const MORE_SECONDS = 400;
/** Share of the entries that are about an incident while it lasts. */
const ABOUT_INCIDENTS = 0.5;
/** Time for which a boot is logged, and that of the first entry. */
const BOOT_SECONDS = 150;
const FIRST_SECONDS = 14;

type Log = {
  readonly log: (typeof LOGS)[number];
  /** Usual events, those of boots, and those of incidents. */
  readonly usual: readonly Event[];
  readonly boots: readonly Event[];
  readonly troubles: readonly { readonly incident: Incident; readonly event: Event }[];
  readonly entries: readonly LogEntry[];
};

/** The optional check `windows_eventlog`: the newest entries of three logs, newest first. */
export const windowsEventLogCheck: PartOf<EventLogInput> = (input, cells) => {
  const name = hostName(input.names, cells);
  const logs = LOGS.map((log, index) => logOf(log, Math.floor((input.count + index) / LOGS.length), input, cells));
  const lists = logs.map(({ log, entries, usual, boots, troubles }): readonly [string, Node] => {
    const events = [...usual, ...boots, ...troubles.map(({ event }) => event)];
    const forms = (entry: LogEntry) => events.map((event) => entryNode(event, { entry, name: name.node, input }));
    return [log, entries.map((entry) => slot.either(entry.which, forms(entry)))];
  });
  return {
    node: Object.fromEntries(lists),
    fill(frame, host) {
      name.fill(frame, host);
      for (const [index, log] of logs.entries()) {
        fillLog(frame, { ...log, ...input }, { host, key: keyOf(host.hostKey, EVENT_LOG) + index });
      }
    },
  };
};

function logOf(log: Log['log'], length: number, input: EventLogInput, cells: Cells): Log {
  const { data, role, client, stream, incidents } = input;
  const own = readEvents(data).filter((event) => event.log === log);
  const kinds = [undefined, role, client ? 'client' : 'server'];
  const random = randomStream(hash32(stream, `events.${log}`));
  // A weighted sample without replacement: the largest of `u` to the power of 1 / weight.
  const usual = own
    .filter(({ on }) => kinds.includes(on))
    .map((event) => ({ event, rank: random() ** (1 / event.often) }))
    .sort((a, b) => b.rank - a.rank)
    .slice(0, KINDS)
    .map(({ event }) => event);
  const boots = own.filter(({ on }) => on === 'boot');
  const troubles = incidents.flatMap((incident) => {
    const event = eventAbout(own, incident);
    return event === undefined ? [] : [{ incident, event }];
  });
  return { log, usual, boots, troubles, entries: Array.from({ length }, () => cells.row(...ENTRY, ...WORDS)) };
}

function eventAbout(events: readonly Event[], incident: Incident): Event | undefined {
  const event = events.find(({ on }) => on === incident.kind);
  const [service, volume = 'C:'] = [
    incident.kind === 'service-down' ? incident.service : '',
    incident.kind === 'disk-full' ? incident.mountpoint : undefined,
  ];
  return event && { ...event, message: event.message.replace('{failed}', service).replace('{volume}', volume) };
}

/** The index of the incident that a host has at a time; -1 if it has none about which its log has an event. */
function troubleAt(troubles: Log['troubles'], { incidents }: HostState, unixSeconds: number): number {
  return troubles.findIndex(({ incident }) =>
    incidents.some((own) => (own.origin ?? own) === incident && isRunning(own, unixSeconds * 1000)),
  );
}

type LogOfHost = { readonly host: HostState; readonly key: number };

function fillLog(frame: CellValues, log: Log & EventLogInput, { host, key }: LogOfHost): void {
  const { usual, boots, troubles, entries } = log;
  const { checkMs, bootMs } = host;
  // Mean seconds between entries. The newest entry is the last one whose time has passed.
  const every = MIN_SECONDS + Math.floor(MORE_SECONDS * unit(key, -1));
  const boot = Math.ceil(bootMs / 1000);
  const loggedAt = (index: number) => EPOCH_SECONDS + index * every + Math.floor(every * unit(key, ~index));
  const usualNewest = Math.floor(secondsSinceEpoch(checkMs) / every) - 1;
  const isUnlogged = checkMs / 1000 >= boot + FIRST_SECONDS && loggedAt(usualNewest) < boot;
  const newest = usualNewest + Number(isUnlogged);
  const frequencies = usual.map(({ often }) => often);
  const total = frequencies.reduce((sum, often) => sum + often, 0);
  for (const [age, entry] of entries.entries()) {
    const index = newest - age;
    const usualTime = loggedAt(index);
    // The first entry after a boot is about the boot.
    const isFirst = usualTime >= boot && loggedAt(index - 1) < boot;
    const time = isFirst ? Math.min(usualTime, boot + FIRST_SECONDS) : usualTime;
    let which = weighted(frequencies, unit(key, index) * total);
    const draw = scramble(key + 3, index);
    const sinceBoot = time - boot;
    const isAbout = isFirst || (sinceBoot >= 0 && sinceBoot < BOOT_SECONDS);
    if (boots.length > 0 && isAbout) which = usual.length + (draw % boots.length);
    const trouble = troubleAt(troubles, host, time);
    if (trouble >= 0 && unit(key + 4, index) < ABOUT_INCIDENTS) which = usual.length + boots.length + trouble;
    frame[entry.which] = which;
    frame[entry.index] = index;
    frame[entry.time] = time;
    // Before this boot, the host had been up for some days.
    frame[entry.uptime] = sinceBoot >= 0 ? sinceBoot : DAY_SECONDS + (draw & 0xf_ffff);
    fillWords(frame, entry, draw, log);
  }
}

function fillWords(frame: CellValues, entry: LogEntry, draw: number, input: EventLogInput): void {
  const { services, programs, users, user } = input;
  frame[entry.service] = draw % services.length;
  frame[entry.program] = (draw >>> 4) % programs.length;
  frame[entry.user] = user === undefined ? (draw >>> 8) % users.length : valueAt(frame, user);
  frame[entry.number] = 2 + ((draw >>> 12) & 0x1fff);
  frame[entry.network] = (draw >>> 7) & 0x3f;
  frame[entry.address] = 1 + ((draw >>> 17) % 250);
}

type EntryInput = {
  readonly entry: LogEntry;
  readonly name: Text;
  readonly input: EventLogInput;
};

function entryNode({ id, type, source, message }: Event, { entry, name, input }: EntryInput): Node {
  const slots: Readonly<Record<string, Text['parts']>> = {
    '{service}': [slot.word(entry.service, input.services)],
    '{program}': [slot.word(entry.program, input.programs)],
    '{user}': [slot.word(entry.user, input.users)],
    '{address}': ['10.20.', slot.integer(entry.network), '.', slot.integer(entry.address)],
    '{n}': [slot.integer(entry.number)],
    '{number}': [slot.integer(entry.number)],
    '{uptime}': [slot.integer(entry.uptime)],
    '{host}': name.parts,
  };
  return {
    MachineName: name,
    Category: '(0)',
    CategoryNumber: hash32(0, source) % 3 === 0 ? 1 : 0,
    EventID: id,
    EntryType: TYPES[type],
    Message: slot.text(...message.split(/(\{\w+\})/).flatMap((piece) => slots[piece] ?? [piece])),
    Source: source,
    TimeGenerated: slot.integer(entry.time),
    TimeWritten: slot.integer(entry.time),
    Index: slot.integer(entry.index),
  };
}
