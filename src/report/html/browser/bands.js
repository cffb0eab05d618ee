import { colour, pageData } from './theme.js';

/** @import uPlot from 'uplot' */
/** @import { Band } from '../page-data.ts' */

const STRIP_HEIGHT = 16;

const happenings = pageData.bands.filter(({ kind }) => kind === 'fault' || kind === 'incident');
const phases = pageData.bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');

/** Room above a chart: a strip for the phases, and one for faults and incidents if there are any. */
export const stripsHeight = STRIP_HEIGHT * (happenings.length > 0 ? 2 : 1) + 4;

/**
 * Draws phases, faults and incidents behind and above a chart.
 * @param {uPlot} plot
 */
export function drawBands(plot) {
  phases.forEach((band, index) => {
    drawBand(plot, band, {
      row: 0,
      fill: band.kind === 'excluded' ? 'band-excluded' : index % 2 === 0 ? 'band-even' : 'band-odd',
    });
  });
  for (const band of happenings) drawBand(plot, band, { row: 1, fill: `band-${band.kind}` });
}

/**
 * A stretch of the strip with its name in it; what is worth a look tints the chart below, too.
 * @param {uPlot} plot
 * @param {Band} band
 * @param {{ row: number; fill: string }} what
 */
function drawBand(plot, band, { row, fill }) {
  const { ctx, bbox } = plot;
  const scale = devicePixelRatio;
  const from = Math.max(bbox.left, plot.valToPos(band.fromSeconds, 'x', true));
  const to = Math.min(bbox.left + bbox.width, plot.valToPos(band.toSeconds, 'x', true));
  // What lasts for an instant is a line.
  const width = band.toSeconds === band.fromSeconds ? 2 * scale : to - from;
  if (width <= 0 || from > bbox.left + bbox.width) return;
  const top = bbox.top - (stripsHeight - row * STRIP_HEIGHT) * scale;
  ctx.save();
  ctx.fillStyle = colour(fill);
  ctx.fillRect(from, top, width, (STRIP_HEIGHT - 2) * scale);
  if (row === 1 || band.kind === 'excluded') {
    ctx.globalAlpha = 0.22;
    ctx.fillRect(from, bbox.top, width, bbox.height);
    ctx.globalAlpha = 1;
  }
  ctx.fillStyle = colour('ink');
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  const text = fitting(ctx, band.label, Math.max(width, row === 1 ? 90 * scale : 0) - 8 * scale);
  ctx.fillText(text, from + 4 * scale, top + (STRIP_HEIGHT / 2 - 1) * scale);
  ctx.restore();
}

/**
 * @param {CanvasRenderingContext2D} ctx
 * @param {string} text
 * @param {number} width
 * @returns {string}
 */
function fitting(ctx, text, width) {
  if (ctx.measureText(text).width <= width) return text;
  for (let length = text.length - 1; length > 1; length--) {
    const short = `${text.slice(0, length)}…`;
    if (ctx.measureText(short).width <= width) return short;
  }
  return '';
}
