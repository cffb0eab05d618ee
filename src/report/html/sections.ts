import { stringify } from 'yaml';
import { formatDuration } from '../../base/kernel/units.ts';
import { isIncomplete } from '../../metrics/judging/verdict.ts';
import { speakBothProtocols } from '../../metrics/recording/address-counts.ts';
import { FIRST_KEPT } from '../../metrics/recording/evidence.ts';
import { refusedCount } from '../../metrics/recording/listener-counts.ts';
import { plannedIn, type Summary } from '../../metrics/summary/summary-schema.ts';
import { MISBEHAVIOR_HEADINGS, misbehaviorRow, recoveryText } from '../event-figures.ts';
import { seenText, witnessText } from '../evidence-text.ts';
import { countedAddressText, hostClockText, targetText } from '../figures.ts';
import { exactCount, latencyText, rateText, shareText, utcText } from '../page/figures.ts';
import { PLAIN } from '../palette.ts';
import { remediesOf } from '../remedies.ts';
import { runTitle, thresholdTexts, unjudgedText, verdictTone, verdictWords } from '../verdict-line.ts';
import {
  factList,
  figure,
  html,
  list,
  MAX_TABLE_ROWS,
  type Markup,
  NOTHING,
  pageSection,
  pageTop,
  table,
} from './markup.ts';
import { answersOf, failuresCell, totalOf } from './operation-sections.ts';

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
  const kept = isIncomplete(verdict.reasons)
    ? 'as far as the run was counted, the generator kept up where thresholds judge.'
    : 'the generator kept up where thresholds judge, so they describe the target.';
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
  const failures = summary.evidence.slice(0, 1).map((first) => {
    const what = html`<code>${first.operation}</code> <code class="bad">${first.outcome}</code>`;
    return html`<p><a href="#evidence">First failure</a>: ${what}, ${witnessText(first)}: ${seenText(first).slice(0, 160)}</p>\n`;
  });
  const remedies = remediesOf(summary).map((text) => html`<p><strong>Remedy</strong>: ${text}</p>\n`);
  return html`${failures}${remedies}`;
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
  const rows = thresholds.map((threshold) => {
    const { outcome, subject, whole } = thresholdTexts(threshold);
    // The outcome comes first, so that narrow screens show it, too.
    return [html`${OUTCOMES[outcome]} <code>${subject}</code>`, html`<code>${threshold.text}</code>`, whole];
  });
  return pageSection('thresholds', 'Thresholds', table('Thresholds', ['of', 'condition', 'observed'], rows));
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
  const refused = Object.entries(listeners.refused).map(([reason, count]) => [
    `refused: ${reason}`,
    failuresCell(count),
  ]);
  const rows = [
    ['connections accepted', figure(listeners.accepted, exactCount)],
    ['late, because the generator stalled', failuresCell(listeners.late)],
    ['TLS handshakes completed', figure(listeners.handshakes, exactCount)],
    ['connections refused before a request', failuresCell(refusedCount(listeners))],
    ...refused,
    ['requests and handshakes without an answer', failuresCell(listeners.unanswered)],
  ];
  return table("Clients of the agents' web servers", ['clients', 'count'], rows);
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
  const keys = ['sent', 'acknowledged', 'refused', 'unknown', 'received', 'lost', 'duplicated'] as const;
  const rows = [...delivery.operations, { operation: 'all', ...delivery }].map((entry) => [
    html`<code>${entry.operation}</code>`,
    ...keys.map((key) => figure(entry[key], exactCount)),
  ]);
  return pageSection('delivery', 'Delivery', table('Delivery', ['operation', ...keys], rows));
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
  const connections = ['connections', ...(hasBoth ? ['of HTTP/2'] : [])];
  const headings = ['address', ...connections, 'failed dials', 'requests', 'share', 'failed'];
  return pageSection('addresses', 'Addresses', table('Addresses of the target', headings, rows));
}

export function scenarioSection({ scenario }: Summary): Markup {
  const text = stringify(scenario, { lineWidth: 120 });
  return pageSection(
    'scenario',
    'Effective scenario',
    html`<details><summary>Every default, flag and variable applied</summary><pre tabindex="0">${text}</pre></details>`,
  );
}
