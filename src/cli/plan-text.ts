import { formatBytes, formatDuration } from '../kernel/units.ts';
import type { Plan, PlannedLoad, PlannedPhase } from '../scenario/plan.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { MachineLimits } from './machine-limits.ts';

// Files, threads, the results and the runtime itself.
const RESERVED_DESCRIPTORS = 64;

const HEADER = ['phase', 'from', 'lasts', 'operation', 'peak rate', 'sent'];

/** A plan for a person: what happens when, how much that is at its peak, and what it needs of this machine. */
export function planText(scenario: Scenario, plan: Plan, limits: MachineLimits): string {
  const { name, fleet, target } = scenario;
  return [
    `${name}: ${fleet.agents} agents, ${formatDuration(plan.durationMs)}, target ${target.url}`,
    '',
    ...table([HEADER, ...plan.phases.flatMap(phaseRows)]),
    '',
    `peak  ${rateText(plan.peakPerSecond)}, ${bytesText(plan.peakBytesPerSecond)}`,
    '',
    ...needs(scenario, plan, limits),
    '',
  ].join('\n');
}

function phaseRows({ name, startMs, durationMs, excluded, loads }: PlannedPhase): readonly string[][] {
  const head = [excluded ? `${name} (excluded)` : name, formatDuration(startMs), formatDuration(durationMs)];
  return loads.map((load, index) => [...(index === 0 ? head : ['', '', '']), ...loadCells(load)]);
}

function loadCells({ operation, peakPerSecond, bytesPerSecond, slots }: PlannedLoad): string[] {
  const rate = slots === undefined ? rateText(peakPerSecond) : `as answers come, ${slots} at once`;
  return [operation, rate, bytesText(bytesPerSecond)];
}

function rateText(perSecond: number | undefined): string {
  if (perSecond === undefined) return 'as answers come';
  return `${perSecond < 10 ? Number(perSecond.toPrecision(2)) : Math.round(perSecond)}/s`;
}

function bytesText(bytesPerSecond: number | undefined): string {
  return bytesPerSecond === undefined ? 'size not known' : `about ${formatBytes(bytesPerSecond)}/s`;
}

function needs({ target }: Scenario, { connections }: Plan, limits: MachineLimits): readonly string[] {
  // The embedded server holds the other end of every connection in the same process.
  const descriptors = RESERVED_DESCRIPTORS + connections * (target.url === 'embedded' ? 2 : 1);
  return table([
    ['', 'needed at most', 'this machine', ''],
    needRow('file descriptors', descriptors, limits.fileDescriptors, 'raise it with ulimit -n'),
    needRow('local ports', connections, limits.localPorts, 'widen net.ipv4.ip_local_port_range'),
  ]);
}

function needRow(what: string, needed: number, available: number | undefined, remedy: string): string[] {
  if (available === undefined) return [what, String(needed), 'not known', ''];
  return [what, String(needed), String(available), needed <= available ? 'enough' : `NOT ENOUGH: ${remedy}`];
}

function table(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows.reduce<number[]>(
    (wide, row) => row.map((cell, column) => Math.max(cell.length, wide[column] ?? 0)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
