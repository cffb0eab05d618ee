import uPlot from 'uplot';
import { valueAxis } from '../../page/browser/axes.ts';
import { color } from '../../page/browser/elements.ts';
import { unitText } from '../../page/figures.ts';
import type { HeatMap } from '../page-data.ts';
import { cellStartMs, cellsOf, type HeatCells, pageData, sumOf, times } from './data.ts';
import { drawBands, stripsHeight, timeAxis, timeOptions, timeSeries } from './time-axis.ts';
import { followZoom } from './zoom.ts';

const MARK_HEIGHT = 10;

/** Number of shades in the style sheet, from few to many. */
const SHADES = 7;

/** Latency over time; darker means more responses. A bimodal latency stays visible as two bands. */
export function heatPlot(chart: HeatMap, element: HTMLElement): uPlot {
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
