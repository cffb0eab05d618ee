import { readBusAddress } from '../cluster/address.ts';
import { type Bus, openBus } from '../cluster/bus.ts';
import type { Variables } from '../scenario/reading/variables.ts';

/** Connects to the servers of a cluster, with what the environment says of credentials and keys. Throws `UserError`. */
export async function connectCluster(url: string, name: string, environment: Variables): Promise<Bus> {
  const { address, sealing } = await readBusAddress(url, environment);
  return openBus(address, name, sealing);
}
