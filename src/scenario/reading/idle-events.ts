import { formatDuration } from '../../kernel/units.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { effectOf } from '../../machine/estimates.ts';
import type { HostData } from '../../machine/host-data.ts';
import type { Incident } from '../../machine/incidents/incident.ts';
import { oneOf } from '../../notation/expectations.ts';
import { type Finding, type Path, quoted } from '../../notation/finding.ts';
import { machineFleetOf } from '../meaning/machine-fleet.ts';
import type { Scenario } from '../scenario.ts';
import { on, plannedBy } from './legible-file.ts';

/** Events that come to nothing: the run is over before them, or there is nothing that they are about. */
export function idleEvents(scenario: Scenario, data: HostData): readonly Finding[] {
  const endMs = timelineEndMs(scenario.phases);
  return [
    ...scenario.target.faults.flatMap(({ atMs }, index) => lateInstant(['target', 'faults', index, 'at'], atMs, endMs)),
    ...idleFaults(scenario),
    ...lateInstant(['target', 'pull', 'configAt'], scenario.target.pull?.configAtMs, endMs),
    ...scenario.incidents.flatMap(({ fromMs }, index) =>
      lateInstant(['machine', 'incidents', index, 'at'], fromMs, endMs),
    ),
    ...idleIncidents(scenario, data),
  ];
}

function lateInstant(path: Path, atMs: number | undefined, endMs: number): readonly Finding[] {
  if (atMs === undefined || atMs < endMs) return [];
  const expected = `a time before the end of the run at ${formatDuration(endMs)}`;
  return [finding(path, expected, formatDuration(atMs))];
}

function idleFaults({ target, phases }: Scenario): readonly Finding[] {
  const planned = [...new Set(phases.flatMap(({ loads }) => plannedBy(loads.map(({ operation }) => operation))))];
  return target.faults.flatMap((fault, index) => {
    if (!('operations' in fault) || fault.operations.some((operation) => planned.includes(operation))) return [];
    const expected = `operations that a phase plans, ${planned.length === 0 ? 'and none plans any' : oneOf(planned)}`;
    return [finding(['target', 'faults', index, 'operations'], expected, fault.operations.join(', '))];
  });
}

function idleIncidents(scenario: Scenario, data: HostData): readonly Finding[] {
  const fleet = { ...machineFleetOf(scenario, data), agents: scenario.fleet.agents };
  return scenario.incidents.flatMap((incident, index) => {
    const effect = effectOf(fleet, incident);
    if (effect === 'felt') return [];
    const path = ['machine', 'incidents', index];
    if (effect === 'no_agent') return [finding([...path, 'cohort'], 'a cohort with an agent in it', 'none in it')];
    const { key, value, thing } = particularOf(incident);
    return [finding([...path, key], `${thing} that an agent of the cohort has`, quoted(value))];
  });
}

function particularOf(incident: Incident): { key: string; value: string; thing: string } {
  switch (incident.kind) {
    case 'service-down':
      return { key: 'service', value: incident.service, thing: 'a running service' };
    case 'disk-full':
      return { key: 'mountpoint', value: incident.mountpoint ?? '', thing: 'a mount point' };
    case 'check-error':
      return { key: 'check', value: incident.check, thing: 'a check' };
    default:
      throw new Error(`every host has what ${incident.kind} is about`);
  }
}

function finding(path: Path, expected: string, found: string): Finding {
  return { ...on(path), expected, found };
}
