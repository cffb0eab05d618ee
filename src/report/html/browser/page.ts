import type uPlot from 'uplot';
import { sizeOf } from '../../page/browser/axes.ts';
import type { Chart } from '../page-data.ts';
import { pageData } from './data.ts';
import { createPlot } from './plots.ts';
import { fillWhenOpened } from './tables.ts';
import { explainTerms } from './terms.ts';
import { fillToolbar, showAll, timePlots, zoomed, zoomTo } from './zoom.ts';

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

// Paper is light and narrower than most screens.
addEventListener('beforeprint', () => {
  document.documentElement.classList.add('paper');
  drawAnew();
});
addEventListener('afterprint', () => {
  document.documentElement.classList.remove('paper');
  drawAnew();
});
