import { customChecksCheck } from './common/custom-checks.ts';
import { type DockerInput, dockerCheck } from './common/docker.ts';
import { prometheusExportersCheck } from './common/prometheus-exporters.ts';
import type { Cells } from './document/cells.ts';
import type { Part } from './part.ts';

/**
 * Checks that an administrator switches on, each under its name in the check data, with how many of its things a host
 * has. What is not named is off. See docs/protocol.md, "Check data".
 */
export type OptionalChecks = {
  /** Containers; those that run are listed. */
  readonly docker?: number;
  /** Plugins of the administrator's own. */
  readonly customchecks?: number;
  /** Virtual machines. Linux only; the agent built for them has no `ntp`. */
  readonly libvirt?: number;
  /** Names of exporters whose results the agent passes on. */
  readonly prometheus_exporters?: number;
  /** Entries in the event logs. Windows only. */
  readonly windows_eventlog?: number;
  /** Linux only, and the one check here that is on unless it is switched off, as in the configuration that is shipped. */
  readonly sensors?: boolean;
};

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
