import { color } from './colors.js';

/** @import uPlot from 'uplot' */
/** @import { Band } from '../chart-data.ts' */

const STRIP_HEIGHT = 16;

/** Shortest useful part of a name; below it, a number says more. */
const LEAST_LETTERS = 6;

/** More would leave no room for the chart. */
const MOST_STRIPS = 3;

/**
 * @param {readonly Band[]} bands
 * @returns {{ band: Band; row: number }[]}
 */
function inStrips(bands) {
  /** @type {number[]} */
  const ends = [];
  const inOrder = [...bands].sort((a, b) => a.fromSeconds - b.fromSeconds);
  return inOrder.map((band) => {
    const free = ends.findIndex((end) => end <= band.fromSeconds);
    const strip = Math.min(free < 0 ? ends.length : free, MOST_STRIPS - 1);
    ends[strip] = Math.max(ends[strip] ?? 0, band.toSeconds);
    return { band, row: strip + 1 };
  });
}

/**
 * What is drawn of a band, and the number that stands for a name without room; empty: none does.
 * @typedef {{ band: Band; row: number; fill: string; number: string }} Strip
 */

/**
 * Bands above charts.
 * @typedef {{ readonly all: readonly Strip[]; readonly heightPx: number }} Strips
 */

/**
 * A strip for the phases, and below it as many for faults and events as take place at once: each is in the first one in which it
 * hides none of those before it.
 * @param {readonly Band[]} bands
 * @returns {Strips}
 */
export function stripsOf(bands) {
  const phases = bands.filter(({ kind }) => kind === 'phase' || kind === 'excluded');
  const happenings = inStrips(bands.filter(({ kind }) => kind === 'fault' || kind === 'event'));
  const all = [
    ...phases.map((band, index) => ({
      ...{ band, row: 0, number: String(index + 1) },
      fill: band.kind === 'excluded' ? 'band-excluded' : index % 2 === 0 ? 'band-even' : 'band-odd',
    })),
    ...happenings.map(({ band, row }) => ({ band, row, number: '', fill: `band-${band.kind}` })),
  ];
  return { all, heightPx: STRIP_HEIGHT * (1 + Math.max(0, ...happenings.map(({ row }) => row))) + 4 };
}

/**
 * Draws phases, faults and events behind and above a chart.
 * @param {uPlot} plot
 * @param {Strips} strips
 */
export function drawStrips(plot, strips) {
  for (const strip of strips.all) fillStrip(plot, strip, strips.heightPx);
  // Later: a name may be wider than its band, and the next band would hide the rest of it.
  /** @type {number[]} */
  const written = [];
  for (const strip of strips.all) {
    written[strip.row] = nameStrip(plot, strip, { heightPx: strips.heightPx, writtenTo: written[strip.row] ?? 0 });
  }
}

/**
 * Where a band lies in its strip; undefined: out of sight.
 * @param {uPlot} plot
 * @param {Strip} strip
 * @param {number} heightPx
 */
function placeOf(plot, { band, row }, heightPx) {
  const { bbox } = plot;
  const scale = devicePixelRatio;
  const begins = plot.valToPos(band.fromSeconds, 'x', true);
  const from = Math.max(bbox.left, begins);
  const to = Math.min(bbox.left + bbox.width, plot.valToPos(band.toSeconds, 'x', true));
  // What lasts for an instant is a line, and what is out of sight nothing.
  const width = band.toSeconds === band.fromSeconds && begins === from ? 2 * scale : to - from;
  if (width <= 0 || from > bbox.left + bbox.width) return undefined;
  return { from, width, top: bbox.top - (heightPx - row * STRIP_HEIGHT) * scale, scale };
}

/**
 * A stretch of the strip; what is worth a look tints the chart below, too.
 * @param {uPlot} plot
 * @param {Strip} strip
 * @param {number} heightPx
 */
function fillStrip(plot, strip, heightPx) {
  const place = placeOf(plot, strip, heightPx);
  if (place === undefined) return;
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = color(strip.fill);
  ctx.fillRect(place.from, place.top, place.width, (STRIP_HEIGHT - 2) * place.scale);
  if (strip.row > 0 || strip.band.kind === 'excluded') {
    ctx.globalAlpha = 0.22;
    ctx.fillRect(place.from, bbox.top, place.width, bbox.height);
  }
  ctx.restore();
}

/**
 * Its name, or its number where there is no room for the name and the text before has left some; returns where texts end now.
 * @param {uPlot} plot
 * @param {Strip} strip
 * @param {{ readonly heightPx: number; readonly writtenTo: number }} room
 * @returns {number}
 */
function nameStrip(plot, strip, { heightPx, writtenTo }) {
  const place = placeOf(plot, strip, heightPx);
  if (place === undefined) return writtenTo;
  const { ctx } = plot;
  const { band, row, number } = strip;
  const { from, width, top, scale } = place;
  ctx.save();
  ctx.fillStyle = color('ink');
  ctx.font = `${11 * scale}px system-ui, sans-serif`;
  // Axes leave theirs behind.
  ctx.textAlign = 'left';
  ctx.textBaseline = 'middle';
  const room = Math.min(Math.max(width, row > 0 ? 90 * scale : 0), ctx.canvas.width - from);
  const name = fitting(ctx, band.label, room - 8 * scale);
  const text = name === band.label || name.length > LEAST_LETTERS || number === '' ? name : number;
  const textWidth = ctx.measureText(text).width;
  const left = text === number ? from + (width - textWidth) / 2 : from + 4 * scale;
  const hasRoom = left >= writtenTo;
  if (hasRoom) ctx.fillText(text, left, top + (STRIP_HEIGHT / 2 - 1) * scale);
  ctx.restore();
  return hasRoom ? left + textWidth + 2 * scale : writtenTo;
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
