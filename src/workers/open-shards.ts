import { MessageChannel } from 'node:worker_threads';
import type { Leaving } from '../engine/agent-hits.ts';
import { type HostClock, hostTimeMs } from '../load/host-clock.ts';
import { fleetIndex, isInShard, localIn, type Shard, shareOf } from '../load/shard.ts';
import { identityOf } from '../wire/agent/identity.ts';
import { assertEndedWell, type Channel, channelOver } from './channel.ts';
import { accountLater, askSince, frameLater, messageSince } from './later-start.ts';
import type { FromShard, IssuedCredential, ShardCredential, ShardFiles, ToShard } from './messages.ts';
import { createOpenQueries } from './queries.ts';
import { jobsOf, passwordsByWorker, type ShardJob, type ShardsPlan, transferListOf } from './shard-jobs.ts';
import type { Ask } from './shard-query.ts';
import type { ShardHandlers, Shards } from './shards.ts';
import { endIdleThreads, type RunningJob, startJob } from './threads.ts';

/** The workers of this process. */
export type ShardThreads = Shards & {
  /** Starts no operation after this time on the process-wide monotonic clock, until it is called with a later one. */
  hold(untilMs: number): void;
  /** See `Joining`; times of the scenario of the plan count from `sinceMs`. Rejects with `UserError` if they cannot be opened. */
  open(plan: ShardsPlan, sinceMs: number): Promise<void>;
  /** Before the start: replaces the known passwords. */
  restore(known: Iterable<IssuedCredential>): void;
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

/** Time that a message needs at most to reach all threads of this process. */
const NOTICE_MS = 100;

type OwnAgents = {
  readonly shard: Shard;
  /** Number of agents when the shard was opened. */
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
  const relaying: ShardHandlers = {
    ...handlers,
    copiedPassword: (password) => {
      sendAll({ kind: 'copied_password', ...password });
      handlers.copiedPassword(password);
    },
  };
  const running: RunningJob[] = [];
  let shards: readonly OpenShard[] = [];
  let arePollsOver = false;
  const open = async (plan: ShardsPlan, sinceMs: number): Promise<void> => {
    const started = jobsOf(plan, shards.length).map((job) => startThread(job, sinceMs, relaying));
    running.push(...started.map((thread) => thread.running));
    for (const thread of started)
      thread.opened.then(
        () => reportEnd(thread),
        () => {}, // Reported by the promise of all.
      );
    shards = [...shards, ...(await allOpened(started))];
  };
  const sendAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
  async function reportEnd({ job: { entry, shard }, end }: ShardThread): Promise<void> {
    const error = await end;
    if (error === undefined) handlers.finished(shard);
    else handlers.lost(shard, error);
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
    start: (atMs, epochMs) => {
      for (const shard of shards) if (!shard.isStarted) startShard(shard, atMs, epochMs);
      for (const shard of shards) if (isEmpty(shard)) shard.channel.send({ kind: 'stop' });
    },
    open,
    leave: async (agents, how) => {
      const left = await Promise.all(shards.map((shard) => leaveShard(shard, agents, how)));
      return left.reduce((sum, count) => sum + count, 0);
    },
    send: (message) => {
      for (const { channel, sinceMs } of shards) channel.send(messageSince(message, sinceMs));
    },
    askAll: (query, missing) => {
      const workers = shards.filter(({ agents }) => agents !== undefined);
      return Promise.all(workers.map(({ ask }) => ask(query).catch(() => missing)));
    },
    ask: (worker, query) => {
      const shard = shards[worker];
      if (shard === undefined) throw new RangeError(`there is no worker ${worker}`);
      return shard.ask(query);
    },
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
async function allOpened(started: readonly ShardThread[]): Promise<readonly OpenShard[]> {
  try {
    return await Promise.all(started.map(({ opened }) => opened));
  } catch (error) {
    await terminateAll(started.map(({ running }) => running));
    throw error;
  }
}

/** `atMs` is the start of the run on the control plane's clock, `epochMs` in Unix ms. */
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

/** Returns the number of these agents of a shard that could not leave yet. */
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

/** The thread of a shard. */
type ShardThread = {
  readonly job: ShardJob;
  readonly running: RunningJob;
  /** Resolves when the shard waits for the start. Rejects if its thread died or failed before. */
  readonly opened: Promise<OpenShard>;
  /** Resolves when the shard has ended and all its messages were delivered, with the error if its thread died or failed. */
  readonly end: Promise<Error | undefined>;
};

function startThread(job: ShardJob, sinceMs: number, handlers: ShardHandlers): ShardThread {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromShard, ToShard>(near);
  const queries = createOpenQueries(channel.send);
  const receive = receiverOf({ job, sinceMs, send: channel.send }, handlers);
  const ready = Promise.withResolvers<void>();
  channel.listen((message) => {
    if (message.kind === 'ready') ready.resolve();
    else if (message.kind === 'answer') queries.answered(message);
    else receive(message);
  });
  const running = startJob(job.entry, { job: { task: job.task }, port: far, transfer: transferListOf(job) });
  // The end of the job has its own channel and may overtake the last frame; the closing of the port does not.
  const end = running.end
    .then(assertEndedWell)
    .then(() => channel.closed)
    .finally(queries.end)
    .then(
      () => undefined,
      (error: Error) => error,
    );
  const opened = Promise.race([ready.promise, end]).then((error): OpenShard => {
    if (error instanceof Error) throw error;
    const { hostClock } = job.task.scenario;
    const ask = askSince(sinceMs, queries.ask);
    return { agents: agentsOf(job), sinceMs, hostClock, isStarted: false, channel, ask };
  });
  return { job, running, opened, end };
}

/** Passes messages of a shard to the handlers, in times of the run and with indices in the fleet, and confirms what they stored. */
function receiverOf(
  { job, sinceMs, send }: Pick<ShardThread, 'job'> & Pick<OpenShard, 'sinceMs'> & Pick<OpenShard['channel'], 'send'>,
  handlers: ShardHandlers,
): (message: Exclude<FromShard, { readonly kind: 'ready' | 'answer' }>) => void {
  // Only shards with agents ask for these.
  const indexOf = (agent: number): number => (job.entry === 'shard-entry' ? fleetIndex(job.task.shard, agent) : agent);
  const hostNameOf = ({ agent }: ShardFiles) => identityOf(job.task.scenario.fleet.seed, indexOf(agent)).hostName;
  return (message) => {
    switch (message.kind) {
      case 'frame':
        return handlers.frame(frameLater(message.frame, sinceMs));
      case 'trace':
        return void handlers.traced(message.message).then(() => send({ kind: 'trace_shown' }));
      case 'copied_password':
        return handlers.copiedPassword(message);
      case 'account':
        return handlers.accounted(job.shard, accountLater(message.account, sinceMs));
      case 'credentials':
        return void handlers.storeCredentials(message.credentials).then(() => send(storedOf(message.credentials)));
      case 'claims':
        return void handlers
          .claim(message.requests.map((one) => ({ ...one, agent: indexOf(one.agent) })))
          .then((claims) => send({ kind: 'claimed', requests: message.requests, claims }));
      case 'exchanges':
        return void handlers.storeExchanges(message.exchanges).then(() => send({ kind: 'exchanges_stored' }));
      case 'files':
        return void handlers
          .storeFiles(message.writes.map((write) => ({ hostName: hostNameOf(write), files: write.files })))
          .then((problem) => send({ kind: 'files_stored', writes: message.writes.map(({ write }) => write), problem }));
      default:
        message satisfies never;
    }
  };
}

/** Confirms credentials. Those with an empty password were removed, so nothing waits for them. */
function storedOf(credentials: readonly ShardCredential[]): ToShard {
  const issued = credentials.filter(({ password }) => password !== '');
  return { kind: 'stored', entries: credentials.length, agents: issued.map(({ agent }) => agent) };
}

function agentsOf(job: ShardJob): OwnAgents | undefined {
  if (job.entry !== 'shard-entry') return undefined;
  const { shard, scenario } = job.task;
  return { shard, count: shareOf(shard, scenario.fleet.agents), gone: new Set() };
}
