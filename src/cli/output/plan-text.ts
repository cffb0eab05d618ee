import { formatBytes, formatDuration } from '../../kernel/units.ts';
import { USUAL_COLUMNS, wrap } from '../../report/layout.ts';
import { shownUrl } from '../../scenario/meaning/target-url.ts';
import type { Plan, PlannedPhase } from '../../scenario/planning/plan.ts';
import type { PlannedLoad } from '../../scenario/planning/planned-load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type MachineLimits, REMEDIES } from '../../system/limits.ts';
import { fleetNeeds, placeOf, type Resource } from '../../system/needs.ts';
import { eventTable } from './event-table.ts';
import { webServerLines } from './plan-web-servers.ts';
import { narrowed, textTable } from './text-table.ts';

/** The machine that is to carry it, and how wide a line may be. */
type Surroundings = { readonly limits: MachineLimits; readonly columns?: number | undefined };

const HEADER = ['phase', 'from', 'lasts', 'operation', 'each, about', 'peak rate', 'sent, about'];

// What is sent is the size times the rate, and each phase begins where the one before ends.
const DISPENSABLE = ['each, about', 'from', 'sent, about'];

/** A plan for a person: what happens when, how much that is at its peak, and what it needs of this machine. */
export function planText(scenario: Scenario, plan: Plan, surroundings: Surroundings): string {
  const { limits, columns = USUAL_COLUMNS } = surroundings;
  const { name, description, fleet, target } = scenario;
  const duration = formatDuration(plan.durationMs);
  return [
    ...wrap(`${name}: ${fleet.agents} agents, ${duration}, target ${shownUrl(target.url)}`, columns),
    ...(description === '' ? [] : wrap(description.trim().replace(/\s+/g, ' '), columns)),
    '',
    ...textTable(narrowed([HEADER, ...plan.phases.flatMap(phaseRows)], DISPENSABLE, columns), columns),
    '',
    `peak  ${rateText(plan.peakPerSecond)}, ${bytesText(plan.peakBytesPerSecond)}`,
    ...[...sourcesLine(scenario, plan), hostsText(plan.profiles), ...webServerLines(scenario, limits)].flatMap((line) =>
      hung(line, columns),
    ),
    '',
    ...paragraph(eventTable(plan.events, fleet.agents, columns)),
    ...needs(scenario, plan, surroundings),
    '',
  ].join('\n');
}

function phaseRows({ name, startMs, durationMs, excluded, loads }: PlannedPhase): readonly string[][] {
  const head = [excluded ? `${name} (excluded)` : name, formatDuration(startMs), formatDuration(durationMs)];
  if (loads.length === 0) return [[...head, 'agents listen', '', '', '']];
  return loads.map((load, index) => [...(index === 0 ? head : ['', '', '']), ...loadCells(load)]);
}

function loadCells({ operation, requestBytes, peakPerSecond, bytesPerSecond, slots }: PlannedLoad): string[] {
  const rate = slots === undefined ? rateText(peakPerSecond) : `${slots} at once`;
  const sent = bytesPerSecond === undefined ? 'not known' : `${formatBytes(bytesPerSecond)}/s`;
  return [operation, formatBytes(requestBytes), rate, sent];
}

function hostsText(profiles: Plan['profiles']): string {
  const counts = Object.entries(profiles).map(([profile, agents]) => `${agents} ${profile}`);
  return `hosts  ${counts.join(', ')}`;
}

function sourcesLine({ fleet }: Scenario, { size }: Plan): readonly string[] {
  if (fleet.sourceAddresses.length === 0 || size.connections === 0) return [];
  const each = `${size.connectionsPerSource} ${size.connectionsPerSource === 1 ? 'connection' : 'connections'}`;
  return [`from  ${fleet.sourceAddresses.join(', ')}, up to ${each} each`];
}

/** What stands beside a label goes on below itself. */
function hung(line: string, columns: number): readonly string[] {
  const label = /^\S+ +/.exec(line)?.[0] ?? '';
  const [first = '', ...more] = wrap(line.slice(label.length), columns - label.length);
  return [`${label}${first}`, ...more.map((text) => ' '.repeat(label.length) + text)];
}

/** The lines with an empty one behind them, if there are any. */
function paragraph(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [...lines, ''];
}

function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined) return 'as answers come';
  return `${perSecond < 10 ? Number(perSecond.toPrecision(2)) : Math.round(perSecond)}/s`;
}

function bytesText(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? 'size not known' : `about ${formatBytes(bytesPerSecond)}/s`;
}

function needs(scenario: Scenario, plan: Plan, { limits, columns = USUAL_COLUMNS }: Surroundings): readonly string[] {
  const needed = RESOURCES.map((resource) => ({
    resource,
    needs: fleetNeeds(resource, plan.size, placeOf(scenario.target)),
    available: limits[resource],
  }));
  const rows = textTable([['', 'needed at most', 'this machine', ''], ...needed.map(needRow)], columns);
  return rows.flatMap((row, index) => {
    const need = needed[index - 1];
    if (need === undefined || isEnough(need)) return [row];
    return [row, ...wrap(`→ ${REMEDIES[need.resource]}`, columns - 2).map((line) => `  ${line}`)];
  });
}

type Need = { readonly resource: Resource; readonly needs: number; readonly available: number | undefined };

function isEnough({ needs, available }: Need): boolean {
  return available === undefined || needs <= available;
}

const RESOURCES = ['fileDescriptors', 'localPorts', 'memoryBytes'] as const;

const NAMES: Readonly<Record<Resource, string>> = {
  fileDescriptors: 'file descriptors',
  localPorts: 'local ports',
  memoryBytes: 'memory',
};

function needRow(need: Need): string[] {
  const text = need.resource === 'memoryBytes' ? formatBytes : String;
  const head = [NAMES[need.resource], text(need.needs)];
  if (need.available === undefined) return [...head, 'not known', ''];
  return [...head, text(need.available), isEnough(need) ? 'enough' : 'NOT ENOUGH'];
}
