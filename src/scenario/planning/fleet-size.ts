import { isPullMode } from '../meaning/agent-mode.ts';
import type { Scenario } from '../scenario.ts';

/** How much there can be at once of what takes a machine's resources. */
export type FleetSize = {
  readonly agents: number;
  /** Of agents to the monitoring server. */
  readonly connections: number;
  /** Agents that listen. */
  readonly listeners: number;
  /** Agents that may come to speak HTTPS, each with its own certificate and key. */
  readonly tlsContexts: number;
  /** Connections of the embedded server to agents that listen. */
  readonly polls: number;
};

type Parts = Pick<Scenario, 'fleet' | 'target' | 'webServer' | 'phases'>;

export function fleetSizeOf(scenario: Parts): FleetSize {
  const { fleet, target, webServer } = scenario;
  const { agents, connections } = fleet;
  const own = connections.kind === 'shared' ? Math.min(connections.size, agents) : agents;
  return {
    agents,
    connections: isPullMode(scenario) ? 0 : own,
    listeners: webServer === undefined ? 0 : agents,
    tlsContexts: webServer?.autoTls ? agents : 0,
    polls: Math.min(target.pull?.concurrency ?? 0, agents),
  };
}
