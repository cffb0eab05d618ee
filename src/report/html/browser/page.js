import { sizeOf } from '../../page/browser/axes.js';
import { createPlot } from './plots.js';
import { fillWhenOpened } from './tables.js';
import { explainTerms } from './terms.js';
import { pageData } from './theme.js';
import { fillToolbar, show, showAll, shown, timePlots } from './zoom.js';

/** @import uPlot from 'uplot' */
/** @import { Chart } from '../page-data.ts' */

/** @typedef {{ readonly chart: Chart; readonly element: HTMLElement; plot: uPlot }} Drawn */
/** @type {Drawn[]} */
const drawn = [];

/** @param {Chart} chart */
function draw(chart) {
  const figure = document.getElementById(`chart-${chart.id}`);
  const element = /** @type {HTMLElement | null | undefined} */ (figure?.querySelector('.plot'));
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
  show(shown.from, shown.to);
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

/** @type {HTMLElement | null} */
const zoomBar = document.querySelector('nav.zoom');
if (zoomBar !== null) fillToolbar(zoomBar);

explainTerms();

new ResizeObserver(fitAll).observe(document.querySelector('main') ?? document.body);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', drawAnew);

// Paper is light and narrower than most screens.
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('paper');
  drawAnew();
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('paper');
  drawAnew();
});
