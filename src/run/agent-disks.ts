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
  const stored = storedDisks(scenario, store.loadAll(hostNames(scenario)));
  assertStoredTls(listeningAgents(scenario, stored), () => undefined, store.where);
  const keys = await keysOf(scenario, webServer, { store, onKey });
  const files = new Map(stored.map((disk) => [disk.agent, disk.files]));
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

/** What an agent, by its index in the fleet, has on its disk. */
type StoredDisk = { readonly agent: number; readonly hostName: string; readonly files: AgentFileTexts };

function storedDisks(scenario: Scenario, known: ReadonlyMap<string, AgentFileTexts>): readonly StoredDisk[] {
  // Names take a while: most runs find nothing stored.
  if (known.size === 0) return [];
  return Array.from(hostNames(scenario), (hostName, agent) => {
    const files = known.get(hostName);
    return files === undefined ? [] : [{ agent, hostName, files }];
  }).flat();
}

/** Those that would listen; one whose configuration it cannot live with is down, and no reason not to start. */
function* listeningAgents(scenario: Scenario, stored: readonly StoredDisk[]): Iterable<StoredAgent> {
  const firstSettings = agentSettingsOf(scenario);
  for (const { agent, hostName, files } of stored) {
    const read = settingsFrom(files, firstSettings(agent));
    if (read.kind === 'death' || !read.settings.webServer) continue;
    yield { hostName, settings: read.settings, files };
  }
}
