import { MessageChannel } from 'node:worker_threads';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import type { Leaving } from '../engine/agent-hits.ts';
import { type HostClock, hostTimeMs } from '../load/host-clock.ts';
import { fleetIndex, isInShard, localIn, type Shard, shareOf } from '../load/shard.ts';
import type { PartialSecond } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { TracedMessage } from '../metrics/recording/trace.ts';
import { identityOf } from '../wire/agent/identity.ts';
import { assertEndedWell, type Channel, channelOver } from './channel.ts';
import { accountLater, askSince, frameLater, messageSince } from './later-start.ts';
import type {
  AgentExchange,
  CopiedPassword,
  FleetMessage,
  FromShard,
  HostFiles,
  IssuedCredential,
  ShardAccount,
  ShardCredential,
  ShardFiles,
  ToShard,
} from './messages.ts';
import { createOpenQueries } from './queries.ts';
import { jobsOf, passwordsByWorker, type ShardJob, type ShardsPlan, transferListOf } from './shard-jobs.ts';
import type { AnswerTo, Ask, AskAll, ShardQuery } from './shard-query.ts';
import { endIdleThreads, type RunningJob, startJob } from './threads.ts';

/** The workers of a run, as the control plane sees them: built and waiting for the start. Times count from the start of the run. */
export type Shards = {
  /** Current number of shards, which are numbered from 0. */
  readonly count: number;
  /** Name of a shard in messages: `worker 3`. */
  nameOf(shard: number): string;
  /** What a shard that does not end has not reported, and why, in one sentence; `undefined` if that is not known. */
  unreported?(shard: number): string | undefined;
  /** Time that a message needs at most to reach all shards. */
  readonly noticeMs: number;
  /**
   * Sets the start of the run on the process-wide monotonic clock. Waiting shards start at their own offset from it; shards whose agents
   * have all left end.
   */
  start(atMs: number, epochMs: number): void;
  /** Removes agents, by index in the fleet. Resolves with the number of agents that could not leave yet; call again for them. */
  leave(agents: readonly number[], how: Leaving): Promise<number>;
  /** Sends it to all shards. */
  send(message: FleetMessage): void;
  /** Queries a worker. Rejects if it has ended. */
  ask<Query extends ShardQuery>(worker: number, query: Query): Promise<AnswerTo<Query>>;
  readonly askAll: AskAll;
  /** Terminates the threads, even busy ones. */
  close(): Promise<void>;
};

/** The workers of this process. */
export type ShardThreads = Shards & {
  /** Starts no operation after this time on the process-wide monotonic clock, until it is called with a later one. */
  hold(untilMs: number): void;
  /** See `Joining`; times of the scenario of the plan count from `sinceMs`. Rejects with `UserError` if they cannot be opened. */
  open(plan: ShardsPlan, sinceMs: number): Promise<void>;
  /** Before the start: replaces the known passwords. */
  restore(known: Iterable<IssuedCredential>): void;
};

/** Agents that join a running fleet, and the number of shards that share them. */
export type Joining = {
  readonly shard: Shard;
  readonly workers: number;
  /** Opens additional shards, with the next numbers. They wait for `start`. */
  readonly open: () => Promise<void>;
};

/** Agents that move to other shards of a running fleet. */
export type Relocation = {
  /** Indices in the fleet, ascending. */
  readonly agents: readonly number[];
  /** Time to open their shards before they start. */
  readonly leadMs: number;
  /** They start `sinceMs`, in whole seconds, after the run. If their shards cannot be opened, the agents stay where they are. */
  readonly joining: (sinceMs: number) => Joining;
};

export type ShardHandlers = {
  frame(frame: Frame): void;
  /** Seconds of the whole fleet from before the first frame: another process led the run until then. */
  restored(seconds: readonly PartialSecond[]): void;
  /** Returns when the passwords are durable; an empty one means that it was removed. Several calls may share one commit. */
  storeCredentials(credentials: readonly IssuedCredential[]): Promise<void>;
  /** Agents, by index in the fleet, want to register for the first time. Returns an answer for each. */
  claim(requests: readonly ClaimRequest[]): Promise<readonly Claim[]>;
  /** Returns when the files of agents, by host name, are durable, or with the reason why they are not. */
  storeFiles(entries: readonly HostFiles[]): Promise<string | undefined>;
  /** Returns when the certificate exchanges of the embedded server are durable. */
  storeExchanges(exchanges: readonly AgentExchange[]): Promise<void>;
  /** An event clones an agent with this password; shards of other machines need it. */
  copiedPassword(password: CopiedPassword): void;
  /** Moves agents to other shards. Resolves when they have been told to start; rejects if they could not move, or the run ends. */
  relocate(relocation: Relocation): Promise<void>;
  /** A part of the run that no frame shows is missing; one sentence. */
  incomplete(text: string): void;
  /** Returns when the message was shown. */
  traced(message: TracedMessage): Promise<void>;
  /** Called once, before `finished`; never for a shard that is lost. */
  accounted(shard: number, account: ShardAccount): void;
  finished(shard: number): void;
  /** The worker ended before it finished. */
  lost(shard: number, error: Error): void;
};

/** One shard, as the control plane sees it. */
type OpenShard = {
  /** Its agents; `undefined` for the poller. */
  readonly agents: OwnAgents | undefined;
  /** Its start in milliseconds since the start of the run; its own times count from there. */
  readonly sinceMs: number;
  readonly hostClock: HostClock | undefined;
  isStarted: boolean;
  readonly channel: Channel<FromShard, ToShard>;
  /** Queries it, in times of the run. Rejects if it has ended. */
  readonly ask: Ask;
};

/** For threads of one process. */
const NOTICE_MS = 100;

type OwnAgents = {
  readonly shard: Shard;
  readonly count: number;
  /** Numbers in the shard of agents that have left. */
  readonly gone: Set<number>;
};

/**
 * Starts one worker thread per shard, and one for the poller. Resolves when all of them wait for the start.
 *
 * @param firstSinceMs start of these shards after the start of the run. All times at this interface are those of the run.
 */
export async function openShards(
  firstPlan: ShardsPlan,
  handlers: ShardHandlers,
  firstSinceMs = 0,
): Promise<ShardThreads> {
  const relay = (password: CopiedPassword): void => {
    sendAll({ kind: 'copied_password', ...password });
    handlers.copiedPassword(password);
  };
  const running: RunningJob[] = [];
  let shards: readonly OpenShard[] = [];
  let arePollsOver = false;
  const open = async (plan: ShardsPlan, sinceMs: number): Promise<void> => {
    const started: RunningJob[] = [];
    const opening = jobsOf(plan, shards.length).map((job) =>
      openShard({ job, relay, sinceMs, started: (one) => started.push(one) }, handlers, (end) => shardEnded(job, end)),
    );
    running.push(...started);
    shards = [...shards, ...(await allOpened(opening, started))];
  };
  const sendAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
  function shardEnded({ entry, shard }: ShardJob, report: () => void): void {
    report();
    if (isEmpty(shards[shard])) void endIdleThreads();
    if (entry !== 'poller-entry') return;
    arePollsOver = true;
    sendAll({ kind: 'polls_over' });
  }
  await open(firstPlan, firstSinceMs);
  // The poller thread may have died while the others were being built.
  if (arePollsOver) sendAll({ kind: 'polls_over' });
  return {
    noticeMs: NOTICE_MS,
    nameOf: (shard) => `worker ${shard}`,
    get count() {
      return shards.length;
    },
    start: (atMs, epochMs) => startAll(shards, atMs, epochMs),
    open,
    leave: (agents, how) => leaveShards(shards, agents, how),
    send: (message) => {
      for (const { channel, sinceMs } of shards) channel.send(messageSince(message, sinceMs));
    },
    askAll: (query, missing) => {
      const workers = shards.filter(({ agents }) => agents !== undefined);
      return Promise.all(workers.map(({ ask }) => ask(query).catch(() => missing)));
    },
    ask: (worker, query) => shardAt(shards, worker).ask(query),
    hold: (untilMs) => sendAll({ kind: 'lease', untilMs }),
    restore: (known) => {
      const passwords = passwordsByWorker(known, { ...firstPlan, fleet: firstPlan.scenario.fleet });
      for (const [worker, own] of passwords.entries())
        shards[worker]?.channel.send({ kind: 'passwords', passwords: own });
    },
    close: () => terminateAll(running),
  };
}

/** Resolves when all shards are open. If one cannot open, ends all that were started. */
async function allOpened(opening: readonly Promise<OpenShard>[], started: readonly RunningJob[]) {
  try {
    return await Promise.all(opening);
  } catch (error) {
    await terminateAll(started);
    throw error;
  }
}

/** `atMs` is the start of the run on the control plane's clock, `epochMs` in Unix ms. */
function startAll(shards: readonly OpenShard[], atMs: number, epochMs: number): void {
  for (const shard of shards) if (!shard.isStarted) startShard(shard, atMs, epochMs);
  for (const shard of shards) if (isEmpty(shard)) shard.channel.send({ kind: 'stop' });
}

function startShard(shard: OpenShard, atMs: number, epochMs: number): void {
  const { channel, sinceMs, hostClock } = shard;
  shard.isStarted = true;
  const hostMs = hostTimeMs(hostClock, epochMs, sinceMs);
  channel.send({ kind: 'start', atMs: atMs + sinceMs, epochMs: epochMs + sinceMs, hostMs });
}

function isEmpty(shard: OpenShard | undefined): boolean {
  const { agents } = shard ?? {};
  return agents !== undefined && agents.gone.size === agents.count;
}

function shardAt(shards: readonly OpenShard[], worker: number): OpenShard {
  const shard = shards[worker];
  if (shard === undefined) throw new RangeError(`there is no worker ${worker}`);
  return shard;
}

/** Returns the number of these agents that could not leave yet. */
async function leaveShards(shards: readonly OpenShard[], agents: readonly number[], how: Leaving): Promise<number> {
  const left = await Promise.all(shards.map((shard) => leaveShard(shard, agents, how)));
  return left.reduce((sum, count) => sum + count, 0);
}

async function leaveShard({ agents, ask }: OpenShard, leaving: readonly number[], how: Leaving): Promise<number> {
  if (agents === undefined) return 0;
  const { shard, gone, count } = agents;
  const own = leaving.filter((agent) => isInShard(shard, agent)).map((agent) => localIn(shard, agent));
  // Agents that joined later belong to another shard.
  const here = own.filter((agent) => agent < count && !gone.has(agent));
  if (here.length === 0) return 0;
  const left = await ask({ kind: 'leave', agents: Uint32Array.from(here), how });
  if (left === 0) for (const agent of here) gone.add(agent);
  return left;
}

async function terminateAll(jobs: readonly RunningJob[]): Promise<void> {
  await Promise.all(jobs.map((job) => job.terminate()));
}

type ShardOpening = {
  readonly job: ShardJob;
  readonly started: (job: RunningJob) => void;
  readonly relay: (password: CopiedPassword) => void;
  readonly sinceMs: number;
};

function openShard(
  { job, started, relay, sinceMs }: ShardOpening,
  handlers: ShardHandlers,
  ended: (report: () => void) => void,
): Promise<OpenShard> {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromShard, ToShard>(near);
  const { shard, entry, task } = job;
  // Only shards with agents ask for these.
  const indexOf = (agent: number): number => (job.entry === 'shard-entry' ? fleetIndex(job.task.shard, agent) : agent);
  const filesOf = ({ agent, files }: ShardFiles): HostFiles => {
    return { hostName: identityOf(task.scenario.fleet.seed, indexOf(agent)).hostName, files };
  };
  const queries = createOpenQueries(channel.send);
  let ready = false;
  return new Promise((resolve, reject) => {
    channel.listen((message) => {
      switch (message.kind) {
        case 'ready':
          ready = true;
          return resolve({
            agents: agentsOf(job),
            sinceMs,
            hostClock: task.scenario.hostClock,
            isStarted: false,
            channel,
            ask: askSince(sinceMs, queries.ask),
          });
        case 'frame':
          return handlers.frame(frameLater(message.frame, sinceMs));
        case 'trace':
          return void handlers.traced(message.message).then(() => channel.send({ kind: 'trace_shown' }));
        case 'answer':
          return queries.answered(message);
        case 'copied_password':
          return relay(message);
        case 'account':
          return handlers.accounted(shard, accountLater(message.account, sinceMs));
        case 'credentials':
          return void storeAndConfirm(channel, message.credentials, handlers);
        case 'claims':
          return void handlers
            .claim(message.requests.map((one) => ({ ...one, agent: indexOf(one.agent) })))
            .then((claims) => channel.send({ kind: 'claimed', requests: message.requests, claims }));
        case 'exchanges':
          return void handlers.storeExchanges(message.exchanges).then(() => channel.send({ kind: 'exchanges_stored' }));
        case 'files':
          return void handlers.storeFiles(message.writes.map(filesOf)).then((problem) => {
            channel.send({ kind: 'files_stored', writes: message.writes.map(({ write }) => write), problem });
          });
        default:
          message satisfies never;
      }
    });
    // The end of the job has its own channel and may overtake the last frame; the closing of the port does not.
    const running = startJob(entry, { job: { task }, port: far, transfer: transferListOf(job) });
    started(running);
    running.end
      .then(assertEndedWell)
      .then(() => channel.closed)
      .finally(queries.end)
      .then(
        () => ended(() => handlers.finished(shard)),
        (error: Error) => {
          if (ready) ended(() => handlers.lost(shard, error));
          else reject(error);
        },
      );
  });
}

function agentsOf(job: ShardJob): OwnAgents | undefined {
  if (job.entry !== 'shard-entry') return undefined;
  const { shard, scenario } = job.task;
  return { shard, count: shareOf(shard, scenario.fleet.agents), gone: new Set() };
}

async function storeAndConfirm(
  channel: OpenShard['channel'],
  credentials: readonly ShardCredential[],
  handlers: ShardHandlers,
): Promise<void> {
  await handlers.storeCredentials(credentials);
  const issued = credentials.filter(({ password }) => password !== '');
  channel.send({ kind: 'stored', entries: credentials.length, agents: issued.map(({ agent }) => agent) });
}
