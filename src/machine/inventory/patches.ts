import { hash32 } from '../../kernel/random.ts';
import { DAY_SECONDS } from '../../kernel/units.ts';
import type { Cells, CellValues, Row } from '../document/cells.ts';
import { integer, type Optional, optional, text } from '../document/nodes.ts';
import { EPOCH_SECONDS } from '../time/activity.ts';
import { civilDate } from '../time/calendar.ts';
import { type Offer, type Periodic, published, publishedSeconds, revisionAt, type Waves } from './releases.ts';

/** Security patches of one piece of software: announcements that zypper lists beside the packages they change. */
export type PatchSeries = { readonly archive: string; readonly series: number; readonly releases: Periodic };

/** More series than this would give two patches of one day the same number. */
const MOST_SERIES = 24;

export function patchSeries(archive: string, count: number): readonly PatchSeries[] {
  return Array.from({ length: Math.min(count, MOST_SERIES) }, (_, series) => {
    const random = (label: string) => hash32(0, `${archive}.patch.${label}`, series) / 0x1_0000_0000;
    const periodSeconds = (9 + 60 * random('period')) * DAY_SECONDS;
    return { archive, series, releases: { periodSeconds, phase: random('phase'), security: true } };
  });
}

function isPending({ releases }: PatchSeries, waves: Waves, offer: Offer): boolean {
  return revisionAt(releases, offer) > revisionAt(releases, waves);
}

export type PatchesPart = {
  readonly nodes: readonly Optional[];
  /** Returns whether any is due. */
  readonly fill: (frame: CellValues, waves: Waves, offer: Offer) => boolean;
};

/** The entries of the update list: named by year and number, without a version to come from. */
export function patchesPart(patches: readonly PatchSeries[], cells: Cells): PatchesPart {
  const rows = patches.map((patch) => ({ patch, ...cells.row('present', 'year', 'number') }));
  const nodes = rows.map(({ patch: { archive }, present, year, number }) => {
    return optional(present, {
      Name: text(`${archive}-`, integer(year), '-', integer(number)),
      CurrentVersion: '',
      AvailableVersion: '1',
      IsSecurityUpdate: true,
      IsPatch: true,
    });
  });
  return {
    nodes,
    fill(frame, waves, offer) {
      let any = false;
      for (const { patch, present, ...name } of rows) {
        const due = isPending(patch, waves, offer);
        any ||= due;
        frame[present] = due ? 1 : 0;
        fillName(frame, name, { patch, seconds: offer.security });
      }
      return any;
    },
  };
}

/** Numbers rise through the year, and no two patches share one. */
function fillName(
  frame: CellValues,
  name: Row<'year' | 'number'>,
  { patch, seconds }: { patch: PatchSeries; seconds: number },
): void {
  const since = EPOCH_SECONDS + publishedSeconds(patch.releases, published(patch.releases, seconds));
  const days = Math.floor(since / DAY_SECONDS);
  const { year, month, day } = civilDate(days);
  frame[name.year] = year;
  frame[name.number] = (31 * (month - 1) + day) * MOST_SERIES + patch.series;
}
