import { DAY_SECONDS } from '../../ground/kernel/units.ts';

/** Steps of a time axis that are also common on clocks and in calendars. */
export const NICE_SECONDS = [
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200],
  ...[1, 2, 3, 7, 14, 30, 61, 91, 182, 365].map((days) => days * DAY_SECONDS),
];

/**
 * Labels of a time axis: days if they are a day or more apart, otherwise times, with the day below the first and at each change.
 * @param instants in Unix seconds, and the distance between them
 */
export function tickTexts(instants: readonly number[], stepSeconds: number): readonly string[] {
  const texts = instants.map((seconds) => new Date(seconds * 1000).toISOString());
  return texts.map((text, index) => {
    const day = text.slice(0, 10);
    if (stepSeconds >= DAY_SECONDS) return day;
    const time = text.slice(11, stepSeconds < 60 ? 19 : 16);
    return day === texts[index - 1]?.slice(0, 10) ? time : `${time}\n${day}`;
  });
}
