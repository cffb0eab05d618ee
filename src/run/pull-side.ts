import { randomUUID } from 'node:crypto';
import { makeAuthority } from '../poller/authority/authority.ts';
import { addressOfAgent, writtenAddress } from '../scenario/listen-range.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { openPullState, type PullState } from '../storage/pull-state.ts';
import { readScenarioFile } from '../storage/text-files.ts';
import type { ShardsPlan } from '../workers/shard-jobs.ts';

/** What the embedded server brings to ask the fleet's agents. */
export type PullSide = {
  readonly plan: NonNullable<ShardsPlan['poller']>;
  /** The agent, by its index in the fleet, got certificates, or will get new ones. */
  readonly changed: (agent: number, isExchanged: boolean) => void;
  readonly close: () => void;
};

/**
 * Reads what is pushed, and has an authority: with an identity file the one of earlier runs, beside that file. Undefined
 * if the scenario lets nobody ask. Throws `UserError` if a file cannot be used.
 */
export async function openPullSide(scenario: Scenario): Promise<PullSide | undefined> {
  const { target, fleet, webServer } = scenario;
  if (target.pull === undefined || webServer === undefined) return undefined;
  const { configFile } = target.pull;
  const configuration = configFile === undefined ? undefined : await readScenarioFile(configFile);
  if (!webServer.autoTls) {
    return { plan: { configuration, authority: undefined, exchanged: [] }, changed: () => {}, close: () => {} };
  }
  const addressOf = (agent: number) => writtenAddress(addressOfAgent(webServer.listen, agent));
  const state = fleet.identities.kind === 'file' ? await openPullState(`${fleet.identities.path}.pull`) : undefined;
  const known = state?.exchanged ?? new Set();
  const exchanged = Array.from({ length: fleet.agents }, (_, agent) => agent).filter((agent) =>
    known.has(addressOf(agent)),
  );
  return {
    plan: { configuration, exchanged, authority: await authorityOf(state, webServer.keys.type) },
    changed: (agent, isExchanged) => state?.[isExchanged ? 'remember' : 'forget'](addressOf(agent)),
    close: () => state?.close(),
  };
}

/** The authority's key is of the agents' kind: whoever chooses quick ones for them wants a quick start. */
async function authorityOf(state: PullState | undefined, keyType: Parameters<typeof makeAuthority>[0]['keyType']) {
  if (state?.authority !== undefined) return state.authority;
  const made = await makeAuthority({ systemId: randomUUID(), keyType, nowMs: Date.now() });
  state?.keepAuthority(made);
  return made;
}
