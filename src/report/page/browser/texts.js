/** @import { Unit } from '../chart-data.ts' */

/**
 * `1:05`, `2:00:00`: hours, minutes and seconds.
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
 * @param {number} value
 * @returns {string}
 */
export function countText(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });
}

/**
 * Formats three digits, the precision of the histograms.
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
 * @param {Unit} unit
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
