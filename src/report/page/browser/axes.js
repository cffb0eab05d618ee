import { color, FONT } from './colors.js';

/** @import uPlot from 'uplot' */
/** @import { ChartLine as Line, Unit } from '../chart-data.ts' */

const PLOT_HEIGHT = 230;

/** Steps of a time axis that are also common on clocks. */
export const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 36_000, 86_400];

/**
 * @param {HTMLElement} element
 * @returns {{ width: number; height: number }}
 */
export function sizeOf(element) {
  return { width: Math.max(240, element.clientWidth), height: PLOT_HEIGHT };
}

/** @returns {uPlot.Axis} */
export function axisStyle() {
  const line = { stroke: () => color('grid'), width: 1 };
  return { stroke: () => color('faint'), font: FONT, grid: line, ticks: { ...line, size: 5 } };
}

/**
 * Legend settings: samples that look like the lines, with the values at the cursor.
 * @param {readonly Line[]} lines
 * @returns {uPlot.Legend}
 */
export function legendOf(lines) {
  const dashed = (/** @type {readonly number[]} */ [length = 0]) => (length > 3 ? 'dashed' : 'dotted');
  const dash = (/** @type {uPlot} */ _plot, /** @type {number} */ index) => {
    const own = lines[index - 1]?.dash ?? [];
    return own.length === 0 ? 'solid' : dashed(own);
  };
  return { markers: { width: 3, dash } };
}

/**
 * @param {(value: number) => string} text
 * @returns {uPlot.Axis}
 */
export function valueAxis(text) {
  return {
    ...axisStyle(),
    size: 64,
    values: (_plot, splits) => splits.map((value) => (value === null ? '' : text(value))),
  };
}

/**
 * Limits grid lines and ticks of a logarithmic axis to its decades, unless fewer than two are visible.
 * @param {uPlot.Axis} axis
 * @returns {uPlot.Axis}
 */
export function logarithmic(axis) {
  const filter = (/** @type {uPlot} */ _plot, /** @type {(number | null)[]} */ splits) => {
    const decades = splits.map((value) =>
      value !== null && Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null,
    );
    return decades.filter((value) => value !== null).length > 1 ? decades : splits;
  };
  return { ...axis, grid: { ...axis.grid, filter }, ticks: { ...axis.ticks, filter } };
}

/**
 * @param {Line} line
 * @param {(value: number) => string} text
 * @returns {uPlot.Series}
 */
export function lineSeries(line, text) {
  return {
    label: line.label,
    stroke: color(line.color),
    width: 1.75,
    dash: [...line.dash],
    points: { size: 4 },
    value: (_plot, value) => (value === null || value === undefined ? '–' : text(value)),
  };
}

/**
 * @param {number | null} max
 * @param {Unit} unit
 * @returns {[number, number]}
 */
export function fromZero(max, unit) {
  if (unit === 'percent') return [0, 100];
  return [0, max === null || max <= 0 ? 1 : max * 1.08];
}

/**
 * @param {uPlot} _plot
 * @param {number | null} min
 * @param {number | null} max
 * @returns {[number, number]}
 */
export function decades(_plot, min, max) {
  if (min === null || max === null) return [0.1, 10];
  return [
    10 ** Math.floor(Math.log10(Math.max(min, 0.0001))),
    10 ** Math.ceil(Math.log10(Math.max(max, 0.0001)) + 0.01),
  ];
}

/**
 * Draws a limit if it is within the visible range.
 * @param {uPlot} plot
 * @param {number | undefined} limit
 */
export function drawLimit(plot, limit) {
  const { max } = plot.scales.y ?? {};
  if (limit === undefined || max === undefined || max === null || limit > max) return;
  const { ctx, bbox } = plot;
  const y = plot.valToPos(limit, 'y', true);
  ctx.save();
  ctx.strokeStyle = color('red');
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([2 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  ctx.moveTo(bbox.left, y);
  ctx.lineTo(bbox.left + bbox.width, y);
  ctx.stroke();
  ctx.restore();
}
