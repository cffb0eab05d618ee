import type { Band } from './chart-data.ts';

/** Height of a strip with room for names. */
export const NAMED_PX = 16;

/** More strips of that height would leave no room for the chart: all become lower instead, and lose their names. */
const MAX_NAMED = 3;
const MIN_PX = 4;

/** An instantaneous event is drawn as a line of about this part of a chart. */
const LINE_SHARE = 1 / 250;

/**
 * How a band is drawn. `number` replaces a name that does not fit; empty if there is none. Only strips of height `NAMED_PX` have names.
 */
export type Strip = {
  readonly band: Band;
  readonly row: number;
  readonly topPx: number;
  readonly tallPx: number;
  readonly fill: string;
  readonly number: string;
};

/** Bands above charts. */
export type Strips = { readonly all: readonly Strip[]; readonly heightPx: number };

/** One strip for the phases, and below it as many as concurrent faults and events need, so that none hides another. */
export function stripsOf(bands: readonly Band[]): Strips {
  const phases = bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');
  const endSeconds = Math.max(0, ...bands.map(({ toSeconds }) => toSeconds));
  const happenings = inRows(
    bands.filter(({ kind }) => kind === 'fault' || kind === 'event'),
    endSeconds * LINE_SHARE,
  );
  const rows = Math.max(0, ...happenings.map(({ row }) => row));
  const tallPx = rows <= MAX_NAMED ? NAMED_PX : Math.max(MIN_PX, Math.floor((MAX_NAMED * NAMED_PX) / rows));
  const all = [
    ...phases.map((band, index) => ({
      band,
      row: 0,
      topPx: 0,
      tallPx: NAMED_PX,
      number: String(index + 1),
      fill: band.kind === 'excluded' ? 'band-excluded' : index % 2 === 0 ? 'band-even' : 'band-odd',
    })),
    ...happenings.map(({ band, row }) => ({
      band,
      row,
      topPx: NAMED_PX + (row - 1) * tallPx,
      tallPx,
      number: '',
      fill: `band-${band.kind}`,
    })),
  ];
  return { all, heightPx: NAMED_PX + rows * tallPx + 4 };
}

/** Each band in the first row, from 1, in which it hides no other. */
function inRows(
  bands: readonly Band[],
  leastSeconds: number,
): readonly { readonly band: Band; readonly row: number }[] {
  const ends: number[] = [];
  return bands
    .toSorted((a, b) => a.fromSeconds - b.fromSeconds)
    .map((band) => {
      const free = ends.findIndex((end) => end <= band.fromSeconds);
      const row = free < 0 ? ends.length : free;
      ends[row] = Math.max(band.toSeconds, band.fromSeconds + leastSeconds);
      return { band, row: row + 1 };
    });
}
