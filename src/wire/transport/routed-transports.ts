import type { AgentClient, TransportSink } from '../../ground/protocol/exchange.ts';
import type { CountingTransport } from './transport.ts';

type Open = (sink: TransportSink) => CountingTransport;

/** One transport for the agents of several: `of` selects that of an agent. */
function routed(of: (agent: number) => CountingTransport, all: () => readonly CountingTransport[]): CountingTransport {
  return {
    send: (agent, endpoint) => of(agent).send(agent, endpoint),
    abort: (agent) => of(agent).abort(agent),
    lastSeen: (agent) => of(agent).lastSeen(agent),
    reconfigure: (agent, push) => of(agent).reconfigure(agent, push),
    disconnect: (agent) => of(agent).disconnect(agent),
    unplug: (agent) => of(agent).unplug(agent),
    // The agent may have used another one when its cable was pulled.
    plug: (agent) => {
      for (const transport of all()) transport.plug(agent);
    },
    addresses: () => all().flatMap((transport) => transport.addresses()),
    close: async () => {
      await Promise.all(all().map((transport) => transport.close()));
    },
  };
}

/** Combines the transports of several base URLs; `placeOf` selects the one for an agent. */
export function createBalancedTransport(
  sink: TransportSink,
  open: readonly Open[],
  placeOf: (agent: number) => number,
): CountingTransport {
  const transports = open.map((openOne) => openOne(sink));
  const [first] = transports;
  if (first === undefined) throw new Error('a target has no base URL');
  if (transports.length === 1) return first;
  return routed(
    (agent) => transports[placeOf(agent)] ?? first,
    () => transports,
  );
}

/** The outbound side of agents, which may become different clients during the run. */
export type Transports = CountingTransport & {
  /** Turns the agent, which must not have a request in flight, into another client; `undefined`: back into the fleet's. */
  become(agent: number, client: AgentClient | undefined): void;
};

/** Clients of the same kind share a transport, which `open` creates at first use; `undefined` stands for the fleet's client. */
export function createTransports(
  sink: TransportSink,
  open: (client: AgentClient | undefined, sink: TransportSink) => CountingTransport,
): Transports {
  const home = open(undefined, sink);
  const others = new Map<string, CountingTransport>();
  const moved = new Map<number, CountingTransport>();
  /** Transports to the fleet's own target. */
  const counting = [home];
  return {
    ...routed(
      (agent) => (moved.size === 0 ? home : (moved.get(agent) ?? home)),
      () => [home, ...others.values()],
    ),
    addresses: () => counting.flatMap((transport) => transport.addresses()),
    become: (agent, client) => {
      if (client === undefined) {
        moved.delete(agent);
        return;
      }
      const kind = JSON.stringify([client.url, client.apiKey, client.version]);
      const transport = others.get(kind) ?? open(client, sink);
      if (client.url === undefined && !others.has(kind)) counting.push(transport);
      others.set(kind, transport);
      moved.set(agent, transport);
    },
  };
}
