import { stringify } from 'yaml';
import { formatDuration } from '../../base/kernel/units.ts';
import { leftOutNote, observedText, thresholdOutcome, thresholdSubject } from '../../metrics/judging/thresholds.ts';
import type { PhaseValidity, Validity } from '../../metrics/judging/validity.ts';
import { isWhollyCounted } from '../../metrics/judging/verdict.ts';
import { speakBothProtocols } from '../../metrics/recording/address-counts.ts';
import { FIRST_KEPT } from '../../metrics/recording/evidence.ts';
import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import { isSuccess, type Outcome } from '../../metrics/recording/outcomes.ts';
import { type OperationSummary, plannedIn, type Summary } from '../../metrics/summary/summary-schema.ts';
import { cohortFigures } from '../cohort-figures.ts';
import {
  MISBEHAVIOR_HEADINGS,
  misbehaviorRow,
  recoveryText,
  remediesOf,
  seenText,
  witnessText,
} from '../evidence-text.ts';
import { countedAddressText, hostClockText, targetText } from '../figures.ts';
import { PLAIN } from '../layout.ts';
import { LOGGED_HEADINGS, LOGGED_NOTE, loggedRows } from '../logged-figures.ts';
import { exactCount, latencyText, rateText, shareText, utcText } from '../page/figures.ts';
import { MACHINE_HEADINGS, machineCells, worstFirst } from '../page/machines.ts';
import { runTitle, unjudgedText, verdictTone, verdictWords } from '../verdict-line.ts';
import {
  factList,
  figure,
  type HtmlCell,
  html,
  leftOut,
  MAX_TABLE_ROWS,
  type Markup,
  NOTHING,
  pageTop,
  raw,
  table,
} from './markup.ts';

/** Name and question of the scenario. */
export function headSection(summary: Summary): Markup {
  const { description } = summary.scenario;
  const question = typeof description === 'string' ? description : '';
  return pageTop(runTitle(summary), question === '' ? NOTHING : html`<p class="question">${question}</p>`);
}

/** The facts that identify the run. */
export function factsSection(summary: Summary): Markup {
  const { startedAt, elapsedMs, seed, runId, agents, environment, scenario, shards, hostClock } = summary;
  const fleet = Object.values(agents).reduce((sum, count) => sum + count, 0);
  const facts: [string, string][] = [
    ['start', utcText(startedAt)],
    ['took', formatDuration(Math.round(elapsedMs / 100) * 100)],
    ...(hostClock === undefined ? [] : [["hosts' clocks", hostClockText(hostClock)] as [string, string]]),
    ['agents', exactCount(fleet)],
    ['target', targetText(scenario.target) ?? 'unknown'],
    ['seed', String(seed)],
    ...(shards === undefined ? [] : [['shards', String(shards.length)] as [string, string]]),
    ['workers', String(environment.workers)],
    ['run', runId],
  ];
  return pageSection('run', 'Run', html`${factList(facts)}\n`);
}

/** Did it pass, what are its figures, can they be trusted, and why not? */
export function verdictSection(summary: Summary): Markup {
  const { verdict, validity, warnings } = summary;
  const valid = validity.problems.length === 0;
  const kept = isWhollyCounted(verdict)
    ? 'the generator kept up where thresholds judge, so they describe the target.'
    : 'as far as the run was counted, the generator kept up where thresholds judge.';
  return html`<section class="verdict ${verdictTone(summary)}" aria-labelledby="verdict">
<h2 id="verdict">${verdictWords(summary, PLAIN)}</h2>
${list(verdict.reasons.map(({ text }) => text))}${keyFigures(summary)}${firstEvidence(summary)}${list(warnings)}
<p><strong class="${valid ? 'good' : 'bad'}">${valid ? '✓ Valid:' : '✗ Invalid:'}</strong> ${valid ? kept : 'the generator was the bottleneck in what is listed here, so that does not describe the target.'}</p>
${list(validity.warnings)}</section>
`;
}

const MAX_KEY_OPERATIONS = 3;

/** Rate and failures of all operations together, and the response times of each. */
function keyFigures({ overall: measured, succeededPerSecond }: Summary): Markup {
  const overall = plannedIn(measured);
  if (overall.length === 0) return NOTHING;
  const { planned, failed, dropped } = totalOf(overall);
  const shareOf = (count: number) => figure(count / Math.max(1, planned), shareText);
  const times = overall
    .slice(0, MAX_KEY_OPERATIONS)
    .map((entry) => html`<span class="pair">${entry.operation} ${figure(answersOf(entry)?.p99, latencyText)}</span> `);
  return html`${factList([
    ['ok/s', figure(succeededPerSecond, rateText)],
    ['failed', shareOf(failed)],
    ['dropped', shareOf(dropped)],
    ['response time p99', html`${times}`],
  ])}\n`;
}

/** What the server, or the connection, said first, and what usually helps. */
function firstEvidence(summary: Summary): Markup {
  const { evidence } = summary;
  const failures = evidence.slice(0, 1).map(
    (
      first,
    ) => html`<p><a href="#evidence">First failure</a>: <code>${first.operation}</code> <code class="bad">${first.outcome}</code>, ${witnessText(first)}: ${seenText(first).slice(0, 160)}</p>
`,
  );
  return html`${failures}${remediesOf(summary).map(
    (text) => html`<p><strong>Remedy</strong>: ${text}</p>
`,
  )}`;
}

const HOLDS = html`<span class="good">✓<span class="unseen"> holds</span></span>`;
const CROSSED = html`<strong class="bad">✗<span class="unseen"> crossed</span></strong>`;
const UNJUDGED = html`<strong class="caution">?<span class="unseen"> not judged</span></strong>`;
const OUTCOMES = { holds: HOLDS, crossed: CROSSED, unjudged: UNJUDGED } as const;

/** Every condition with its observed value. */
export function thresholdsSection(summary: Summary): Markup {
  const { thresholds } = summary;
  const unjudged = unjudgedText(summary);
  if (unjudged !== undefined) return pageSection('thresholds', 'Thresholds', html`<p>Thresholds are ${unjudged}.</p>`);
  if (thresholds.length === 0) return NOTHING;
  const rows = thresholds.map((threshold) => [
    // Comes first, so that narrow screens show it, too.
    html`${OUTCOMES[thresholdOutcome(threshold)]} <code>${thresholdSubject(threshold)}</code>`,
    html`<code>${threshold.text}</code>`,
    [observedText(threshold), leftOutNote(threshold) ?? []].flat().join('; '),
  ]);
  return pageSection('thresholds', 'Thresholds', table('Thresholds', ['of', 'condition', 'observed'], rows));
}

/** Figures of the summary: over all counted phases, then by phase. */
export function figuresSection(summary: Summary): Markup {
  const excluded = summary.phases.filter((phase) => phase.excluded).map(({ name }) => name);
  const phases = summary.phases.filter(({ operations }) => plannedIn(operations).length > 0);
  // Each has a table.
  const most = MAX_TABLE_ROWS / 10;
  return pageSection(
    'figures',
    'Operations',
    html`${operationsTable('Operations over all counted phases', summary.overall, summary.succeededPerSecond)}
<p class="note">Response times of all answers, including errors, from the due time of the operation.${unansweredNote(summary)}${excluded.length === 0 ? '' : ` Not counted: ${excluded.join(', ')}.`}</p>
<details class="printed"><summary>Phase by phase</summary>
${leftOut(phases.length, most, 'phases')}${phases.slice(0, most).map((phase) => html`<h3>${phase.name}${phase.excluded ? ' (not counted)' : ''}</h3>${operationsTable(`Operations in phase ${phase.name}`, phase.operations)}`)}</details>
<details class="printed"><summary>All clocks</summary>
${clocksTable(summary)}<p class="note">Response: from due to answered or failed. Service: from sent to answered. Lag: from due to sent. Delay: from due to picked up by the generator.</p></details>
`,
  );
}

/** The clock shown next to the run's own times: the hosts' clock if they have one, otherwise UTC. */
export function clockFacts({ startedAt, hostClock }: Summary) {
  return {
    startedAtMs: Date.parse(hostClock?.startedAt ?? startedAt),
    clockFactor: hostClock?.factor ?? 1,
    clockName: hostClock === undefined ? 'UTC' : "hosts' clocks",
  };
}

/** Start and end of each phase, with the number that charts use if the name does not fit. */
export function phasesSection(summary: Summary): Markup {
  const { phases } = summary;
  const { startedAtMs, clockFactor, clockName } = clockFacts(summary);
  const rows = phases
    .filter(({ durationMs }) => durationMs > 0)
    .map(({ name, excluded, startMs, durationMs }, index) => [
      `${index + 1} ${name}`,
      formatDuration(Math.round(startMs)),
      formatDuration(Math.round(startMs + durationMs)),
      new Date(startedAtMs + clockFactor * startMs).toISOString().slice(11, 19),
      excluded ? 'no' : 'yes',
    ]);
  if (rows.length === 0) return NOTHING;
  const content = table('Phases', ['phase', 'from', 'to', clockName, 'counted'], rows);
  return pageSection('phases', 'Phases', content);
}

/** Notes operations that the percentiles exclude, because they would pass for fast or slow answers. */
function unansweredNote({ overall }: Summary): string {
  const count = overall.reduce((sum, entry) => sum + unansweredCount(entry), 0);
  if (count === 0) return '';
  const ended = overall.reduce((sum, { succeeded, failed }) => sum + succeeded + failed, 0);
  return ` ${exactCount(count)} of ${exactCount(ended)} operations got no answer: “All clocks” shows their times, and response in summary.json includes them.`;
}

function unansweredCount({ latencyMs }: OperationSummary): number {
  return latencyMs.unanswered?.count ?? 0;
}

/** The figures of the log that the run replays beside its own; nothing without one. */
export function loggedSection(summary: Summary, charts: Markup): Markup {
  const rows = loggedRows(summary).map(({ name, cells }) => [name, ...cells]);
  if (rows.length === 0) return NOTHING;
  const figures = table('Then and now', ['operation', ...LOGGED_HEADINGS], rows);
  return pageSection('logged', 'Then and now', html`${charts}${figures}<p class="note">${LOGGED_NOTE}</p>`);
}

/** Figures of each cohort; nothing without cohorts. */
export function cohortsSection(summary: Summary): Markup {
  const all = cohortFigures(summary);
  if (all.length === 0) return NOTHING;
  const counted = all.map(({ operation, rows }) => {
    const cells = rows.map(({ name, agents, entry }) => [
      cohortName(name),
      figure(agents, exactCount),
      ...operationRow(entry).slice(1),
    ]);
    return html`<h3><code>${operation}</code></h3>${table(`Cohorts: ${operation}`, ['cohort', 'agents', ...HEADINGS.slice(1)], cells)}`;
  });
  const phases = all
    .filter((one) => one.phases.length > 0)
    .map(({ operation, phases }) => {
      const cells = phases.map(({ name, phase, entry }) => [cohortName(name), phase, ...operationRow(entry).slice(1)]);
      return html`<h3><code>${operation}</code></h3>${table(`Cohorts by phase: ${operation}`, ['cohort', 'phase', ...HEADINGS.slice(1)], cells)}`;
    });
  const named = (summary.cohorts ?? []).filter(({ name, cohort }) => name !== cohort);
  const meanings = named.map(({ name, cohort }) => html` ${name} is <code>${cohort}</code>.`);
  const note = html`<p class="note">Agents can be in several cohorts, or in none.${meanings}</p>`;
  const byPhase = html`<details class="printed"><summary>Cohorts phase by phase</summary>${phases}</details>\n`;
  return pageSection('cohorts', 'Cohorts', html`${counted}${note}${phases.length === 0 ? NOTHING : byPhase}`);
}

function cohortName(name: string): Markup {
  return html`<code>${name}</code>`;
}

export function outcomesSection(summary: Summary): Markup {
  const outcomes = outcomesTable(summary);
  return outcomes === NOTHING ? NOTHING : pageSection('outcomes', 'Outcomes', outcomes);
}

/** Evidence of the first failures of each kind: the server's answer, or why there was none. */
export function evidenceSection(summary: Summary): Markup {
  const { evidence } = summary;
  if (evidence.length === 0) return NOTHING;
  const entries = evidence.map((one) => {
    const text = [one.reason, one.head, one.body].filter((part) => part !== undefined).join('\n\n');
    return html`<details class="printed"><summary><code>${one.operation}</code> <code class="bad">${one.outcome}</code> in phase ${one.phase}, ${witnessText(one)}: ${seenText(one).slice(0, 120)}</summary><pre tabindex="0">${text}</pre></details>
`;
  });
  const note = html`<p class="note">The first ${FIRST_KEPT} failures of each operation, phase and outcome. Secrets are ***.</p>`;
  return pageSection('evidence', 'Evidence', html`${note}${entries}`);
}

/** Recovery from events, and the attacks of misbehaving agents, which all other figures of the page exclude. */
export function eventsSection({ recoveries = [], misbehavior = [] }: Summary): Markup {
  if (recoveries.length + misbehavior.length === 0) return NOTHING;
  // Of too many, the page shows the worst.
  const shown = recoveries.length > MAX_TABLE_ROWS ? recoveries.toSorted(worseRecovery) : recoveries;
  const times = shown.map((recovery) => [
    html`<code>${recovery.event}</code>`,
    formatDuration(Math.round(recovery.fromMs)),
    formatDuration(Math.round(recovery.toMs)),
    recoveryText(recovery).slice(recovery.event.length + 2),
  ]);
  const attacks = misbehavior.map((counts) => misbehaviorRow(counts).map((cell) => html`${cell}`));
  return pageSection(
    'events',
    'Events',
    html`${times.length === 0 ? NOTHING : table('Recovery', ['event', 'from', 'to', 'recovery'], times)}${attacks.length === 0 ? NOTHING : table('Attacks of misbehaving agents', MISBEHAVIOR_HEADINGS, attacks)}`,
  );
}

type Recovered = NonNullable<Summary['recoveries']>[number];

function worseRecovery(one: Recovered, other: Recovered): number {
  const time = ({ timeMs }: Recovered): number => timeMs ?? Number.MAX_VALUE;
  return time(other) - time(one) || (other.herd ?? 0) - (one.herd ?? 0);
}

/** Compares received requests with sent ones. */
export function deliverySection({ delivery }: Summary): Markup {
  if (!delivery.observed) return pageSection('delivery', 'Delivery', html`<p>Not observed: ${delivery.reason}.</p>`);
  const headings = ['operation', 'sent', 'acknowledged', 'refused', 'unknown', 'received', 'lost', 'duplicated'];
  const keys = ['sent', 'acknowledged', 'refused', 'unknown', 'received', 'lost', 'duplicated'] as const;
  const rows = [...delivery.operations, { operation: 'all', ...delivery }].map((entry) => [
    html`<code>${entry.operation}</code>`,
    ...keys.map((key) => figure(entry[key], exactCount)),
  ]);
  return pageSection('delivery', 'Delivery', table('Delivery', headings, rows));
}

/** Figures for each address of the target; nothing for a single address with one protocol. */
export function addressesSection({ addresses = [] }: Summary): Markup {
  if (addresses.length === 0) return NOTHING;
  const all = addresses.reduce((sum, { requests }) => sum + requests, 0);
  const hasBoth = speakBothProtocols(addresses);
  const rows = addresses.map((counts) => {
    const { connections, failedDials, requests, failed, protocols } = counts;
    const share = requests / Math.max(1, all);
    return [
      html`<code>${countedAddressText(counts)}</code>`,
      figure(connections, exactCount),
      ...(hasBoth ? [figure(protocols?.http2 ?? 0, exactCount)] : []),
      failuresCell(failedDials),
      figure(requests, exactCount),
      html`<span class="bar plain" style="--share:${share.toFixed(4)}">${shareText(share)}</span>`,
      failuresCell(failed),
    ];
  });
  const headings = [
    'address',
    'connections',
    ...(hasBoth ? ['of HTTP/2'] : []),
    'failed dials',
    'requests',
    'share',
    'failed',
  ];
  return pageSection('addresses', 'Addresses', table('Addresses of the target', headings, rows));
}

function failuresCell(count: number): Markup {
  const value = figure(count, exactCount);
  return count > 0 ? html`<strong class="bad">${value}</strong>` : value;
}

/** Composition of the fleet, figures of each group of hosts, and the agents that are down. */
export function fleetSection({ profiles, webServers }: Summary, charts: Markup): Markup {
  const fleet = profiles.reduce((sum, { agents }) => sum + agents, 0);
  const isGrouped = profiles.some(({ group }) => group !== undefined);
  const rows = profiles.map(({ group = '', profile, agents, responseMs }) => [
    ...(isGrouped ? [html`<code>${group}</code>`] : []),
    html`<code>${profile}</code>`,
    figure(agents, exactCount),
    html`<span class="bar plain" style="--share:${(agents / Math.max(1, fleet)).toFixed(4)}">${shareText(agents / Math.max(1, fleet))}</span>`,
    html`${Object.entries(responseMs).map(([operation, latency]) => html`<span class="pair"><code>${operation}</code> ${figure(latency.p99, latencyText)}</span> `)}`,
  ]);
  const down =
    webServers === undefined || webServers.mostDown === 0
      ? NOTHING
      : html`<p>Down at the end: ${exactCount(webServers.downCount)}, and at most: ${exactCount(webServers.mostDown)}</p>${list(webServers.down.map(({ host, reason }) => `${host}: ${reason}`))}`;
  return pageSection(
    'fleet',
    'Fleet',
    html`${charts}${table('Hosts of the fleet', [...(isGrouped ? ['group'] : []), 'profile', 'agents', 'share', 'response time p99'], rows)}${down}${clientsTable(webServers)}`,
  );
}

/** Connections and requests at the agents' ports; nothing if there were none. */
function clientsTable(webServers: Summary['webServers']): Markup {
  if (webServers === undefined || webServers.listeners.accepted === 0) return NOTHING;
  const { listeners } = webServers;
  const counts: [string, number, boolean][] = [
    ['connections accepted', listeners.accepted, false],
    ['late, because the generator stalled', listeners.late, true],
    ['TLS handshakes completed', listeners.handshakes, false],
    ['connections refused before a request', refusedCount(listeners), true],
    ...Object.entries(listeners.refused).map(([reason, count]): [string, number, boolean] => [
      `refused: ${reason}`,
      count,
      true,
    ]),
    ['requests and handshakes without an answer', listeners.unanswered, true],
  ];
  const rows = counts.map(([name, count, isBad]) => {
    const value = figure(count, exactCount);
    return [name, isBad && count > 0 ? html`<strong class="bad">${value}</strong>` : value];
  });
  return table("Clients of the agents' web servers", ['clients', 'count'], rows);
}

/** How well the generator kept up. */
export function generatorSection({ validity, environment, machines }: Summary, charts: Markup): Markup {
  const { schedulingDelayP99Ms, schedulingDelayMaxMs, busiestLoopUtilization, stalledMs } = validity;
  const facts: [string, Markup][] = [
    ['scheduling delay p99', figure(schedulingDelayP99Ms, latencyText)],
    ['scheduling delay max', figure(schedulingDelayMaxMs, latencyText)],
    ['busiest worker', figure(busiestLoopUtilization, shareText)],
    ['stalled', figure(stalledMs, latencyText)],
    ['machine', html`${environment.cpuCount} × ${environment.cpuModel}`],
    ['software', html`Muster ${environment.muster}, Node ${environment.node}, ${environment.platform}`],
  ];
  return pageSection(
    'generator',
    'Generator',
    html`${factList(facts)}\n${charts}${machinesTable(machines)}${validityTable(validity)}`,
  );
}

/** Machines that ran the fleet together, the worst first; nothing for a single machine. */
function machinesTable(machines: Summary['machines'] = []): Markup {
  if (machines.length === 0) return NOTHING;
  const rows = worstFirst(machines).map((machine): HtmlCell[] => {
    const { name, part, agents, workers, fromMs, toMs } = machine;
    const end = toMs === undefined ? 'the end' : html`<strong class="bad">lost at ${formatDuration(toMs)}</strong>`;
    const counts = [part, agents, workers].map((count) => figure(count, exactCount));
    return [name, ...counts, figure(fromMs, formatDuration), end, ...machineCells(machine)];
  });
  return table('Machines', ['machine', 'part', 'agents', 'workers', 'from', 'until', ...MACHINE_HEADINGS], rows);
}

const VALID = html`<span class="good">✓<span class="unseen"> valid</span></span>`;
const INVALID = html`<strong class="bad">✗<span class="unseen"> invalid</span></strong>`;
const VALIDITY_HEADINGS = [
  ...['phase', 'operation', 'arrivals', 'scheduling delay p99', 'scheduling delay max'],
  ...['stalled', 'left out', 'busiest worker', 'garbage collection'],
];

/** Criteria of validity, with a row for each operation and phase, invalid ones first, below the limits of the scenario. */
function validityTable({ phases, limits, problems }: Validity): Markup {
  const { schedulingDelayMs, leaveOutShare, busyShare, collectionShare } = limits;
  const limit = (text: string) => html`<em>${text}</em>`;
  const rows: HtmlCell[][] = [
    [
      ...[
        limit('limit'),
        '',
        '',
        limit(latencyText(schedulingDelayMs)),
        '',
        '',
        limit(`${shareText(leaveOutShare)} of a window`),
      ],
      ...[limit(shareText(busyShare)), limit(shareText(collectionShare))],
    ],
    ...phases.toSorted((a, b) => Math.sign(b.problems.length) - Math.sign(a.problems.length)).flatMap(validityRows),
  ];
  return html`${list(problems)}${table('Validity of each phase and operation', VALIDITY_HEADINGS, rows)}
<p class="note">Checked: counted phases, and excluded phases in which a threshold or its event is. Thresholds leave out what the generator delayed by more than the limit. With open loads, a busy worker only causes a warning.</p>`;
}

function validityRows({ phase, operations, problems, ...load }: PhaseValidity): HtmlCell[][] {
  const mark = problems.length === 0 ? VALID : INVALID;
  const workers = [
    figure(load.stalledMs, latencyText),
    figure(load.leftOutMs, latencyText),
    figure(load.busiestLoopUtilization, shareText),
    figure(load.collectionShare, shareText),
  ];
  const [first, ...others] = operations.map(validityCells);
  return [
    [html`${mark} ${phase}`, ...(first ?? ['', '', '', '']), ...workers],
    ...others.map((cells) => [html`${mark} ${phase}`, ...cells, '', '', '', '']),
  ];
}

function validityCells({ operation, valid, ...delays }: PhaseValidity['operations'][number]): HtmlCell[] {
  const p99 = figure(delays.schedulingDelayP99Ms, latencyText);
  return [
    html`${valid ? VALID : INVALID} <code>${operation}</code>`,
    figure(delays.arrivals, exactCount),
    valid ? p99 : html`<strong class="bad">${p99}</strong>`,
    figure(delays.schedulingDelayMaxMs, latencyText),
  ];
}

export function scenarioSection({ scenario }: Summary): Markup {
  const text = stringify(scenario, { lineWidth: 120 });
  return pageSection(
    'scenario',
    'Effective scenario',
    html`<details><summary>Every default, flag and variable applied</summary><pre tabindex="0">${text}</pre></details>`,
  );
}

export function pageSection(id: string, title: string, content: Markup): Markup {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`;
}

/** Links to the sections of `main` from `pageSection`, and to the charts of each operation. */
export function contents(main: Markup, operations: readonly string[]): Markup {
  const sections = [...main.markup.matchAll(/<section aria-labelledby="([\w-]+)"><h2 id="[\w-]+">([^<]*)<\/h2>/g)];
  const under = html`: ${operations.map((operation) => html`<a href="#time-${operation}"><code>${operation}</code></a> `)}`;
  const links = sections.map(
    ([, id = '', title = '']) => html`<li><a href="#${id}">${raw(title)}</a>${id === 'time' ? under : NOTHING}</li>`,
  );
  return html`<nav class="contents" aria-label="Contents"><ul>${links}</ul></nav>\n`;
}

export function list(texts: readonly string[]): Markup {
  return texts.length === 0 ? NOTHING : html`<ul>${texts.map((text) => html`<li>${text}</li>`)}</ul>\n`;
}

const COUNTS = ['planned', 'succeeded', 'failed', 'unanswered', 'dropped'] as const;
const PERCENTILES = ['p50', 'p95', 'p99', 'p999', 'max'] as const;
const HEADINGS = [
  'operation',
  'planned',
  'ok',
  'failed',
  'no answer',
  'dropped',
  'ok/s',
  'p50',
  'p95',
  'p99',
  'p99.9',
  'max',
];

/** One row per operation with its counts and response times. In one phase, whose duration they share, their rates add up. */
function operationsTable(caption: string, measured: readonly OperationSummary[], rate?: number): Markup {
  const operations = plannedIn(measured);
  if (operations.length === 0) return html`<p>Nothing was planned.</p>`;
  const sum = operations.reduce((all, { succeededPerSecond }) => all + succeededPerSecond, 0);
  const rows = operations.map(operationRow);
  return table(caption, HEADINGS, operations.length < 2 ? rows : [...rows, totalRow(operations, rate ?? sum)]);
}

function totalOf(operations: readonly OperationSummary[]) {
  const sum = (of: (entry: OperationSummary) => number) => operations.reduce((all, entry) => all + of(entry), 0);
  return {
    planned: sum(({ planned }) => planned),
    succeeded: sum(({ succeeded }) => succeeded),
    failed: sum(({ failed }) => failed),
    dropped: sum(({ dropped }) => dropped),
    unanswered: sum(unansweredCount),
  };
}

/** Percentiles of several operations do not add up. */
function totalRow(operations: readonly OperationSummary[], rate: number): HtmlCell[] {
  const total = totalOf(operations);
  const longestMs = Math.max(...operations.map((entry) => answersOf(entry)?.max ?? 0));
  return [
    html`<strong>all</strong>`,
    ...COUNTS.map((name) => countCell(name, total[name])),
    figure(rate, rateText),
    ...PERCENTILES.map((percentile) => (percentile === 'max' ? figure(longestMs, latencyText) : '')),
  ];
}

/** Response times of operations with an answer. */
function answersOf({ latencyMs, answeredMs }: OperationSummary) {
  return latencyMs.unanswered === undefined ? latencyMs.response : answeredMs;
}

function operationRow(entry: OperationSummary): HtmlCell[] {
  const answers = answersOf(entry);
  const counts = { ...entry, unanswered: unansweredCount(entry) };
  return [
    html`<code>${entry.operation}</code>`,
    ...COUNTS.map((count) => countCell(count, counts[count])),
    figure(entry.succeededPerSecond, rateText),
    ...PERCENTILES.map((percentile) => figure(answers?.[percentile], latencyText)),
  ];
}

function countCell(name: (typeof COUNTS)[number], count: number): Markup {
  return name === 'planned' || name === 'succeeded' ? figure(count, exactCount) : failuresCell(count);
}

/** Outcome of every operation that was planned in a counted phase. */
function outcomesTable({ overall }: Summary): Markup {
  const rows = overall.flatMap((entry) => [
    ...Object.entries(entry.outcomes).map(([outcome, count]) => outcomeRow(entry, outcome, count)),
    ...Object.entries(entry.dropReasons).map(([reason, count]) => outcomeRow(entry, `dropped: ${reason}`, count)),
    ...(entry.unaccounted > 0 ? [outcomeRow(entry, 'unaccounted for', entry.unaccounted)] : []),
  ]);
  return rows.length === 0 ? NOTHING : table('Outcomes', ['operation', 'outcome', 'count', 'of planned'], rows);
}

function outcomeRow({ operation, planned }: OperationSummary, outcome: string, count: number): HtmlCell[] {
  const share = planned === 0 ? 0 : count / planned;
  const kind = isSuccess(outcome as Outcome) ? 'good' : 'bad';
  return [
    html`<code>${operation}</code>`,
    html`<code class="${kind}">${outcome}</code>`,
    figure(count, exactCount),
    html`<span class="bar ${kind}" style="--share:${share.toFixed(4)}">${figure(share, shareText)}</span>`,
  ];
}

const ALL_CLOCKS = ['response', 'answered', 'unanswered', 'service', 'lag', 'delay'] as const;

/** All clocks of all operations; the response time also split by whether there was an answer. */
function clocksTable({ overall }: Summary): Markup {
  const rows = overall.flatMap(({ operation, latencyMs, answeredMs }) => {
    const latencies = { ...latencyMs, answered: answeredMs };
    return ALL_CLOCKS.filter((clock) => latencies[clock] !== undefined).map((clock) => [
      html`<code>${operation}</code>`,
      clock,
      figure(latencies[clock]?.count, exactCount),
      ...(['min', 'mean', ...PERCENTILES] as const).map((key) => figure(latencies[clock]?.[key], latencyText)),
    ]);
  });
  const headings = ['operation', 'clock', 'count', 'min', 'mean', 'p50', 'p95', 'p99', 'p99.9', 'max'];
  return rows.length === 0 ? NOTHING : table('All clocks', headings, rows);
}
