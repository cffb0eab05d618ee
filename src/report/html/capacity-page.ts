import { type CapacityResult, loadPoints } from '../../capacity/find-capacity.ts';
import type { Step } from '../../capacity/step.ts';
import {
  answerOf,
  loadText,
  logarithmicSpan,
  OUTCOME_WORDS,
  STEP_HEADINGS,
  searchText,
  stepRow,
  stepsByLoad,
} from '../capacity.ts';
import { latencyText, shareText } from '../figures.ts';
import { STYLE } from './assets.ts';
import { type HtmlCell, html, htmlDocument, type Markup, NOTHING, table } from './markup.ts';
import { pageSection } from './sections.ts';

/** A search as one HTML document that needs nothing else, not even scripts. */
export function capacityPage(result: CapacityResult): string {
  const { scenarioName } = result;
  const body = html`<header class="top">
<p class="brand">Muster</p>
<h1>${scenarioName}: capacity</h1>
<p class="question">${searchText(result)}</p>
</header>
<main>
${answerSection(result)}${curveSection(result)}${stepsSection(result)}</main>
`;
  return htmlDocument(`${scenarioName}: capacity`, STYLE, body);
}

function answerSection(result: CapacityResult): Markup {
  const { kind, headline, facts } = answerOf(result);
  return html`<section class="verdict ${kind}" aria-labelledby="verdict">
<h2 id="verdict">${headline}</h2>
<ul>${facts.map(([name, text]) => html`<li><strong>${name}</strong> ${text}</li>`)}</ul></section>
`;
}

function curveSection(result: CapacityResult): Markup {
  const { steps, operation } = result;
  if (loadPoints(steps).length < 2) return NOTHING;
  const p99: Curve = {
    title: `Response time p99 of ${operation}`,
    scale: 'logarithmic',
    text: latencyText,
    marks: marksOf(result, ({ figures }) => figures?.p99Ms),
  };
  const errors: Curve = {
    title: `Errors of ${operation}`,
    scale: 'linear',
    text: shareText,
    marks: marksOf(result, ({ figures }) => figures?.errorRate),
  };
  return pageSection(
    'curve',
    'Load against latency and errors',
    html`<div class="charts">${curveFigure(p99)}${curveFigure(errors)}</div>
<p class="note">A mark for each run, at its load; loads are on a logarithmic scale. ● held, ✕ gave way, ○ tells nothing of the server.</p>`,
  );
}

function marksOf({ steps, raised }: CapacityResult, value: (step: Step) => number | undefined): readonly Mark[] {
  return stepsByLoad(steps).flatMap((step) => {
    const y = value(step);
    const kind = step.outcome === 'held' || step.outcome === 'gave_way' ? step.outcome : 'unknown';
    return y === undefined ? [] : [{ x: step.load, y, kind, xText: loadText(raised, step.load) }];
  });
}

const KINDS: Readonly<Record<Step['outcome'], string>> = {
  held: 'good',
  gave_way: 'bad',
  generator: 'caution',
  undrained: 'caution',
  unreachable: 'bad',
  incomplete: 'bad',
};

function stepsSection({ steps, raised }: CapacityResult): Markup {
  const headings = ['load', ...STEP_HEADINGS, 'step', 'why'];
  const rows = stepsByLoad(steps).map((step): HtmlCell[] => [
    loadText(raised, step.load),
    ...stepRow(step).slice(0, -1),
    html`<span class="${KINDS[step.outcome]}">${OUTCOME_WORDS[step.outcome]}</span>`,
    String(step.number),
    step.reasons.join('; '),
  ]);
  return pageSection(
    'steps',
    'Steps',
    html`${table('Steps by load', headings, rows)}<p class="note">Response times, from the instant an operation was due to its answer; steps count in the order in which they were carried out.</p>`,
  );
}

/** One thing that was measured. */
type Mark = {
  /** Above zero. */
  readonly x: number;
  /** Above zero on a logarithmic scale. */
  readonly y: number;
  readonly kind: 'held' | 'gave_way' | 'unknown';
  readonly xText: string;
};

/** Marks from left to right over a logarithmic axis. */
type Curve = {
  readonly title: string;
  /** Of the values, from their lowest or from zero. */
  readonly scale: Scale;
  /** A value for a person. */
  readonly text: (value: number) => string;
  readonly marks: readonly Mark[];
};

type Scale = 'linear' | 'logarithmic';

/** A range of values and the pixels it is drawn on. */
type Axis = { readonly values: Span; readonly pixels: Span; readonly scale: Scale };
type Span = readonly [from: number, to: number];

const SIZE = { width: 560, height: 260 };
const PLOT = { left: 74, right: 530, top: 14, bottom: 226 };
/** Lines of the grid, as shares of the axis. */
const GRID = [0, 0.25, 0.5, 0.75, 1];

/** A chart without a script. What it shows stands in a table, too, so it is one image that names its marks. */
function curveFigure({ title, scale, text, marks }: Curve): Markup {
  const [first, last] = [marks[0], marks.at(-1)];
  if (first === undefined || last === undefined) return NOTHING;
  const x: Axis = { values: [first.x, last.x], pixels: [PLOT.left, PLOT.right], scale: 'logarithmic' };
  const y: Axis = { values: valuesOf(marks, scale), pixels: [PLOT.bottom, PLOT.top], scale };
  const placed = marks.map((mark) => ({ ...mark, left: pixelOf(x, mark.x), top: pixelOf(y, mark.y) }));
  const spoken = marks.map((mark) => `${mark.xText}: ${text(mark.y)}`).join('; ');
  return html`<figure class="chart"><figcaption>${title}</figcaption>
<svg class="curve" viewBox="0 0 ${SIZE.width} ${SIZE.height}" role="img" aria-label="${title}. ${spoken}">
${GRID.map((share) => gridLine(pixelAt(y, share), text(valueAt(y, share))))}
<text x="${PLOT.left}" y="${SIZE.height - 10}">${first.xText}</text>
${last.x > first.x ? html`<text x="${PLOT.right}" y="${SIZE.height - 10}" text-anchor="end">${last.xText}</text>` : NOTHING}
<polyline points="${placed.map(({ left, top }) => `${left},${top}`).join(' ')}"/>
${placed.map(({ kind, left, top }) => shapeOf(kind, left, top))}
</svg></figure>
`;
}

function valuesOf(marks: readonly Mark[], scale: Scale): Span {
  const values = marks.map(({ y }) => y);
  return scale === 'linear' ? [0, Math.max(...values) || 1] : logarithmicSpan(values);
}

/** Where a value stands; in the middle of an axis that has but one. */
function pixelOf(axis: Axis, value: number): number {
  const [from, to] = axis.values.map((end) => onScale(axis, end)) as [number, number];
  return pixelAt(axis, to === from ? 0.5 : (onScale(axis, value) - from) / (to - from));
}

function pixelAt({ pixels: [from, to] }: Axis, share: number): number {
  return Math.round((from + share * (to - from)) * 10) / 10;
}

function valueAt({ values: [from, to], scale }: Axis, share: number): number {
  return scale === 'linear' ? from + share * (to - from) : from * (to / from) ** share;
}

function onScale({ scale }: Axis, value: number): number {
  return scale === 'linear' ? value : Math.log(value);
}

function gridLine(top: number, text: string): Markup {
  return html`<line x1="${PLOT.left}" x2="${PLOT.right}" y1="${top}" y2="${top}"/><text x="${PLOT.left - 8}" y="${top + 4}" text-anchor="end">${text}</text>
`;
}

/** Marks differ in their shapes, too, for those who do not tell their colours apart. */
function shapeOf(kind: Mark['kind'], left: number, top: number): Markup {
  if (kind === 'held') return html`<circle class="good" cx="${left}" cy="${top}" r="5" fill="currentColor"/>`;
  if (kind === 'unknown')
    return html`<circle class="caution" cx="${left}" cy="${top}" r="5" fill="none" stroke="currentColor" stroke-width="2"/>`;
  return html`<path class="bad" d="M${left - 5} ${top - 5}l10 10m0-10l-10 10" stroke="currentColor" stroke-width="3"/>`;
}
