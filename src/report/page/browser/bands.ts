import type uPlot from 'uplot';
import type { Band } from '../chart-data.ts';
import { NAMED_PX, type Strip, type Strips } from '../strips.ts';
import { color } from './elements.ts';

/** Shortest useful part of a name; if less fits, a number is clearer. */
const MIN_CHARACTERS = 6;

/** Draws phases, faults and events behind and above a chart. */
export function drawStrips(plot: uPlot, strips: Strips) {
  for (const strip of strips.all) fillStrip(plot, strip, strips.heightPx);
  for (const fill of new Set(strips.all.map((strip) => strip.fill))) tintChart(plot, strips, fill);
  // Names are drawn last: a name may be wider than its band, and the next band would hide its end.
  const written: number[] = [];
  for (const strip of strips.all.filter(({ tallPx }) => tallPx === NAMED_PX)) {
    written[strip.row] = nameStrip(plot, strip, { heightPx: strips.heightPx, labelEndPx: written[strip.row] ?? 0 });
  }
}

/** Tints the chart behind all bands, once where several overlap, with a line where each begins. */
export function tintBands(plot: uPlot, bands: readonly Band[]) {
  const { ctx, bbox } = plot;
  const [left, right] = [bbox.left, bbox.left + bbox.width];
  const spans = bands.map(({ fromSeconds, toSeconds }) =>
    [fromSeconds, toSeconds].map((at) => plot.valToPos(at, 'x', true)),
  );
  ctx.save();
  ctx.fillStyle = ctx.strokeStyle = color('band-event');
  // The last line of the chart may have been dashed.
  ctx.setLineDash([]);
  ctx.lineWidth = devicePixelRatio;
  ctx.globalAlpha = 0.22;
  ctx.beginPath();
  for (const [from = 0, to = 0] of spans) {
    const [visible, end] = [Math.max(left, from), Math.min(right, to)];
    if (end > visible) ctx.rect(visible, bbox.top, end - visible, bbox.height);
  }
  ctx.fill();
  ctx.globalAlpha = 1;
  ctx.beginPath();
  for (const [from = 0] of spans) {
    if (from < left || from > right) continue;
    ctx.moveTo(from, bbox.top);
    ctx.lineTo(from, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

/** Position of a band in its strip; `undefined` if it is not visible. */
function boxOf(plot: uPlot, { band, topPx }: Strip, heightPx: number) {
  const { bbox } = plot;
  const scale = devicePixelRatio;
  const begins = plot.valToPos(band.fromSeconds, 'x', true);
  const from = Math.max(bbox.left, begins);
  const to = Math.min(bbox.left + bbox.width, plot.valToPos(band.toSeconds, 'x', true));
  // An instantaneous event is a line.
  const width = band.toSeconds === band.fromSeconds && begins === from ? 2 * scale : to - from;
  if (width <= 0 || from > bbox.left + bbox.width) return undefined;
  return { from, width, top: bbox.top - (heightPx - topPx) * scale, scale };
}

function fillStrip(plot: uPlot, strip: Strip, heightPx: number) {
  const box = boxOf(plot, strip, heightPx);
  if (box === undefined) return;
  const { ctx } = plot;
  ctx.save();
  ctx.fillStyle = color(strip.fill);
  ctx.fillRect(box.from, box.top, box.width, (strip.tallPx - Math.min(2, strip.tallPx / 4)) * box.scale);
  ctx.restore();
}

/** Faults, events and excluded phases also tint the chart below, once where several overlap. */
function tintChart(plot: uPlot, { all, heightPx }: Strips, fill: string) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = color(fill);
  ctx.globalAlpha = 0.22;
  ctx.beginPath();
  for (const strip of all) {
    if (strip.fill !== fill || (strip.row === 0 && strip.band.kind !== 'excluded')) continue;
    const box = boxOf(plot, strip, heightPx);
    if (box !== undefined) ctx.rect(box.from, bbox.top, box.width, bbox.height);
  }
  ctx.fill();
  ctx.restore();
}

/** Draws the name of a band, or its number if the name does not fit after the previous text; returns where the text ends. */
function nameStrip(
  plot: uPlot,
  strip: Strip,
  { heightPx, labelEndPx }: { readonly heightPx: number; readonly labelEndPx: number },
): number {
  const box = boxOf(plot, strip, heightPx);
  if (box === undefined) return labelEndPx;
  const { ctx } = plot;
  const { band, row, number } = strip;
  const { from, width, top, scale } = box;
  ctx.save();
  ctx.fillStyle = color('ink');
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  // Drawing the axes has changed these settings.
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const room = Math.min(Math.max(width, row > 0 ? 90 * scale : 0), ctx.canvas.width - from);
  const name = fitting(ctx, band.label, room - 8 * scale);
  const text = name === band.label || name.length > MIN_CHARACTERS || number === '' ? name : number;
  const textWidth = ctx.measureText(text).width;
  const left = text === number ? from + (width - textWidth) / 2 : from + 4 * scale;
  const hasRoom = left >= labelEndPx;
  if (hasRoom) ctx.fillText(text, left, top + (NAMED_PX / 2 - 1) * scale);
  ctx.restore();
  return hasRoom ? left + textWidth + 2 * scale : labelEndPx;
}

/** As much of a text as fits, found by halving. */
function fitting(ctx: CanvasRenderingContext2D, text: string, width: number): string {
  if (width <= 0) return '';
  if (ctx.measureText(text).width <= width) return text;
  let [least, most] = [1, text.length];
  while (most - least > 1) {
    const middle = Math.floor((least + most) / 2);
    if (ctx.measureText(`${text.slice(0, middle)}…`).width <= width) least = middle;
    else most = middle;
  }
  return least > 1 ? `${text.slice(0, least)}…` : '';
}
