import { compileHeads, type Heads } from '../agent/request-head.ts';
import type { TransportSettings } from './settings.ts';

/** The heads of each agent's requests: the fleet's, but for agents that have an API key of their own. */
export type AgentHeads = {
  readonly ofFleet: Heads;
  of(agent: number): Heads;
  setApiKey(agent: number, apiKey: string): void;
};

export function createAgentHeads({ baseUrl, apiKey }: TransportSettings): AgentHeads {
  const ofFleet = compileHeads(baseUrl, apiKey);
  const own = new Map<number, Heads>();
  // As a rule all agents are given one key.
  let last = { apiKey, heads: ofFleet };
  return {
    ofFleet,
    of: (agent) => (own.size === 0 ? ofFleet : (own.get(agent) ?? ofFleet)),
    setApiKey: (agent, key) => {
      if (last.apiKey !== key) last = { apiKey: key, heads: compileHeads(baseUrl, key) };
      own.set(agent, last.heads);
    },
  };
}
