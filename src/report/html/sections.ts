import { stringify } from 'yaml';
import { formatDuration } from '../../kernel/units.ts';
import { observedText, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import type { Summary } from '../../metrics/summary/summary-schema.ts';
import { latencyText, shareText } from '../figures.ts';
import { PLAIN } from '../palette.ts';
import { runTitle, unjudgedText } from '../run-title.ts';
import { verdictWords } from '../verdict-line.ts';
import { clocksTable, exactCount, operationsTable, outcomesTable } from './figures.ts';
import { figure, html, type Markup, NOTHING, table } from './markup.ts';

/** The name of the scenario, its question, and what has to be known to place the run. */
export function headSection(summary: Summary): Markup {
  const { startedAt, elapsedMs, seed, runId, agents, environment, scenario, shards } = summary;
  const fleet = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const target = scenario.target as { url?: unknown } | undefined;
  const facts: [string, string][] = [
    ['started', startedAt.replace('T', ' ').replace(/\.\d+Z$/, ' UTC')],
    ['took', formatDuration(Math.round(elapsedMs / 100) * 100)],
    ['agents', exactCount(fleet)],
    ['target', String(target?.url ?? 'unknown')],
    ['seed', String(seed)],
    ...(shards === undefined ? [] : [['shards', String(shards.length)] as [string, string]]),
    ['workers', String(environment.workers)],
    ['run', runId],
  ];
  const question = typeof scenario.description === 'string' ? scenario.description : '';
  return html`<header class="top">
<p class="brand">Muster</p>
<h1>${runTitle(summary)}</h1>
${question === '' ? NOTHING : html`<p class="question">${question}</p>`}
<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
</header>
`;
}

/** Did it pass, can the figures be trusted, and why not? */
export function verdictSection(summary: Summary): Markup {
  const { verdict, validity, warnings } = summary;
  const passed = verdict.kind === 'pass';
  const kind = passed ? (warnings.length === 0 ? 'good' : 'caution') : 'bad';
  const valid = validity.problems.length === 0;
  return html`<section class="verdict ${kind}" aria-labelledby="verdict">
<h2 id="verdict">${verdictWords(summary, PLAIN)}</h2>
${list(verdict.reasons.map(({ text }) => text))}${list(warnings)}
<p><strong class="${valid ? 'good' : 'bad'}">${valid ? '✓ Valid:' : '✗ Invalid:'}</strong> ${valid ? 'the generator kept up, so these figures describe the target.' : 'the generator was the bottleneck, so these figures do not describe the target.'}</p>
${list(validity.warnings)}</section>
`;
}

/** Every condition with what was observed. */
export function thresholdsSection(summary: Summary): Markup {
  const { thresholds } = summary;
  const unjudged = unjudgedText(summary);
  if (unjudged !== undefined) return section('thresholds', 'Thresholds', html`<p>Thresholds are ${unjudged}.</p>`);
  if (thresholds.length === 0) return NOTHING;
  const rows = thresholds.map((threshold) => [
    html`<code>${thresholdSubject(threshold)}</code>`,
    html`<code>${threshold.text}</code>`,
    observedText(threshold),
    threshold.passed ? html`<span class="good">✓ holds</span>` : html`<strong class="bad">✗ crossed</strong>`,
  ]);
  return section('thresholds', 'Thresholds', table('Thresholds', ['of', 'condition', 'observed', ''], rows));
}

/** The figures of the summary: over all counted phases, then phase by phase. */
export function figuresSection(summary: Summary): Markup {
  const excluded = summary.phases.filter((phase) => phase.excluded).map(({ name }) => name);
  const phases = summary.phases.filter(({ operations }) => operations.length > 0);
  return section(
    'figures',
    'Operations',
    html`${operationsTable('Operations over all counted phases', summary.overall)}
<p class="note">Response times, from the instant an operation was due to its answer.${excluded.length === 0 ? '' : ` Not counted: ${excluded.join(', ')}.`}</p>
<details><summary>Phase by phase</summary>
${phases.map((phase) => html`<h3>${phase.name}${phase.excluded ? ' (not counted)' : ''}</h3>${operationsTable(`Operations in phase ${phase.name}`, phase.operations)}`)}</details>
<details><summary>All clocks</summary>
${clocksTable(summary)}<p class="note">Response: from due to answered. Service: from sent to answered. Lag: from due to sent. Delay: from due to picked up by the generator.</p></details>
`,
  );
}

export function outcomesSection(summary: Summary): Markup {
  const outcomes = outcomesTable(summary);
  return outcomes === NOTHING ? NOTHING : section('outcomes', 'Outcomes', outcomes);
}

/** What arrived of what was sent. */
export function deliverySection({ delivery }: Summary): Markup {
  if (!delivery.observed) return section('delivery', 'Delivery', html`<p>Not observed: ${delivery.reason}.</p>`);
  const headings = ['operation', 'sent', 'acknowledged', 'refused', 'unknown', 'received', 'lost', 'duplicated'];
  const keys = ['sent', 'acknowledged', 'refused', 'unknown', 'received', 'lost', 'duplicated'] as const;
  const rows = [...delivery.operations, { operation: 'all', ...delivery }].map((entry) => [
    html`<code>${entry.operation}</code>`,
    ...keys.map((key) => figure(entry[key], exactCount)),
  ]);
  return section('delivery', 'Delivery', table('Delivery', headings, rows));
}

/** What the fleet is, how each kind of host fared, and which agents are down. */
export function fleetSection({ profiles, webServers }: Summary, charts: Markup): Markup {
  const fleet = profiles.reduce((sum, { agents }) => sum + agents, 0);
  const rows = profiles.map(({ profile, agents, responseMs }) => [
    html`<code>${profile}</code>`,
    figure(agents, exactCount),
    html`<span class="bar plain" style="--share:${(agents / Math.max(1, fleet)).toFixed(4)}">${shareText(agents / Math.max(1, fleet))}</span>`,
    html`${Object.entries(responseMs).map(([operation, latency]) => html`<span class="pair"><code>${operation}</code> ${figure(latency.p99, latencyText)}</span> `)}`,
  ]);
  const down =
    webServers === undefined || webServers.downCount === 0
      ? NOTHING
      : html`<p>Down at the end: ${exactCount(webServers.downCount)}</p>${list(webServers.down.map(({ host, reason }) => `${host}: ${reason}`))}`;
  return section(
    'fleet',
    'Fleet',
    html`${charts}${table('Profiles of the fleet', ['profile', 'agents', 'share', 'response time p99'], rows)}${down}`,
  );
}

/** How well the generator kept up. */
export function generatorSection({ validity, environment }: Summary, charts: Markup): Markup {
  const { schedulingDelayP99Ms, schedulingDelayMaxMs, busiestLoopUtilisation, stalledMs, problems } = validity;
  const facts: [string, Markup][] = [
    ['scheduling delay p99', figure(schedulingDelayP99Ms, latencyText)],
    ['scheduling delay max', figure(schedulingDelayMaxMs, latencyText)],
    ['busiest worker, mean', figure(busiestLoopUtilisation, shareText)],
    ['stalled', figure(stalledMs, latencyText)],
    ['machine', html`${environment.cpuCount} × ${environment.cpuModel}`],
    ['software', html`Muster ${environment.muster}, Node ${environment.node}, ${environment.platform}`],
  ];
  return section(
    'generator',
    'Generator',
    html`<dl class="facts">${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${list(problems)}${charts}`,
  );
}

export function scenarioSection({ scenario }: Summary): Markup {
  const text = stringify(scenario, { lineWidth: 120 });
  return section(
    'scenario',
    'Effective scenario',
    html`<details><summary>Every default, flag and variable applied</summary><pre tabindex="0">${text}</pre></details>`,
  );
}

export function section(id: string, title: string, content: Markup): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`;
}

/** Nothing for no texts. */
export function list(texts: readonly string[]): Markup {
  return texts.length === 0 ? NOTHING : html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>\n`;
}
