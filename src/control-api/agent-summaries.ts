import { identityOf } from '../agent/identity.ts';
import type { CohortFacts } from '../cohorts/cohort.ts';
import { conditionOf } from '../engine/conditions.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { cohortFactsOf } from '../scenario/agents.ts';
import { addressOfAgent, writtenAddress } from '../scenario/listen-range.ts';
import type { ControlledFleet } from './controlled-fleet.ts';
import type { AgentSummary } from './schemas.ts';

/** Who the agents of a fleet are; the conditions are those of `AgentsAtWork`. */
export type AgentSummaries = {
  /** So many agents are raised here. */
  readonly count: number;
  readonly indexOf: (place: number) => number;
  /** Undefined: it is not raised here. */
  readonly placeOf: (index: number) => number | undefined;
  readonly facts: Omit<CohortFacts, 'state'>;
  readonly summaryOf: (place: number, code: number) => AgentSummary;
};

export function createAgentSummaries({ scenario, shard }: ControlledFleet): AgentSummaries {
  const { fleet, webServer } = scenario;
  const facts = cohortFactsOf(fleet);
  /** Making up a name takes as long as asking ten agents for all else; who asks once asks again. */
  const hosts: string[] = [];
  const host = (index: number): string => {
    hosts[index] ??= facts.host(index);
    return hosts[index];
  };
  const count = shareOf(shard, fleet.agents);
  const indexOf = (place: number) => fleetIndex(shard, place);
  return {
    ...{ count, indexOf },
    facts: { ...facts, host },
    placeOf: (index) => {
      const place = (index - shard.index) / shard.count;
      return Number.isInteger(place) && place >= 0 && place < count ? place : undefined;
    },
    summaryOf: (place, code) => {
      const index = indexOf(place);
      const { uuid, hostName: host, address } = identityOf(fleet.seed, index);
      const { state, flags } = conditionOf(code) ?? { state: 'unregistered', flags: [] };
      return {
        ...{ index, host, uuid, address, state, flags: [...flags] },
        profile: facts.profile(index),
        role: facts.role(index),
        listen: webServer === undefined ? null : writtenAddress(addressOfAgent(webServer.listen, index)),
      };
    },
  };
}
