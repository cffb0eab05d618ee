import uPlot from 'uplot';
import {
  axisStyle,
  drawLimit,
  legendOf,
  lineSeries,
  logarithmic,
  sizeOf,
  valueAxis,
  valueScale,
} from '../../page/browser/axes.ts';
import { color } from '../../page/browser/elements.ts';
import { percentileText, tickText, unitText } from '../../page/figures.ts';
import type { Chart, RateChart, SpectrumChart, TimeChart } from '../page-data.ts';
import { times } from './data.ts';
import { heatPlot } from './heat-map.ts';
import { RATE_LINES, rateFigures } from './rates.ts';
import { drawBands, timeAxis, timeOptions, timeSeries } from './time-axis.ts';
import { followZoom } from './zoom.ts';

/** Creates the plot of a chart in `element`. */
export function createPlot(chart: Chart, element: HTMLElement): uPlot {
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

function timePlot(chart: TimeChart, element: HTMLElement): uPlot {
  const options: uPlot.Options = {
    ...timeOptions(element),
    legend: legendOf(chart.lines),
    scales: { x: { time: false }, y: valueScale(chart.unit) },
    axes: [timeAxis(), valueAxis(chart.unit)],
    series: [timeSeries(), ...chart.lines.map((line) => lineSeries(line, chart.unit))],
    hooks: { drawClear: [drawBands], draw: [(plot) => drawLimit(plot, chart.limit)], setScale: [followZoom] },
  };
  return new uPlot(options, [times, ...chart.lines.map(({ values }) => [...values])], element);
}

/** One point per interval: where response times rise with the rate, the server has reached its limit. */
function ratePlot(chart: RateChart, element: HTMLElement): uPlot {
  const figures = rateFigures(chart);
  const points = (line: (typeof RATE_LINES)[number]) => ({
    ...lineSeries(line, 'milliseconds'),
    paths: () => null,
    // Distinguished by shape as well as color: filled and hollow.
    points: {
      show: true,
      size: 5,
      fill: color(line.dash.length === 0 ? line.color : 'card'),
      stroke: color(line.color),
    },
  });
  const options: uPlot.Options = {
    ...sizeOf(element),
    padding: [8, 26, 0, 0],
    legend: legendOf(RATE_LINES),
    scales: {
      x: { time: false, range: (_plot, _min, max) => [0, max ? max * 1.05 : 1] },
      y: valueScale('milliseconds'),
    },
    axes: [
      {
        ...axisStyle(),
        size: 36,
        space: 72,
        values: (_plot, splits) => splits.map((rate) => tickText(rate, 'per second')),
      },
      valueAxis('milliseconds'),
    ],
    series: [{ label: 'planned', value: (_plot, value) => unitText(value, 'per second') }, ...RATE_LINES.map(points)],
    cursor: { drag: { x: false, y: false }, points: { size: 7 } },
  };
  const lines = RATE_LINES.map((_, line) => figures.map(({ values }) => values[line] ?? null));
  return new uPlot(options, [figures.map(({ rate }) => rate), ...lines], element);
}

/** HdrHistogram's plot: each step to the right leaves a tenth of the remaining share. */
function spectrumPlot(chart: SpectrumChart, element: HTMLElement): uPlot {
  const last = chart.inverses.at(-1) ?? 1;
  const options: uPlot.Options = {
    ...sizeOf(element),
    legend: legendOf(chart.lines),
    scales: { x: { time: false, distr: 3, range: () => [1, Math.max(10, last)] }, y: valueScale('milliseconds') },
    axes: [
      {
        ...logarithmic(axisStyle()),
        size: 36,
        values: (_plot, splits) => splits.map((inverse) => (inverse === null ? '' : percentileText(inverse))),
      },
      valueAxis('milliseconds'),
    ],
    series: [
      { label: 'percentile', value: (_plot, value) => (value === null ? '–' : percentileText(value)) },
      ...chart.lines.map((line) => ({ ...lineSeries(line, 'milliseconds'), spanGaps: true })),
    ],
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
  };
  return new uPlot(options, [[...chart.inverses], ...chart.lines.map(({ values }) => [...values])], element);
}
