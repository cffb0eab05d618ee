import { basename } from 'node:path';
import { z } from 'zod';
import { addressText } from '../../base/kernel/address.ts';
import { printable } from '../../base/kernel/printable.ts';
import {
  counted,
  formatBytes,
  formatDuration,
  formatPercent,
  HOUR_MS,
  wholeMicroseconds,
} from '../../base/kernel/units.ts';
import { OPERATIONS } from '../../base/protocol/operations.ts';
import type { MachineLimits } from '../../base/system/limits.ts';
import { type FleetEvent, isForeseen } from '../../load/events/event.ts';
import type { Phase } from '../../load/timeline.ts';
import { USUAL_COLUMNS, wrap } from '../../report/layout.ts';
import { exactCount } from '../../report/page/figures.ts';
import { littleRoomForClients } from '../../run/guards.ts';
import { isPullMode } from '../../scenario/agents.ts';
import { addressOfAgent, type ListenRange } from '../../scenario/listen-range.ts';
import {
  ephemeralListeners,
  FLEET_DISK,
  FLEET_WEEK_DISK,
  type Need,
  needed,
  needsOf,
  placeOf,
  type Resource,
  remedyFor,
  resultsBytes,
  spareDials,
} from '../../scenario/planning/needs.ts';
import type { Plan, PlannedEvent, PlannedLoad, PlannedPhase } from '../../scenario/planning/plan.ts';
import { displayProxyTo } from '../../scenario/proxy.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { baseUrlsOf, displayTarget } from '../../scenario/server-urls.ts';
import type { Target } from '../../scenario/target.ts';
import type { KeyPool } from '../../scenario/web-server.ts';
import { type Delay, delay } from '../../server/faults/delay.ts';
import type { Fault } from '../../server/faults/schema.ts';
import { narrowTable, tableLines } from './table.ts';

/** Limits of this machine, and the width of lines. */
type PlanContext = {
  readonly limits: MachineLimits & { readonly workers?: number | undefined };
  readonly columns?: number | undefined;
};

const HEADER = ['phase', 'start', 'duration', 'operation', 'size', 'peak rate', 'traffic'];

// Columns to drop on a narrow terminal: traffic is size times rate, and each phase starts at the end of the previous one.
const DISPENSABLE = ['size', 'start', 'traffic'];

/** Formats a plan: the timeline, peak figures, and resources needed on this machine. */
export function planText(scenario: Scenario, plan: Plan, context: PlanContext): string {
  const { limits, columns = USUAL_COLUMNS } = context;
  const { name, description, fleet, target } = scenario;
  const duration = formatDuration(plan.durationMs);
  return [
    ...wrap(
      `${name}: ${counted(fleet.agents, 'agent')}, ${duration}, target ${displayTarget(target)}${proxyText(target)}`,
      columns,
    ),
    ...(description === '' ? [] : wrap(printable(description.trim().replace(/\s+/g, ' ')), columns)),
    '',
    ...tableLines(narrowTable([HEADER, ...plan.phases.flatMap(phaseRows)], DISPENSABLE, columns), columns),
    '',
    ...[
      `peak  ${rateText(plan.peakPerSecond)}, ${bytesText(plan.peakBytesPerSecond)}${randomPeakText(plan)}`,
      ...sourcesLine(scenario, plan),
      hostsText(plan.hosts),
      ...cohortsLine(plan),
      ...clockLine(scenario),
      ...scenario.phases.flatMap(traceLine),
      ...listeningLines(scenario, plan, limits),
    ].flatMap((line) => hangingIndent(line, columns)),
    '',
    ...paragraph(eventTable(plan.events, fleet.agents, columns)),
    ...needLines(scenario, plan, context),
    '',
  ].join('\n');
}

/** The distinct proxies for the base URLs. The embedded server listens on this machine. */
function proxyText(target: Target): string {
  const urls = baseUrlsOf(target).map((url) => (url === 'embedded' ? 'http://127.0.0.1' : url));
  const proxies = new Set(urls.flatMap((url) => displayProxyTo(url, target.proxy) ?? []));
  return proxies.size === 0 ? '' : ` through ${[...proxies].join(', ')}`;
}

function phaseRows({ name, startMs, durationMs, excluded, loads }: PlannedPhase): readonly string[][] {
  const head = [excluded ? `${name} (excluded)` : name, formatDuration(startMs), formatDuration(durationMs)];
  if (loads.length === 0) return [[...head, 'agents listen', '', '', '']];
  return loads.map((load, index) => [...(index === 0 ? head : ['', '', '']), ...loadCells(load)]);
}

function loadCells({ operation, requestBytes, peakPerSecond, bytesPerSecond, slots }: PlannedLoad): string[] {
  const rate = slots === undefined ? rateText(peakPerSecond) : `${slots} in flight`;
  if (peakPerSecond === 0) return [operation, formatBytes(requestBytes), 'none due', ''];
  const sent = bytesPerSecond === undefined ? 'unknown' : `${formatBytes(bytesPerSecond)}/s`;
  return [operation, formatBytes(requestBytes), rate, sent];
}

function hostsText(hosts: Plan['hosts']): string {
  const counts = hosts.map(({ group, profile, agents }) => `${agents} ${group ?? profile}`);
  return `hosts  ${counts.join(', ')}`;
}

function cohortsLine({ cohorts }: Plan): readonly string[] {
  return cohorts.length === 0 ? [] : [`cohorts  ${cohorts.map(({ name, agents }) => `${agents} ${name}`).join(', ')}`];
}

function clockLine({ hostClock }: Scenario): readonly string[] {
  if (hostClock === undefined) return [];
  const { factor, start = 'real time' } = hostClock;
  const speed = ` and run ${factor} times as fast, an hour in ${formatDuration(wholeMicroseconds(HOUR_MS / factor))}`;
  return [`clocks  the hosts' clocks start at ${start}${factor === 1 ? '' : speed}; this plan shows times of the run`];
}

/** What a phase plays of a trace. */
function traceLine({ name, durationMs, loads }: Phase): readonly string[] {
  const traces = loads.flatMap(({ operation, model }) => (model.kind === 'trace' ? [{ operation, ...model }] : []));
  const [first] = traces;
  if (first === undefined) return [];
  const { file, fromMs, speed, counts } = first;
  const toMs = wholeMicroseconds(fromMs + durationMs * speed);
  const seen = traces.flatMap(({ operation, counts: own }) =>
    own?.arrivals ? [`${exactCount(own.arrivals)} ${operation}`] : [],
  );
  const rate = speed === 1 ? '' : ` ${speed} times as fast`;
  const busiest =
    seen.length === 0 ? 'no arrival' : `${seen.join(', ')}, at most ${counts?.mostOfAllInSecond} in a second`;
  const span = `from ${formatDuration(fromMs)} to ${formatDuration(toMs)}`;
  return [`trace  ${name} plays ${printable(basename(file))} ${span}${rate}: ${busiest}`];
}

function sourcesLine({ fleet }: Scenario, { size }: Plan): readonly string[] {
  if (fleet.sourceAddresses.length === 0 || size.connections === 0) return [];
  return [`from  ${fleet.sourceAddresses.join(', ')}, up to ${counted(size.connectionsPerSource, 'connection')} each`];
}

/** Indents continuation lines below the text of a label. */
function hangingIndent(line: string, columns: number): readonly string[] {
  const label = /^\S+ +/.exec(line)?.[0] ?? '';
  const [first = '', ...more] = wrap(line.slice(label.length), columns - label.length);
  return [`${label}${first}`, ...more.map((text) => ' '.repeat(label.length) + text)];
}

/** The lines followed by an empty line; nothing if there are none. */
function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}

function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined) return 'closed model';
  return `${perSecond < 10 ? Number(perSecond.toPrecision(2)) : Math.round(perSecond)}/s`;
}

/** With random arrivals, some seconds are busier than others. */
function randomPeakText({ peakPerSecond = 0, mostInSecond = 0 }: Plan): string {
  if (Math.round(mostInSecond) <= Math.round(peakPerSecond)) return '';
  return `; random arrivals peak at about ${Math.ceil(mostInSecond)} in a second`;
}

function bytesText(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? 'unknown traffic' : `about ${formatBytes(bytesPerSecond)}/s`;
}

const FROM_OUTSIDE = 'from outside; each connection to an agent needs one more file descriptor';

/** Listen addresses of the fleet and how it is polled; empty if agents do not listen. */
function listeningLines(scenario: Scenario, { size }: Plan, limits: MachineLimits): readonly string[] {
  const { webServer, fleet, target } = scenario;
  if (webServer === undefined) return [];
  const { listen, autoTls, keys } = webServer;
  const mode = isPullMode(scenario) ? 'pull mode' : 'push mode with web server';
  const warnings = [ephemeralListeners(scenario, limits.localPortRange), littleRoomForClients(target, size, limits)];
  const tls = autoTls ? [`Auto-TLS with ${keysText(keys, fleet.agents)}`] : [];
  return [
    `listen  ${[rangeText(listen, fleet.agents), mode, ...tls].join(', ')}`,
    `pull  ${target.pull === undefined ? FROM_OUTSIDE : pullText(target.pull.concurrency, autoTls)}`,
    ...warnings.flatMap((warning) => (warning === undefined ? [] : [`! ${warning}`])),
  ];
}

function rangeText(listen: ListenRange, agents: number): string {
  const [first, last] = [0, agents - 1].map((agent) => addressText(addressOfAgent(listen, agent)));
  return agents === 1 ? `${first}` : `${first} to ${last}`;
}

function keysText({ type, pool }: KeyPool, agents: number): string {
  if (pool === 'unique') return `one ${type} key per agent`;
  return counted(Math.min(pool, agents), `${type} key`);
}

function pullText(concurrency: number, autoTls: boolean): string {
  if (!autoTls) return 'by the embedded server';
  return `by the embedded server, with up to ${counted(concurrency, 'certificate exchange')} in flight`;
}

/** A table of events and faults with the number of affected agents; empty if there are none. */
function eventTable(events: readonly PlannedEvent[], agents: number, columns: number): readonly string[] {
  if (events.length === 0) return [];
  const rows = [['start', 'for', 'event', 'affects'], ...events.map((event) => eventRow(event, agents))];
  return tableLines(columns < USUAL_COLUMNS ? narrowTable(rows, ['for'], columns) : rows, columns);
}

function eventRow(event: PlannedEvent, agents: number): string[] {
  const when = [formatDuration(event.atMs), event.forMs === undefined ? 'to the end' : durationText(event.forMs)];
  if (event.kind === 'fault') return [...when, faultText(event.fault), scopeText(event.fault)];
  const atMost = isForeseen(event.event) ? '' : 'at most ';
  return [...when, eventText(event.event), `${atMost}${event.agents} of ${counted(agents, 'agent')}`];
}

function durationText(forMs: number): string {
  return forMs === 0 ? '' : formatDuration(forMs);
}

/** `cable: disconnect, 3 times every 5m` */
function eventText({ name, action, overMs, repeat }: FleetEvent): string {
  const what = actionText(action);
  return [
    name.startsWith(`${action.kind}-`) ? what : `${name}: ${what}`,
    ...(overMs > 0 ? [`over ${formatDuration(overMs)}`] : []),
    ...(repeat === undefined ? [] : [repetitionText(repeat)]),
  ].join(', ');
}

function repetitionText({ everyMs, times }: NonNullable<FleetEvent['repeat']>): string {
  const every = `every ${formatDuration(everyMs)}`;
  return Number.isFinite(times) ? `${counted(times, 'time')} ${every}` : every;
}

function actionText(action: FleetEvent['action']): string {
  switch (action.kind) {
    case 'disk-full':
      return `disk-full ${action.mountpoint ?? ''}`.trimEnd();
    case 'service-down':
      return `service-down ${action.service}`;
    case 'clock-skew':
      return `clock-skew ${action.offsetSeconds} s`;
    case 'check-error':
      return `check-error ${action.check}`;
    case 'upgrade':
      return `upgrade to ${action.version}`;
    case 'scale':
      return `scale to ${formatPercent(action.share)}`;
    case 'retarget':
      return action.url === undefined ? 'retarget with another key' : `retarget to ${action.url}`;
    default:
      return action.kind;
  }
}

function faultText(fault: Fault): string {
  switch (fault.do) {
    case 'latency':
      return `latency ${delayText(fault.delay)}`;
    case 'status':
      return `status ${fault.status}`;
    case 'reset':
      return fault.processed ? 'reset after processing' : 'reset';
    case 'content-type':
      return `content-type ${fault.contentType}`;
    case 'drip':
      return `drip ${fault.bytesPerSecond} bytes/s`;
    case 'connection-limit':
      return `connection-limit ${fault.connections}`;
    default:
      return fault.do;
  }
}

function delayText(distribution: Delay): string {
  const written = z.encode(delay, distribution);
  if (typeof written === 'string') return written;
  return Object.entries(written)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

function scopeText(fault: Fault): string {
  if (fault.do === 'forget') return `${formatPercent(fault.share)} of the registrations`;
  if (!('operations' in fault)) return 'the server';
  const operations = fault.operations.length === OPERATIONS.length ? '' : `: ${fault.operations.join(', ')}`;
  return `${formatPercent(fault.share)} of the requests${operations}`;
}

function needLines(
  scenario: Scenario,
  plan: Plan,
  { limits, columns = USUAL_COLUMNS }: PlanContext,
): readonly string[] {
  const needs = needsOf(plan.size, placeOf(scenario.target), limits);
  const rows = tableLines([['', 'needed at peak', 'this machine', ''], ...needs.map(needRow)], columns);
  const closing = needs.every(({ isEnough }) => isEnough) ? spareText(scenario, plan, limits) : SHORT;
  const lines = rows.flatMap((row, index) => {
    const need = needs[index - 1];
    if (need === undefined || need.isEnough) return [row];
    return [row, ...wrap(`→ ${remedyFor(need.resource, need.needed)}`, columns - 2).map((line) => `  ${line}`)];
  });
  return [...lines, ...wrap(diskText(plan), columns), ...(closing === undefined ? [] : wrap(closing, columns))];
}

const SHORT = 'This machine has too little for this plan: do what the arrows say, or use fewer agents.';

function diskText({ phases, size }: Plan): string {
  const [week, year] = [FLEET_WEEK_DISK, FLEET_DISK].map((cost) => formatBytes(needed(cost, size.agents)));
  const results = formatBytes(resultsBytes(phases));
  return `Disk: the results take about ${results}, a kept fleet ${week} after a week and ${year} after a year.`;
}

/** `undefined` with shared connections, whose dials never outlast a request, or if the limits are unknown. */
function spareText({ target, fleet }: Scenario, { size }: Plan, limits: MachineLimits): string | undefined {
  const room = spareDials(size, placeOf(target), limits);
  if (fleet.connections.kind === 'shared' || size.connections === 0 || room === Number.POSITIVE_INFINITY)
    return undefined;
  return (
    `There is room for ${counted(room, 'more connection attempt')}: real agents keep dialing after a request times out, ` +
    'and dial IPv4 and IPv6 in parallel if the first is slow.'
  );
}

const RESOURCE_NAMES: Readonly<Record<Resource, string>> = {
  fileDescriptors: 'file descriptors',
  localPorts: 'local ports',
  memoryBytes: 'memory',
};

function needRow({ resource, needed, available, isEnough }: Need): string[] {
  const text = resource === 'memoryBytes' ? formatBytes : String;
  const head = [RESOURCE_NAMES[resource], text(needed)];
  if (available === undefined) return [...head, 'unknown', ''];
  return [...head, text(available), isEnough ? 'enough' : 'NOT ENOUGH'];
}
