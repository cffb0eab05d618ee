import type { TransportSink } from '../../ground/protocol/exchange.ts';
import type { CountingTransport } from './transport.ts';

/**
 * Combines the transports of several base URLs; `placeOf` selects the one for an agent.
 * @param open opens the transport of each base URL.
 */
export function createBalancedTransport(
  open: readonly ((sink: TransportSink) => CountingTransport)[],
  { placeOf, sink }: { readonly placeOf: (agent: number) => number; readonly sink: TransportSink },
): CountingTransport {
  // The transport that reported last; `lastSeen` reads its evidence.
  let last: CountingTransport | undefined;
  const transports = open.map((openOne) => {
    const transport: CountingTransport = openOne({
      ...sink,
      ended: (agent, ending, traffic) => {
        last = transport;
        sink.ended(agent, ending, traffic);
      },
    });
    return transport;
  });
  const [first] = transports;
  if (first === undefined) throw new Error('a target has no base URL');
  const transportOf = (agent: number): CountingTransport => transports[placeOf(agent)] ?? first;
  return {
    send: (agent, endpoint) => transportOf(agent).send(agent, endpoint),
    abort: (agent) => {
      last = transportOf(agent);
      return last.abort(agent);
    },
    lastSeen: () => (last ?? first).lastSeen(),
    reconfigure: (agent, push) => transportOf(agent).reconfigure(agent, push),
    disconnect: (agent) => transportOf(agent).disconnect(agent),
    unplug: (agent) => transportOf(agent).unplug(agent),
    plug: (agent) => transportOf(agent).plug(agent),
    addresses: () => transports.flatMap((transport) => transport.addresses()),
    close: async () => {
      await Promise.all(transports.map((transport) => transport.close()));
    },
  };
}
