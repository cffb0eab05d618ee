import { color } from '../../../report/page/browser/colors.js';
import { MARKS, paintMark } from './marks.js';

/** @typedef {{ readonly columns: number; readonly rows: number; readonly cell: number; readonly gap: number; readonly scale: number }} Layout */

/**
 * A map with a mark for each agent. Only redraws changed marks, in the next frame.
 * @typedef {object} FleetMap
 * @property {(marks: Uint8Array) => void} setAll an index in `MARKS` for each agent, by place
 * @property {(place: number, mark: number) => void} set
 * @property {(places: Iterable<number>) => void} ring highlights only these agents
 * @property {() => void} drawAnew call it when colors or sizes have changed
 * @property {() => readonly number[]} counts number of agents with each of `MARKS`
 * @property {(place: number) => number} markOf
 * @property {() => number} columns
 */

/** A larger map grows downward. */
const HEIGHT_PX = 360;
/** Rings extend beyond the map; the style sheet uses the same value. */
const MARGIN_PX = 4;

const CELL_PX = { least: 3, most: 18 };

/**
 * @param {{ readonly marks: HTMLCanvasElement; readonly rings: HTMLCanvasElement; readonly frame: HTMLElement }} elements
 * @param {{ readonly onPoint: (place: number | undefined) => void; readonly onPick: (place: number) => void }} listener
 * @returns {FleetMap}
 */
export function createFleetMap({ marks: canvas, rings, frame }, { onPoint, onPick }) {
  /** @type {Uint8Array} */
  let marks = new Uint8Array(0);
  const counts = MARKS.map(() => 0);
  let layout = layoutOf(0, 1);
  let sprites = spritesOf(layout);
  let pixels = blankPixels(1, 1);
  /** @type {number[]} */
  let changed = [];
  let isDue = false;
  /** @type {number | undefined} */
  let pointed;
  /** @type {ReadonlySet<number>} */
  let ringed = new Set();

  const context = contextOf(canvas);
  const placeOf = (/** @type {PointerEvent} */ { offsetX, offsetY }) => {
    const [column, line] = [Math.floor(offsetX / layout.cell), Math.floor(offsetY / layout.cell)];
    const place = line * layout.columns + column;
    return column < layout.columns && place >= 0 && place < marks.length ? place : undefined;
  };

  const drawChanged = () => {
    isDue = false;
    const side = layout.cell * layout.scale;
    let [top, bottom] = [layout.rows, 0];
    for (const place of changed) {
      const line = Math.floor(place / layout.columns);
      top = Math.min(top, line);
      bottom = Math.max(bottom, line + 1);
      copySprite(sprites[marks[place] ?? 0], pixels, { x: (place % layout.columns) * side, y: line * side, side });
    }
    changed = [];
    if (bottom > top) context.putImageData(pixels.image, 0, 0, 0, top * side, canvas.width, (bottom - top) * side);
  };
  const drawSoon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(drawChanged);
  };
  const drawRings = () => {
    const ctx = contextOf(rings);
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, rings.width, rings.height);
    ctx.translate(MARGIN_PX * layout.scale, MARGIN_PX * layout.scale);
    const side = layout.cell * layout.scale;
    const line = Math.max(1, Math.round(layout.scale * 1.5));
    const ringOf = (/** @type {number} */ place, /** @type {number} */ room) => {
      const [x, y] = [(place % layout.columns) * side, Math.floor(place / layout.columns) * side];
      ctx.strokeRect(x - room, y - room, side + 2 * room - layout.gap, side + 2 * room - layout.gap);
    };
    ctx.lineWidth = line;
    ctx.strokeStyle = color('ink');
    for (const place of ringed) ringOf(place, line / 2);
    ctx.lineWidth = 2 * line;
    ctx.strokeStyle = color('accent');
    if (pointed !== undefined) ringOf(pointed, 2 * line);
  };
  const drawAnew = () => {
    layout = layoutOf(marks.length, frame.clientWidth);
    sprites = spritesOf(layout);
    for (const each of [canvas, rings]) {
      const marginPx = each === rings ? 2 * MARGIN_PX : 0;
      each.width = Math.max(1, (layout.columns * layout.cell + marginPx) * layout.scale);
      each.height = Math.max(1, (layout.rows * layout.cell + marginPx) * layout.scale);
      each.style.width = `${each.width / layout.scale}px`;
      each.style.height = `${each.height / layout.scale}px`;
    }
    pixels = blankPixels(canvas.width, canvas.height);
    changed = Array.from(marks.keys());
    drawSoon();
    drawRings();
  };
  const point = (/** @type {number | undefined} */ place) => {
    if (place === pointed) return;
    pointed = place;
    drawRings();
    onPoint(place);
  };

  frame.addEventListener('pointermove', (event) => point(placeOf(event)));
  frame.addEventListener('pointerleave', () => {
    if (document.activeElement !== frame) point(undefined);
  });
  frame.addEventListener('click', (event) => {
    const place = placeOf(/** @type {PointerEvent} */ (event));
    if (place !== undefined) onPick(place);
  });
  frame.addEventListener('focus', () => point(pointed ?? 0));
  frame.addEventListener('blur', () => point(undefined));
  frame.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && pointed !== undefined) return onPick(pointed);
    const step = stepOf(event.key, layout.columns, marks.length);
    if (step === undefined || marks.length === 0) return;
    event.preventDefault();
    point(Math.min(marks.length - 1, Math.max(0, (pointed ?? 0) + step)));
  });

  return {
    setAll: (all) => {
      marks = all;
      if (pointed !== undefined && pointed >= all.length) point(undefined);
      counts.fill(0);
      for (const mark of all) counts[mark] = (counts[mark] ?? 0) + 1;
      drawAnew();
    },
    set: (place, mark) => {
      const before = marks[place];
      if (before === undefined || before === mark) return;
      counts[before] = (counts[before] ?? 0) - 1;
      counts[mark] = (counts[mark] ?? 0) + 1;
      marks[place] = mark;
      changed.push(place);
      drawSoon();
    },
    ring: (places) => {
      ringed = new Set(places);
      drawRings();
    },
    drawAnew,
    counts: () => counts,
    markOf: (place) => marks[place] ?? MARKS.length - 1,
    columns: () => layout.columns,
  };
}

/**
 * @param {string} key
 * @param {number} columns
 * @param {number} count
 * @returns {number | undefined}
 */
function stepOf(key, columns, count) {
  switch (key) {
    case 'ArrowRight':
      return 1;
    case 'ArrowLeft':
      return -1;
    case 'ArrowDown':
      return columns;
    case 'ArrowUp':
      return -columns;
    case 'PageDown':
      return 10 * columns;
    case 'PageUp':
      return -10 * columns;
    case 'Home':
      return -count;
    case 'End':
      return count;
    default:
      return undefined;
  }
}

/**
 * Finds the largest cell size at which all agents fit.
 * @param {number} count
 * @param {number} widthPx
 * @returns {Layout}
 */
function layoutOf(count, widthPx) {
  const scale = Math.max(1, Math.round(devicePixelRatio));
  let cell = CELL_PX.most;
  while (cell > CELL_PX.least && Math.ceil(count / Math.floor(widthPx / cell)) * cell > HEIGHT_PX) cell--;
  const columns = Math.max(1, Math.floor(widthPx / cell));
  return { columns, rows: Math.ceil(count / columns), cell, gap: (cell > 8 ? 2 : 1) * scale, scale };
}

/**
 * The map in memory. Copying marks into it, and then all of it to the canvas, takes a tenth of the time of drawing each mark there.
 * @typedef {{ readonly image: ImageData; readonly words: Uint32Array; readonly width: number }} Pixels
 */

/**
 * @param {number} width
 * @param {number} height
 * @returns {Pixels}
 */
function blankPixels(width, height) {
  const image = new ImageData(width, height);
  return { image, words: new Uint32Array(image.data.buffer), width };
}

/**
 * @param {Uint32Array | undefined} sprite
 * @param {Pixels} pixels
 * @param {{ readonly x: number; readonly y: number; readonly side: number }} place
 */
function copySprite(sprite, { words, width }, { x, y, side }) {
  if (sprite === undefined) return;
  for (let line = 0, from = 0; line < side; line++) {
    const to = (y + line) * width + x;
    for (let column = 0; column < side; column++) words[to + column] = sprite[from++] ?? 0;
  }
}

/**
 * The pixels of each mark: a square.
 * @param {Layout} layout
 * @returns {readonly Uint32Array[]}
 */
function spritesOf({ cell, gap, scale }) {
  const side = cell * scale;
  const ctx = new OffscreenCanvas(side, side).getContext('2d', { willReadFrequently: true });
  if (ctx === null) throw new Error('the browser draws nothing');
  return MARKS.map((mark) => {
    ctx.clearRect(0, 0, side, side);
    paintMark(ctx, mark, { x: 0, y: 0, size: side - gap });
    return new Uint32Array(ctx.getImageData(0, 0, side, side).data.buffer);
  });
}

/**
 * @param {HTMLCanvasElement} canvas
 * @returns {CanvasRenderingContext2D}
 */
function contextOf(canvas) {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('the browser draws nothing');
  return ctx;
}
