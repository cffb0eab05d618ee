import type { Core } from './core.ts';
import type { ReloadSettings } from './life.ts';
import { payloadsOf } from './lives.ts';

/** An agent that listens sees to its port first, and looks again after this time whether that is open. */
const PORT_CHECK_MS = 1000;

/** With less between two check runs none is ever over: the agent gives each of them a second less than that. */
const SHORTEST_INTERVAL_MS = 3000;

/** From the start of an agent, or its reload, to the start of its first check run (docs/protocol.md, "Configuration and reload"). */
export function startDelayMs(listens: boolean): number {
  return listens ? PORT_CHECK_MS : 0;
}

/** From the start of the agent's process to the end of its first check run. */
export function firstResultAfterMs(core: Core, agent: number): number {
  const listens = core.lives.get(agent)?.settings?.listens ?? core.ports.listening !== undefined;
  return startDelayMs(listens) + payloadsOf(core, agent).checkRunMs(core.table.fleetIndex(agent));
}

/** A load that is faster than any agent is what somebody wanted; a configuration that is has no result. */
export function hasResults(settings: ReloadSettings | undefined): boolean {
  return settings?.checkEveryMs === undefined || settings.checkEveryMs >= SHORTEST_INTERVAL_MS;
}
