import { conditionOf } from '../../engine/conditions.ts';
import { addressText } from '../../ground/kernel/address.ts';
import { fleetIndex, shareOf } from '../../load/shard.ts';
import type { Health } from '../../metrics/recording/agent-health.ts';
import { cohortFactsOf } from '../../scenario/agents.ts';
import { addressOfAgent } from '../../scenario/listen-range.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { identityOf } from '../../wire/agent/identity.ts';
import type { ControlledFleet } from './controlled-fleet.ts';
import { agentHealthAnswer } from './fleet-health.ts';
import type { AgentSummary } from './schemas.ts';

type SummaryDetails = { readonly code: number; readonly health: Health; readonly uuid?: string };

/** Summaries for the fleet's current scenario. */
export function presentSummaries(fleet: ControlledFleet): () => AgentSummaries {
  let known: { readonly scenario: Scenario; readonly summaries: AgentSummaries } | undefined;
  return () => {
    const { scenario } = fleet;
    if (known?.scenario !== scenario) known = { scenario, summaries: createAgentSummaries(fleet) };
    return known.summaries;
  };
}

/** Identities of the agents of a fleet; `LiveAgents` has their conditions. */
export type AgentSummaries = ReturnType<typeof createAgentSummaries>;

function createAgentSummaries(controlled: ControlledFleet) {
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
  const summaryOf = (place: number, { code, health, uuid }: SummaryDetails): AgentSummary => {
    const index = indexOf(place);
    const identity = identityOf(fleet.seed, index);
    const { state, flags } = conditionOf(code) ?? { state: 'unregistered', flags: [] };
    return {
      ...{ index, host: identity.hostName, uuid: uuid ?? identity.uuid, address: identity.address },
      ...{ state, flags: [...flags], health: agentHealthAnswer(health) },
      ...('groups' in fleet && { group: facts.group(index) }),
      profile: facts.profile(index),
      role: facts.role(index),
      listen: webServer === undefined ? null : addressText(addressOfAgent(webServer.listen, index)),
    };
  };
  return {
    /** `count`: the number of agents in this process. */
    ...{ count, indexOf, summaryOf },
    facts: { ...facts, host },
    /** `undefined` if this process does not run the agent. */
    placeOf: (index: number): number | undefined => {
      const place = (index - shard.index) / shard.count;
      return Number.isInteger(place) && place >= 0 && place < count ? place : undefined;
    },
    /** Current state of all agents. */
    present: async () => {
      const { agents } = controlled;
      const [codes, health, uuids] = await Promise.all([agents.conditions(), agents.health(), agents.assumedUuids()]);
      /** A code for `conditionOf`. */
      const codeOf = (place: number) => codes[place] ?? 0;
      const healthOf = (place: number): Health => health.kinds[health.codes[place] ?? 0] ?? { state: 'pending' };
      const withUuid = (uuid: string | undefined) => uuid !== undefined && { uuid };
      return {
        ...{ codeOf, healthOf },
        summaryOf: (place: number): AgentSummary =>
          summaryOf(place, { code: codeOf(place), health: healthOf(place), ...withUuid(uuids.get(place)) }),
      };
    },
  };
}
