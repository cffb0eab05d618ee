import { UserError } from '../kernel/errors.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type MachineLimits, REMEDIES } from '../system/limits.ts';
import { COSTS, needed, placeOf } from '../system/needs.ts';

const NAMES = { fileDescriptors: 'file descriptors', localPorts: 'local ports' } as const;

/**
 * Refuses a fleet whose connections this machine cannot open, before anything is sent: a run that hits the limit half-way
 * measures this machine. Throws `UserError` with the numbers and what to do.
 */
export function assertRoomFor({ fleet, target }: Pick<Scenario, 'fleet' | 'target'>, limits: MachineLimits): void {
  const { agents, connections } = fleet;
  const open = connections.kind === 'shared' ? Math.min(connections.size, agents) : agents;
  for (const resource of ['fileDescriptors', 'localPorts'] as const) {
    const wanted = needed(COSTS[placeOf(target)][resource], open);
    const available = limits[resource] ?? Number.POSITIVE_INFINITY;
    if (wanted <= available) continue;
    throw new UserError(
      `${open} connections need ${wanted} ${NAMES[resource]}, and this machine gives a process ${available}: ${REMEDIES[resource]}.`,
    );
  }
}
