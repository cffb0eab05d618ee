import uPlot from 'uplot';
import {
  axisStyle,
  decades,
  drawLimit,
  fromZero,
  legendOf,
  lineSeries,
  logarithmic,
  sizeOf,
  valueAxis,
} from '../../page/browser/axes.js';
import { color } from '../../page/browser/colors.js';
import { latencyText, unitText } from '../../page/browser/texts.js';
import { drawBands } from './bands.js';
import { percentileText } from './figures.js';
import { heatPlot } from './heat-map.js';
import { timeAxis, timeOptions, timeSeries, times } from './options.js';
import { RATE_LINES, rateFigures } from './rates.js';
import { followZoom } from './zoom.js';

/** @import { Chart, RateChart, SpectrumChart, TimeChart } from '../page-data.ts' */

/**
 * Creates the plot of a chart in `element`.
 * @param {Chart} chart
 * @param {HTMLElement} element
 * @returns {uPlot}
 */
export function createPlot(chart, element) {
  switch (chart.kind) {
    case 'time':
      return timePlot(chart, element);
    case 'heat':
      return heatPlot(chart, element);
    case 'rate':
      return ratePlot(chart, element);
    case 'spectrum':
      return spectrumPlot(chart, element);
  }
}

/**
 * @param {TimeChart} chart
 * @param {HTMLElement} element
 * @returns {uPlot}
 */
function timePlot(chart, element) {
  const isLatency = chart.unit === 'milliseconds';
  /** @type {uPlot.Options} */
  const options = {
    ...timeOptions(element),
    legend: legendOf(chart.lines),
    scales: {
      x: { time: false },
      y: isLatency ? { distr: 3, range: decades } : { range: (_plot, _min, max) => fromZero(max, chart.unit) },
    },
    axes: [
      timeAxis(),
      isLatency ? logarithmic(valueAxis(latencyText)) : valueAxis((value) => unitText(value, chart.unit)),
    ],
    series: [timeSeries(), ...chart.lines.map((line) => lineSeries(line, (value) => unitText(value, chart.unit)))],
    hooks: { drawClear: [drawBands], draw: [(plot) => drawLimit(plot, chart.limit)], setScale: [followZoom] },
  };
  return new uPlot(options, [times, ...chart.lines.map(({ values }) => [...values])], element);
}

/**
 * One point per interval: where response times rise with the rate, the server has reached its limit.
 * @param {RateChart} chart
 * @param {HTMLElement} element
 * @returns {uPlot}
 */
function ratePlot(chart, element) {
  const figures = rateFigures(chart);
  const rateText = (/** @type {number} */ value) => unitText(value, 'per second');
  const points = (/** @type {(typeof RATE_LINES)[number]} */ line) => ({
    ...lineSeries({ ...line, values: [] }, latencyText),
    paths: () => null,
    // Distinguished by shape as well as color: filled and hollow.
    points: {
      show: true,
      size: 5,
      fill: color(line.dash.length === 0 ? line.color : 'card'),
      stroke: color(line.color),
    },
  });
  /** @type {uPlot.Options} */
  const options = {
    ...sizeOf(element),
    padding: [8, 26, 0, 0],
    legend: legendOf(RATE_LINES.map((line) => ({ ...line, values: [] }))),
    scales: {
      x: { time: false, range: (_plot, _min, max) => [0, max ? max * 1.05 : 1] },
      y: { distr: 3, range: decades },
    },
    axes: [
      { ...axisStyle(), size: 36, space: 72, values: (_plot, splits) => splits.map(rateText) },
      logarithmic(valueAxis(latencyText)),
    ],
    series: [
      { label: 'planned', value: (_plot, value) => (value === null ? '–' : rateText(value)) },
      ...RATE_LINES.map(points),
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
  };
  const lines = RATE_LINES.map((_, line) => figures.map(({ values }) => values[line] ?? null));
  return new uPlot(options, [figures.map(({ rate }) => rate), ...lines], element);
}

/**
 * HdrHistogram's plot: each step to the right leaves a tenth of the remaining share.
 * @param {SpectrumChart} chart
 * @param {HTMLElement} element
 * @returns {uPlot}
 */
function spectrumPlot(chart, element) {
  const last = chart.inverses.at(-1) ?? 1;
  /** @type {uPlot.Options} */
  const options = {
    ...sizeOf(element),
    legend: legendOf(chart.lines),
    scales: { x: { time: false, distr: 3, range: () => [1, Math.max(10, last)] }, y: { distr: 3, range: decades } },
    axes: [
      {
        ...logarithmic(axisStyle()),
        size: 36,
        values: (_plot, splits) => splits.map((inverse) => (inverse === null ? '' : percentileText(inverse))),
      },
      logarithmic(valueAxis(latencyText)),
    ],
    series: [
      { label: 'percentile', value: (_plot, value) => (value === null ? '–' : percentileText(value)) },
      ...chart.lines.map((line) => ({ ...lineSeries(line, latencyText), spanGaps: true })),
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
  };
  return new uPlot(options, [[...chart.inverses], ...chart.lines.map(({ values }) => [...values])], element);
}
