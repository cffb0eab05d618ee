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
import { drawStrips } from '../../page/browser/bands.ts';
import { color } from '../../page/browser/elements.ts';
import { NICE_SECONDS, percentileText, tickText, unitText } from '../../page/figures.ts';
import { stripsOf } from '../../page/strips.ts';
import type { Chart, HeatMap, RateChart, SpectrumChart, TimeChart } from '../page-data.ts';
import {
  cellStartMs,
  cellsOf,
  elapsedText,
  type HeatCells,
  pageData,
  phaseText,
  RATE_LINES,
  rateFigures,
  sumOf,
  times,
  wallText,
} from './data.ts';
import { followZoom, showAll } from './zoom.ts';

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

const MARK_HEIGHT = 10;

/** Number of shades in the style sheet, from few to many. */
const SHADES = 7;

/** Latency over time; darker means more responses. A bimodal latency stays visible as two bands. */
function heatPlot(chart: HeatMap, element: HTMLElement): uPlot {
  const columns = chart.cells.map(cellsOf);
  const { unanswered } = chart;
  const counts = { scale: 'count', value: (_plot: uPlot, value: number | null) => unitText(value, 'operations') };
  const seen = columns.flat().map(([cell]) => cell);
  const lowest = seen.reduce((least, cell) => Math.min(least, cell), Number.POSITIVE_INFINITY);
  const highest = seen.reduce((most, cell) => Math.max(most, cell), 0);
  const range: [number, number] = seen.length === 0 ? [0.1, 10] : [cellStartMs(lowest), cellStartMs(highest + 1)];
  const unseen: uPlot.Series = { paths: () => null, points: { show: false } };
  const options: uPlot.Options = {
    ...timeOptions(element),
    padding: [stripsHeight + (unanswered.length > 0 ? MARK_HEIGHT : 0), 26, 0, 0],
    scales: { x: { time: false }, y: { distr: 3, range: () => range }, count: {} },
    axes: [timeAxis(), valueAxis('milliseconds')],
    series: [
      timeSeries(),
      { ...unseen, ...counts, label: 'responses' },
      { ...unseen, label: 'slowest below', scale: 'y', value: (_plot, value) => unitText(value, 'milliseconds') },
      ...(unanswered.length > 0 ? [{ ...unseen, ...counts, label: 'no answer' }] : []),
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

function slowestOf(cells: HeatCells): number | null {
  const last = cells.at(-1);
  return last === undefined ? null : cellStartMs(last[0] + 1);
}

/** Paints every visible cell. Intervals that share a pixel are added up, so that none hides another. */
function drawCells(plot: uPlot, columns: readonly HeatCells[]) {
  const { ctx, bbox } = plot;
  const startOf = (index: number) => (index < columns.length ? index * pageData.secondsPerInterval : pageData.seconds);
  const left = (index: number) => plot.valToPos(startOf(index), 'x', true);
  const group = Math.max(1, Math.ceil(1 / Math.max(1e-6, left(1) - left(0))));
  const groups = Array.from({ length: Math.ceil(columns.length / group) }, (_, n) => n * group)
    .map((from) => ({ from, counts: summed(columns.slice(from, from + group)) }))
    .filter(({ from }) => left(from + group) > bbox.left && left(from) < bbox.left + bbox.width);
  const most = groups.reduce((all, { counts }) => Math.max(all, ...counts.values()), 1);
  const shades = Array.from({ length: SHADES }, (_, index) => color(`heat-${index}`));
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
      ctx.fillStyle = shades[shadeOf(count, most)] ?? '';
      ctx.fillRect(x, y ?? 0, Math.max(1, end - x), Math.max(1, (bottom ?? 0) - (y ?? 0)));
    }
  }
  ctx.restore();
}

/** Draws a mark above the map for each interval with unanswered operations; a larger share gives a fuller mark. */
function drawUnanswered(plot: uPlot, unanswered: readonly number[]) {
  const { ctx, bbox } = plot;
  const end = (index: number) =>
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

function summed(columns: readonly HeatCells[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const [cell, count] of columns.flat()) counts.set(cell, (counts.get(cell) ?? 0) + count);
  return counts;
}

/** Shade on a logarithmic scale, so that a single slow answer among thousands of fast ones stays visible. */
function shadeOf(count: number, most: number): number {
  return most <= 1 ? SHADES - 1 : Math.round((Math.log(count) / Math.log(most)) * (SHADES - 1));
}

const strips = stripsOf(pageData.bands);

/** Height reserved above a chart. */
const stripsHeight = strips.heightPx;

/** Draws phases, faults and events behind and above a chart. */
function drawBands(plot: uPlot) {
  drawStrips(plot, strips);
}

function timeOptions(element: HTMLElement): Pick<uPlot.Options, 'width' | 'height' | 'padding' | 'cursor'> {
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

function timeAxis(): uPlot.Axis {
  const text = (seconds: number) => `${elapsedText(seconds)}\n${wallText(seconds)}`;
  return { ...axisStyle(), size: 50, incrs: NICE_SECONDS, space: 72, values: (_plot, splits) => splits.map(text) };
}

function timeSeries(): uPlot.Series {
  return { label: 'time', value: (_plot, value) => (value === null ? '–' : instantText(value)) };
}

function instantText(seconds: number): string {
  return [elapsedText(seconds), `${wallText(seconds)} ${pageData.clockName}`, phaseText(seconds)]
    .filter((text) => text !== '')
    .join(' · ');
}

function onDoubleClick(): null {
  showAll();
  return null;
}
