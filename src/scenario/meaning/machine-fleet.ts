import type { MachineFleet } from '../../machine/fleet.ts';
import type { HostData } from '../../machine/host-data.ts';
import { countedFrom } from '../../machine/incidents/counted-from.ts';
import type { Scenario } from '../scenario.ts';

// The agent's own default (docs/protocol.md, "The agent's life").
export const DEFAULT_INTERVAL_SECONDS = 30;

type FleetParts = Pick<Scenario, 'fleet' | 'webServer' | 'incidents' | 'phases'>;

/**
 * The machines of a scenario's fleet, the same for a run and for every other look at them. `startMs` says when the run
 * starts, in Unix ms, as soon as that is known; without it nothing happens to them.
 */
export function machineFleetOf(scenario: FleetParts, data: HostData, startMs?: () => number): MachineFleet {
  const { agents, seed, profiles, payload, checks } = scenario.fleet;
  return {
    ...{ data, agents, seed, profiles, payload, checks, checkIntervalSeconds: checkIntervalSeconds(scenario) },
    incidents: startMs === undefined ? [] : countedFrom(startMs, scenario.incidents),
  };
}

/**
 * What the agents' configuration says of their interval: that of their web server in pull mode, else the first check-data
 * cadence, else the agent's default.
 */
export function checkIntervalSeconds({ phases, webServer }: FleetParts): number {
  if (webServer?.intervalMs !== undefined) return webServer.intervalMs / 1000;
  const loads = phases.flatMap((phase) => phase.loads);
  const cadence = loads.find(({ operation, model }) => operation === 'checkdata' && model.kind === 'cadence');
  if (cadence?.model.kind !== 'cadence') return DEFAULT_INTERVAL_SECONDS;
  return Math.max(1, Math.round(cadence.model.everyMs / 1000));
}
