import uPlot from 'uplot';
import { logarithmic, valueAxis } from '../../page/browser/axes.js';
import { color } from '../../page/browser/colors.js';
import { countText, latencyText } from '../../page/browser/texts.js';
import { drawBands, stripsHeight } from './bands.js';
import { cellStartMs, pairsOf } from './figures.js';
import { timeAxis, timeOptions, timeSeries, times } from './options.js';
import { pageData, SHADES, shades } from './theme.js';
import { followZoom } from './zoom.js';

/** @import { HeatMap } from '../page-data.ts' */

/** @typedef {ReturnType<typeof pairsOf>} Pairs */

const MARK_HEIGHT = 10;

/**
 * Latency over time; darker means more responses. A bimodal latency stays visible as two bands.
 * @param {HeatMap} chart
 * @param {HTMLElement} element
 * @returns {uPlot}
 */
export function heatPlot(chart, element) {
  const columns = chart.cells.map(pairsOf);
  const { unanswered } = chart;
  const countOf = (/** @type {uPlot} */ _plot, /** @type {number | null} */ value) =>
    value === null ? '–' : countText(value);
  const seen = columns.flatMap((pairs) => pairs.map(([cell]) => cell));
  const lowest = seen.reduce((least, cell) => Math.min(least, cell), Number.POSITIVE_INFINITY);
  const highest = seen.reduce((most, cell) => Math.max(most, cell), 0);
  /** @type {[number, number]} */
  const range = seen.length === 0 ? [0.1, 10] : [cellStartMs(lowest), cellStartMs(highest + 1)];
  /** @type {uPlot.Series} */
  const unseen = { paths: () => null, points: { show: false } };
  /** @type {uPlot.Options} */
  const options = {
    ...timeOptions(element),
    padding: [stripsHeight + (unanswered.length > 0 ? MARK_HEIGHT : 0), 26, 0, 0],
    scales: { x: { time: false }, y: { distr: 3, range: () => range }, count: {} },
    axes: [timeAxis(), logarithmic(valueAxis(latencyText))],
    series: [
      timeSeries(),
      {
        ...unseen,
        label: 'responses',
        scale: 'count',
        value: countOf,
      },
      {
        ...unseen,
        label: 'slowest below',
        scale: 'y',
        value: (_plot, value) => (value === null ? '–' : latencyText(value)),
      },
      ...(unanswered.length > 0 ? [{ ...unseen, label: 'no answer', scale: 'count', value: countOf }] : []),
    ],
    hooks: {
      drawClear: [drawBands],
      drawAxes: [(plot) => drawCells(plot, columns), (plot) => drawUnanswered(plot, unanswered)],
      setScale: [followZoom],
    },
  };
  return new uPlot(
    options,
    [times, columns.map(sumOf), columns.map(slowestOf), ...(unanswered.length > 0 ? [[...unanswered]] : [])],
    element,
  );
}

/**
 * @param {Pairs} pairs
 * @returns {number}
 */
export function sumOf(pairs) {
  return pairs.reduce((sum, [, count]) => sum + count, 0);
}

/**
 * @param {Pairs} pairs
 * @returns {number | null}
 */
function slowestOf(pairs) {
  const last = pairs.at(-1);
  return last === undefined ? null : cellStartMs(last[0] + 1);
}

/**
 * Paints every visible cell. Intervals that share a pixel are added up, so that none hides another.
 * @param {uPlot} plot
 * @param {readonly Pairs[]} columns
 */
function drawCells(plot, columns) {
  const { ctx, bbox } = plot;
  const startOf = (/** @type {number} */ index) =>
    index < columns.length ? index * pageData.secondsPerInterval : pageData.seconds;
  const left = (/** @type {number} */ index) => plot.valToPos(startOf(index), 'x', true);
  const group = Math.max(1, Math.ceil(1 / Math.max(1e-6, left(1) - left(0))));
  const groups = Array.from({ length: Math.ceil(columns.length / group) }, (_, n) => n * group)
    .map((from) => ({ from, counts: summed(columns.slice(from, from + group)) }))
    .filter(({ from }) => left(from + group) > bbox.left && left(from) < bbox.left + bbox.width);
  const most = groups.reduce((all, { counts }) => Math.max(all, ...counts.values()), 1);
  const palette = shades();
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  for (const { from, counts } of groups) {
    const [x, end] = [Math.round(left(from)), Math.round(left(from + group))];
    for (const [cell, count] of counts) {
      const [y, bottom] = [cellStartMs(cell + 1), cellStartMs(cell)].map((value) =>
        Math.round(plot.valToPos(value, 'y', true)),
      );
      ctx.fillStyle = palette[shadeOf(count, most)] ?? '';
      ctx.fillRect(x, y ?? 0, Math.max(1, end - x), Math.max(1, (bottom ?? 0) - (y ?? 0)));
    }
  }
  ctx.restore();
}

/**
 * Draws a mark above the map for each interval with unanswered operations; a larger share gives a fuller mark.
 * @param {uPlot} plot
 * @param {readonly number[]} unanswered
 */
function drawUnanswered(plot, unanswered) {
  const { ctx, bbox } = plot;
  const end = (/** @type {number} */ index) =>
    plot.valToPos(index < unanswered.length ? index * pageData.secondsPerInterval : pageData.seconds, 'x', true);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, 0, bbox.width, bbox.top);
  ctx.clip();
  ctx.fillStyle = color('red');
  const height = MARK_HEIGHT * devicePixelRatio;
  const bottom = bbox.top - stripsHeight * devicePixelRatio;
  unanswered.forEach((count, index) => {
    const answers = plot.data[1]?.[index] ?? 0;
    const own = Math.max(0.25, count / (count + answers)) * (height - 2 * devicePixelRatio);
    if (count > 0) ctx.fillRect(end(index), bottom - own, Math.max(1, end(index + 1) - end(index)), own);
  });
  ctx.restore();
}

/**
 * @param {readonly Pairs[]} columns
 * @returns {Map<number, number>}
 */
function summed(columns) {
  /** @type {Map<number, number>} */
  const counts = new Map();
  for (const [cell, count] of columns.flat()) counts.set(cell, (counts.get(cell) ?? 0) + count);
  return counts;
}

/**
 * Shade on a logarithmic scale, so that a single slow answer among thousands of fast ones stays visible.
 * @param {number} count
 * @param {number} most
 * @returns {number}
 */
function shadeOf(count, most) {
  return most <= 1 ? SHADES - 1 : Math.round((Math.log(count) / Math.log(most)) * (SHADES - 1));
}
