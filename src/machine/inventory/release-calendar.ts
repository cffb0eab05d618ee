import { published, publishedSeconds, type Releases } from './releases.ts';

/** Of how many packages something new was published after one instant and up to another, in seconds since the epoch. */
export type NewsBetween = (from: number, to: number) => number;

const DAY_SECONDS = 86_400;
const BACK_SECONDS = 60 * DAY_SECONDS;
const AHEAD_SECONDS = 10 * DAY_SECONDS;

/** Publications in a stretch of time, in their order, each with the one before it of the same package. */
type Calendar = {
  readonly start: number;
  readonly end: number;
  readonly times: Float64Array;
  readonly before: Float64Array;
};

/**
 * Answers by going back through a calendar of publications, which is worked out for some weeks at a time: asking each
 * package would be a tenth of a push for hosts with a thousand of them.
 */
export function newsOf(releases: readonly Releases[]): NewsBetween {
  let calendar = calendarOf(releases, 0, 0);
  return (from, to) => {
    if (from < calendar.start || to > calendar.end) {
      calendar = calendarOf(releases, from - BACK_SECONDS, to + AHEAD_SECONDS);
    }
    const { times, before } = calendar;
    let news = 0;
    // Of several publications of a package, only the first counts: the one whose predecessor was before the stretch.
    for (let i = countUpTo(times, to) - 1; i >= 0 && (times[i] as number) > from; i--) {
      if ((before[i] as number) <= from) news++;
    }
    return news;
  };
}

function calendarOf(releases: readonly Releases[], start: number, end: number): Calendar {
  const entries = releases.flatMap((series) => {
    const first = published(series, start) + 1;
    const count = Math.max(0, published(series, end) - first + 1);
    return Array.from({ length: count }, (_, index) => {
      const time = publishedSeconds(series, first + index);
      // The first revision has been there since ever.
      return { time, before: first + index === 2 ? Number.NEGATIVE_INFINITY : time - series.periodSeconds };
    });
  });
  entries.sort((a, b) => a.time - b.time);
  const times = Float64Array.from(entries, ({ time }) => time);
  return { start, end, times, before: Float64Array.from(entries, ({ before }) => before) };
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
