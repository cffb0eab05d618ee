import type { Cells } from '../../document/nodes.ts';
import { EPOCH_SECONDS, secondsSinceEpoch } from '../../host/calendar.ts';
import type { HostState } from '../../host/host-state.ts';
import { keyOf, streamLabel, unit } from '../../host/noise.ts';
import type { Fill } from '../../host/part.ts';

type ShortLivedInput = {
  readonly count: number;
  /** Number of kinds of short-lived programs. */
  readonly kinds: number;
  /** Returns the seconds after which the process of a place is replaced, if it has not ended before. */
  readonly lifeSeconds: (place: number) => number;
  /** Returns the PID of the process that a place starts at a turn. */
  readonly pid: (start: Start) => number;
};

type Start = {
  readonly host: HostState;
  readonly place: number;
  readonly turn: number;
  readonly startSeconds: number;
};

const SHORT_LIVED = streamLabel('processes.short-lived');
const LIKELY = 0.65;
/** No short-lived process runs this soon after a boot. */
const SETTLED_SECONDS = 60;

/** Processes that live for minutes. Each place has a rhythm of its own. */
export function shortLivedProcesses(input: ShortLivedInput, cells: Cells) {
  const { count, kinds, lifeSeconds, pid } = input;
  const rows = Array.from({ length: count }, () => cells.row('present', 'kind', 'pid', 'created'));
  const fill: Fill = (frame, host) => {
    const now = secondsSinceEpoch(host.checkMs);
    const settled = secondsSinceEpoch(host.bootMs) + SETTLED_SECONDS;
    for (let place = 0; place < rows.length; place++) {
      const row = rows[place] as (typeof rows)[number];
      const key = keyOf(host.hostKey, SHORT_LIVED) + place;
      const life = lifeSeconds(place);
      const turn = Math.floor(now / life);
      const startSeconds = turn * life;
      frame[row.present] = unit(key, turn) < LIKELY && startSeconds > settled ? 1 : 0;
      frame[row.kind] = Math.floor(unit(key, ~turn) * kinds);
      frame[row.pid] = pid({ host, place, turn, startSeconds });
      frame[row.created] = EPOCH_SECONDS + startSeconds;
    }
  };
  return { rows, fill };
}
