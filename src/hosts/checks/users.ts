import { HOUR_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type Node, type Row, slot, type Text } from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { inRange, keyOf, scramble, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { Fill, Part } from '../host/part.ts';
import { isWorkingTime } from '../host/site.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';

/* Times, shares and addresses without a source are chosen. */

const USERS = streamLabel('users');

type LinuxUsersInput = {
  readonly names: readonly string[];
  readonly sessions: number;
  readonly seat: Seat | undefined;
};

/** The user of a desktop, who is signed in from boot, and the cell that is 0 while the desktop does not run. */
type Seat = { readonly name: Text; readonly running: Cell | undefined };

/** Stands for this user in tables. */
export const PERSON = '{user}';
const PERSONS = streamLabel('users.person');
const people = oncePerData((data) => readTable(data, 'people.tsv', { name: column.text }).map(({ name }) => name));

export function personAt(data: HostTables, cells: Cells): { readonly name: Text; readonly fill: Fill } {
  const names = people(data);
  const which = cells.one();
  return {
    name: slot.text(slot.word(which, names)),
    fill(frame, { hostKey }) {
      frame[which] = Math.floor(names.length * unit(keyOf(hostKey, PERSONS), 0));
    },
  };
}

/** Slot for an SSH login. `started` is in Unix seconds, and `number` is that of systemd. */
export type LoginSession = {
  readonly terminal: string;
  readonly names: readonly string[];
  readonly row: Row<'present' | 'name' | 'started' | 'number'>;
};

/** The check `users`, its SSH sessions, and the cell that is 0 while nobody is signed in. Other checks show their traces. */
export type Users = Part & {
  readonly sessions: readonly LoginSession[];
  readonly some: Cell;
  readonly seat: LinuxUsersInput['seat'];
};

/** Seconds from boot until the user of a desktop is signed in, and until the first SSH session. */
const GREETED_SECONDS = 19;
const FIRST_SSH_SECONDS = 60;
/** Probability of the first session in its window, during working hours and at other times. Further ones are rarer. */
const SSH_LIKELY = { working: 0.5, other: 0.06 };

/** The check `users` of a Linux host: SSH sessions, more of them during working hours. */
export function linuxUsers({ names, sessions, seat }: LinuxUsersInput, cells: Cells): Users {
  const { some, greeted } = cells.row('some', 'greeted');
  const rows = Array.from({ length: sessions }, () => {
    return cells.row('present', 'name', 'started', 'number', 'net', 'subnet', 'host');
  });
  const desktop = seat && { name: seat.name, terminal: 'tty2', host: 'tty2', started: slot.integer(greeted) };
  const seated = desktop && slot.optional(seat?.running, desktop);
  const nodes = rows.map(({ present, name, started, net, subnet, host }, session) => {
    const node: Node = {
      name: slot.either(name, names),
      terminal: `pts/${session}`,
      host: slot.text('10.', slot.integer(net), '.', slot.integer(subnet), '.', slot.integer(host)),
      started: slot.integer(started),
    };
    return slot.optional(present, node);
  });
  const presences = [...(seat === undefined ? [] : [seat.running]), ...rows.map(({ present }) => present)];
  return {
    sessions: rows.map((row, session) => ({ row, names, terminal: `pts/${session}` })),
    some,
    seat,
    node: seated === undefined ? nodes : [seated, ...nodes],
    fill(frame, { hostKey, checkMs, bootMs, site }) {
      const key = keyOf(hostKey, USERS);
      const now = secondsSinceEpoch(checkMs);
      frame[greeted] = Math.floor(bootMs / 1000) + GREETED_SECONDS;
      for (const [session, row] of rows.entries()) {
        // Windows of 1, 3, 5 hours and so on. A session starts in the first part of its window, and lasts until the end.
        const length = (1 + 2 * session) * HOUR_SECONDS;
        const window = Math.floor(now / length);
        const started = Math.floor((window + 0.6 * unit(key + session, window)) * length);
        const likely = isWorkingTime(site, started) ? SSH_LIKELY.working : SSH_LIKELY.other;
        const isPossible = started <= now && EPOCH_SECONDS + started > bootMs / 1000 + FIRST_SSH_SECONDS;
        frame[row.present] = isPossible && unit(key - session, window) < likely / (1 + session) ? 1 : 0;
        // About one session in an hour, in order.
        frame[row.number] =
          3 + sessions * Math.floor((EPOCH_SECONDS + started - bootMs / 1000) / HOUR_SECONDS) + session;
        frame[row.name] = Math.floor(unit(key + 7 + session, window) * names.length);
        // Most users connect from the networks of a few sites.
        const from = scramble(key, 50 + session);
        frame[row.net] = 20 + 10 * ((from & 7) % 5);
        frame[row.subnet] = (from >>> 3) & 0xf;
        frame[row.host] = 10 + ((from >>> 7) % 230);
        frame[row.started] = EPOCH_SECONDS + started;
      }
      frame[some] = presences.some((cell) => cell === undefined || frame[cell] !== 0) ? 1 : 0;
    },
  };
}

/** Slot for a signed-in user: whether it is taken, since when (Unix ms), and the number of the sign-in. */
export type Session = Row<'present' | 'startedMs' | 'luid' | 'name'>;

/** `console`: a user signs in after boot and stays. `remote`: administrators sign in for some hours. */
type WindowsUsersInput = { readonly kind: 'console' | 'remote'; readonly names: readonly string[] };

const SESSIONS = streamLabel('users.sessions');
const REMOTE_SESSIONS = 2;
/** At most one visit of an administrator per slot and window. It starts in the first half of the window. */
const VISIT_SECONDS = 2 * HOUR_SECONDS;
const VISIT_LIKELY = { working: 0.4, other: 0.05 };
/** Soonest sign-ins after a boot: at the console, within some minutes, and of an administrator. */
const SOONEST_CONSOLE_MS = 35_000;
const MORE_UNTIL_CONSOLE_MS = 500_000;
const SOONEST_VISIT_MS = 90_000;
/** Until the processes of a session have started. */
const STARTING_MS = 3000;
/** Numbers of sign-ins: Windows counts them from boot, together with those of services. */
const LUIDS: ValueRange = [20_000, 70_000];

/** The check `users`, and its sessions, whose processes and services other checks report. */
export function windowsUsers(
  { kind, names }: WindowsUsersInput,
  cells: Cells,
): Part & { readonly sessions: readonly Session[] } {
  const sessions = Array.from({ length: kind === 'console' ? 1 : REMOTE_SESSIONS }, () => {
    return cells.row('present', 'startedMs', 'luid', 'name');
  });
  const nodes = sessions.map(({ present, startedMs, name }, session) => {
    // Each slot has names of its own, so that no user is signed in twice.
    const own = names.filter((_, index) => index % sessions.length === session);
    const node: Node = { name: slot.either(name, own), terminal: '', host: '', started: slot.integer(startedMs) };
    return slot.optional(present, node);
  });
  const choices = Math.floor(names.length / sessions.length);
  return {
    sessions,
    node: nodes,
    fill(frame, host) {
      const key = keyOf(host.hostKey, SESSIONS);
      sessions.forEach(({ present, startedMs, luid, name }, session) => {
        const startMs = kind === 'console' ? signIn(host) : visit(host, key + session, session);
        frame[present] = startMs === undefined ? 0 : 1;
        frame[startedMs] = startMs ?? 0;
        frame[luid] = Math.floor(inRange(LUIDS, unit(host.bootKey, 700 + session)));
        frame[name] = Math.floor(unit(key + session, -7) * choices);
      });
    },
  };
}

/** Unix ms at which the user of this boot signed in; `undefined` before that. */
function signIn({ bootMs, checkMs, bootKey }: HostState): number | undefined {
  const startMs = bootMs + SOONEST_CONSOLE_MS + Math.floor(MORE_UNTIL_CONSOLE_MS * unit(bootKey, 701) ** 2);
  return startMs + STARTING_MS <= checkMs ? startMs : undefined;
}

/** Unix ms at which the current administrator signed in; `undefined` if there is none. More sign in during working hours. */
function visit({ checkMs, bootMs, site }: HostState, key: number, session: number): number | undefined {
  const now = secondsSinceEpoch(checkMs);
  const window = Math.floor(now / VISIT_SECONDS);
  const startMs = Math.floor(1000 * (EPOCH_SECONDS + (window + 0.5 * unit(key, window)) * VISIT_SECONDS));
  const isWorking = isWorkingTime(site, startMs / 1000 - EPOCH_SECONDS);
  const likely = (isWorking ? VISIT_LIKELY.working : VISIT_LIKELY.other) / (1 + 2 * session);
  const isPossible = startMs + STARTING_MS <= checkMs && startMs > bootMs + SOONEST_VISIT_MS;
  return isPossible && unit(key, ~window) < likely ? startMs : undefined;
}

/** Terminals of a Mac open and close at the ends of such windows. */
const TERMINAL_SECONDS = 1.5 * HOUR_SECONDS;
const TERMINAL_LIKELY = 0.7;

export type MacTerminal = Row<'present' | 'session'>;

/** The check `users`, the cell with the index of the signed-in user's name, and the terminals, whose shells are processes. */
type MacUsers = Part & { readonly user: Cell; readonly terminals: readonly MacTerminal[] };

type MacUsersInput = { readonly names: readonly string[]; readonly terminals: number };

/** The check `users` of a macOS host: the console and its terminals. macOS does not report when sessions started. */
export function macUsers({ names, terminals }: MacUsersInput, cells: Cells): MacUsers {
  const user = cells.one();
  const open = Array.from({ length: terminals }, () => cells.row('present', 'session'));
  const session = (terminal: string): Node => ({ name: slot.either(user, names), terminal, host: '', started: 0 });
  const windows = open.map(({ present }, index) => {
    return slot.optional(present, session(`ttys${String(index).padStart(3, '0')}`));
  });
  return {
    user,
    terminals: open,
    node: [session('console'), ...windows],
    fill(frame, { hostKey, checkMs }) {
      const key = keyOf(hostKey, USERS);
      const window = Math.floor(secondsSinceEpoch(checkMs) / TERMINAL_SECONDS);
      frame[user] = Math.floor(unit(key, -1) * names.length);
      for (const [terminal, { present, session }] of open.entries()) {
        frame[session] = window;
        frame[present] = unit(key + terminal, window) < TERMINAL_LIKELY / (1 + terminal) ? 1 : 0;
      }
    },
  };
}
