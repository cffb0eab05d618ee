import { drawn } from '../../common/draws.ts';
import type { Cell, Cells, CellValues, Row } from '../../document/cells.ts';
import type { Incident } from '../../incidents/incident.ts';
import { outageOf, takingDown } from '../../incidents/outages.ts';
import type { Fill } from '../../part.ts';
import { keyOf, type Moment, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import type { ServiceLine } from '../data/service-table.ts';
import type { ChosenServices } from './service-choice.ts';

/** A service that comes and goes: whether it runs, and since when (seconds since 2024). */
export type Wake = Row<'awake' | 'since'> & { readonly line: ServiceLine };

/** Starts at most once in so many seconds, and runs for a share of them. */
const WINDOW_SECONDS = 1500;
const WAKES = streamLabel('windows_services.wakes');

/** The waking among these services, and what decides which of them are awake. */
export function wakesOf(
  lines: readonly ServiceLine[],
  incidents: readonly Incident[],
  cells: Cells,
): { wakes: readonly Wake[]; fill: Fill } {
  const waking = lines.filter((line) => line.state === 'wakes');
  const wakes = waking.map((line) => ({
    line,
    causes: takingDown(incidents, line.name),
    ...cells.row('awake', 'since'),
  }));
  return {
    wakes,
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, WAKES);
      for (let i = 0; i < wakes.length; i++) {
        const wake = wakes[i] as (typeof wakes)[number];
        fillWake(frame, wake, { moment, key: key + i });
        if (wake.causes.length > 0 && outageOf(wake.causes, moment).down) frame[wake.awake] = 0;
      }
    },
  };
}

function fillWake(frame: CellValues, { awake, since }: Wake, { moment, key }: { moment: Moment; key: number }): void {
  const now = secondsSinceEpoch(moment.checkMs);
  const shifted = now + Math.floor(WINDOW_SECONDS * unit(key, -1));
  const window = Math.floor(shifted / WINDOW_SECONDS);
  const inWindow = shifted - window * WINDOW_SECONDS;
  const start = Math.floor(WINDOW_SECONDS * 0.4 * unit(key, window));
  const runs = unit(key, ~window) < 0.3 && inWindow >= start && inWindow < start + 600;
  const startSeconds = now - inWindow + start;
  frame[awake] = runs && startSeconds > secondsSinceEpoch(moment.bootMs) + 30 ? 1 : 0;
  frame[since] = startSeconds;
}

/** A service that only some hosts have: whether it is there, and whether it can be stopped by an incident. */
export type Installed = Wake & { readonly present: Cell; readonly causes: readonly Incident[] };

export type InstalledServices = { readonly installed: readonly Installed[]; readonly fill: Fill };

/** The services that only some hosts have: there they run from the start, elsewhere nothing tells of them. */
export function installedOf(
  { optional }: ChosenServices,
  incidents: readonly Incident[],
  cells: Cells,
): InstalledServices {
  const rows = optional.map(({ line, draw }) => {
    const causes = line.state === 'runs' ? takingDown(incidents, line.name) : [];
    return { line, causes, has: drawn(draw), ...cells.row('present', 'awake', 'since') };
  });
  return {
    installed: rows,
    fill(frame, moment) {
      for (let i = 0; i < rows.length; i++) {
        const { present, awake, since, causes, has } = rows[i] as (typeof rows)[number];
        const { down, restoredMs } = outageOf(causes, moment);
        const here = has(moment.hostKey);
        frame[present] = here ? 1 : 0;
        frame[awake] = here && !down ? 1 : 0;
        frame[since] = restoredMs === 0 ? 0 : secondsSinceEpoch(restoredMs);
      }
    },
  };
}
