import { type CohortFacts, membership } from '../load/cohorts/cohort.ts';
import { type Action, drawOf, type FleetEvent, hitsOf, originalOf, ranksUpOf } from '../load/events/event.ts';
import type { Standing } from '../metrics/recording/agent-health.ts';

export type FleetEventsInput = {
  readonly seed: number;
  /** Number of agents in the shard, and their index in the fleet. */
  readonly agents: number;
  readonly fleetIndex: (agent: number) => number;
  /** Facts by index in the fleet; states are available only for agents of the shard. */
  readonly facts: CohortFacts;
  /** Whether the host of an agent, by its index in the fleet, has a service; others of the cohort are not hit. */
  readonly hasService: (agent: number, service: string) => boolean;
  /** What the server has said about an agent of the shard since the start; before that, its state is only that of its file. */
  readonly standing: (agent: number) => Standing;
  /** End of the timeline: starts and ends at or after it are ignored. */
  readonly endMs: number;
  /** Whether the agent still belongs to the shard. */
  readonly isHere: (agent: number) => boolean;
  /** Agents for which the event has started and not ended. */
  readonly affected: (event: number) => readonly number[];
};

/** Agents of a shard that an event affects. */
export type EventCohort = {
  readonly event: FleetEvent;
  readonly action: Action;
  readonly hitOf: ReturnType<typeof hitsOf>;
  /** By the agent's index in the fleet. */
  readonly isMember: (agent: number) => boolean;
  /** Members among the first `evaluated` agents of the shard. A cohort that can change is evaluated at each occurrence. */
  readonly members: number[];
  evaluated: number;
};

// Evaluated in steps, as in `schedule.ts`: a step takes up to 10 ms, if host names must be made.
const AGENTS_AT_ONCE = 4000;
/** Whether a host has a service takes a document. */
const HOSTS_AT_ONCE = 10;

/** The original of a clone is not a clone itself. */
export function eventCohortOf(event: FleetEvent, { seed, hasService, ...input }: FleetEventsInput): EventCohort {
  const { action, of = input.facts.agents } = event;
  const facts = of === input.facts.agents ? input.facts : { ...input.facts, agents: of };
  const isMember = membership(event.cohort, drawOf(event), facts);
  const hitOf = hitsOf(event, seed, ranksUpOf(event, facts));
  const common = { event, hitOf, members: [], evaluated: 0 };
  if (action.kind === 'service-down')
    return { ...common, action, isMember: (agent) => isMember(agent) && hasService(agent, action.service) };
  if (action.kind !== 'clone') return { ...common, action, isMember };
  const original = originalOf(event, facts);
  if (original === undefined) return { ...common, action, isMember: () => false };
  const isCopy = (agent: number) => agent !== original && isMember(agent);
  return { ...common, action: { ...action, original }, isMember: isCopy };
}

/** Evaluates a bounded number of further agents. Returns false if more must be evaluated. */
export function evaluate(
  cohort: EventCohort,
  { agents, fleetIndex }: FleetEventsInput,
  most = agentsPerStep(cohort),
): boolean {
  const to = Math.min(agents, cohort.evaluated + most);
  for (let agent = cohort.evaluated; agent < to; agent++) {
    if (cohort.isMember(fleetIndex(agent))) cohort.members.push(agent);
  }
  cohort.evaluated = to;
  return to === agents;
}

function agentsPerStep({ action }: EventCohort): number {
  return action.kind === 'service-down' ? HOSTS_AT_ONCE : AGENTS_AT_ONCE;
}
