import type { Cell, Cells } from '../../document/cells.ts';
import { either, type Node, type Optional, optional } from '../../document/nodes.ts';
import type { Part } from '../../part.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

const USERS = streamLabel('users');
const WINDOW_SECONDS = 5400;

/** The check `users`, and the cell that holds which of the names is signed in. */
export type MacUsers = Part & { readonly user: Cell };

export type MacUsersInput = { readonly names: readonly string[]; readonly terminals: number };

/** The check `users` of a macOS host: the console and its terminals. When they began is not known there. */
export function usersPart({ names, terminals }: MacUsersInput, cells: Cells): MacUsers {
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
