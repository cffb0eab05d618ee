import type { TransportAdapter } from '../../protocol/exchange.ts';
import type { Scenario } from '../scenario.ts';

/** What carries the agents' requests: the direct adapter, which differs least from a real agent, unless another is asked for. */
export function transportAdapterOf({ fleet }: Scenario): TransportAdapter {
  return fleet.transport === 'auto' ? 'direct' : fleet.transport;
}
