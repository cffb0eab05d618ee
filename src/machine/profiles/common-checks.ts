import { customChecksCheck } from '../checks/custom-checks.ts';
import { type DockerInput, dockerCheck } from '../checks/docker.ts';
import { memoryCheck, swapCheck } from '../checks/memory.ts';
import { netIoCheck, netStatsCheck } from '../checks/network.ts';
import { prometheusExportersCheck } from '../checks/prometheus-exporters.ts';
import type { Cells } from '../document/nodes.ts';
import type { OptionalChecks } from '../host/configuration.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import type { HostMemory } from '../host/memory.ts';
import type { Part } from '../host/part.ts';
import { packageManagerCheck, type Software } from '../packages/document.ts';

export type CommonInput = {
  readonly memory: HostMemory;
  readonly interfaces: readonly HostCard[];
  readonly software: Software;
  readonly checks: OptionalChecks;
  /** Undefined where the agent does not tell of containers, or has nobody to ask. */
  readonly docker: DockerInput | undefined;
};

/** The checks that every system has in the same form; two of the optional ones stand there even without content. */
export function commonChecks(
  { memory, interfaces, software, checks, docker }: CommonInput,
  cells: Cells,
): Readonly<Record<string, Part>> {
  const { customchecks = 0, prometheus_exporters = 0 } = checks;
  return {
    customchecks: customChecksCheck({ count: customchecks }, cells),
    ...(docker !== undefined && { docker: dockerCheck(docker, cells) }),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    packagemanager: packageManagerCheck(software, cells),
    prometheus_exporters: prometheusExportersCheck({ count: prometheus_exporters }, cells),
    swap: swapCheck(memory, cells),
  };
}
