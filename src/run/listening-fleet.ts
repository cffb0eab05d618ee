import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { addressText } from '../base/kernel/address.ts';
import type { AgentFileTexts } from '../base/protocol/agent-files.ts';
import { type AgentFiles, ephemeralAgentFiles, openAgentFiles } from '../base/storage/agent-files.ts';
import { openPullState, type PullState } from '../base/storage/pull-state.ts';
import { readTextFile } from '../base/storage/text-files.ts';
import { agentSettingsOf } from '../scenario/agents.ts';
import { addressOfAgent } from '../scenario/listen-range.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { WebServer } from '../scenario/web-server.ts';
import { settingsFrom } from '../wire/agent/configuration/read-settings.ts';
import { identityOf } from '../wire/agent/identity.ts';
import { makeAuthority } from '../wire/poller/authority.ts';
import { openKeyPool } from '../wire/web-server/auto-tls/keys.ts';
import { assertStoredTls, type StoredAgent } from '../wire/web-server/tls/tls-mode.ts';
import type { AgentExchange, HostFiles } from '../workers/messages.ts';
import type { ListeningPlan, ShardsPlan } from '../workers/shard-jobs.ts';

/** Resources of a fleet that listens; both are `undefined` if it does not. */
export type ListeningFleet = Awaited<ReturnType<typeof openFleet>>;

/**
 * @param disksOf as for `openAgentDisks`.
 * @throws UserError if data of earlier runs cannot be used.
 */
export async function openFleet(scenario: Scenario, keyFinding: (made: number, of: number) => void, disksOf?: DisksOf) {
  const disks = await openAgentDisks(scenario, keyFinding, disksOf);
  const pullSide = await openPullSide(scenario);
  return { disks, pullSide, close: () => pullSide?.close() };
}

/** Files on the disks of listening agents, and the function that stores them. */
type AgentDisks = {
  readonly plan: ListeningPlan;
  /** Resolves when the files are durable. */
  readonly save: (entries: readonly HostFiles[]) => Promise<void>;
};

type DisksOf = {
  /** Indices in the fleet of agents whose disks are read; default: all. Disks of other agents may change meanwhile. */
  readonly only?: readonly number[] | undefined;
  /** Opens the files of these hosts; default: those beside the identity file. */
  readonly open?: ((hostNames: ReadonlySet<string>) => Promise<AgentFiles>) | undefined;
};

/**
 * Reads files that agents stored in earlier runs, and generates missing keys of the pool. `undefined` if agents do not listen.
 *
 * @throws UserError if a stored file cannot be used.
 */
export async function openAgentDisks(
  scenario: Scenario,
  keyFinding: (made: number, of: number) => void,
  { only, open }: DisksOf = {},
): Promise<AgentDisks | undefined> {
  const { fleet, webServer } = scenario;
  if (webServer === undefined) return undefined;
  const { identities } = fleet;
  const local = identities.kind === 'file' ? openAgentFiles(identities.path) : undefined;
  const kept = open === undefined ? local : await open(new Set(hostNames(scenario, only)));
  const store = kept ?? ephemeralAgentFiles();
  const stored = storedDisks(scenario, store, only);
  assertStoredTls(listeningAgents(scenario, stored), () => undefined, store.where);
  const keys = await keysOf(scenario, webServer, { store, keyFinding });
  const files = new Map(stored.map((disk) => [disk.agent, disk.files]));
  return { plan: { files, keys, durable: kept !== undefined }, save: store.save };
}

async function keysOf(
  { fleet }: Scenario,
  { autoTls, keys: { type, pool } }: WebServer,
  { store, keyFinding }: { readonly store: AgentFiles; readonly keyFinding: (made: number, of: number) => void },
): Promise<ListeningPlan['keys']> {
  if (pool === 'unique') return { kind: 'unique', type };
  if (!autoTls) return { kind: 'on_demand', type, size: pool };
  const kept = { load: store.loadKeys, save: store.saveKeys, where: store.whereKey };
  const size = Math.min(pool, fleet.agents);
  const pems = await openKeyPool({ type, size, atOnce: availableParallelism() }, kept, keyFinding);
  return { kind: 'pool', pems };
}

function* hostNames({ fleet: { seed, agents } }: Scenario, only: readonly number[] | undefined): Iterable<string> {
  for (const agent of only ?? Array(agents).keys()) yield identityOf(seed, agent).hostName;
}

/** The files on an agent's disk; `agent` is its index in the fleet. */
type StoredDisk = { readonly agent: number; readonly hostName: string; readonly files: AgentFileTexts };

function storedDisks(
  scenario: Scenario,
  store: AgentFiles,
  only: readonly number[] | undefined,
): readonly StoredDisk[] {
  const known = store.loadAll(hostNames(scenario, only));
  // Host names take time to generate, and most runs find no files.
  if (known.size === 0) return [];
  return Array.from(hostNames(scenario, only), (hostName, index) => {
    const files = known.get(hostName);
    return files === undefined ? [] : [{ agent: only?.[index] ?? index, hostName, files }];
  }).flat();
}

/** Agents that would listen. An agent that cannot read its configuration is down, which does not prevent the start. */
function* listeningAgents(scenario: Scenario, stored: readonly StoredDisk[]): Iterable<StoredAgent> {
  const firstSettings = agentSettingsOf(scenario);
  for (const { agent, hostName, files } of stored) {
    const read = settingsFrom(files, firstSettings(agent));
    if (read.kind === 'death' || !read.settings.webServer) continue;
    yield { hostName, settings: read.settings, files };
  }
}

/** What the embedded server needs to poll the fleet's agents. */
type PullSide = {
  readonly plan: NonNullable<ShardsPlan['poller']>;
  /** Durable when it returns. @throws UserError if it cannot be written. */
  readonly save: (exchanges: readonly AgentExchange[]) => void;
  readonly close: () => void;
};

/**
 * Reads the configuration to push, and opens the authority. With an identity file this is the authority of earlier runs, stored beside that
 * file. `undefined` if the scenario does not poll.
 * @throws UserError if a file cannot be used.
 */
async function openPullSide(scenario: Scenario): Promise<PullSide | undefined> {
  const { target, fleet, webServer } = scenario;
  if (target.pull === undefined || webServer === undefined) return undefined;
  const { configFile } = target.pull;
  const configuration = configFile === undefined ? undefined : await readTextFile('configuration file', configFile);
  if (!webServer.autoTls) {
    const plan = { configuration, authority: undefined, exchanged: [], durable: false };
    return { plan, save: () => {}, close: () => {} };
  }
  const addressOf = (agent: number) => addressText(addressOfAgent(webServer.listen, agent));
  const state = fleet.identities.kind === 'file' ? await openPullState(`${fleet.identities.path}.pull`) : undefined;
  const known = state?.exchanged ?? new Set();
  const exchanged = Array.from({ length: fleet.agents }, (_, agent) => agent).filter((agent) =>
    known.has(addressOf(agent)),
  );
  return {
    plan: {
      configuration,
      exchanged,
      durable: state !== undefined,
      authority: await authorityOf(state, webServer.keys.type),
    },
    save: (exchanges) => state?.remember(exchanges.map(({ agent, record }) => ({ address: addressOf(agent), record }))),
    close: () => state?.close(),
  };
}

/** The CA key has the type of the agents' keys, because a scenario with fast keys should start fast. */
async function authorityOf(state: PullState | undefined, keyType: Parameters<typeof makeAuthority>[0]['keyType']) {
  if (state?.authority !== undefined) return state.authority;
  const made = await makeAuthority({ systemId: randomUUID(), keyType, nowMs: Date.now() });
  await state?.keepAuthority(made);
  return made;
}
