import { WHOLE_FLEET } from '../../load/shard.ts';
import { listenersIn } from '../../scenario/listen-range.ts';
import { fleetSizeOf } from '../../scenario/planning/fleet-size.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { MachineLimits } from '../../system/limits.ts';
import { fleetNeeds, placeOf } from '../../system/needs.ts';

/** More agents no scenario may have. */
const MOST_AGENTS = 10_000_000;

/** How many agents of a scenario this machine has room for, and its web servers addresses; 0 if not even for one. */
export function mostAgents(scenario: Scenario, limits: MachineLimits): number {
  let [fits, beyond] = [0, MOST_AGENTS + 1];
  while (beyond - fits > 1) {
    const middle = Math.floor((fits + beyond) / 2);
    if (hasRoomFor(middle, scenario, limits)) fits = middle;
    else beyond = middle;
  }
  return fits;
}

function hasRoomFor(agents: number, scenario: Scenario, limits: MachineLimits): boolean {
  const { fleet, webServer, target } = scenario;
  if (webServer !== undefined && agents > listenersIn(webServer.listen)) return false;
  const size = fleetSizeOf({ ...scenario, fleet: { ...fleet, agents } }, WHOLE_FLEET);
  return (['fileDescriptors', 'localPorts', 'memoryBytes'] as const).every(
    (resource) => fleetNeeds(resource, size, placeOf(target)) <= (limits[resource] ?? Number.POSITIVE_INFINITY),
  );
}
