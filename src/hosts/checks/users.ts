import { HOUR_SECONDS } from '../../base/kernel/units.ts';
import { type Cell, type Cells, type Node, type Row, slot, type Text } from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, scramble, streamLabel, unit } from '../host/noise.ts';
import type { Fill, Part } from '../host/part.ts';
import { isWorkingTime } from '../host/site.ts';
import { column, type HostTables, oncePerData, readTable } from '../host-data.ts';

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

/** The name of the person who works at a host. */
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

/** Seconds from boot until the user of a desktop is signed in. */
const GREETED_SECONDS = 19;

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
  const places = [...(seat === undefined ? [] : [seat.running]), ...rows.map(({ present }) => present)];
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
        const length = (1 + 2 * session) * HOUR_SECONDS;
        const window = Math.floor(now / length);
        const started = Math.floor((window + 0.6 * unit(key + session, window)) * length);
        const likely = isWorkingTime(site, started) ? 0.5 : 0.06;
        const here = started <= now && EPOCH_SECONDS + started > bootMs / 1000 + 60;
        frame[row.present] = here && unit(key - session, window) < likely / (1 + session) ? 1 : 0;
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
      frame[some] = places.some((cell) => cell === undefined || frame[cell] !== 0) ? 1 : 0;
    },
  };
}

/** Slot for a signed-in user: whether it is taken, since when (Unix ms), and the number of the sign-in. */
export type Session = Row<'present' | 'startedMs' | 'luid' | 'name'>;

/** The check `users`, and its sessions, whose processes and services other checks report. */
type Sessions = Part & { readonly places: readonly Session[] };

type WindowsUsersInput = {
  /** `console`: a user signs in after boot and stays. `remote`: administrators sign in for some hours. */
  readonly kind: 'console' | 'remote';
  readonly names: readonly string[];
};

const SESSIONS = streamLabel('users.sessions');
const REMOTE_PLACES = 2;
const VISIT_SECONDS = 7200;

export function windowsUsers({ kind, names }: WindowsUsersInput, cells: Cells): Sessions {
  const places = Array.from({ length: kind === 'console' ? 1 : REMOTE_PLACES }, () => {
    return cells.row('present', 'startedMs', 'luid', 'name');
  });
  const nodes = places.map(({ present, startedMs, name }, place) => {
    // Each slot has names of its own, so that no user is signed in twice.
    const own = names.filter((_, index) => index % places.length === place);
    const node: Node = { name: slot.either(name, own), terminal: '', host: '', started: slot.integer(startedMs) };
    return slot.optional(present, node);
  });
  const choices = Math.floor(names.length / places.length);
  return {
    places,
    node: nodes,
    fill(frame, host) {
      const key = keyOf(host.hostKey, SESSIONS);
      places.forEach(({ present, startedMs, luid, name }, place) => {
        const startMs = kind === 'console' ? signIn(host) : visit(host, key + place, place);
        frame[present] = startMs === undefined ? 0 : 1;
        frame[startedMs] = startMs ?? 0;
        frame[luid] = 20_000 + Math.floor(70_000 * unit(host.bootKey, 700 + place));
        frame[name] = Math.floor(unit(key + place, -7) * choices);
      });
    },
  };
}

/** Unix ms at which the user of this boot signed in; `undefined` before that. */
function signIn({ bootMs, checkMs, bootKey }: HostState): number | undefined {
  const startMs = bootMs + 35_000 + Math.floor(500_000 * unit(bootKey, 701) ** 2);
  return startMs + 3000 <= checkMs ? startMs : undefined;
}

/** Unix ms at which the current administrator signed in; `undefined` if there is none. More sign in during working hours. */
function visit({ checkMs, bootMs, site }: HostState, key: number, place: number): number | undefined {
  const now = secondsSinceEpoch(checkMs);
  const window = Math.floor(now / VISIT_SECONDS);
  const startMs = Math.floor(1000 * (EPOCH_SECONDS + (window + 0.5 * unit(key, window)) * VISIT_SECONDS));
  const working = isWorkingTime(site, startMs / 1000 - EPOCH_SECONDS);
  const likely = (working ? 0.4 : 0.05) / (1 + 2 * place);
  const here = startMs + 3000 <= checkMs && startMs > bootMs + 90_000;
  return here && unit(key, ~window) < likely ? startMs : undefined;
}

const WINDOW_SECONDS = 5400;

/** A terminal that may be open, with the number of its session. */
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
      const window = Math.floor(secondsSinceEpoch(checkMs) / WINDOW_SECONDS);
      frame[user] = Math.floor(unit(key, -1) * names.length);
      for (const [place, { present, session }] of open.entries()) {
        frame[session] = window;
        frame[present] = unit(key + place, window) < 0.7 / (1 + place) ? 1 : 0;
      }
    },
  };
}
