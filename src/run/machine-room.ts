import { UserError } from '../kernel/errors.ts';
import type { Shard } from '../load/shard.ts';
import { type FleetSize, fleetSizeOf } from '../scenario/planning/fleet-size.ts';
import { type MachineLimits, REMEDIES } from '../system/limits.ts';
import { fleetNeeds, placeOf } from '../system/needs.ts';

const NAMES = { fileDescriptors: 'file descriptors', localPorts: 'local ports of one address' } as const;

/**
 * Refuses a fleet whose connections and listeners this machine cannot open, before anything is sent: a run that hits the limit half-way
 * measures this machine. Throws `UserError` with the numbers and what to do.
 */
export function assertRoomFor(scenario: Parameters<typeof fleetSizeOf>[0], shard: Shard, limits: MachineLimits): void {
  const size = fleetSizeOf(scenario, shard);
  for (const resource of ['fileDescriptors', 'localPorts'] as const) {
    const wanted = fleetNeeds(resource, size, placeOf(scenario.target));
    const available = limits[resource] ?? Number.POSITIVE_INFINITY;
    if (wanted <= available) continue;
    throw new UserError(
      `${takersOf(size)} need ${wanted} ${NAMES[resource]}, and this machine gives a process ${available}: ${REMEDIES[resource]}.`,
    );
  }
}

/** `1000 listeners, 64 polls at once`: what takes descriptors and ports. */
function takersOf({ connections, listeners, polls }: FleetSize): string {
  const takers = [
    [connections, 'connections'],
    [listeners, 'listeners'],
    [polls, 'polls at once'],
  ] as const;
  return takers.flatMap(([count, name]) => (count > 0 ? [`${count} ${name}`] : [])).join(', ');
}
