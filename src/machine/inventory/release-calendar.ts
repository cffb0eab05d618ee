import { DAY_SECONDS } from '../../kernel/units.ts';
import type { Reasons } from './reasons.ts';
import { type Periodic, published, publishedSeconds } from './releases.ts';
import { countOf, type Tally } from './tally.ts';

/** The packages of one source: they are published together. */
export type Series = { readonly releases: Periodic; readonly tally: Tally };

/**
 * Of how many packages of a host something new was published after one instant and up to another, in seconds since the
 * epoch of releases; `host` is what the host has.
 */
export type NewsBetween = (from: number, to: number, host: Reasons) => number;

const BACK_SECONDS = 60 * DAY_SECONDS;
const AHEAD_SECONDS = 10 * DAY_SECONDS;

/** Publications in a stretch of time, in their order, each with the one before it of the same source. */
type Calendar = {
  readonly start: number;
  readonly end: number;
  readonly times: Float64Array;
  readonly before: Float64Array;
  readonly tallies: readonly Tally[];
};

/**
 * Answers by going back through a calendar of publications, which is worked out for some weeks at a time: asking each
 * source would be a tenth of a push for hosts with a thousand packages.
 */
export function newsOf(series: readonly Series[]): NewsBetween {
  let calendar = calendarOf(series, 0, 0);
  return (from, to, host) => {
    if (from < calendar.start || to > calendar.end) {
      calendar = calendarOf(series, from - BACK_SECONDS, to + AHEAD_SECONDS);
    }
    const { times, before, tallies } = calendar;
    let news = 0;
    // Of several publications of a source, only the first counts: the one whose predecessor was before the stretch.
    for (let i = countUpTo(times, to) - 1; i >= 0 && (times[i] as number) > from; i--) {
      if ((before[i] as number) <= from) news += countOf(tallies[i] as Tally, host);
    }
    return news;
  };
}

function calendarOf(series: readonly Series[], start: number, end: number): Calendar {
  const entries = series.flatMap(({ releases, tally }) => {
    const first = published(releases, start) + 1;
    const count = Math.max(0, published(releases, end) - first + 1);
    return Array.from({ length: count }, (_, index) => {
      const time = publishedSeconds(releases, first + index);
      // The first revision has been there since ever.
      return { time, before: first + index === 2 ? Number.NEGATIVE_INFINITY : time - releases.periodSeconds, tally };
    });
  });
  entries.sort((a, b) => a.time - b.time);
  const times = Float64Array.from(entries, ({ time }) => time);
  const before = Float64Array.from(entries, ({ before }) => before);
  return { start, end, times, before, tallies: entries.map(({ tally }) => tally) };
}

/** How many of rising times are not after an instant. */
function countUpTo(times: Float64Array, instant: number): number {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] as number) <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
}
