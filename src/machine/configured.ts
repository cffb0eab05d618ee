import { configuredCustomChecks } from './common/custom-checks.ts';
import { namedExporters } from './common/prometheus-exporters.ts';
import type { Cells } from './document/cells.ts';
import type { Node } from './document/nodes.ts';
import type { HostConfiguration } from './host-configuration.ts';
import { checkWithoutUpdates } from './inventory/without-updates.ts';
import { fixedPart, inTurn, type Part } from './part.ts';

/** Checks that no configuration leaves out. */
const PERMANENT: ReadonlySet<string> = new Set(['agent', 'customchecks', 'packagemanager', 'prometheus_exporters']);

/** In the spelling of an agent whose collector never started. */
const NO_PACKAGES = fixedPart({ enabled: false, pending: false });

/** Whether an agent configured so tells of no updates. */
export function tellsNoUpdates(configuration: HostConfiguration | undefined): boolean {
  return configuration?.packages?.updateCheck === false;
}

/** The check data of a host whose agent is configured so. */
export function configured(part: Part, configuration: HostConfiguration | undefined, cells: Cells): Part {
  if (configuration === undefined) return part;
  const { disabledChecks, customChecks, exporters, packages } = configuration;
  const checks = part.node as { readonly [key: string]: Node };
  const own: Readonly<Record<string, Part>> = {
    ...(customChecks && { customchecks: configuredCustomChecks(customChecks, cells) }),
    ...(exporters && { prometheus_exporters: namedExporters(exporters, cells) }),
    ...(packages === undefined && { packagemanager: NO_PACKAGES }),
    ...(tellsNoUpdates(configuration) && { packagemanager: fixedPart(checkWithoutUpdates(checks.packagemanager)) }),
  };
  const isTold = (check: string): boolean => PERMANENT.has(check) || !disabledChecks.includes(check);
  const told = Object.entries(checks).filter(([check]) => isTold(check));
  return {
    node: Object.fromEntries(told.map(([check, node]) => [check, own[check]?.node ?? node])),
    // Checks that are not told are filled all the same: others look how they stand.
    fill: inTurn([part.fill, ...Object.values(own).map(({ fill }) => fill)]),
  };
}
