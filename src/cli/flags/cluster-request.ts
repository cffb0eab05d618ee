import { UserError } from '../../base/kernel/errors.ts';
import type { Bus } from '../../cluster/bus.ts';
import type { ClusterOrder } from '../../cluster/coordinator.ts';
import type { MachinesOfRun } from '../../run/run.ts';
import type { Variables } from '../../scenario/reading/variables.ts';
import { MACHINES_FLAGS, type MachinesFlags } from './common.ts';
import { durationAboveZero, flagOrVariable, matching, readFlag, wholeNumber } from './values.ts';

export type ClusterRequest = {
  readonly url: string;
  /** `undefined` for a resumed run, which keeps its number. */
  readonly machines: number | undefined;
  readonly replace: boolean;
  readonly replicas: number;
  readonly waitMs: number;
  /** Name of the run to resume, or to start if it does not exist; `undefined` for a new run. */
  readonly resume: string | undefined;
};

/** Values of flags that mean nothing without a cluster, if they are not given. */
const LEFT_OUT = {
  machines: undefined,
  resume: undefined,
  replace: MACHINES_FLAGS.replace.default,
  replicas: MACHINES_FLAGS.replicas.default,
  wait: MACHINES_FLAGS.wait.default,
} as const;
const CLUSTER_ONLY = Object.keys(LEFT_OUT) as (keyof typeof LEFT_OUT)[];

/** Validates the cluster flags; `undefined` without a cluster. Throws `UserError` for invalid flags. */
export function clusterRequest(
  flags: MachinesFlags & { readonly resume: string | undefined },
  environment: Variables,
): ClusterRequest | undefined {
  const { value: url } = flagOrVariable('cluster', flags, environment);
  const { resume } = flags;
  if (url === undefined) {
    const flag = CLUSTER_ONLY.find((name) => flags[name] !== LEFT_OUT[name]);
    if (flag === undefined) return undefined;
    throw new UserError(`--${flag} needs a cluster: add its NATS server with --cluster nats://127.0.0.1:4222.`);
  }
  const { value: machines } = flagOrVariable('machines', flags, environment);
  const name = 'the name of a run: up to 100 letters, digits, dashes and underscores';
  readFlag('resume', flags, matching(/^[A-Za-z0-9_-]{1,100}$/, name));
  if (machines === undefined && resume === undefined)
    throw new UserError('--cluster: expected the number of machines, found none; add --machines 3.');
  return {
    url,
    resume,
    replace: flags.replace,
    machines: machineCount({ machines }),
    replicas: Number(readFlag('replicas', flags, matching(/^[135]$/, '1, 3 or 5'))),
    waitMs: readFlag('wait', flags, durationAboveZero('a duration such as 60s')),
  };
}

/** Throws `UserError` for anything but a number of machines. */
export function machineCount(flags: { readonly machines: string | undefined }): number | undefined {
  return readFlag('machines', flags, wholeNumber(1, 9999));
}

/** Connects to a cluster's NATS servers with credentials and keys from the environment. Throws `UserError`. */
export async function connectCluster(url: string, name: string, environment: Variables): Promise<Bus> {
  const { readBusAddress } = await import('../../cluster/address.ts');
  const { openBus } = await import('../../cluster/bus.ts');
  const { address, sealing } = await readBusAddress(url, environment);
  return openBus(address, name, sealing);
}

export type OpenCluster = {
  readonly order: ClusterOrder;
  readonly machines: () => MachinesOfRun;
  readonly close: () => Promise<void>;
};

/** Connects to a cluster. Loads the NATS client only on demand. Throws `UserError` like `connectCluster`. */
export async function openCluster(request: ClusterRequest, name: string, environment: Variables): Promise<OpenCluster> {
  const { machinesOf } = await import('../../cluster/coordinator.ts');
  const bus = await connectCluster(request.url, name, environment);
  const order = { ...request, bus, machines: request.machines ?? 0, run: request.resume };
  return { order, machines: () => machinesOf(order), close: () => bus.close() };
}
