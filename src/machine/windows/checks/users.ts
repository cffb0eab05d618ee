import type { Cells, Row } from '../../document/cells.ts';
import { either, integer, type Node, optional } from '../../document/nodes.ts';
import type { Part } from '../../part.ts';
import { EPOCH_SECONDS, isWorkingTime } from '../../time/activity.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

/** A place for a signed-in user: whether somebody is, since when (Unix ms), and a number of the sign-in. */
export type Session = Row<'present' | 'startedMs' | 'luid' | 'name'>;

/** The check `users`, and its sessions: other checks show what belongs to them. */
export type Sessions = Part & { readonly places: readonly Session[] };

export type SessionsInput = {
  /** `console`: somebody signs in after boot and stays. `remote`: administrators come for some hours. */
  readonly kind: 'console' | 'remote';
  readonly names: readonly string[];
};

const SESSIONS = streamLabel('users.sessions');
const REMOTE_PLACES = 2;
const VISIT_SECONDS = 7200;

export function sessionsPart({ kind, names }: SessionsInput, cells: Cells): Sessions {
  const places = Array.from({ length: kind === 'console' ? 1 : REMOTE_PLACES }, () => {
    return cells.row('present', 'startedMs', 'luid', 'name');
  });
  const nodes = places.map(({ present, startedMs, name }, place) => {
    // Places are taken by different people, so nobody is signed in twice.
    const own = names.filter((_, index) => index % places.length === place);
    const node: Node = { name: either(name, own), terminal: '', host: '', started: integer(startedMs) };
    return optional(present, node);
  });
  const choices = Math.floor(names.length / places.length);
  return {
    places,
    node: nodes,
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, SESSIONS);
      places.forEach(({ present, startedMs, luid, name }, place) => {
        const startMs = kind === 'console' ? signIn(moment) : visit(moment, key + place, place);
        frame[present] = startMs === undefined ? 0 : 1;
        frame[startedMs] = startMs ?? 0;
        frame[luid] = 20_000 + Math.floor(70_000 * unit(moment.bootKey, 700 + place));
        frame[name] = Math.floor(unit(key + place, -7) * choices);
      });
    },
  };
}

/** When the user of this boot signed in. */
function signIn({ bootMs, checkMs, bootKey }: Moment): number | undefined {
  const startMs = bootMs + 35_000 + Math.floor(500_000 * unit(bootKey, 701) ** 2);
  return startMs + 3000 <= checkMs ? startMs : undefined;
}

/** When the administrator came who is there now; more come in working hours. */
function visit({ checkMs, bootMs, zoneSeconds }: Moment, key: number, place: number): number | undefined {
  const now = secondsSinceEpoch(checkMs);
  const window = Math.floor(now / VISIT_SECONDS);
  const startMs = Math.floor(1000 * (EPOCH_SECONDS + (window + 0.5 * unit(key, window)) * VISIT_SECONDS));
  const working = isWorkingTime(startMs / 1000 - EPOCH_SECONDS + zoneSeconds);
  const likely = (working ? 0.4 : 0.05) / (1 + 2 * place);
  const here = startMs + 3000 <= checkMs && startMs > bootMs + 90_000;
  return here && unit(key, ~window) < likely ? startMs : undefined;
}
