import { conditionOf } from '../../engine/conditions.ts';
import type { CohortFacts } from '../../load/cohorts/cohort.ts';
import { fleetIndex, shareOf } from '../../load/shard.ts';
import type { Health } from '../../metrics/recording/agent-health.ts';
import { cohortFactsOf } from '../../scenario/agents.ts';
import { addressOfAgent, writtenAddress } from '../../scenario/listen-range.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import type { ControlledFleet } from './controlled-fleet.ts';
import { agentHealthAnswer } from './fleet-health.ts';
import type { AgentSummary } from './schemas.ts';

/** Identities of the agents of a fleet; `LiveAgents` has their conditions. */
export type AgentSummaries = {
  /** Number of agents in this process. */
  readonly count: number;
  readonly indexOf: (place: number) => number;
  /** `undefined` if this process does not run the agent. */
  readonly placeOf: (index: number) => number | undefined;
  readonly facts: Omit<CohortFacts, 'state'>;
  readonly summaryOf: (place: number, details: SummaryDetails) => AgentSummary;
  /** Current state of all agents. */
  readonly present: () => Promise<PresentAgents>;
};

type SummaryDetails = { readonly code: number; readonly health: Health; readonly uuid?: string };

export type PresentAgents = {
  /** A code for `conditionOf`. */
  readonly codeOf: (place: number) => number;
  readonly healthOf: (place: number) => Health;
  readonly summaryOf: (place: number) => AgentSummary;
};

/** Summaries for the fleet's current scenario. */
export function presentSummaries(fleet: ControlledFleet): () => AgentSummaries {
  let known: { readonly scenario: Scenario; readonly summaries: AgentSummaries } | undefined;
  return () => {
    const { scenario } = fleet;
    if (known?.scenario !== scenario) known = { scenario, summaries: createAgentSummaries(fleet) };
    return known.summaries;
  };
}

function createAgentSummaries(controlled: ControlledFleet): AgentSummaries {
  const { scenario, shard } = controlled;
  const { fleet, webServer } = scenario;
  const facts = cohortFactsOf(fleet);
  /** Cached, because generating a name takes as long as reading everything else of ten agents, and clients often ask again. */
  const hosts: string[] = [];
  const host = (index: number): string => {
    hosts[index] ??= facts.host(index);
    return hosts[index];
  };
  const count = shareOf(shard, fleet.agents);
  const indexOf = (place: number) => fleetIndex(shard, place);
  const summaryOf: AgentSummaries['summaryOf'] = (place, { code, health, uuid }) => {
    const index = indexOf(place);
    const identity = identityOf(fleet.seed, index);
    const { state, flags } = conditionOf(code) ?? { state: 'unregistered', flags: [] };
    return {
      ...{ index, host: identity.hostName, uuid: uuid ?? identity.uuid, address: identity.address },
      ...{ state, flags: [...flags], health: agentHealthAnswer(health) },
      ...('groups' in fleet && { group: facts.group(index) }),
      profile: facts.profile(index),
      role: facts.role(index),
      listen: webServer === undefined ? null : writtenAddress(addressOfAgent(webServer.listen, index)),
    };
  };
  return {
    ...{ count, indexOf, summaryOf },
    facts: { ...facts, host },
    placeOf: (index) => {
      const place = (index - shard.index) / shard.count;
      return Number.isInteger(place) && place >= 0 && place < count ? place : undefined;
    },
    present: async () => {
      const { agents } = controlled;
      const [codes, health, uuids] = await Promise.all([agents.conditions(), agents.health(), agents.assumedUuids()]);
      const codeOf = (place: number) => codes[place] ?? 0;
      const healthOf = (place: number): Health => health.kinds[health.codes[place] ?? 0] ?? { state: 'pending' };
      const withUuid = (uuid: string | undefined) => uuid !== undefined && { uuid };
      return {
        ...{ codeOf, healthOf },
        summaryOf: (place) =>
          summaryOf(place, { code: codeOf(place), health: healthOf(place), ...withUuid(uuids.get(place)) }),
      };
    },
  };
}
