import { hash32 } from '../../kernel/random.ts';
import { type Cell, either, integer, type Node, padded, type Row, text } from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';
import type { PartOf } from '../host/part.ts';
import { textTable } from '../host/text-table.ts';

type EventLine = {
  readonly id: number;
  /** 1 an error, 2 a warning, 4 information, 8 an audited success, 16 an audited failure. */
  readonly type: number;
  readonly source: string;
  readonly message: string;
};

const LOGS = ['Application', 'Security', 'System'] as const;

const EVENTS: Readonly<Record<(typeof LOGS)[number], readonly EventLine[]>> = {
  Application: events(`
    1000 | 1 | Application Error | The program signage.exe stopped working at offset 0x0004a1f2 of its module renderer.dll.
    1001 | 4 | Windows Error Reporting | A report about a program that stopped working was written and waits for consent.
    16384 | 4 | Microsoft-Windows-Security-SPP | The licence service has planned its next start.
    1704 | 4 | SceCli | The security policy of the group policy objects was applied.
    2484 | 2 | MsiInstaller | A package asked for a restart that was put off by the administrator.
    8224 | 4 | VSS | The snapshot service stops because nobody has used it for a while.
  `),
  Security: events(`
    4624 | 8 | Microsoft-Windows-Security-Auditing | An account was signed in over the network.
    4625 | 16 | Microsoft-Windows-Security-Auditing | An account could not sign in: the password was wrong.
    4634 | 8 | Microsoft-Windows-Security-Auditing | An account was signed out.
    4672 | 8 | Microsoft-Windows-Security-Auditing | A new session was given special rights.
    4799 | 8 | Microsoft-Windows-Security-Auditing | The members of a local group were listed.
  `),
  System: events(`
    7036 | 4 | Service Control Manager | The update service changed its state to: runs.
    7040 | 4 | Service Control Manager | The start type of the transfer service was changed from on demand to automatic.
    10016 | 2 | Microsoft-Windows-DistributedCOM | A program may not activate a component with its present rights.
    19 | 4 | Microsoft-Windows-WindowsUpdateClient | An update was installed.
    37 | 4 | Microsoft-Windows-Time-Service | The clock receives valid time from its source.
    153 | 2 | disk | A request to a block of disk 1 had to be repeated.
    5719 | 1 | NETLOGON | No domain controller answered in time.
  `),
};

function events(lines: string): readonly EventLine[] {
  return textTable(lines).map(([id = '', type = '', source = '', message = '']) => {
    return { id: Number(id), type: Number(type), source, message };
  });
}

const EVENT_LOG = streamLabel('windows_eventlog');
const ENTRY = ['which', 'index', 'time'] as const;

type Entry = Row<(typeof ENTRY)[number]>;

/** The optional check `windows_eventlog`: the newest entries of three logs, the newest first. */
export const windowsEventLogCheck: PartOf<{ readonly count: number }> = ({ count }, cells) => {
  const machine = cells.one();
  const logs = LOGS.map((log, place) => {
    const length = Math.floor((count + place) / LOGS.length);
    return { log, entries: Array.from({ length }, () => cells.row(...ENTRY)) };
  });
  const lists = logs.map(({ log, entries }): readonly [string, Node] => {
    return [log, entries.map((entry) => entryNode(log, machine, entry))];
  });
  return {
    node: Object.fromEntries(lists),
    fill(frame, { hostKey, checkMs }) {
      frame[machine] = Math.floor(1_000_000 * unit(keyOf(hostKey, EVENT_LOG), -2));
      const now = secondsSinceEpoch(checkMs);
      logs.forEach(({ log, entries }, place) => {
        const key = keyOf(hostKey, EVENT_LOG) + place;
        // Entries come about so often; the newest is the last whose time has passed.
        const every = 60 + Math.floor(400 * unit(key, -1));
        const newest = Math.floor(now / every) - 1;
        for (const [place, entry] of entries.entries()) {
          const index = newest - place;
          frame[entry.which] = Math.floor(unit(key, index) * EVENTS[log].length);
          frame[entry.index] = index;
          frame[entry.time] = EPOCH_SECONDS + index * every + Math.floor(every * unit(key, ~index));
        }
      });
    },
  };
};

function entryNode(log: keyof typeof EVENTS, machine: Cell, entry: Entry): Node {
  const forms = EVENTS[log].map(({ id, type, source, message }) => ({
    MachineName: text('WIN-', padded(machine, 6)),
    Category: '(0)',
    CategoryNumber: hash32(0, source) % 3 === 0 ? 1 : 0,
    EventID: id,
    EntryType: type,
    Message: message,
    Source: source,
    TimeGenerated: integer(entry.time),
    TimeWritten: integer(entry.time),
    Index: integer(entry.index),
  }));
  return either(entry.which, forms);
}
