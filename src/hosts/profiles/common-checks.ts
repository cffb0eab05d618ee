import { type DockerInput, dockerCheck } from '../checks/docker.ts';
import { memoryCheck, swapCheck } from '../checks/memory.ts';
import { netIoCheck, netStatsCheck } from '../checks/network.ts';
import { prometheusExportersCheck } from '../checks/prometheus-exporters.ts';
import type { Cells } from '../document/nodes.ts';
import type { OptionalChecks } from '../host/configuration.ts';
import { exporterEntries } from '../host/configured-checks.ts';
import type { HostCard } from '../host/linux/guest-cards.ts';
import type { HostMemory } from '../host/memory.ts';
import { fixedPart } from '../host/part.ts';
import { packageManagerCheck, type Software } from '../packages/document.ts';

export type CommonInput = {
  readonly memory: HostMemory;
  readonly interfaces: readonly HostCard[];
  readonly software: Software;
  readonly checks: OptionalChecks;
  /** `undefined` if the agent does not report containers, or no engine is installed. */
  readonly docker: DockerInput | undefined;
};

/** Checks that have the same form on every system. Two of the optional ones are present even when empty. */
export function commonChecks({ memory, interfaces, software, checks, docker }: CommonInput, cells: Cells) {
  const { prometheus_exporters = 0 } = checks;
  return {
    // Made from all other checks; see `variants.ts`.
    customchecks: fixedPart({}),
    ...(docker !== undefined && { docker: dockerCheck(docker, cells) }),
    memory: memoryCheck(memory, cells),
    net_io: netIoCheck(interfaces, cells),
    net_stats: netStatsCheck(interfaces),
    packagemanager: packageManagerCheck(software, cells),
    prometheus_exporters: prometheusExportersCheck(
      exporterEntries(software.operatingSystem, prometheus_exporters).map(({ name }) => name),
      cells,
    ),
    swap: swapCheck(memory, cells),
  };
}
