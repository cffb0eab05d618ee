import { availableParallelism } from 'node:os';
import { settingsFrom } from '../agent/configuration/stored-documents.ts';
import { identityOf } from '../agent/identity.ts';
import type { AgentFileTexts } from '../protocol/agent-files.ts';
import { agentSettingsOf } from '../scenario/meaning/agent-settings.ts';
import type { Scenario, WebServer } from '../scenario/scenario.ts';
import { type AgentFiles, ephemeralAgentFiles, openAgentFiles } from '../storage/agent-files.ts';
import { openKeyPool } from '../web-server/auto-tls/key-pool.ts';
import { assertStoredTls, type StoredAgent } from '../web-server/tls/stored-tls.ts';
import type { ListeningPlan } from '../workers/shard-jobs.ts';
import type { HostFiles } from '../workers/shards.ts';

/** What agents that listen have on their disks, and where what they store goes. */
export type AgentDisks = {
  readonly plan: ListeningPlan;
  /** Durable when it resolves. */
  readonly save: (entries: readonly HostFiles[]) => Promise<void>;
};

/**
 * Reads what agents stored in earlier runs, and makes the keys that the pool lacks. Undefined if agents do not listen.
 * Throws `UserError` if something stored cannot be used.
 */
export async function openAgentDisks(
  scenario: Scenario,
  onKey: (made: number, of: number) => void,
): Promise<AgentDisks | undefined> {
  const { fleet, webServer } = scenario;
  if (webServer === undefined) return undefined;
  const store = fleet.identities.kind === 'file' ? openAgentFiles(fleet.identities.path) : ephemeralAgentFiles();
  const files = store.loadAll(hostNames(scenario));
  assertStoredTls(storedAgents(scenario, files), () => undefined, store.where);
  const keys = await keysOf(scenario, webServer, { store, onKey });
  return { plan: { files, keys, durable: fleet.identities.kind === 'file' }, save: store.save };
}

async function keysOf(
  { fleet }: Scenario,
  { autoTls, keys: { type, pool } }: WebServer,
  { store, onKey }: { readonly store: AgentFiles; readonly onKey: (made: number, of: number) => void },
): Promise<ListeningPlan['keys']> {
  if (pool === 'unique') return { kind: 'unique', type };
  if (!autoTls) return { kind: 'on_demand', type, size: pool };
  const kept = { load: store.loadKeys, save: store.saveKeys, where: store.whereKey };
  const size = Math.min(pool, fleet.agents);
  const pems = await openKeyPool({ type, size, atOnce: availableParallelism() }, kept, onKey);
  return { kind: 'pool', pems };
}

function* hostNames({ fleet: { seed, agents } }: Scenario): Iterable<string> {
  for (let agent = 0; agent < agents; agent++) yield identityOf(seed, agent).hostName;
}

/** Those that would listen; one whose configuration it cannot live with is down, and no reason not to start. */
function* storedAgents(scenario: Scenario, files: ReadonlyMap<string, AgentFileTexts>): Iterable<StoredAgent> {
  if (files.size === 0) return;
  const firstSettings = agentSettingsOf(scenario);
  const { seed, agents } = scenario.fleet;
  for (let agent = 0; agent < agents; agent++) {
    const { hostName } = identityOf(seed, agent);
    const own = files.get(hostName);
    if (own === undefined) continue;
    const read = settingsFrom(own, firstSettings(agent));
    if (read.kind === 'death' || !read.settings.webServer) continue;
    yield { hostName, settings: read.settings, files: own };
  }
}
