import { formatDuration } from '../../base/kernel/units.ts';
import { CELLS_PER_DECADE, type History } from '../../metrics/summary/history.ts';
import type { Spectrum } from '../../metrics/summary/summary.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { PLAIN } from '../palette.ts';
import { runTitle, verdictWords } from '../verdict-line.ts';
import type { Assets } from './assets.ts';
import {
  bandsOf,
  fleetCharts,
  generatorCharts,
  loggedChart,
  operationCharts,
  overviewCharts,
  spectrumChart,
} from './charts.ts';
import { generatorSection } from './generator-section.ts';
import { glossarySection, withTerms } from './glossary.ts';
import { contents, embeddedJson, html, htmlDocument, type Markup, NOTHING, pageSection, raw } from './markup.ts';
import { cohortsSection, figuresSection, loggedSection, outcomesSection } from './operation-sections.ts';
import type { Chart, PageData } from './page-data.ts';
import {
  addressesSection,
  clockFacts,
  deliverySection,
  eventsSection,
  evidenceSection,
  factsSection,
  fleetSection,
  headSection,
  phasesSection,
  scenarioSection,
  thresholdsSection,
  verdictSection,
} from './sections.ts';

/** Input of a report, from a run that has just ended or from stored results. */
export type ReportInput = {
  readonly summary: Summary;
  readonly history: History;
  readonly spectra: readonly Spectrum[];
};

/** A run's report as one self-contained HTML document. The same input always gives the same text. */
export function reportPage(input: ReportInput, assets: Assets): string {
  const { summary, history } = input;
  const [logged, overview, fleet] = [loggedChart(summary, history), overviewCharts(history), fleetCharts(history)];
  const generator = generatorCharts(history, summary.validity.limits);
  const operations = history.operations.map((operation) => ({
    operation,
    charts: operationCharts(history, operation),
    spectrum: spectrumChart(input.spectra, operation),
  }));
  const spectra = operations.flatMap(({ spectrum }) => spectrum);
  const charts = [
    ...logged,
    ...overview,
    ...operations.flatMap((entry) => entry.charts),
    ...spectra,
    ...fleet,
    ...generator,
  ];
  const overTime = operations.map(
    (entry) =>
      html`<h3 id="time-${entry.operation}"><code>${entry.operation}</code></h3>${chartGrid(entry.charts, entry.operation)}`,
  );
  const main = html`${verdictSection(summary)}${thresholdsSection(summary)}${figuresSection(summary)}${cohortsSection(summary)}${loggedSection(summary, chartGrid(logged, 'all operations'))}${phasesSection(summary)}${factsSection(summary)}<nav class="zoom" aria-label="Time shown in the charts" hidden></nav>
${pageSection('time', 'Over time', html`${intervalNote(history)}${overview.length === 0 ? NOTHING : chartGrid(overview, 'all operations')}${overTime}`)}${pageSection(
  'spectra',
  'Percentile spectra',
  html`<div class="charts">${operations.flatMap(({ operation, spectrum }) => spectrum.map((chart) => chartFigure(chart, operation)))}</div><p class="note">Over all counted phases. Each step to the right covers a tenth of the operations of the step before. Response covers operations with an answer, unanswered those without; the other clocks cover both.</p>`,
)}${outcomesSection(summary)}${evidenceSection(summary)}${eventsSection(summary)}${deliverySection(summary)}${addressesSection(summary)}${fleetSection(summary, chartGrid(fleet, 'fleet'))}${generatorSection(summary, chartGrid(generator, 'generator'))}${scenarioSection(summary)}`;
  const glossary = glossarySection(assets.terms);
  return page(`${verdictWords(summary, PLAIN)} · ${runTitle(summary)}`, assets, {
    data: pageData(input, charts),
    body: html`${withTerms(headSection(summary), assets.terms)}${contents(html`${main}${glossary}`, history.operations)}<main>
${withTerms(main, assets.terms)}${glossary}</main>
`,
  });
}

function pageData({ summary, history }: ReportInput, charts: readonly Chart[]): PageData {
  const { secondsPerInterval, intervals } = history;
  const bands = bandsOf(summary);
  // A run that was stopped before its first second still has charts, though they are empty.
  const seconds = Math.max(1, history.seconds);
  return {
    ...clockFacts(summary),
    secondsPerInterval,
    intervals: intervals.length,
    seconds,
    cellsPerDecade: CELLS_PER_DECADE,
    bands,
    charts,
  };
}

/** A document with charts, which its script draws from the data. */
export function page(title: string, assets: Assets, { data, body }: { data: PageData; body: Markup }): string {
  const scripts = raw(`<script>${assets.plotScript}</script>
<script type="module">
${assets.pageScript}
</script>
`);
  return htmlDocument(title, assets.style, html`${body}${embeddedJson('report-data', data)}${scripts}`);
}

export function chartGrid(charts: readonly Chart[], about: string): Markup {
  return html`<div class="charts">${charts.map((chart) => chartFigure(chart, about))}</div>\n`;
}

function chartFigure(chart: Chart, about: string): Markup {
  const { id, title, kind } = chart;
  const shades = kind === 'heat' ? html`${chart.unanswered.length > 0 ? UNANSWERED : NOTHING}${SHADES}` : NOTHING;
  return html`<figure class="chart ${kind}" id="chart-${id}"><figcaption>${title}<span class="about">${about}${limitText(chart)}</span>${shades}</figcaption>
<div class="plot" role="img" aria-label="${about}: ${title}; the figures are in the table below"><noscript>Charts need JavaScript.</noscript></div>
<details class="behind"><summary>Figures<span class="unseen"> of ${about}: ${title}</span></summary></details></figure>
`;
}

/** The limit in words, because a limit line outside the visible range is not drawn. */
function limitText(chart: Chart): string {
  if (chart.kind !== 'time' || chart.limit === undefined) return '';
  return chart.unit === 'percent' ? `, limit ${chart.limit}%` : `, limit ${formatDuration(chart.limit)}`;
}

const UNANSWERED = html`<span class="unanswered">red above: no answer</span>`;

/** Legend of a heat map's colors. */
const SHADES = html`<span class="shades">few ${[0, 1, 2, 3, 4, 5, 6].map((shade) => raw(`<i style="background:var(--heat-${shade})"></i>`))} many</span>`;

function intervalNote({ secondsPerInterval }: History): Markup {
  const text =
    secondsPerInterval === 1
      ? 'One point per second.'
      : `One point every ${secondsPerInterval} seconds: rates are means, latencies are those of the worst second.`;
  return html`<p class="note">${text} Drag across a chart to zoom all of them.</p>`;
}
