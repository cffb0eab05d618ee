import { ATTACK_BOUNDS, attackSize } from '../../base/protocol/attacks.ts';
import { type RecordedTexts, recordedTexts } from '../../hosts/estimates.ts';
import { groupSizes, hostGroups } from '../../hosts/groups.ts';
import type { PayloadSize } from '../../hosts/host/profile.ts';
import { type Shard, shareOf } from '../../load/shard.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import { isPullMode } from '../agents.ts';
import { chosenCount } from '../cohort-members.ts';
import { eventSpans } from '../event-times.ts';
import type { Scenario } from '../scenario.ts';
import { sourceAddressesOf } from '../source-addresses.ts';

/** Peak resource use of a fleet on one machine. */
export type FleetSize = {
  readonly agents: number;
  /** From agents to the monitoring server. */
  readonly connections: number;
  /** Maximum per local address. */
  readonly connectionsPerSource: number;
  /** Connections to the monitoring server that use TLS. */
  readonly tlsConnections: number;
  /** TLS connections on which an external server may choose HTTP/2. */
  readonly http2Connections: number;
  readonly listeners: number;
  /** Agents that may switch to HTTPS, each with its own certificate and key. */
  readonly tlsContexts: number;
  /** Connections from the embedded server to listening agents. */
  readonly polls: number;
  /** Sockets of attacking agents, in addition to `connections`; they use the same local addresses in turn. */
  readonly attackSockets: number;
  readonly attackSocketsPerSource: number;
  /** Size of attack bodies. */
  readonly attackBytes: number;
  /** Groups of hosts, with the documents that each worker compiles for them. */
  readonly documents: readonly CompiledDocuments[];
};

/** `withPackages`: the agents also send what is installed. */
export type CompiledDocuments = {
  readonly payload: 'natural' | PayloadSize;
  readonly agents: number;
  readonly withPackages: boolean;
  /** `undefined` for hosts of the model. */
  readonly recorded: RecordedTexts | undefined;
};

type Parts = Pick<Scenario, 'fleet' | 'target' | 'webServer' | 'phases' | 'events'>;

/** @param shard the part of the fleet that runs on this machine */
export function fleetSizeOf(scenario: Parts, shard: Shard): FleetSize {
  const { fleet, target, webServer } = scenario;
  const agents = shareOf(shard, fleet.agents);
  const most = fleet.connections.kind === 'shared' ? shareOf(shard, fleet.connections.size) : agents;
  const connections = isPullMode(scenario) ? 0 : Math.min(most, agents);
  const isOverTls = target.url === 'embedded' ? target.tls.serve !== undefined : target.url.startsWith('https:');
  const attacks = attacksOf(scenario, shard);
  const sources = Math.max(1, sourceAddressesOf(fleet.sourceAddresses).length);
  return {
    agents,
    connections,
    connectionsPerSource: Math.ceil(connections / sources),
    tlsConnections: isOverTls ? connections : 0,
    http2Connections: target.tls.verify && target.url.startsWith('https:') ? connections : 0,
    listeners: webServer === undefined ? 0 : agents,
    tlsContexts: webServer?.autoTls ? agents : 0,
    polls: Math.min(target.pull?.concurrency ?? 0, agents),
    attackSockets: attacks.sockets,
    attackSocketsPerSource: Math.ceil(attacks.sockets / sources),
    attackBytes: attacks.bytes,
    documents: documentsOf(scenario, shard),
  };
}

function documentsOf({ fleet, phases }: Parts, { count }: Shard): readonly CompiledDocuments[] {
  const { list } = hostGroups(fleet);
  const sizes = groupSizes(list, fleet.agents);
  const withPackages = phases.some(({ loads }) => loads.some(({ operation }) => operation === 'packages'));
  return list.map(({ payload, profile }, index) => {
    // Counts per kind are for hosts with much.
    const size = typeof payload === 'string' ? payload : 'full';
    const recording = fleet.recordings?.[profile];
    const recorded = recording && recordedTexts(recording);
    return { payload: size, agents: Math.ceil((sizes[index] ?? 0) / count), withPackages, recorded };
  });
}

type AttackSize = ReturnType<typeof attackSize>;

/** Peak use by attacks of simultaneous events, within the bounds of one machine. */
function attacksOf({ events, fleet, phases }: Parts, shard: Shard): AttackSize {
  const endMs = timelineEndMs(phases);
  const attacks = events.flatMap((event) => {
    const { action } = event;
    if (action.kind !== 'misbehave') return [];
    const one = attackSize(action.how);
    const most = (shard.count * ATTACK_BOUNDS.sockets) / one.sockets;
    const agents = Math.ceil(chosenCount(event, fleet, most) / shard.count);
    return [{ spans: eventSpans(event, endMs), sockets: agents * one.sockets, bytes: agents * one.bytes }];
  });
  const startsMs = attacks.flatMap(({ spans }) => spans.map(({ fromMs }) => fromMs));
  const peakOf = (figure: keyof AttackSize, bound: number): number => {
    const sums = startsMs.map((atMs) => {
      const running = attacks.filter(({ spans }) => spans.some(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs));
      return running.reduce((sum, attack) => sum + attack[figure], 0);
    });
    return sums.reduce((most, sum) => Math.max(most, Math.min(sum, bound)), 0);
  };
  return {
    sockets: peakOf('sockets', ATTACK_BOUNDS.sockets),
    bytes: peakOf('bytes', ATTACK_BOUNDS.bytesPerSecond),
  };
}
