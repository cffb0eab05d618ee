import { HOUR_SECONDS } from '../../ground/kernel/units.ts';
import {
  type Cell,
  type Cells,
  either,
  integer,
  type Node,
  type Optional,
  optional,
  type Row,
  text,
} from '../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../host/calendar.ts';
import type { HostState } from '../host/host-state.ts';
import { keyOf, scramble, streamLabel, unit } from '../host/noise.ts';
import type { Part } from '../host/part.ts';
import { isWorkingTime } from '../host/site.ts';

const USERS = streamLabel('users');

type LinuxUsersInput = { readonly names: readonly string[]; readonly sessions: number };

/** Slot for an SSH login. `started` is in Unix seconds. */
export type LoginSession = {
  readonly terminal: string;
  readonly row: Row<'present' | 'name' | 'started'>;
};

/** The check `users`, and its sessions, whose processes another check reports. */
type Users = Part & { readonly sessions: readonly LoginSession[] };

/** The check `users` of a Linux host: SSH sessions, more of them during working hours. */
export function linuxUsers({ names, sessions }: LinuxUsersInput, cells: Cells): Users {
  const rows = Array.from({ length: sessions }, () => cells.row('present', 'name', 'started', 'net', 'subnet', 'host'));
  const nodes = rows.map(({ present, name, started, net, subnet, host }, session) => {
    const node: Node = {
      name: either(name, names),
      terminal: `pts/${session}`,
      host: text('10.', integer(net), '.', integer(subnet), '.', integer(host)),
      started: integer(started),
    };
    return optional(present, node);
  });
  return {
    sessions: rows.map((row, session) => ({ row, terminal: `pts/${session}` })),
    node: nodes,
    fill(frame, { hostKey, checkMs, bootMs, site }) {
      const key = keyOf(hostKey, USERS);
      const now = secondsSinceEpoch(checkMs);
      for (const [session, row] of rows.entries()) {
        const length = (1 + 2 * session) * HOUR_SECONDS;
        const window = Math.floor(now / length);
        const started = Math.floor((window + 0.6 * unit(key + session, window)) * length);
        const likely = isWorkingTime(site, started) ? 0.5 : 0.06;
        const here = started <= now && EPOCH_SECONDS + started > bootMs / 1000 + 60;
        frame[row.present] = here && unit(key - session, window) < likely / (1 + session) ? 1 : 0;
        frame[row.name] = Math.floor(unit(key + 7 + session, window) * names.length);
        // Most users connect from the networks of a few sites.
        const from = scramble(key, 50 + session);
        frame[row.net] = 20 + 10 * ((from & 7) % 5);
        frame[row.subnet] = (from >>> 3) & 0xf;
        frame[row.host] = 10 + ((from >>> 7) % 230);
        frame[row.started] = EPOCH_SECONDS + started;
      }
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
    const node: Node = { name: either(name, own), terminal: '', host: '', started: integer(startedMs) };
    return optional(present, node);
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

/** The check `users`, and the cell with the index of the signed-in user's name. */
type MacUsers = Part & { readonly user: Cell };

type MacUsersInput = { readonly names: readonly string[]; readonly terminals: number };

/** The check `users` of a macOS host: the console and its terminals. macOS does not report when sessions started. */
export function macUsers({ names, terminals }: MacUsersInput, cells: Cells): MacUsers {
  const user = cells.one();
  const open = cells.list(terminals);
  const session = (terminal: string): Node => ({ name: either(user, names), terminal, host: '', started: 0 });
  const windows = open.map((present, place): Optional => {
    return optional(present, session(`ttys${String(place).padStart(3, '0')}`));
  });
  return {
    user,
    node: [session('console'), ...windows],
    fill(frame, { hostKey, checkMs }) {
      const key = keyOf(hostKey, USERS);
      const window = Math.floor(secondsSinceEpoch(checkMs) / WINDOW_SECONDS);
      frame[user] = Math.floor(unit(key, -1) * names.length);
      for (const [place, present] of open.entries()) {
        frame[present] = unit(key + place, window) < 0.7 / (1 + place) ? 1 : 0;
      }
    },
  };
}
