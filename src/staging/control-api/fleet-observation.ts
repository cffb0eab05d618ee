import type { HealthKind } from '../../metrics/recording/agent-health.ts';
import type { ControlledFleet } from './controlled-fleet.ts';
import { eventAnswer } from './routes/events.ts';

/** What a scrape of a kept fleet shows of it in addition to its figures. */
export async function fleetObservation(fleet: ControlledFleet) {
  const { kinds }: { readonly kinds: readonly HealthKind[] } = await fleet.agents.health();
  return {
    health: kinds.map(({ state, outcome, agents }) => ({ state, agents, ...(outcome !== undefined && { outcome }) })),
    events: fleet.events().map((event) => {
      const { name, do: kind, status } = eventAnswer(event, fleet);
      return { name, kind, isActive: status === 'under-way' };
    }),
  };
}
