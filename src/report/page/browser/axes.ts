import type uPlot from 'uplot';
import type { ChartLine, Unit } from '../chart-data.ts';
import { tickText, unitText } from '../figures.ts';
import { color } from './elements.ts';

/** A line without its values. */
type LineStyle = Omit<ChartLine, 'values'>;

const PLOT_HEIGHT = 230;

export function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: Math.max(240, element.clientWidth), height: PLOT_HEIGHT };
}

export function axisStyle(): uPlot.Axis {
  const line = { stroke: () => color('grid'), width: 1 };
  return { stroke: () => color('faint'), font: '12px system-ui, sans-serif', grid: line, ticks: { ...line, size: 5 } };
}

/** Legend settings: samples that look like the lines, with the values at the cursor. */
export function legendOf(lines: readonly LineStyle[]): uPlot.Legend {
  const dashed = ([length = 0]: readonly number[]) => (length > 3 ? 'dashed' : 'dotted');
  const dash = (_plot: uPlot, index: number) => {
    const own = lines[index - 1]?.dash ?? [];
    return own.length === 0 ? 'solid' : dashed(own);
  };
  return { markers: { width: 3, dash } };
}

/** The scale of values: latencies are logarithmic, and everything else starts at zero. */
export function valueScale(unit: Unit): uPlot.Scale {
  if (unit === 'milliseconds') return { distr: 3, range: decades };
  if (unit === 'percent') return { range: [0, 100] };
  return { range: (_plot, _min, max) => [0, max === null || max <= 0 ? 1 : max * 1.08] };
}

/** The axis of `valueScale`. */
export function valueAxis(unit: Unit): uPlot.Axis {
  const values: uPlot.Axis.Values = (_plot, splits) =>
    splits.map((value) => (value === null ? '' : tickText(value, unit)));
  const axis = { ...axisStyle(), size: 64, values };
  return unit === 'milliseconds' ? logarithmic(axis) : axis;
}

/** Limits grid lines and ticks of a logarithmic axis to its decades, unless fewer than two are visible. */
export function logarithmic(axis: uPlot.Axis): uPlot.Axis {
  const filter = (_plot: uPlot, splits: (number | null)[]) => {
    const decades = splits.map((value) =>
      value !== null && Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null,
    );
    return decades.filter((value) => value !== null).length > 1 ? decades : splits;
  };
  return { ...axis, grid: { ...axis.grid, filter }, ticks: { ...axis.ticks, filter } };
}

export function lineSeries(line: LineStyle, unit: Unit): uPlot.Series {
  return {
    label: line.label,
    stroke: color(line.color),
    width: 1.75,
    dash: [...line.dash],
    points: { size: 4 },
    value: (_plot, value) => unitText(value, unit),
  };
}

function decades(_plot: uPlot, min: number | null, max: number | null): [number, number] {
  if (min === null || max === null) return [0.1, 10];
  return [
    10 ** Math.floor(Math.log10(Math.max(min, 0.0001))),
    10 ** Math.ceil(Math.log10(Math.max(max, 0.0001)) + 0.01),
  ];
}

/** Draws a limit if it is within the visible range. */
export function drawLimit(plot: uPlot, limit: number | undefined) {
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
