import { type Cells, type Frame, integer, padded, type Text, text } from '../document/nodes.ts';
import { EPOCH_SECONDS } from '../time/activity.ts';
import { civilDate } from '../time/calendar.ts';
import type { Waves } from './releases.ts';

const DAY_SECONDS = 86_400;
/** A rolling distribution tests the packages of a day before it publishes them under that day's date. */
const TESTING_DAYS = 2;

export type SnapshotVersion = { readonly node: Text; readonly fill: (frame: Frame, waves: Waves) => void };

/** The version of a rolling distribution: the date of the snapshot that the host was last updated to, as 20260113. */
export function snapshotVersion(cells: Cells): SnapshotVersion {
  const first = cells.take(3);
  return {
    node: text(integer(first), padded(first + 1, 2), padded(first + 2, 2)),
    fill(frame, waves) {
      const { year, month, day } = civilDate(Math.floor((EPOCH_SECONDS + waves.all) / DAY_SECONDS) - TESTING_DAYS);
      frame[first] = year;
      frame[first + 1] = month;
      frame[first + 2] = day;
    },
  };
}
