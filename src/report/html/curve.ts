import { logarithmicSpan } from '../capacity.ts';
import type { Unit } from '../page/chart-data.ts';
import { tickText, unitText } from '../page/figures.ts';
import { html, type Markup, NOTHING } from './markup.ts';

/** One measured point. */
export type Mark = {
  /** Above zero on a logarithmic scale, like `y`. */
  readonly x: number;
  readonly y: number;
  readonly tone: 'good' | 'bad' | 'caution';
  readonly xText: string;
};

/** Marks from left to right, joined by a line. */
export type Curve = {
  readonly title: string;
  /** A logarithmic value axis starts at the lowest value, a linear one at zero. */
  readonly scales: { readonly x: Scale; readonly y: Scale };
  /** Of the values. */
  readonly unit: Unit;
  /** A limit for the values, drawn as a line. */
  readonly limit: number | undefined;
  readonly marks: readonly Mark[];
};

type Scale = 'linear' | 'logarithmic';

/** A range of values and of the pixels it covers. */
type Axis = { readonly values: Span; readonly pixels: Span; readonly scale: Scale };
type Span = readonly [from: number, to: number];

const SIZE = { width: 560, height: 260 };
const PLOT = { left: 74, right: 530, top: 14, bottom: 226 };
/** Approximate number of grid lines. */
const GRID_LINES = 5;

/** A chart without a script. A table has the same figures, so the chart is a single image whose text alternative lists the marks. */
export function curveFigure({ title, scales, unit, limit, marks }: Curve): Markup {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return NOTHING;
  const x: Axis = { values: [first.x, last.x], pixels: [PLOT.left, PLOT.right], scale: scales.x };
  const ticks = ticksOf([...marks.map(({ y }) => y), ...(limit === undefined ? [] : [limit])], scales.y);
  const ends: Span = [ticks[0] ?? 0, ticks.at(-1) ?? 1];
  const y: Axis = { values: ends, pixels: [PLOT.bottom, PLOT.top], scale: scales.y };
  const placed = marks.map((mark) => ({ ...mark, left: pixelOf(x, mark.x), top: pixelOf(y, mark.y) }));
  const label =
    marks.length > MAX_SPOKEN ? rangeText(marks, unit) : marks.map((mark) => markText(mark, unit)).join('; ');
  return html`<figure class="chart"><figcaption>${title}${limit === undefined ? NOTHING : html`<span class="about">limit ${tickText(limit, unit)}</span>`}</figcaption>
<svg class="curve" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${title}. ${label}">
${ticks.map((tick) => gridLine(pixelOf(y, tick), tickText(tick, unit)))}
${limit === undefined ? NOTHING : html`<line class="limit" x1="${PLOT.left}" x2="${PLOT.right}" y1="${pixelOf(y, limit)}" y2="${pixelOf(y, limit)}"/>`}
<text x="${PLOT.left}" y="${SIZE.height - 10}">${first.xText}</text>
${last.x > first.x ? html`<text x="${PLOT.right}" y="${SIZE.height - 10}" text-anchor="end">${last.xText}</text>` : NOTHING}
<polyline points="${placed.map(({ left, top }) => `${left},${top}`).join(' ')}"/>
${TONES.map((tone) =>
  shapesOf(
    tone,
    placed.filter((mark) => mark.tone === tone),
  ),
)}
</svg></figure>
`;
}

/** Round values that enclose these, in ascending order. */
function ticksOf(values: readonly number[], scale: Scale): readonly number[] {
  if (scale === 'linear') {
    const most = Math.max(...values) || 1;
    const step = roundUp(most / (GRID_LINES - 1), [1, 2, 2.5, 5, 10]);
    return Array.from({ length: Math.ceil(most / step - 1e-9) + 1 }, (_, n) => n * step);
  }
  const [least, most] = logarithmicSpan(values);
  const from = Math.floor(Math.log10(least));
  const powers = Array.from({ length: Math.ceil(Math.log10(most)) - from + 1 }, (_, n) => 10 ** (from + n));
  const all = powers.length > GRID_LINES ? powers : powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const first = all.findLastIndex((tick) => tick <= least);
  return all.slice(Math.max(0, first), all.findIndex((tick) => tick >= most) + 1);
}

/** The next value that is one of these times a power of ten. */
function roundUp(value: number, leading: readonly number[]): number {
  const power = 10 ** Math.floor(Math.log10(value));
  return power * (leading.find((one) => one * power >= value * (1 - 1e-9)) ?? 10);
}

/** Position of a value; the middle of an axis with a single value. */
function pixelOf(axis: Axis, value: number): number {
  const [from, to] = axis.values.map((end) => onScale(axis, end)) as [number, number];
  const share = to === from ? 0.5 : (onScale(axis, value) - from) / (to - from);
  const [first, last] = axis.pixels;
  return Math.round((first + share * (last - first)) * 10) / 10;
}

function onScale({ scale }: Axis, value: number): number {
  return scale === 'linear' ? value : Math.log(value);
}

function gridLine(top: number, text: string): Markup {
  return html`<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${top}" y2="${top}"/><text x="${PLOT.left - 8}" y="${top + 4}" text-anchor="end">${text}</text>
`;
}

/** A longer list of marks is no text to listen to. */
const MAX_SPOKEN = 100;

function markText({ xText, y }: Mark, unit: Unit): string {
  return `${xText}: ${unitText(y, unit)}`;
}

function rangeText(marks: readonly Mark[], unit: Unit): string {
  const sorted = marks.toSorted((one, other) => one.y - other.y);
  const ends = [marks[0], marks.at(-1), sorted[0], sorted.at(-1)].map((mark) => (mark ? markText(mark, unit) : ''));
  return `${marks.length} values, the first ${ends[0]}, the last ${ends[1]}, the lowest ${ends[2]}, the highest ${ends[3]}`;
}

const TONES = ['good', 'caution', 'bad'] as const;

type Placed = { readonly left: number; readonly top: number };

/** All marks of a tone as one shape, because thousands slow a browser. They also differ in shape, for readers who cannot distinguish colors. */
function shapesOf(tone: Mark['tone'], marks: readonly Placed[]): Markup {
  if (marks.length === 0) return NOTHING;
  const cross = ({ left, top }: Placed) => `M${left - 5} ${top - 5}l10 10m0-10l-10 10`;
  const circle = ({ left, top }: Placed) => `M${left - 5} ${top}a5 5 0 1 0 10 0a5 5 0 1 0-10 0`;
  const path = marks.map(tone === 'bad' ? cross : circle).join('');
  if (tone === 'good') return html`<path class="good" d="${path}" fill="currentColor"/>`;
  const width = tone === 'bad' ? 3 : 2;
  return html`<path class="${tone}" d="${path}" fill="none" stroke="currentColor" stroke-width="${width}"/>`;
}
