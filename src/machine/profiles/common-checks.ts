import { customChecksCheck } from '../checks/custom-checks.ts';
import { type DockerInput, dockerCheck } from '../checks/docker.ts';
import { prometheusExportersCheck } from '../checks/prometheus-exporters.ts';
import type { Cells } from '../document/cells.ts';
import type { OptionalChecks } from '../optional-checks.ts';
import type { Part } from '../part.ts';

/**
 * The optional checks that every system has; two of them stand in the check data even without content. `docker` are the
 * host's containers, if it has any.
 */
export function commonOptionalChecks(
  checks: OptionalChecks,
  docker: DockerInput | undefined,
  cells: Cells,
): Record<string, Part> {
  const { customchecks = 0, prometheus_exporters = 0 } = checks;
  return {
    customchecks: customChecksCheck({ count: customchecks }, cells),
    prometheus_exporters: prometheusExportersCheck({ count: prometheus_exporters }, cells),
    ...(docker !== undefined && (checks.docker ?? 0) > 0 && { docker: dockerCheck(docker, cells) }),
  };
}
