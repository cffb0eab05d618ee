import { color } from '../../../report/page/browser/elements.ts';
import { MARKS, paintMark } from './marks.ts';

type Layout = {
  readonly columns: number;
  readonly rows: number;
  readonly cell: number;
  readonly gap: number;
  readonly scale: number;
};

/** A map with a mark for each agent. Only redraws changed marks, in the next frame. */
type FleetMap = {
  /** Takes an index in `MARKS` for each agent, by its number in this process. */
  readonly setAll: (marks: Uint8Array) => void;
  readonly set: (agent: number, mark: number) => void;
  /** Highlights only these agents. */
  readonly ring: (agents: Iterable<number>) => void;
  /** Call it when colors or sizes have changed. */
  readonly drawAnew: () => void;
  /** Number of agents with each of `MARKS`. */
  readonly counts: () => readonly number[];
};

/** A larger map grows downward. */
const HEIGHT_PX = 360;
/** Rings extend beyond the map; the style sheet uses the same value. */
const MARGIN_PX = 4;

const CELL_PX = { least: 3, most: 18 };

type Canvases = { readonly marks: HTMLCanvasElement; readonly rings: HTMLCanvasElement; readonly frame: HTMLElement };

type Pointing = {
  readonly onPoint: (agent: number | undefined) => void;
  readonly onPick: (agent: number) => void;
};

export function createFleetMap(canvases: Canvases, { onPoint, onPick }: Pointing): FleetMap {
  let marks: Uint8Array = new Uint8Array(0);
  const counts = MARKS.map(() => 0);
  let pointed: number | undefined;
  let ringed: ReadonlySet<number> = new Set();
  const painting = createPainting(canvases, () => marks);
  const drawRings = () => painting.drawRings(ringed, pointed);
  const drawAnew = () => {
    painting.drawAnew();
    drawRings();
  };
  const point = (agent: number | undefined) => {
    if (agent === pointed) return;
    pointed = agent;
    drawRings();
    onPoint(agent);
  };
  listenTo(canvases.frame, {
    point,
    onPick,
    layout: painting.layout,
    pointed: () => pointed,
    count: () => marks.length,
  });
  return {
    setAll: (all) => {
      marks = all;
      if (pointed !== undefined && pointed >= all.length) point(undefined);
      counts.fill(0);
      for (const mark of all) counts[mark] = (counts[mark] ?? 0) + 1;
      drawAnew();
    },
    set: (agent, mark) => {
      const before = marks[agent];
      if (before === undefined || before === mark) return;
      counts[before] = (counts[before] ?? 0) - 1;
      counts[mark] = (counts[mark] ?? 0) + 1;
      marks[agent] = mark;
      painting.drawSoon(agent);
    },
    ring: (agents) => {
      ringed = new Set(agents);
      drawRings();
    },
    drawAnew,
    counts: () => counts,
  };
}

/** The canvases of a map. Draws changed marks together, in the next frame. */
function createPainting({ marks: canvas, rings, frame }: Canvases, marksNow: () => Uint8Array) {
  let layout = layoutOf(0, 1);
  let sprites = spritesOf(layout);
  let pixels = blankPixels(1, 1);
  let changed: number[] = [];
  let isDue = false;
  const context = contextOf(canvas);
  const drawChanged = () => {
    isDue = false;
    const marks = marksNow();
    const side = layout.cell * layout.scale;
    let [top, bottom] = [layout.rows, 0];
    for (const agent of changed) {
      const line = Math.floor(agent / layout.columns);
      top = Math.min(top, line);
      bottom = Math.max(bottom, line + 1);
      copySprite(sprites[marks[agent] ?? 0], pixels, { x: (agent % layout.columns) * side, y: line * side, side });
    }
    changed = [];
    if (bottom > top) context.putImageData(pixels.image, 0, 0, 0, top * side, canvas.width, (bottom - top) * side);
  };
  const drawSoon = () => {
    if (isDue) return;
    isDue = true;
    requestAnimationFrame(drawChanged);
  };
  return {
    layout: () => layout,
    drawSoon: (agent: number) => {
      changed.push(agent);
      drawSoon();
    },
    drawRings: (ringed: Iterable<number>, pointed: number | undefined) =>
      paintRings(contextOf(rings), layout, { ringed, pointed }),
    drawAnew: () => {
      const { length } = marksNow();
      layout = layoutOf(length, frame.clientWidth);
      sprites = spritesOf(layout);
      for (const each of [canvas, rings]) {
        const marginPx = each === rings ? 2 * MARGIN_PX : 0;
        each.width = Math.max(1, (layout.columns * layout.cell + marginPx) * layout.scale);
        each.height = Math.max(1, (layout.rows * layout.cell + marginPx) * layout.scale);
        each.style.width = `${each.width / layout.scale}px`;
        each.style.height = `${each.height / layout.scale}px`;
      }
      pixels = blankPixels(canvas.width, canvas.height);
      changed = Array.from({ length }, (_, agent) => agent);
      drawSoon();
    },
  };
}

type Rings = { readonly ringed: Iterable<number>; readonly pointed: number | undefined };

function paintRings(ctx: CanvasRenderingContext2D, layout: Layout, { ringed, pointed }: Rings): void {
  ctx.setTransform(1, 0, 0, 1, 0, 0);
  ctx.clearRect(0, 0, ctx.canvas.width, ctx.canvas.height);
  ctx.translate(MARGIN_PX * layout.scale, MARGIN_PX * layout.scale);
  const side = layout.cell * layout.scale;
  const line = Math.max(1, Math.round(layout.scale * 1.5));
  const ringOf = (agent: number, room: number) => {
    const [x, y] = [(agent % layout.columns) * side, Math.floor(agent / layout.columns) * side];
    ctx.strokeRect(x - room, y - room, side + 2 * room - layout.gap, side + 2 * room - layout.gap);
  };
  ctx.lineWidth = line;
  ctx.strokeStyle = color('ink');
  for (const agent of ringed) ringOf(agent, line / 2);
  ctx.lineWidth = 2 * line;
  ctx.strokeStyle = color('accent');
  if (pointed !== undefined) ringOf(pointed, 2 * line);
}

type PointedMap = Pick<Pointing, 'onPick'> & {
  readonly point: (agent: number | undefined) => void;
  readonly pointed: () => number | undefined;
  readonly layout: () => Layout;
  readonly count: () => number;
};

/** Pointer and keyboard, which point at marks and pick them. */
function listenTo(frame: HTMLElement, { point, onPick, pointed, layout, count }: PointedMap): void {
  const agentAt = ({ offsetX, offsetY }: PointerEvent) => {
    const { cell, columns } = layout();
    const [column, line] = [Math.floor(offsetX / cell), Math.floor(offsetY / cell)];
    const agent = line * columns + column;
    return column < columns && agent >= 0 && agent < count() ? agent : undefined;
  };
  frame.addEventListener('pointermove', (event) => point(agentAt(event)));
  frame.addEventListener('pointerleave', () => {
    if (document.activeElement !== frame) point(undefined);
  });
  frame.addEventListener('click', (event) => {
    const agent = agentAt(event as PointerEvent);
    if (agent !== undefined) onPick(agent);
  });
  frame.addEventListener('focus', () => point(pointed() ?? 0));
  frame.addEventListener('blur', () => point(undefined));
  frame.addEventListener('keydown', (event) => {
    const agent = pointed();
    if (event.key === 'Enter' && agent !== undefined) return onPick(agent);
    const step = stepOf(event.key, layout().columns, count());
    if (step === undefined || count() === 0) return;
    event.preventDefault();
    point(Math.min(count() - 1, Math.max(0, (agent ?? 0) + step)));
  });
}

function stepOf(key: string, columns: number, count: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: 1,
    ArrowLeft: -1,
    ArrowDown: columns,
    ArrowUp: -columns,
    PageDown: 10 * columns,
    PageUp: -10 * columns,
    Home: -count,
    End: count,
  };
  return steps[key];
}

/** Finds the largest cell size at which all agents fit. */
function layoutOf(count: number, widthPx: number): Layout {
  const scale = Math.max(1, Math.round(devicePixelRatio));
  let cell = CELL_PX.most;
  while (cell > CELL_PX.least && Math.ceil(count / Math.floor(widthPx / cell)) * cell > HEIGHT_PX) cell--;
  const columns = Math.max(1, Math.floor(widthPx / cell));
  return { columns, rows: Math.ceil(count / columns), cell, gap: (cell > 8 ? 2 : 1) * scale, scale };
}

/** The map in memory. Copying marks into it, and then all of it to the canvas, takes a tenth of the time of drawing each mark there. */
type Pixels = { readonly image: ImageData; readonly words: Uint32Array; readonly width: number };

function blankPixels(width: number, height: number): Pixels {
  const image = new ImageData(width, height);
  return { image, words: new Uint32Array(image.data.buffer), width };
}

function copySprite(
  sprite: Uint32Array | undefined,
  { words, width }: Pixels,
  { x, y, side }: { readonly x: number; readonly y: number; readonly side: number },
) {
  if (sprite === undefined) return;
  for (let line = 0, from = 0; line < side; line++) {
    const to = (y + line) * width + x;
    for (let column = 0; column < side; column++) words[to + column] = sprite[from++] ?? 0;
  }
}

/** The pixels of each mark: a square. */
function spritesOf({ cell, gap, scale }: Layout): readonly Uint32Array[] {
  const side = cell * scale;
  const ctx = new OffscreenCanvas(side, side).getContext('2d', { willReadFrequently: true });
  if (ctx === null) throw new Error('the browser draws nothing');
  return MARKS.map((mark) => {
    ctx.clearRect(0, 0, side, side);
    paintMark(ctx, mark, { x: 0, y: 0, size: side - gap });
    return new Uint32Array(ctx.getImageData(0, 0, side, side).data.buffer);
  });
}

function contextOf(canvas: HTMLCanvasElement): CanvasRenderingContext2D {
  const ctx = canvas.getContext('2d');
  if (ctx === null) throw new Error('the browser draws nothing');
  return ctx;
}
