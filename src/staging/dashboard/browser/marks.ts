import { CONDITION_FLAGS, type ConditionFlag, conditionOf } from '../../../engine/conditions.ts';
import { color } from '../../../report/page/browser/elements.ts';

/** Mark of an agent on the map. Marks differ in color, and in shape for users who cannot distinguish the colors. */
type Mark = {
  readonly name: string;
  readonly means: string;
  readonly color: string;
  readonly draw: (ctx: DrawingContext, size: number) => void;
};

type DrawingContext = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D;

/** Each function draws within a square of this size, in the current colors. */
const SHAPES = {
  full: (ctx, size) => ctx.fillRect(0, 0, size, size),
  hollow: (ctx, size) =>
    ctx.strokeRect(ctx.lineWidth / 2, ctx.lineWidth / 2, size - ctx.lineWidth, size - ctx.lineWidth),
  dot: (ctx, size) => ctx.fillRect(size * 0.3, size * 0.3, size * 0.4, size * 0.4),
  bar: (ctx, size) => ctx.fillRect(0, size * 0.35, size, size * 0.3),
  corner: (ctx, size) => polygon(ctx, [0, 0, size, size, 0, size]),
  disc: (ctx, size) => {
    ctx.beginPath();
    ctx.arc(size / 2, size / 2, size / 2, 0, 2 * Math.PI);
    ctx.fill();
  },
  hourglass: (ctx, size) => polygon(ctx, [0, 0, size, 0, 0, size, size, size]),
  slash: (ctx, size) => strokes(ctx, [0, size, size, 0]),
  cross: (ctx, size) => {
    strokes(ctx, [0, 0, size, size]);
    strokes(ctx, [0, size, size, 0]);
  },
} satisfies Record<string, Mark['draw']>;

/** In order of precedence: an agent that attacks and is offline is shown as attacking. */
const OF_FLAGS: readonly (Mark & { readonly name: ConditionFlag })[] = [
  { name: 'misbehaving', means: 'attacks the server', color: 'purple', draw: SHAPES.hourglass },
  { name: 'host-down', means: 'host is down', color: 'gray', draw: SHAPES.hollow },
  { name: 'stopped', means: 'process is stopped', color: 'gray', draw: SHAPES.bar },
  { name: 'offline', means: 'has no network', color: 'orange', draw: SHAPES.slash },
];

/** What the last exchanges of agents say. */
const OF_HEALTH = [
  { name: 'refused', means: 'the server answers with an error', color: 'red', draw: SHAPES.cross },
  { name: 'unreachable', means: 'the server does not answer', color: 'red', draw: SHAPES.hollow },
  { name: 'late', means: 'check data are overdue', color: 'orange', draw: SHAPES.corner },
  { name: 'unregistered', means: 'has no password', color: 'gray', draw: SHAPES.dot },
  { name: 'down', means: 'cannot send', color: 'gray', draw: SHAPES.hollow },
  { name: 'pending', means: 'has not pushed yet', color: 'calm-blue', draw: SHAPES.full },
  { name: 'reporting', means: 'the server accepts its check data', color: 'calm-green', draw: SHAPES.disc },
];

const UNKNOWN = { name: 'unknown', means: 'other', color: 'purple', draw: SHAPES.hollow };

export const MARKS: readonly Mark[] = [...OF_FLAGS, ...OF_HEALTH, UNKNOWN];

/**
 * The mark of an agent, from the code of its condition and the state of its health: what keeps it from sending comes first.
 * @returns index in `MARKS`
 */
export function markOf(code: number, health: string | undefined): number {
  const strongest = OF_FLAGS.findIndex(({ name }) => (code & CONDITION_FLAGS[name]) !== 0);
  const own = strongest >= 0 ? strongest : MARKS.findIndex(({ name }) => name === health);
  return own < 0 ? MARKS.length - 1 : own;
}

export function conditionText(code: number): string {
  const condition = conditionOf(code);
  return condition === undefined ? 'unknown' : [condition.state, ...condition.flags].join(', ');
}

/** Paints a mark at a place, in device pixels. */
export function paintMark(
  ctx: DrawingContext,
  mark: Mark,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
) {
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

/** @param points x, y, x, y, and so on */
function trace(ctx: DrawingContext, points: readonly number[]) {
  ctx.beginPath();
  for (let n = 0; n < points.length; n += 2) ctx.lineTo(points[n] ?? 0, points[n + 1] ?? 0);
}

function polygon(ctx: DrawingContext, points: readonly number[]) {
  trace(ctx, points);
  ctx.fill();
}

function strokes(ctx: DrawingContext, points: readonly number[]) {
  trace(ctx, points);
  ctx.stroke();
}
