import { pageData } from './theme.js';

/** @import { Band } from '../../../page/chart-data.ts' */

const phases = pageData.bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');

/**
 * `10:16:35`: the wall clock then, in UTC, or that of the hosts.
 * @param {number} seconds
 * @returns {string}
 */
export function wallText(seconds) {
  return new Date(pageData.startedAtMs + pageData.clockFactor * seconds * 1000).toISOString().slice(11, 19);
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
