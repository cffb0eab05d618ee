import { HOUR_SECONDS } from '../../../kernel/units.ts';
import type { Cells, Row } from '../../document/cells.ts';
import { either, integer, type Node, optional, text } from '../../document/nodes.ts';
import type { Part } from '../../part.ts';
import { EPOCH_SECONDS, isWorkingTime } from '../../time/activity.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

const USERS = streamLabel('users');

export type UsersInput = { readonly names: readonly string[]; readonly sessions: number };

/** A place for a login over SSH; `started` in Unix seconds. */
export type LoginSession = {
  readonly terminal: string;
  readonly row: Row<'present' | 'name' | 'host' | 'started'>;
};

/** The check `users`, and its sessions: their processes are told by another check. */
export type Users = Part & { readonly sessions: readonly LoginSession[] };

/** The check `users` of a Linux host: sessions over SSH, more of them in working hours. */
export function usersCheck({ names, sessions }: UsersInput, cells: Cells): Users {
  const rows = Array.from({ length: sessions }, () => cells.row('present', 'name', 'host', 'started'));
  const nodes = rows.map(({ present, name, host, started }, session) => {
    const node: Node = {
      name: either(name, names),
      terminal: `pts/${session}`,
      host: text('10.20.0.', integer(host)),
      started: integer(started),
    };
    return optional(present, node);
  });
  return {
    sessions: rows.map((row, session) => ({ row, terminal: `pts/${session}` })),
    node: nodes,
    fill(frame, { hostKey, checkMs, bootMs, zoneSeconds }) {
      const key = keyOf(hostKey, USERS);
      const now = secondsSinceEpoch(checkMs);
      for (const [session, row] of rows.entries()) {
        const length = (1 + 2 * session) * HOUR_SECONDS;
        const window = Math.floor(now / length);
        const started = Math.floor((window + 0.6 * unit(key + session, window)) * length);
        const likely = isWorkingTime(started + zoneSeconds) ? 0.5 : 0.06;
        const here = started <= now && EPOCH_SECONDS + started > bootMs / 1000 + 60;
        frame[row.present] = here && unit(key - session, window) < likely / (1 + session) ? 1 : 0;
        frame[row.name] = Math.floor(unit(key + 7 + session, window) * names.length);
        frame[row.host] = 2 + Math.floor(unit(key, 50 + session) * 250);
        frame[row.started] = EPOCH_SECONDS + started;
      }
    },
  };
}
