import { UserError } from '../../ground/kernel/errors.ts';
import { fleetSizeOf } from '../../scenario/planning/fleet-size.ts';
import { memoryNeeds, socketNeeds } from '../../scenario/planning/needs.ts';
import type { Plan } from '../../scenario/planning/plan.ts';
import type { Scenario } from '../../scenario/scenario.ts';

/** Resources of each pod of a component, as requests and limits. */
export type PodSize = { readonly cores: number; readonly memoryMib: number };

/** Resources of each machine of a fleet. */
export type MachineNeeds = PodSize & {
  /** Set by the container runtime: Kubernetes has no setting for them. */
  readonly fileDescriptors: number;
  readonly localPorts: number;
};

/** Number of ephemeral ports of Linux by default. */
export const USUAL_LOCAL_PORTS = 28_232;
/** Ports that a pod can use for connections; lower ports belong to services. */
export const WIDEST_PORT_RANGE = { first: 1024, last: 65_535 };
const MOST_LOCAL_PORTS = WIDEST_PORT_RANGE.last - WIDEST_PORT_RANGE.first + 1;

/**
 * Maximum needs of one of this many machines. The first may have one agent more than others.
 *
 * @throws UserError if no pod can meet them.
 */
export function machineNeeds(scenario: Scenario, plan: Plan, machines: number): MachineNeeds {
  const size = fleetSizeOf(scenario, { index: 0, count: machines });
  const localPorts = socketNeeds('localPorts', size, 'external');
  if (localPorts > MOST_LOCAL_PORTS)
    throw new UserError(
      `--machines: each of ${machines} machines needs ${localPorts} local ports, expected up to ${MOST_LOCAL_PORTS}, the limit ` +
        `of the single address of a pod; use ${Math.ceil((machines * localPorts) / MOST_LOCAL_PORTS)} machines or more.`,
    );
  const cores = coresFor(plan, machines);
  return {
    cores,
    memoryMib: memoryFor(memoryNeeds(size, 'external', cores)),
    fileDescriptors: socketNeeds('fileDescriptors', size, 'external'),
    localPorts,
  };
}

// CPU time per push and per KB at a given rate, with TLS (docs/developers/performance.md, "paced" and "density").
const PUSH_SECONDS = 110e-6;
const KILOBYTE_SECONDS = 3e-6;
/** Above this, pushes are late while V8 collects garbage or the node does other work. */
const BUSY_AT_MOST = 0.5;
/** Used for closed loads, whose rate is unknown. */
const UNKNOWN_CORES = 2;

function coresFor({ peakPerSecond, mostInSecond = peakPerSecond, peakBytesPerSecond }: Plan, machines: number): number {
  if (mostInSecond === undefined || peakBytesPerSecond === undefined) return UNKNOWN_CORES;
  const busy = mostInSecond * PUSH_SECONDS + (peakBytesPerSecond / 1000) * KILOBYTE_SECONDS;
  return Math.max(1, Math.ceil(busy / machines / BUSY_AT_MOST));
}

const MIB = 2 ** 20;
/** Kernel buffers count toward the memory of a pod, but are not part of the plan. */
const KERNEL_SHARE = 0.25;
const KERNEL_BYTES = 128 * MIB;
const STEP_BYTES = 64 * MIB;

function memoryFor(plannedBytes: number): number {
  const bytes = plannedBytes * (1 + KERNEL_SHARE) + KERNEL_BYTES;
  return (Math.ceil(bytes / STEP_BYTES) * STEP_BYTES) / MIB;
}
