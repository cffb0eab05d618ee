import { DAY_SECONDS } from '../../kernel/units.ts';
import type { Cells, CellValues } from '../document/cells.ts';
import { integer, type Node, padded, type Text, text } from '../document/nodes.ts';
import { EPOCH_SECONDS } from '../time/activity.ts';
import { civilDate } from '../time/calendar.ts';
import type { Waves } from './releases.ts';

/** A rolling distribution tests the packages of a day before it publishes them under that day's date. */
const TESTING_DAYS = 2;

export type SnapshotVersion = { readonly node: Text; readonly fill: (frame: CellValues, waves: Waves) => void };

/** The version of a rolling distribution: the date of the snapshot that the host was last updated to, as 20260113. */
export function snapshotVersion(cells: Cells): SnapshotVersion {
  const date = cells.row('year', 'month', 'day');
  return {
    node: text(integer(date.year), padded(date.month, 2), padded(date.day, 2)),
    fill(frame, waves) {
      const { year, month, day } = civilDate(Math.floor((EPOCH_SECONDS + waves.all) / DAY_SECONDS) - TESTING_DAYS);
      frame[date.year] = year;
      frame[date.month] = month;
      frame[date.day] = day;
    },
  };
}

/** Stands for it in the version of the package that says which snapshot this is. */
const PLACE = '{snapshot}';

export function snapshotText({ node }: SnapshotVersion, version: string): Node {
  return version.startsWith(PLACE) ? text(...node.parts, version.slice(PLACE.length)) : version;
}
