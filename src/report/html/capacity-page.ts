import { parseDuration } from '../../base/kernel/units.ts';
import { type CapacityResult, loadPoints } from '../../capacity/find-capacity.ts';
import type { Step } from '../../capacity/step.ts';
import {
  answerOf,
  loadText,
  OUTCOME_WORDS,
  STEP_HEADINGS,
  STEP_TONES,
  searchText,
  stepRow,
  stepsByLoad,
} from '../capacity.ts';
import { STYLE } from './assets.ts';
import { type Curve, curveFigure, type Mark } from './curve.ts';
import { type HtmlCell, html, htmlDocument, type Markup, NOTHING, pageSection, pageTop, table } from './markup.ts';

/** A search as one self-contained HTML document without scripts. */
export function capacityPage(result: CapacityResult): string {
  const { scenarioName } = result;
  const body = html`${pageTop(`${scenarioName}: capacity`, html`<p class="question">${searchText(result)}</p>`)}<main>
${answerSection(result)}${curveSection(result)}${stepsSection(result)}</main>
`;
  return htmlDocument(`${answerOf(result).headline} · ${scenarioName}`, STYLE, body);
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
    scales: { x: 'logarithmic', y: 'logarithmic' },
    unit: 'milliseconds',
    limit: limitOf(result, /p\(99\) <=? (\S+)$/, (text) => parseDuration(text)),
    marks: marksOf(result, ({ figures }) => figures?.p99Ms),
  };
  const errors: Curve = {
    title: `Errors of ${operation}`,
    scales: { x: 'logarithmic', y: 'linear' },
    unit: 'percent',
    limit: limitOf(result, /error_rate <=? (\S+)%$/, Number),
    marks: marksOf(result, ({ figures }) => figures && 100 * figures.errorRate),
  };
  return pageSection(
    'curve',
    'Load against latency and errors',
    html`<div class="charts">${curveFigure(p99)}${curveFigure(errors)}</div>
<p class="note">One mark per run, at its load on a logarithmic scale. ● held, ✕ failed, ○ says nothing about the server.</p>`,
  );
}

/** The limit of the first condition on the operation that has this form. */
function limitOf(
  { conditions, operation }: CapacityResult,
  form: RegExp,
  read: (text: string) => number | undefined,
): number | undefined {
  const own = conditions.filter((condition) => condition.startsWith(`${operation} `));
  return own.map((condition) => read(form.exec(condition)?.[1] ?? '')).find((value) => value);
}

function marksOf({ steps, raised }: CapacityResult, value: (step: Step) => number | undefined): readonly Mark[] {
  return stepsByLoad(steps).flatMap((step) => {
    const y = value(step);
    return y === undefined
      ? []
      : [{ x: step.load, y, tone: STEP_TONES[step.outcome], xText: loadText(raised, step.load) }];
  });
}

const SIGNS: Readonly<Record<Mark['tone'], string>> = { good: '●', bad: '✕', caution: '○' };

function stepsSection({ steps, raised }: CapacityResult): Markup {
  const headings = ['load', ...STEP_HEADINGS, 'step', 'why'];
  const rows = stepsByLoad(steps).map((step): HtmlCell[] => [
    // The outcome comes first, so that narrow screens show it, too.
    html`<span class="${STEP_TONES[step.outcome]}" aria-hidden="true">${SIGNS[STEP_TONES[step.outcome]]}</span> ${loadText(raised, step.load)}`,
    ...stepRow(step).slice(0, -1),
    html`<span class="${STEP_TONES[step.outcome]}">${OUTCOME_WORDS[step.outcome]}</span>`,
    String(step.number),
    step.reasons.join('; '),
  ]);
  return pageSection(
    'steps',
    'Steps',
    html`${table('Steps by load', headings, rows)}<p class="note">Response times run from the due time of an operation to its answer. Steps are numbered in the order in which they ran.</p>`,
  );
}
