import { fleetIndex, shareOf } from '../load/shard.ts';
import type { TransportSink } from '../protocol/exchange.ts';
import { createBalancedTransport } from '../transport/balanced-transport.ts';
import { systemResolver } from '../transport/target-addresses.ts';
import { type CountingTransport, createTransport, type TransportSettings } from '../transport/transport.ts';
import type { BaseTarget, ShardTask } from './messages.ts';

/** Opens a shard's way to the target: agents and shared connections have the base URLs in turn, by their numbers in the fleet. */
export function openTransport(task: ShardTask, sink: TransportSink): CountingTransport {
  const { shard, target } = task;
  const placeOf = (number: number): number => fleetIndex(shard, number) % target.bases.length;
  const openers = target.bases.map((base, place) => {
    const settings = settingsFor(task, base, (connection) => placeOf(connection) === place);
    return (own: TransportSink) => createTransport(settings, own);
  });
  const [only] = openers;
  return openers.length === 1 && only !== undefined ? only(sink) : createBalancedTransport(openers, { placeOf, sink });
}

function settingsFor(
  { scenario, target, shard, sources, spareDials }: ShardTask,
  base: BaseTarget,
  isOfBase: (connection: number) => boolean,
): TransportSettings {
  const { connections, seed } = scenario.fleet;
  const shared = connections.kind === 'shared' ? shareOf(shard, connections.size) : undefined;
  const own = shared === undefined ? undefined : [...Array(shared).keys()].filter(isOfBase);
  return {
    baseUrl: base.url,
    addresses: base.addresses,
    loopbackOnly: base.loopbackOnly,
    isOneOfSeveral: target.bases.length > 1,
    resolver: systemResolver,
    seed,
    inFleet: (connection) => fleetIndex(shard, own?.[connection] ?? connection),
    sources,
    apiKey: scenario.target.apiKey,
    tls: target.tls,
    spareDials: Math.floor(spareDials / target.bases.length),
    // A worker that has fewer than there are base URLs still reaches each of them.
    sharedConnections: own && Math.max(1, own.length),
  };
}
