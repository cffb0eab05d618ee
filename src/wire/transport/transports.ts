import type { AgentClient, Transport, TransportSink } from '../../ground/protocol/exchange.ts';
import type { CountingTransport } from './transport.ts';

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
  const others = new Map<string, CountingTransport>();
  const moved = new Map<number, Transport>();
  const opened = (client: AgentClient | undefined): CountingTransport => {
    const transport: CountingTransport = open(client, {
      ...sink,
      ended: (agent, ending, traffic) => {
        last = transport;
        sink.ended(agent, ending, traffic);
      },
    });
    return transport;
  };
  const home = opened(undefined);
  /** Transports to the fleet's own target. */
  const counting = [home];
  /** The transport whose exchange ended last. */
  let last: Transport = home;
  const of = (agent: number): Transport => (moved.size === 0 ? home : (moved.get(agent) ?? home));
  return {
    send: (agent, endpoint) => of(agent).send(agent, endpoint),
    abort: (agent) => {
      last = of(agent);
      return last.abort(agent);
    },
    lastSeen: () => last.lastSeen(),
    reconfigure: (agent, push) => of(agent).reconfigure(agent, push),
    disconnect: (agent) => of(agent).disconnect(agent),
    unplug: (agent) => of(agent).unplug(agent),
    // The agent may have been another client when its cable was pulled.
    plug: (agent) => {
      for (const transport of [home, ...others.values()]) transport.plug(agent);
    },
    become: (agent, client) => {
      if (client === undefined) {
        moved.delete(agent);
        return;
      }
      const kind = JSON.stringify([client.url, client.apiKey, client.version]);
      const transport = others.get(kind) ?? opened(client);
      if (client.url === undefined && !others.has(kind)) counting.push(transport);
      others.set(kind, transport);
      moved.set(agent, transport);
    },
    addresses: () => counting.flatMap((transport) => transport.addresses()),
    close: async () => {
      for (const transport of [home, ...others.values()]) await transport.close();
    },
  };
}
