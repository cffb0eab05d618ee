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
import { textTable } from './text-table.ts';

/** The machine that is to carry it, and how wide a line may be. */
type Surroundings = { readonly limits: MachineLimits; readonly columns?: number | undefined };

const HEADER = ['phase', 'from', 'lasts', 'operation', 'each, about', 'peak rate', 'sent'];

/** A plan for a person: what happens when, how much that is at its peak, and what it needs of this machine. */
export function planText(scenario: Scenario, plan: Plan, { limits, columns = USUAL_COLUMNS }: Surroundings): string {
  const { name, description, fleet, target } = scenario;
  const duration = formatDuration(plan.durationMs);
  return [
    ...wrap(`${name}: ${fleet.agents} agents, ${duration}, target ${shownUrl(target.url)}`, columns),
    ...(description === '' ? [] : wrap(description.trim().replace(/\s+/g, ' '), columns)),
    '',
    ...textTable([HEADER, ...plan.phases.flatMap(phaseRows)], columns),
    '',
    `peak  ${rateText(plan.peakPerSecond)}, ${bytesText(plan.peakBytesPerSecond)}`,
    ...[hostsText(plan.profiles), ...webServerLines(scenario, limits)].flatMap((line) => hung(line, columns)),
    '',
    ...paragraph(eventTable(plan.events, fleet.agents, columns)),
    ...textTable(needs(scenario, plan, limits), columns),
    '',
  ].join('\n');
}

function phaseRows({ name, startMs, durationMs, excluded, loads }: PlannedPhase): readonly string[][] {
  const head = [excluded ? `${name} (excluded)` : name, formatDuration(startMs), formatDuration(durationMs)];
  if (loads.length === 0) return [[...head, 'agents listen', '', '', '']];
  return loads.map((load, index) => [...(index === 0 ? head : ['', '', '']), ...loadCells(load)]);
}

function loadCells({ operation, requestBytes, peakPerSecond, bytesPerSecond, slots }: PlannedLoad): string[] {
  const rate = slots === undefined ? rateText(peakPerSecond) : `as answers come, ${slots} at once`;
  return [operation, formatBytes(requestBytes), rate, bytesText(bytesPerSecond)];
}

function hostsText(profiles: Plan['profiles']): string {
  const counts = Object.entries(profiles).map(([profile, agents]) => `${agents} ${profile}`);
  return `hosts  ${counts.join(', ')}`;
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

function needs({ target }: Scenario, { size }: Plan, limits: MachineLimits): readonly string[][] {
  return [
    ['', 'needed at most', 'this machine', ''],
    ...RESOURCES.map((resource) => needRow(resource, fleetNeeds(resource, size, placeOf(target)), limits[resource])),
  ];
}

const RESOURCES = ['fileDescriptors', 'localPorts', 'memoryBytes'] as const;

const NAMES: Readonly<Record<Resource, string>> = {
  fileDescriptors: 'file descriptors',
  localPorts: 'local ports',
  memoryBytes: 'memory',
};

function needRow(resource: Resource, needs: number, available: number | undefined): string[] {
  const text = resource === 'memoryBytes' ? formatBytes : String;
  const head = [NAMES[resource], text(needs)];
  if (available === undefined) return [...head, 'not known', ''];
  return [...head, text(available), needs <= available ? 'enough' : `NOT ENOUGH: ${REMEDIES[resource]}`];
}
