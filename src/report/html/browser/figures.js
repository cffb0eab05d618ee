import { pageData } from './theme.js';

/** @import { Band, TimeChart } from '../page-data.ts' */

export const phases = pageData.bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');

/**
 * `1:05`, `2:00:00`: time from the start of the run.
 * @param {number} seconds
 * @returns {string}
 */
export function clockText(seconds) {
  const rest = seconds % 60;
  const [whole, fraction] = [Math.floor(rest), rest % 1];
  const parts = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), whole];
  const shown = seconds < 3600 ? parts.slice(1) : parts;
  const text = shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':');
  return fraction < 0.001 ? text : `${text}${fraction.toFixed(1).slice(1)}`;
}

/**
 * `10:16:35`: the wall clock then, in UTC.
 * @param {number} seconds
 * @returns {string}
 */
export function wallText(seconds) {
  return new Date(pageData.startedAtMs + seconds * 1000).toISOString().slice(11, 19);
}

/**
 * The phase in which this second lies; empty: in none.
 * @param {number} seconds
 * @returns {string}
 */
export function phaseText(seconds) {
  const isThen = (/** @type {Band} */ { fromSeconds, toSeconds }) => fromSeconds <= seconds && seconds < toSeconds;
  return phases.find(isThen)?.label ?? '';
}

/**
 * @param {number} value
 * @returns {string}
 */
export function countText(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}

/**
 * Three digits are what the histograms hold.
 * @param {number} milliseconds
 * @returns {string}
 */
export function latencyText(milliseconds) {
  if (milliseconds < 1) return `${Number((milliseconds * 1000).toPrecision(3))} µs`;
  if (milliseconds < 1000) return `${Number(milliseconds.toPrecision(3))} ms`;
  return `${Number((milliseconds / 1000).toPrecision(3))} s`;
}

/**
 * @param {number} bytes
 * @returns {string}
 */
function bytesText(bytes) {
  if (bytes < 1000) return `${countText(bytes)} B`;
  const step = Math.min(3, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / 1000 ** step).toPrecision(3))} ${['B', 'kB', 'MB', 'GB'][step]}`;
}

/**
 * @param {number} value
 * @param {TimeChart['unit']} unit
 * @returns {string}
 */
export function unitText(value, unit) {
  switch (unit) {
    case 'milliseconds':
      return latencyText(value);
    case 'per second':
      return `${countText(value)}/s`;
    case 'bytes per second':
      return `${bytesText(value)}/s`;
    case 'percent':
      return `${countText(value)} %`;
    default:
      return countText(value);
  }
}

/**
 * The latency at which a cell of a heat map begins, in milliseconds.
 * @param {number} cell
 * @returns {number}
 */
export function cellStartMs(cell) {
  return 10 ** (cell / pageData.cellsPerDecade) / 1000;
}

/**
 * `p99.9` of 1 / (1 - 0.999).
 * @param {number} inverse
 * @returns {string}
 */
export function percentileText(inverse) {
  const percentile = 100 - 100 / inverse;
  return `p${Number(percentile.toFixed(Math.max(0, Math.ceil(Math.log10(inverse)) - 1)))}`;
}

/**
 * A heat map's cells of one interval as pairs.
 * @param {readonly number[]} cells
 * @returns {(readonly [cell: number, count: number])[]}
 */
export function pairsOf(cells) {
  return Array.from(
    { length: cells.length / 2 },
    (_, pair) => /** @type {const} */ ([cells[2 * pair] ?? 0, cells[2 * pair + 1] ?? 0]),
  );
}
