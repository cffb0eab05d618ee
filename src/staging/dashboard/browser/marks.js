import { color } from '../../../report/page/browser/colors.js';

/** @import { Legend } from '../../control-api/schemas.ts' */

/**
 * Mark of an agent on the map. Marks differ in color, and in shape for users who cannot distinguish the colors.
 * @typedef {{ readonly name: string; readonly means: string; readonly color: string; readonly draw: (ctx: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, size: number) => void }} Mark
 */

/** Each function draws within a square of this size, in the current colors. */
const SHAPES = {
  /** @type {Mark['draw']} */
  full: (ctx, size) => ctx.fillRect(0, 0, size, size),
  /** @type {Mark['draw']} */
  hollow: (ctx, size) =>
    ctx.strokeRect(ctx.lineWidth / 2, ctx.lineWidth / 2, size - ctx.lineWidth, size - ctx.lineWidth),
  /** @type {Mark['draw']} */
  dot: (ctx, size) => ctx.fillRect(size * 0.3, size * 0.3, size * 0.4, size * 0.4),
  /** @type {Mark['draw']} */
  bar: (ctx, size) => ctx.fillRect(0, size * 0.35, size, size * 0.3),
  /** @type {Mark['draw']} */
  corner: (ctx, size) => polygon(ctx, [0, 0, size, size, 0, size]),
  /** @type {Mark['draw']} */
  disc: (ctx, size) => {
    ctx.beginPath();
    ctx.arc(size / 2, size / 2, size / 2, 0, 2 * Math.PI);
    ctx.fill();
  },
  /** @type {Mark['draw']} */
  hourglass: (ctx, size) => polygon(ctx, [0, 0, size, 0, 0, size, size, size]),
  /** @type {Mark['draw']} */
  slash: (ctx, size) => strokes(ctx, [0, size, size, 0]),
  /** @type {Mark['draw']} */
  cross: (ctx, size) => {
    strokes(ctx, [0, 0, size, size]);
    strokes(ctx, [0, size, size, 0]);
  },
};

/** In order of precedence: an agent that attacks and is offline is shown as attacking. */
const OF_FLAGS = [
  { name: 'misbehaving', means: 'attacks the server', color: 'purple', draw: SHAPES.hourglass },
  { name: 'host-down', means: 'host is down', color: 'gray', draw: SHAPES.hollow },
  { name: 'stopped', means: 'process is stopped', color: 'gray', draw: SHAPES.bar },
  { name: 'offline', means: 'has no network', color: 'orange', draw: SHAPES.slash },
];

const OF_STATES = [
  { name: 'refused', means: 'the server refuses it', color: 'red', draw: SHAPES.cross },
  { name: 'unregistered', means: 'not registered yet', color: 'gray', draw: SHAPES.dot },
  { name: 'waiting', means: 'waits for a password', color: 'orange', draw: SHAPES.corner },
  { name: 'registered', means: 'has a password', color: 'calm-blue', draw: SHAPES.full },
  { name: 'authorized', means: 'has confirmed its password', color: 'calm-green', draw: SHAPES.disc },
];

const UNKNOWN = { name: 'unknown', means: 'other', color: 'purple', draw: SHAPES.hollow };

/** @type {readonly Mark[]} */
export const MARKS = [...OF_FLAGS, ...OF_STATES, UNKNOWN];

/**
 * Returns the mark of each code.
 * @param {Legend} legend
 * @returns {Uint8Array} indices in `MARKS`
 */
export function marksOf(legend) {
  return Uint8Array.from({ length: 256 }, (_, code) => {
    const flags = Object.entries(legend.flags).filter(([, bit]) => (code & bit) !== 0);
    const strongest = OF_FLAGS.findIndex(({ name }) => flags.some(([flag]) => flag === name));
    if (strongest >= 0) return strongest;
    const own = OF_STATES.findIndex(({ name }) => name === legend.states[code & legend.stateBits]);
    return own < 0 ? MARKS.length - 1 : OF_FLAGS.length + own;
  });
}

/**
 * Describes a code completely, in words.
 * @param {number} code
 * @param {Legend} legend
 * @returns {string}
 */
export function conditionText(code, legend) {
  const flags = Object.entries(legend.flags).filter(([, bit]) => (code & bit) !== 0);
  return [legend.states[code & legend.stateBits] ?? 'unknown', ...flags.map(([flag]) => flag)].join(', ');
}

/**
 * Paints a mark at a place, in device pixels.
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} ctx
 * @param {Mark} mark
 * @param {{ readonly x: number; readonly y: number; readonly size: number }} place
 */
export function paintMark(ctx, mark, { x, y, size }) {
  ctx.save();
  ctx.translate(x, y);
  ctx.beginPath();
  ctx.rect(0, 0, size, size);
  ctx.clip();
  ctx.fillStyle = ctx.strokeStyle = color(mark.color);
  ctx.lineWidth = Math.max(1, size / 4);
  mark.draw(ctx, size);
  ctx.restore();
}

/**
 * @param {CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D} ctx
 * @param {readonly number[]} points x, y, x, y, and so on
 */
function trace(ctx, points) {
  ctx.beginPath();
  for (let n = 0; n < points.length; n += 2) ctx.lineTo(points[n] ?? 0, points[n + 1] ?? 0);
}

/** @type {typeof trace} */
function polygon(ctx, points) {
  trace(ctx, points);
  ctx.fill();
}

/** @type {typeof trace} */
function strokes(ctx, points) {
  trace(ctx, points);
  ctx.stroke();
}
