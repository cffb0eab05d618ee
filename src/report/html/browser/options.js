import { stripsHeight } from './bands.js';
import { clockText, phaseText, wallText } from './figures.js';
import { colour, FONT, pageData } from './theme.js';
import { showAll } from './zoom.js';

/** @import uPlot from 'uplot' */
/** @import { ChartLine as Line } from '../page-data.ts' */

const PLOT_HEIGHT = 230;

export const times = Array.from({ length: pageData.intervals }, (_, index) => index * pageData.secondsPerInterval);

/**
 * @param {HTMLElement} element
 * @returns {{ width: number; height: number }}
 */
export function sizeOf(element) {
  return { width: Math.max(240, element.clientWidth), height: PLOT_HEIGHT };
}

/**
 * @param {HTMLElement} element
 * @returns {Pick<uPlot.Options, 'width' | 'height' | 'padding' | 'cursor'>}
 */
export function timeOptions(element) {
  return {
    ...sizeOf(element),
    padding: [stripsHeight, 26, 0, 0],
    cursor: {
      sync: { key: 'time' },
      points: { size: 6 },
      drag: { x: true, y: false },
      bind: { dblclick: () => onDoubleClick },
    },
  };
}

/** @returns {uPlot.Axis} */
export function axisStyle() {
  const line = { stroke: () => colour('grid'), width: 1 };
  return { stroke: () => colour('faint'), font: FONT, grid: line, ticks: { ...line, size: 5 } };
}

/**
 * Samples of lines as they are drawn, with what they are at the cursor.
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

const NICE_SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 36_000, 86_400];

/** @returns {uPlot.Axis} */
export function timeAxis() {
  const text = (/** @type {number} */ seconds) => `${clockText(seconds)}\n${wallText(seconds)}`;
  return { ...axisStyle(), size: 50, incrs: NICE_SECONDS, space: 72, values: (_plot, splits) => splits.map(text) };
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
 * A logarithmic axis has lines at its decades alone, unless there are too few of them to read it by.
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

/** @returns {uPlot.Series} */
export function timeSeries() {
  return { label: 'time', value: (_plot, value) => (value === null ? '–' : instantText(value)) };
}

/**
 * @param {number} seconds
 * @returns {string}
 */
function instantText(seconds) {
  return [clockText(seconds), `${wallText(seconds)} UTC`, phaseText(seconds)].filter((text) => text !== '').join(' · ');
}

/**
 * @param {Line} line
 * @param {(value: number) => string} text
 * @returns {uPlot.Series}
 */
export function lineSeries(line, text) {
  return {
    label: line.label,
    stroke: colour(line.colour),
    width: 1.75,
    dash: [...line.dash],
    points: { size: 4 },
    value: (_plot, value) => (value === null || value === undefined ? '–' : text(value)),
  };
}

/** @returns {null} */
function onDoubleClick() {
  showAll();
  return null;
}
