import { pageData } from './theme.js';

/** @import { Band } from '../../page/chart-data.ts' */

const phases = pageData.bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');

/**
 * Wall clock time such as `10:16:35`, in UTC or of the hosts' clocks.
 * @param {number} seconds
 * @returns {string}
 */
export function wallText(seconds) {
  return new Date(pageData.startedAtMs + pageData.clockFactor * seconds * 1000).toISOString().slice(11, 19);
}

/**
 * The phase that contains this second; empty if there is none.
 * @param {number} seconds
 * @returns {string}
 */
export function phaseText(seconds) {
  const isThen = (/** @type {Band} */ { fromSeconds, toSeconds }) => fromSeconds <= seconds && seconds < toSeconds;
  return phases.find(isThen)?.label ?? '';
}

/**
 * The lower bound of a heat map's cell, in milliseconds.
 * @param {number} cell
 * @returns {number}
 */
export function cellStartMs(cell) {
  return 10 ** (cell / pageData.cellsPerDecade) / 1000;
}

/**
 * Converts 1 / (1 - 0.999) to `p99.9`.
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
