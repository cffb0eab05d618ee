import { MACHINE_HEADINGS } from '../../report/page/machines.ts';
import { eventKinds } from './event-kinds.ts';

type TableOfPage = {
  /** The id of its body, which the script fills. */
  readonly body: string;
  readonly label: string;
  readonly caption: string;
  readonly head: readonly string[];
  readonly style?: string;
};

function table({ body, label, caption, head, style = '' }: TableOfPage): string {
  return `<div class="${`scroll ${style}`.trim()}" tabindex="0" role="region" aria-label="Table: ${label}"><table>
<caption class="unseen">${caption}</caption>
<thead><tr>${head.map((text) => `<th scope="col">${text}</th>`).join('')}</tr></thead>
<tbody id="${body}"></tbody></table></div>`;
}

const HEADER = `<a class="skip" href="#fleet">Skip to the fleet</a>
<header class="top">
<div class="title"><p class="brand">Muster</p><h1 id="name" tabindex="-1">Fleet</h1></div>
<div class="connection"><output id="connection-state" class="connection-state">Connecting</output>
<button type="button" id="retry" hidden>Now</button></div>
<form id="unlock" class="unlock" hidden>
<label for="token">Token of this fleet</label>
<input id="token" type="password" autocomplete="off" required>
<button type="submit">Open</button>
<p class="note">The address that <code>muster fleet</code> prints and the control file contain it.</p>
</form>
<output id="sentence" class="sentence"></output>
<dl class="facts" id="facts"></dl>
</header>`;

const FLEET = `<section id="fleet" aria-labelledby="fleet-heading">
<h2 id="fleet-heading">Fleet</h2>
<ul class="legend" id="legend"></ul>
<div class="map" id="map" role="slider" tabindex="0" aria-label="Agents" aria-valuemin="0" aria-valuemax="0" aria-valuenow="0" aria-describedby="pointed"><canvas id="map-marks"></canvas><canvas id="map-rings"></canvas></div>
<output class="note pointed" id="pointed"></output>
${table({ body: 'problems', label: 'Agents that do not report', caption: 'Agents that do not report, by reason', head: ['health', 'agents', 'operation', 'reason', 'since, UTC'], style: 'problems' })}
<div class="find"><label for="find">Find agents</label>
<input id="find" type="search" placeholder="state=refused, role=database, 10..19" autocomplete="off" spellcheck="false">
<output id="found" tabindex="-1"></output></div>
${table({ body: 'found-agents', label: 'Agents found', caption: 'Agents found', head: ['host', 'agent', 'state', 'profile', 'role', 'address'], style: 'found' })}
</section>`;

const EVENT_FORM = `<section id="do" aria-labelledby="do-heading">
<h2 id="do-heading">Start an event</h2>
<form id="action" autocomplete="off">
<div class="field"><label for="action-kind">Event</label><select id="action-kind" aria-describedby="action-means"></select><p class="note" id="action-means"></p></div>
<div class="field"><label for="action-cohort">Agents *</label><input id="action-cohort" required spellcheck="false" placeholder="30%, 10..19, role=database" aria-describedby="action-cohort-means"><p class="note" id="action-cohort-means">A share, indices or properties: <code>state=refused and not 0..9</code></p></div>
<div class="fields" id="action-fields"></div>
<div class="field" id="action-lasting"><label for="action-for">For</label><input id="action-for" spellcheck="false" placeholder="such as 5m" aria-describedby="action-for-means"><p class="note" id="action-for-means">How long it lasts; default: until you end it.</p></div>
<div class="decide"><output id="action-preview" class="plain" tabindex="-1"></output><button type="submit" id="action-submit" class="main" disabled>Start event</button></div>
</form>
</section>`;

const CLUSTER = `<section id="cluster" aria-labelledby="cluster-heading" hidden>
<h2 id="cluster-heading">Machines</h2>
${table({ body: 'machines', label: 'Machines', caption: 'Machines, with their figures of the last ten seconds', head: ['machine', 'agents', ...MACHINE_HEADINGS] })}
</section>`;

const AGENT = `<section id="agent" aria-labelledby="agent-heading" hidden>
<div class="bar-line"><h2 id="agent-heading" tabindex="-1">Agent</h2>
<span><button type="button" id="agent-act">Select for an event</button> <button type="button" id="agent-close">Close</button></span></div>
<dl class="facts" id="agent-facts"></dl>
<div class="columns">
<div><h3>State history</h3>${table({ body: 'agent-history', label: 'State history', caption: 'State history', head: ['UTC', 'state'] })}<p class="note" id="agent-no-history">No changes in the retained history.</p></div>
<div><h3>Last request and answer</h3><div id="agent-exchange"></div></div>
</div>
<h3>Host over the last hour</h3>
<div class="charts" id="agent-host"></div>
<h3>Current documents</h3>
<p id="agent-documents"></p>
<pre id="agent-document" tabindex="0" role="region" hidden></pre>
</section>`;

const EVENTS = `<section id="log" aria-labelledby="log-heading">
<h2 id="log-heading">Events</h2>
<output id="events-message" class="note" tabindex="-1"></output>
<p class="note" id="no-events">No events, past or planned.</p>
${table({ body: 'events', label: 'Events', caption: 'Events', head: ['name', 'kind', 'agents', 'status', 'from, UTC', 'to, UTC', '<span class="unseen">End it</span>'] })}
</section>`;

const TIME = `<section id="time" aria-labelledby="time-heading">
<div class="bar-line"><h2 id="time-heading">Over time</h2>
<span><label>Show <select id="range"><option value="600">the last 10 minutes</option><option value="3600">the last hour</option><option value="86400">the last day</option><option value="604800">the last week</option><option value="31536000">the last year</option><option value="">from … to …</option></select></label>
<label>of <select id="operation"><option value="">all operations</option></select></label></span></div>
<form id="span" class="span" autocomplete="off" novalidate>
<span class="steps"><button type="button" id="earlier" title="Earlier" aria-label="Earlier">←</button><button type="button" id="zoom-in" title="Zoom in" aria-label="Zoom in">+</button><button type="button" id="zoom-out" title="Zoom out" aria-label="Zoom out">−</button><button type="button" id="later" title="Later" aria-label="Later">→</button></span>
<label>From, UTC <input id="from" type="datetime-local" step="1" aria-describedby="span-message"></label>
<label>to <input id="to" type="datetime-local" step="1" aria-describedby="span-message"></label>
<button type="submit">Show</button>
<a id="moment" href="#time">Link to this time</a>
<output id="span-message" class="note"></output>
</form>
<p class="note" id="events-then"></p>
<ol class="lanes" id="lanes" aria-label="Events in this time" hidden></ol>
<div class="columns" id="whole">
<div><h3>Operations</h3>${table({ body: 'operations', label: 'Operations', caption: 'Operations in this time', head: ['operation', 'rate', 'ok', 'failed', 'errors', 'p50', 'p95', 'p99', 'max'] })}</div>
<div><h3>Failures</h3>${table({ body: 'failures', label: 'Failures', caption: 'Failures in this time by reason', head: ['reason', 'operation', 'count', 'of all'] })}</div>
</div>
<div class="charts" id="charts"></div>
</section>`;

/** The page without data of a fleet, which the script adds. */
export function dashboardPage(): string {
  // Escaped so that it cannot end the script element.
  const kinds = JSON.stringify(eventKinds()).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Muster</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/dashboard.css">
<script src="/uplot.js" defer></script>
<script src="/dashboard.js" defer></script>
</head>
<body>
${HEADER}
<main>
${FLEET}
${EVENT_FORM}
${CLUSTER}
${AGENT}
${EVENTS}
${TIME}
</main>
<script type="application/json" id="event-kinds">${kinds}</script>
</body>
</html>
`;
}
