import { warp } from './noise.ts';

/** How busy a role is and when. */
export type Rhythm = {
  /** Mean share of all cores that is busy. */
  readonly busy: number;
  /** Amplitude of the daily and the weekly wave; together below 1. */
  readonly daily: number;
  readonly weekly: number;
};

const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
/** Seconds are counted from 2024-01-01 (a Monday), which leaves doubles the digits for fine differences. */
export const EPOCH_SECONDS = 1_704_067_200;

const HOURS = { grid: 5400, strength: 0.4 };
const MINUTES = { grid: 420, strength: 0.6 };
const MOMENTS = { grid: 23, strength: 0.75 };

/**
 * Work done by an instant, in seconds of mean activity since the epoch above. Load, CPU and every counter of a host
 * are differences of this one function over their own windows, which is why they agree with one another.
 */
export function workAt(key: number, rhythm: Rhythm, unixSeconds: number): number {
  const seconds = unixSeconds - EPOCH_SECONDS;
  const tides = seconds - tide(seconds, DAY_SECONDS, rhythm.daily) - tide(seconds, WEEK_SECONDS, rhythm.weekly);
  return warp(warp(warp(tides, key, HOURS), key + 1, MINUTES), key + 2, MOMENTS);
}

/** The integral of a wave that is highest in the early afternoon, or in the middle of the week. */
function tide(seconds: number, period: number, amplitude: number): number {
  const turn = 2 * Math.PI;
  return ((amplitude * period) / turn) * Math.cos((turn * (seconds - 0.33 * period)) / period);
}
