import type { ComparedFigure, Comparison } from '../../metrics/comparing/compare.ts';
import {
  COMPARISON_HEADINGS,
  type ComparisonFacts,
  comparisonRow,
  noiseText,
  regressionsOf,
  toleranceText,
} from '../comparison.ts';
import { STYLE } from './assets.ts';
import { type HtmlCell, html, htmlDocument, type Markup, table } from './markup.ts';
import { list, pageSection } from './sections.ts';

/** A comparison as one HTML document that needs nothing else, not even scripts. */
export function comparisonPage(comparison: Comparison, facts: ComparisonFacts): string {
  const { scenarioName, baseRuns, candidateRuns } = facts;
  const runs: [string, string][] = [
    ['base', countedRuns(baseRuns)],
    ['candidate', countedRuns(candidateRuns)],
  ];
  const body = html`<header class="top">
<p class="brand">Muster</p>
<h1>${scenarioName}: base and candidate</h1>
<dl class="facts">${runs.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
<main>
${verdictSection(comparison, facts)}${figuresSection(comparison)}${pageSection(
  'reading',
  'How to read it',
  html`<p>Noise: ${noiseText(comparison)}.</p><p>A regression is ${toleranceText(facts.tolerance)}.</p>
<p>In the last column the band is the noise, its middle the base, and the mark the candidate: right of the band it is worse, left of it better.</p>`,
)}</main>
`;
  return htmlDocument(`${scenarioName}: base and candidate`, STYLE, body);
}

function countedRuns(count: number): string {
  return `${count} ${count === 1 ? 'run' : 'runs'}`;
}

function verdictSection(comparison: Comparison, { warnings }: ComparisonFacts): Markup {
  const regressions = regressionsOf(comparison);
  const isGood = regressions.length === 0;
  const kind = isGood ? (warnings.length === 0 ? 'good' : 'caution') : 'bad';
  const worse = regressions.map((figure) => {
    const [phase, operation, name, base, candidate, change] = comparisonRow(figure);
    return `${operation} in ${phase}: ${name} ${base} → ${candidate} (${change})`;
  });
  return html`<section class="verdict ${kind}" aria-labelledby="verdict">
<h2 id="verdict">${isGood ? '✓ No regression' : '✗ Regression'}</h2>
${list(worse)}${list(warnings)}</section>
`;
}

function figuresSection({ figures }: Comparison): Markup {
  if (figures.length === 0) return pageSection('compared', 'Figures', html`<p>The sides have nothing in common.</p>`);
  const headings = [...COMPARISON_HEADINGS.slice(0, -1), 'judgement', 'worse →'];
  return pageSection('compared', 'Figures', table('Compared figures', headings, figures.map(figureRow)));
}

const COLOURS = { better: 'good', worse: 'caution', within_noise: 'plain' } as const;

function figureRow(compared: ComparedFigure): HtmlCell[] {
  const cells = comparisonRow(compared);
  const kind = compared.isRegression ? 'bad' : COLOURS[compared.judgement];
  const words = html`<span class="${kind}">${cells.at(-1) ?? ''}</span>`;
  return [
    ...cells.slice(0, -1),
    compared.isRegression ? html`<strong>${words}</strong>` : words,
    drift(compared, kind),
  ];
}

/** So many times the noise are drawn to each side of the base. */
const DRAWN_NOISE = 4;

/** Where the candidate is in the noise around the base, as a picture; its figures stand beside it. */
function drift({ figure, base, candidate, noise }: ComparedFigure, kind: string): Markup {
  const worse = figure === 'rate' ? base - candidate : candidate - base;
  const inNoise = worse === 0 ? 0 : worse / noise;
  const place = Math.max(-1, Math.min(1, inNoise / DRAWN_NOISE));
  return html`<span class="drift ${kind}" aria-hidden="true" style="--place:${place.toFixed(3)}"></span>`;
}
