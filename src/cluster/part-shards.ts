import { messageOf } from '../base/kernel/errors.ts';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import type { MachineLimits } from '../base/system/limits.ts';
import { baseAt } from '../run/base-target.ts';
import { openFleet } from '../run/listening-fleet.ts';
import { type PartOfFleet, serversFor, shardsPlan } from '../run/preparation.ts';
import { createSplitQueries } from '../run/split-queries.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { baseUrlsOf } from '../scenario/server-urls.ts';
import { openShards, type ShardThreads } from '../workers/open-shards.ts';
import type { Ask } from '../workers/shard-query.ts';
import type { ShardHandlers } from '../workers/shards.ts';
import type { Bus } from './bus.ts';
import { openKeptFiles } from './kept-files.ts';
import { createKeptPasswords, type KeptPasswords } from './kept-passwords.ts';
import { filesBucket, type HeldBackAgent, identitiesBucket, type Work, type WorkOrder } from './messages.ts';
import type { PartReports } from './part-reports.ts';

/** The threads of a part, before or after its start. */
export type PartShards = {
  readonly shards: ShardThreads;
  /** Agents are numbered within the part. */
  readonly ask: Ask;
  /** `undefined` if no passwords are kept. */
  readonly claims: AgentClaims | undefined;
};

export type PartBuild = {
  /** The name of the machine. */
  readonly name: string;
  readonly bus: Bus;
  readonly work: Work;
  readonly order: WorkOrder;
  readonly part: Omit<PartOfFleet, 'startAt'> & { readonly workers: number };
  readonly limits: MachineLimits;
  /** Indices in the fleet of the agents that have not left. */
  readonly agents: ReadonlySet<number>;
  readonly reports: PartReports;
  /** Whether the machine still has these agents: after a loss, another one may register them. */
  readonly hasLease: () => boolean;
  /** Whether the end of a thread is no loss. */
  readonly isOver: () => boolean;
};

/** @throws UserError if the target, or a file of an agent, cannot be used. */
export async function buildPartShards(build: PartBuild): Promise<PartShards> {
  const { bus, order, part, limits, work } = build;
  const { scenario, workers } = part;
  const bucketOf = (name: string) => bus.bucket(name, { replicas: order.replicas, ttlMs: undefined });
  // Passwords and files are stored in the cluster.
  const ephemeral: Scenario = { ...scenario, fleet: { ...scenario.fleet, identities: { kind: 'ephemeral' } } };
  const { fleet: kept } = order;
  const fleet = await openFleet(ephemeral, () => {}, {
    only: [...build.agents].sort((a, b) => a - b),
    open: kept === undefined ? undefined : async (hosts) => openKeptFiles(await bucketOf(filesBucket(kept)), hosts),
  });
  const bases = await Promise.all(baseUrlsOf(scenario.target).map((url) => baseAt(url, scenario.target)));
  const otherServers = await serversFor(part, bases);
  const identities = kept === undefined ? undefined : await bucketOf(identitiesBucket(kept));
  const passwords = identities && createKeptPasswords(identities, work, build.name);
  const claims = passwords && createAgentClaims(passwords, (agent) => build.hasLease() && build.agents.has(agent));
  const known = await claims?.known();
  const tls = { verify: scenario.target.tls.verify, ca: order.ca };
  const servers = { bases, otherServers, tls, knownPasswords: known && (() => known), openJournal: undefined };
  const plan = { ...shardsPlan(part, servers, { ...fleet, limits }), claims: claims !== undefined };
  const storeFiles: ShardHandlers['storeFiles'] = async (entries) =>
    fleet.disks?.save(entries).then(() => undefined, messageOf);
  const shards = await openShards(plan, handlersOf(build, claims, storeFiles), work.elapsedS * 1000);
  return { shards, ask: createSplitQueries({ agents: build.agents.size, workers }, shards), claims };
}

function handlersOf(
  { reports, isOver }: PartBuild,
  claims: AgentClaims | undefined,
  storeFiles: ShardHandlers['storeFiles'],
): ShardHandlers {
  return {
    storeFiles,
    frame: reports.frame,
    accounted: reports.account,
    finished: reports.endWorker,
    lost: (worker, error) => {
      if (isOver()) return;
      reports.loseWorker(worker, error);
      reports.endWorker(worker);
    },
    claim: async (requests) => claims?.claim(requests) ?? requests.map(() => ({ kind: 'granted', isInherited: false })),
    storeCredentials: async (credentials) => {
      await Promise.all(credentials.map((credential) => claims?.store(credential)));
    },
    copiedPassword: (password) => reports.send({ kind: 'copied_password', ...password }),
    // Only the coordinator, and runs on one machine, do these.
    restored: () => {},
    relocate: async () => {},
    incomplete: () => {},
    storeExchanges: async () => {},
    traced: async () => {},
  };
}

// ---- Claims ----

/** Which agents of a part may register. */
type AgentClaims = ReturnType<typeof createAgentClaims>;

/**
 * @param passwords of the fleet
 * @param isOwn whether the part has an agent, by its index in the fleet
 */
function createAgentClaims(passwords: KeptPasswords, isOwn: (agent: number) => boolean) {
  const heldBack = new Map<number, HeldBackAgent>();
  const claim = async (request: ClaimRequest): Promise<Claim> => {
    const { agent } = request;
    const answer = await passwords.claim(request);
    heldBack.delete(agent);
    if (!isOwn(agent)) await passwords.release((other) => other === agent);
    else if (answer.kind === 'held') heldBack.set(agent, { agent });
    else if (answer.kind === 'lost') heldBack.set(agent, { agent, lostWith: answer.machine });
    return answer.kind === 'lost' ? { kind: 'held' } : answer;
  };
  return {
    claim: (requests: readonly ClaimRequest[]): Promise<readonly Claim[]> => Promise.all(requests.map(claim)),
    known: passwords.known,
    store: passwords.store,
    /** Agents have left the part: their claims without a password end. */
    forget: (agents: ReadonlySet<number>): Promise<void> => {
      for (const agent of agents) heldBack.delete(agent);
      return passwords.release((agent) => agents.has(agent));
    },
    /** Ends all claims without a password, so that another machine may register those agents. */
    releaseAll: (): Promise<void> => passwords.release(() => true),
    /** By index in the fleet, ascending. */
    heldBack: (): readonly HeldBackAgent[] => [...heldBack.values()].sort((a, b) => a.agent - b.agent),
  };
}
