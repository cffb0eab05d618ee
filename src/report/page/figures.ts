import { once } from '../../base/kernel/memoize.ts';
import { DAY_SECONDS, formatBytes } from '../../base/kernel/units.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import type { Unit } from './chart-data.ts';

// Figures as text, for terminals and for scripts in pages, so this file imports only what computes without Node.

/** `999,999`, and `1.23M` from a million: up to seven characters below ten billion. */
export function countText(count: number): string {
  if (count < 999_999.5) return exactCount(Math.round(count));
  return count < 999_500_000 ? `${(count / 1_000_000).toPrecision(3)}M` : `${(count / 1_000_000_000).toPrecision(3)}G`;
}

/** Takes a thirtieth of the time of `toLocaleString`. */
const english = once(() => new Intl.NumberFormat('en-US'));

/** `1,234,567`: every digit. */
export function exactCount(count: number): string {
  return english().format(count);
}

/** `2026-01-31 12:00:00 UTC` for an ISO time. */
export function utcText(instant: string): string {
  return instant.replace('T', ' ').replace(/\.\d+Z$/, ' UTC');
}

/** Operations per second: one decimal below a hundred. */
export function rateText(perSecond: number): string {
  return perSecond < 99.95 ? perSecond.toFixed(1) : countText(perSecond);
}

/** `0.42 ms`, `12.3 ms`, `1,234 ms`, `12.3 s`: up to eight characters. */
export function latencyText(milliseconds: number): string {
  if (milliseconds < 9.995) return `${milliseconds.toFixed(2)} ms`;
  if (milliseconds < 99.95) return `${milliseconds.toFixed(1)} ms`;
  if (milliseconds < 9999.5) return `${exactCount(Math.round(milliseconds))} ms`;
  return milliseconds < 99_950 ? `${(milliseconds / 1000).toFixed(1)} s` : `${countText(milliseconds / 1000)} s`;
}

/** `34%`, with one decimal below ten percent, and never zero for a nonzero share. */
export function shareText(share: number): string {
  const percent = share * 100;
  if (percent === 0 || percent >= 9.95) return `${Math.round(percent)}%`;
  return percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}

/** `p99.9` for 1 / (1 - 0.999). */
export function percentileText(inverse: number): string {
  const percentile = 100 - 100 / inverse;
  return `p${Number(percentile.toFixed(Math.max(0, Math.ceil(Math.log10(inverse)) - 1)))}`;
}

/** A value of a chart, with the digits that tables show; a dash for none. */
export function unitText(value: number | null | undefined, unit: Unit): string {
  if (value === null || value === undefined) return '–';
  switch (unit) {
    case 'milliseconds':
      return latencyText(value);
    case 'per second':
      return `${rateText(value)}/s`;
    case 'bytes per second':
      return `${formatBytes(value)}/s`;
    case 'percent':
      return shareText(value / 100);
    case 'agents':
    case 'operations':
      return countText(value);
  }
}

/** The label of a tick: a round value needs no trailing zeros, and a small one all its digits. */
export function tickText(value: number, unit: Unit): string {
  const digits = Number(value.toPrecision(3));
  if (unit === 'milliseconds') return digits < 1000 ? `${digits} ms` : `${exactCount(digits / 1000)} s`;
  if (digits >= (unit === 'bytes per second' ? 10 : 100)) return unitText(digits, unit);
  return `${digits}${{ percent: '%', 'per second': '/s', 'bytes per second': ' B/s', agents: '', operations: '' }[unit]}`;
}

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

/** What became of the planned operations of a kind: started ones by outcome, and others by why they were dropped. */
type PlannedOperations = { readonly operation: string; readonly planned: number } & Readonly<
  Record<'outcomes' | 'dropped', Readonly<Record<string, number>>>
>;

/** Why operations failed or never started, with the share of the planned ones, most frequent first. */
export function reasonsOfFailures(operations: readonly PlannedOperations[] = []) {
  const all = operations.flatMap(({ operation, planned, outcomes, dropped }) => {
    const failed = Object.entries(outcomes).filter(([outcome]) => !isSuccess(outcome as Outcome));
    const unsent = Object.entries(dropped).map(([reason, count]): [string, number] => [`dropped: ${reason}`, count]);
    const share = (count: number): number => count / Math.max(1, planned);
    return [...failed, ...unsent].map(([reason, count]) => ({ operation, reason, count, share: share(count) }));
  });
  return all.sort((a, b) => b.count - a.count);
}
