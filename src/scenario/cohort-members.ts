import { oncePerObject } from '../base/kernel/memoize.ts';
import { type GroupDraw, groupNamer, profileNamer, roleNamer } from '../hosts/groups.ts';
import { type CohortFacts, membership } from '../load/cohorts/cohort.ts';
import { type Segments, segmentsOf } from '../load/cohorts/segments.ts';
import { drawOf, type FleetEvent } from '../load/events/event.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { hostNameOf, uuidOf } from '../wire/agent/identity.ts';
import type { Scenario } from './scenario.ts';

/** What the facts about the agents of a fleet depend on. */
export type FleetSeed = GroupDraw & { readonly agents: number };

/** Facts about agents that cohorts can select by before the fleet runs. Each fleet has one set of them. */
export const cohortFactsOf = oncePerObject((fleet: FleetSeed): CohortFacts => {
  const { seed, agents } = fleet;
  const once = (factOf: (agent: number) => string) => oncePerAgent(factOf, agents);
  return {
    seed,
    agents,
    profile: once(profileNamer(fleet)),
    role: once(roleNamer(fleet)),
    group: once(groupNamer(fleet)),
    host: once((agent) => hostNameOf(seed, agent)),
    uuid: once((agent) => uuidOf(seed, agent)),
  };
});

/** At up to a hundred bytes each. */
const KEPT_FACTS = 2 ** 18;

/** Caches a fact of each agent, of the first ones in a larger fleet: making a host name takes a hundred times as long as looking it up. */
function oncePerAgent(factOf: (agent: number) => string, agents: number): (agent: number) => string {
  let known: (string | undefined)[] | undefined;
  return (agent) => {
    if (agent >= KEPT_FACTS) return factOf(agent);
    known ??= new Array(Math.min(agents, KEPT_FACTS));
    const fact = known[agent] ?? factOf(agent);
    known[agent] = fact;
    return fact;
  };
}

/** The segments of a shard, whose agents are numbered within it; `undefined` without cohorts. */
export function segmentsIn(
  { cohorts, fleet }: Pick<Scenario, 'cohorts' | 'fleet'>,
  shard: Shard,
): Segments | undefined {
  if (cohorts.length === 0) return undefined;
  const agents = shareOf(shard, fleet.agents);
  return segmentsOf(cohorts, cohortFactsOf(fleet), { agents, indexOf: (n) => fleetIndex(shard, n) });
}

type Choice = Pick<FleetEvent, 'cohort' | 'name' | 'sticky'>;

/** Returns a test for the agents that an event hits, or may hit if that depends on their states. */
export function chosenBy(event: Choice, fleet: FleetSeed): (agent: number) => boolean {
  return membership(event.cohort, drawOf(event), cohortFactsOf(fleet));
}

/** Whether an event hits at least this many agents. */
export function isChosenBy(event: Choice, fleet: FleetSeed, atLeast: number): boolean {
  return chosenCount(event, fleet, atLeast) >= atLeast;
}

/** The number of agents that an event hits, counted up to `most`. */
export function chosenCount(event: Choice, fleet: FleetSeed, most = Number.POSITIVE_INFINITY): number {
  const { cohort } = event;
  if (cohort.kind === 'share') return Math.min(most, Math.round(cohort.share * fleet.agents));
  const isHit = chosenBy(event, fleet);
  let count = 0;
  for (let agent = 0; agent < fleet.agents && count < most; agent++) if (isHit(agent)) count++;
  return count;
}
