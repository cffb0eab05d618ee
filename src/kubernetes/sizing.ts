import { UserError } from '../kernel/errors.ts';
import { fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import type { Plan } from '../scenario/planning/plan.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { fleetNeeds } from '../system/needs.ts';

/** What each pod of a kind is given, as request and as limit. */
export type PodSize = { readonly cores: number; readonly memoryMib: number };

/** What each machine of a fleet takes. */
export type MachineNeeds = PodSize & {
  /** Nothing in Kubernetes gives them: they are the container runtime's to give. */
  readonly fileDescriptors: number;
  readonly localPorts: number;
};

/** Ephemeral ports of Linux by default. */
export const USUAL_LOCAL_PORTS = 28_232;
/** Ports that a pod can use for connections; lower ports belong to services. */
export const WIDEST_PORT_RANGE = { first: 1024, last: 65_535 };
const MOST_LOCAL_PORTS = WIDEST_PORT_RANGE.last - WIDEST_PORT_RANGE.first + 1;

/**
 * What one of so many machines needs at most; the first has one agent more than others may have.
 *
 * @throws UserError where no pod can have it.
 */
export function machineNeeds(scenario: Scenario, plan: Plan, machines: number): MachineNeeds {
  const size = fleetSizeOf(scenario, { index: 0, count: machines });
  const needs = (resource: Parameters<typeof fleetNeeds>[0]) => fleetNeeds(resource, size, 'elsewhere');
  const localPorts = needs('localPorts');
  if (localPorts > MOST_LOCAL_PORTS)
    throw new UserError(
      `--machines: each of ${machines} machines needs ${localPorts} local ports, expected up to ${MOST_LOCAL_PORTS}, the limit ` +
        `of the single address of a pod; use ${Math.ceil((machines * localPorts) / MOST_LOCAL_PORTS)} machines or more.`,
    );
  return {
    cores: coresFor(plan, machines),
    memoryMib: memoryFor(needs('memoryBytes')),
    fileDescriptors: needs('fileDescriptors'),
    localPorts,
  };
}

// CPU of a push at a rate: so much for each, and so much for each KB, with TLS (docs/developers/performance.md, "paced" and "density").
const PUSH_SECONDS = 110e-6;
const KILOBYTE_SECONDS = 3e-6;
/** Beyond it pushes come late while V8 collects, or the node has other work. */
const BUSY_AT_MOST = 0.5;
/** Unknown for closed loads. */
const UNKNOWN_CORES = 2;

function coresFor({ peakPerSecond, mostInSecond = peakPerSecond, peakBytesPerSecond }: Plan, machines: number): number {
  if (mostInSecond === undefined || peakBytesPerSecond === undefined) return UNKNOWN_CORES;
  const busy = mostInSecond * PUSH_SECONDS + (peakBytesPerSecond / 1000) * KILOBYTE_SECONDS;
  return Math.max(1, Math.ceil(busy / machines / BUSY_AT_MOST));
}

const MIB = 2 ** 20;
/** Buffers of the kernel count in a pod, and are none of the plan's. */
const KERNEL_SHARE = 0.25;
const KERNEL_BYTES = 128 * MIB;
const STEP_BYTES = 64 * MIB;

function memoryFor(plannedBytes: number): number {
  const bytes = plannedBytes * (1 + KERNEL_SHARE) + KERNEL_BYTES;
  return (Math.ceil(bytes / STEP_BYTES) * STEP_BYTES) / MIB;
}
