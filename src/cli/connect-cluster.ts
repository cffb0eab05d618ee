import type { Bus } from '../cluster/bus.ts';
import type { ClusterOrder } from '../cluster/coordinator.ts';
import type { MachinesOfRun } from '../run/run.ts';
import type { Variables } from '../scenario/reading/variables.ts';
import type { ClusterRequest } from './flags/cluster-request.ts';

/** Connects to a cluster's NATS servers with credentials and keys from the environment. Throws `UserError`. */
export async function connectCluster(url: string, name: string, environment: Variables): Promise<Bus> {
  const { readBusAddress } = await import('../cluster/address.ts');
  const { openBus } = await import('../cluster/bus.ts');
  const { address, sealing } = await readBusAddress(url, environment);
  return openBus(address, name, sealing);
}

/** An open cluster, for one run after another. */
export type OpenCluster = {
  readonly order: ClusterOrder;
  readonly machines: () => MachinesOfRun;
  readonly close: () => Promise<void>;
};

/** Connects to a cluster. Loads the NATS client only on demand. Throws `UserError` like `connectCluster`. */
export async function openCluster(request: ClusterRequest, name: string, environment: Variables): Promise<OpenCluster> {
  const { machinesOf } = await import('../cluster/coordinator.ts');
  const bus = await connectCluster(request.url, name, environment);
  const order = { ...request, bus, machines: request.machines ?? 0, run: request.resume };
  return { order, machines: () => machinesOf(order), close: () => bus.close() };
}
