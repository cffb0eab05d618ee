import { type Shard, shareOf } from '../../load/shard.ts';
import { isPullMode } from '../agents.ts';
import type { ConnectionSharing } from '../fleet.ts';
import type { Scenario } from '../scenario.ts';
import { sourceAddressesOf } from '../source-addresses.ts';

/** How much there can be at once of what takes a machine's resources. */
export type FleetSize = {
  readonly agents: number;
  /** Of agents to the monitoring server. */
  readonly connections: number;
  /** Of these, how many leave from one and the same local address at most. */
  readonly connectionsPerSource: number;
  /** Of the connections to the monitoring server, those over TLS. */
  readonly tlsConnections: number;
  /** Agents that listen. */
  readonly listeners: number;
  /** Agents that may come to speak HTTPS, each with its own certificate and key. */
  readonly tlsContexts: number;
  /** Connections of the embedded server to agents that listen. */
  readonly polls: number;
};

type Parts = Pick<Scenario, 'fleet' | 'target' | 'webServer' | 'phases'>;

/** @param shard the part of the fleet that is raised here. */
export function fleetSizeOf(scenario: Parts, shard: Shard): FleetSize {
  const { fleet, target, webServer } = scenario;
  const agents = shareOf(shard, fleet.agents);
  const connections = isPullMode(scenario) ? 0 : connectionsOf(fleet.connections, agents, shard);
  const sources = Math.max(1, sourceAddressesOf(fleet.sourceAddresses).length);
  return {
    agents,
    connections,
    connectionsPerSource: Math.ceil(connections / sources),
    tlsConnections: isOverTls(target) ? connections : 0,
    listeners: webServer === undefined ? 0 : agents,
    tlsContexts: webServer?.autoTls ? agents : 0,
    polls: Math.min(target.pull?.concurrency ?? 0, agents),
  };
}

function isOverTls({ url, tls }: Scenario['target']): boolean {
  return url === 'embedded' ? tls.serve !== undefined : url.startsWith('https:');
}

function connectionsOf(connections: ConnectionSharing, agents: number, shard: Shard): number {
  return connections.kind === 'shared' ? Math.min(shareOf(shard, connections.size), agents) : agents;
}
