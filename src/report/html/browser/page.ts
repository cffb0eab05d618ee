import type uPlot from 'uplot';
import { sizeOf } from '../../page/browser/axes.ts';
import { element, row } from '../../page/browser/elements.ts';
import { countText, latencyText, percentileText, unitText } from '../../page/figures.ts';
import type { Chart } from '../page-data.ts';
import {
  cellStartMs,
  cellsOf,
  elapsedText,
  pageData,
  phaseText,
  RATE_LINES,
  rateFigures,
  sumOf,
  times,
  wallText,
} from './data.ts';
import { createPlot } from './plots.ts';
import { fillToolbar, showAll, timePlots, zoomed, zoomTo } from './zoom.ts';

const tip = document.createElement('div');
tip.className = 'tip';
tip.hidden = true;

const meanings: ReadonlyMap<string, string> = new Map(
  [...(document.querySelectorAll('[data-words]') as NodeListOf<HTMLElement>)].flatMap((entry) =>
    (entry.dataset.words ?? '').split('\n').map((word) => [word, entry.querySelector('dd')?.textContent ?? '']),
  ),
);

/** The glossary term under the pointer or the focus, in text or in the legend of a chart. */
function termAt(target: EventTarget | null): { element: Element; meaning: string } | undefined {
  const element = target instanceof Element ? target.closest('.term, .u-label') : null;
  const word = element?.textContent?.toLowerCase() ?? '';
  const meaning = meanings.get(word) ?? meanings.get(word.replace(/s$/, ''));
  return element === null || meaning === undefined ? undefined : { element, meaning };
}

function explain({ target }: Event) {
  const term = termAt(target);
  tip.hidden = term === undefined;
  if (term === undefined) return;
  tip.textContent = term.meaning;
  const { left, bottom, top } = term.element.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = tip;
  tip.style.left = `${Math.max(8, Math.min(left, document.documentElement.clientWidth - width - 8))}px`;
  tip.style.top = `${bottom + height + 8 < innerHeight ? bottom + 4 : top - height - 4}px`;
}

function hide() {
  tip.hidden = true;
}

/** Explains glossary terms on hover, focus and touch. */
function explainTerms() {
  document.body.append(tip);
  document.addEventListener('pointerover', explain);
  document.addEventListener('focusin', explain);
  document.addEventListener('focusout', hide);
  document.addEventListener('scroll', hide, true);
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') hide();
  });
  document.addEventListener('click', (event) => {
    const isTerm = event.target instanceof Element && event.target.closest('.term') !== null;
    if (!isTerm) return hide();
    event.preventDefault();
    explain(event);
  });
}

type Row = readonly string[];

const INSTANT = ['time', pageData.clockName, 'phase'];

function instant(time: number): Row {
  return [elapsedText(time), wallText(time), phaseText(time)];
}

/** The figures of a chart, for readers who cannot see it or want to copy them. */
function tableOf(chart: Chart): { headings: Row; rows: readonly Row[] } {
  switch (chart.kind) {
    case 'time':
      return {
        headings: [...INSTANT, ...chart.lines.map(({ label }) => label)],
        rows: times.map((time, index) => [
          ...instant(time),
          ...chart.lines.map(({ values }) => unitText(values[index], chart.unit)),
        ]),
      };
    case 'heat':
      return {
        headings: [...INSTANT, 'responses', 'fastest from', 'most from', 'slowest below', 'no answer'],
        rows: chart.cells.map((cells, index) => [...heatRow(cells, index), countText(chart.unanswered[index] ?? 0)]),
      };
    case 'rate':
      return {
        headings: ['planned', ...RATE_LINES.map(({ label }) => label), ...INSTANT],
        rows: rateFigures(chart).map(({ rate, values, time }) => [
          unitText(rate, 'per second'),
          ...values.map((value) => unitText(value, 'milliseconds')),
          ...instant(time),
        ]),
      };
    case 'spectrum':
      return {
        headings: ['percentile', ...chart.lines.map(({ label }) => label)],
        rows: chart.inverses.map((inverse, index) => [
          percentileText(inverse),
          ...chart.lines.map(({ values }) => unitText(values[index], 'milliseconds')),
        ]),
      };
  }
}

function heatRow(cells: readonly number[], index: number): Row {
  const pairs = cellsOf(cells);
  const time = instant(times[index] ?? 0);
  const [first, last] = [pairs[0], pairs.at(-1)];
  if (first === undefined || last === undefined) return [...time, '0', '–', '–', '–'];
  const most = pairs.reduce((best, pair) => (pair[1] > best[1] ? pair : best));
  const latencies = [cellStartMs(first[0]), cellStartMs(most[0]), cellStartMs(last[0] + 1)];
  return [...time, countText(sumOf(pairs)), ...latencies.map(latencyText)];
}

/** Fills a chart's table when it is first opened: filling all of them would slow the page down. */
function fillWhenOpened(details: HTMLDetailsElement, chart: Chart) {
  details.addEventListener('toggle', () => {
    if (!details.open || details.querySelector('table') !== null) return;
    const { headings, rows } = tableOf(chart);
    const heading = headings.map((text) => element('th', { scope: 'col' }, [text]));
    const table = element('table', {}, [
      element('thead', {}, [element('tr', {}, heading)]),
      element('tbody', {}, rows.map(row)),
    ]);
    const ariaLabel = details.querySelector('summary')?.textContent ?? chart.title;
    details.append(element('div', { className: 'scroll', tabIndex: 0, role: 'region', ariaLabel }, [table]));
  });
}

type Drawn = { readonly chart: Chart; readonly element: HTMLElement; plot: uPlot };
const drawn: Drawn[] = [];

function draw(chart: Chart) {
  const figure = document.getElementById(`chart-${chart.id}`);
  const element = figure?.querySelector('.plot') as HTMLElement | null | undefined;
  const details = figure?.querySelector('details');
  if (!element || !details) throw new Error(`the page has no place for the chart ${chart.id}`);
  element.replaceChildren();
  drawn.push({ chart, element, plot: createPlot(chart, element) });
  fillWhenOpened(details, chart);
}

/** Plots read colors when they are created, so another theme needs new plots. */
function drawAnew() {
  for (const entry of drawn) {
    entry.plot.destroy();
    entry.plot = createPlot(entry.chart, entry.element);
  }
  takeTimePlots();
  zoomTo(zoomed.from, zoomed.to);
}

function takeTimePlots() {
  timePlots.splice(
    0,
    timePlots.length,
    ...drawn.filter(({ chart }) => chart.kind === 'time' || chart.kind === 'heat').map(({ plot }) => plot),
  );
}

function fitAll() {
  for (const { plot, element } of drawn) {
    const { width, height } = sizeOf(element);
    if (width !== plot.width) plot.setSize({ width, height });
  }
}

for (const chart of pageData.charts) draw(chart);
takeTimePlots();
showAll();

const zoomBar: HTMLElement | null = document.querySelector('nav.zoom');
if (zoomBar !== null) fillToolbar(zoomBar);

explainTerms();

new ResizeObserver(fitAll).observe(document.querySelector('main') ?? document.body);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);

// Paper is light and narrower than most screens, and nothing on it can be opened.
addEventListener('beforeprint', () => onPaper(true));
addEventListener('afterprint', () => onPaper(false));

function onPaper(isPaper: boolean) {
  document.documentElement.classList.toggle('paper', isPaper);
  for (const details of document.querySelectorAll<HTMLDetailsElement>('details.printed')) details.open = isPaper;
  drawAnew();
}
