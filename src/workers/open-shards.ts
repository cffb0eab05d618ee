import { MessageChannel } from 'node:worker_threads';
import { identityOf } from '../agent/identity.ts';
import type { Leaving } from '../engine/agent-hits.ts';
import type { FleetEvent } from '../events/event.ts';
import { type HostClock, hostTimeMs } from '../load/host-clock.ts';
import { fleetIndex, isInShard, localIn, type Shard, shareOf } from '../load/shard.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { TracedMessage } from '../metrics/recording/trace.ts';
import { eventSince } from '../scenario/planning/staying.ts';
import { assertEndedWell, type Channel, channelOver } from './channel.ts';
import { accountLater, frameLater, querySince, standingLater } from './later-start.ts';
import type {
  AgentExchange,
  BaseTarget,
  CopiedPassword,
  FoundAgents,
  FromShard,
  HostFiles,
  IssuedCredential,
  ShardAccount,
  ShardAnswers,
  ShardCredential,
  ShardFiles,
  ShardQuery,
  ToShard,
} from './messages.ts';
import { createQuestions, type Questions } from './questions.ts';
import { jobsOf, movedWith, type ShardJob, type ShardsPlan } from './shard-jobs.ts';
import { createThreads, startJob, type Threads } from './threads.ts';

/** The workers of a run, as the control plane sees them: built, waiting for the start. Times count from the start of the run. */
export type Shards = {
  /** So far; they have the numbers below it. */
  readonly count: number;
  /** How a message names one of them: `worker 3`. */
  nameOf(shard: number): string;
  /** Time for all of them to learn of something before it comes. */
  readonly noticeMs: number;
  /**
   * The run began, or begins, at this instant of the process-wide monotonic clock: those that wait start as long after it as was planned,
   * and those of which all agents have left end.
   */
  start(atMs: number, epochMs: number): void;
  /** Agents leave, and others come, while the run is under way; undefined: it ends with those with which it began. */
  readonly moving: Moving | undefined;
  /** Whom another event would hit now; agents by their indices only if they are asked for. */
  findEvent(event: FleetEvent, withAgents: boolean): Promise<FoundAgents>;
  /** Something else is to happen in the run; what is past of it happens at once. */
  addEvent(event: FleetEvent, otherServers: readonly BaseTarget[]): void;
  /** What happens under this name is over at an instant of the run; resolves with how many agents it was under way for. */
  endEvent(name: string, atMs: number): Promise<number>;
  /** Asks a worker of the fleet. Rejects if it has ended. */
  ask<Query extends ShardQuery>(worker: number, query: Query): Promise<ShardAnswers[Query['kind']]>;
  /** Tells all of them of an agent of another machine. */
  tellPassword(password: CopiedPassword): void;
  /** Nothing new is started; what is in flight ends by itself. */
  stop(): void;
  /** Everything ends now. */
  cancel(): void;
  /** Ends the threads, whatever they do. */
  close(): Promise<void>;
};

/** How agents leave a run that is under way, and how others come to it. */
export type Moving = {
  /**
   * Opens further shards for agents that come so many whole seconds after the start of the run, with the next numbers: the scenario of
   * the plan counts from then. They wait for `start`. Rejects with `UserError` if they cannot be opened.
   */
  open(plan: ShardsPlan, sinceMs: number): Promise<void>;
  /** These agents, by their indices in the fleet, leave; resolves with how many are still there, to be asked again. */
  leave(agents: readonly number[], how: Leaving): Promise<number>;
};

export type ShardEvents = {
  frame(frame: Frame): void;
  /** Returns once the passwords are durable; an empty one is one that is gone. Several calls may share one commit. */
  storeCredentials(credentials: readonly IssuedCredential[]): Promise<void>;
  /** Returns once the files of agents, by host name, would outlive a crash; or why they do not. */
  storeFiles(entries: readonly HostFiles[]): Promise<string | undefined>;
  /** Returns once it is durable what became of certificates of the embedded server. */
  storeExchanges(exchanges: readonly AgentExchange[]): Promise<void>;
  /** An agent of which an event makes copies has this password: the shards of other machines want to know. */
  copiedPassword(password: CopiedPassword): void;
  /** Something of the run is missing that no frame shows; one sentence. */
  incomplete(text: string): void;
  /** Returns once the message has reached its reader. */
  traced(message: TracedMessage): Promise<void>;
  /** Comes once, before `finished`; never from a shard that is lost. */
  accounted(shard: number, account: ShardAccount): void;
  finished(shard: number): void;
  /** The worker ended without finishing. */
  lost(shard: number, error: Error): void;
};

/** One shard, seen from the control plane. */
type OpenShard = {
  /** Its agents; undefined: it polls. */
  readonly agents: OwnAgents | undefined;
  /** When it is to start, in milliseconds from the start of the run: its own times count from then. */
  readonly sinceMs: number;
  readonly hostClock: HostClock | undefined;
  isStarted: boolean;
  readonly channel: Channel<FromShard, ToShard>;
  /** What its monotonic clock shows more than the control plane's. Threads of one process share theirs. */
  readonly clockOffsetMs: number;
  readonly questions: Questions;
};

/** Threads of one process. */
const NOTICE_MS = 100;

type OwnAgents = {
  readonly shard: Shard;
  readonly count: number;
  /** By their numbers in the shard, those that have left. */
  readonly gone: Set<number>;
};

/**
 * Starts one worker thread per shard, and one that polls, and resolves when all of them wait for the start. `firstSinceMs`: they start so
 * long after the run, whose start they are told and in whose times they are spoken with.
 */
export async function openShards(firstPlan: ShardsPlan, events: ShardEvents, firstSinceMs = 0): Promise<Shards> {
  const tellPassword = (password: CopiedPassword): void => sendAll({ kind: 'copied_password', ...password });
  const relay = (password: CopiedPassword): void => {
    tellPassword(password);
    events.copiedPassword(password);
  };
  const pools = new Set<Threads>();
  let shards: readonly OpenShard[] = [];
  let arePollsOver = false;
  const open = async (plan: ShardsPlan, sinceMs: number): Promise<void> => {
    const jobs = jobsOf(plan, shards.length);
    const threads = createThreads(jobs.length);
    pools.add(threads);
    let left = jobs.length;
    // What agents ran in that have all left is given back; the last ones end with the run.
    const release = (): void => {
      if (--left === 0 && pools.size > 1 && pools.delete(threads)) void threads.destroy();
    };
    const opening = jobs.map((job) =>
      openShard({ threads, job, relay, sinceMs }, events, (end) => {
        shardEnded(job, end);
        release();
      }),
    );
    const opened = await Promise.all(opening).catch(async (error: unknown) => {
      pools.delete(threads);
      await threads.destroy();
      throw error;
    });
    shards = [...shards, ...opened];
  };
  const sendAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
  /** Asks all workers of the fleet; of one that has ended `missing` stands for its answer. */
  const askAll = <Query extends ShardQuery>(query: Query, missing: ShardAnswers[Query['kind']]) =>
    Promise.all(
      shards.flatMap((shard) => (shard.agents === undefined ? [] : [askShard(shard, query).catch(() => missing)])),
    );
  function shardEnded({ entry }: ShardJob, report: () => void): void {
    report();
    if (entry !== 'poller-entry') return;
    arePollsOver = true;
    sendAll({ kind: 'polls_over' });
  }
  await open(firstPlan, firstSinceMs);
  // The thread that polls may have died while the others were still being built.
  if (arePollsOver) sendAll({ kind: 'polls_over' });
  return {
    ...{ noticeMs: NOTICE_MS, tellPassword },
    nameOf: (shard) => `worker ${shard}`,
    get count() {
      return shards.length;
    },
    start: (atMs, epochMs) => {
      for (const shard of shards) {
        if (shard.isStarted) continue;
        shard.isStarted = true;
        const { channel, clockOffsetMs, sinceMs, hostClock } = shard;
        const hostMs = hostTimeMs(hostClock, epochMs, sinceMs);
        channel.send({ kind: 'start', atMs: atMs + sinceMs + clockOffsetMs, epochMs: epochMs + sinceMs, hostMs });
      }
      for (const { agents, channel } of shards)
        if (agents !== undefined && agents.gone.size === agents.count) channel.send({ kind: 'stop' });
    },
    moving: {
      open,
      leave: async (agents, how) => sumOf(await Promise.all(shards.map((shard) => leaveShard(shard, agents, how)))),
    },
    findEvent: async (event, withAgents) => {
      const parts = await askAll({ kind: 'find_event', event, withAgents }, NOBODY);
      const agents = parts.flatMap((part) => part.agents ?? []).sort((a, b) => a - b);
      return { count: sumOf(parts.map(({ count }) => count)), agents: withAgents ? agents : undefined };
    },
    addEvent: (event, otherServers) => {
      for (const { channel, sinceMs } of shards)
        channel.send({ kind: 'event', event: eventSince(event, sinceMs), otherServers });
    },
    endEvent: async (name, atMs) => sumOf(await askAll({ kind: 'end_event', name, atMs }, 0)),
    ask: (worker, query) => askShard(shardAt(shards, worker), query),
    stop: () => sendAll({ kind: 'stop' }),
    cancel: () => sendAll({ kind: 'cancel' }),
    close: async () => void (await Promise.all([...pools].map((threads) => threads.destroy()))),
  };
}

function shardAt(shards: readonly OpenShard[], worker: number): OpenShard {
  const shard = shards[worker];
  if (shard === undefined) throw new RangeError(`there is no worker ${worker}`);
  return shard;
}

/** Asks it in its own times, and tells its answer in those of the run. */
async function askShard<Query extends ShardQuery>(
  { questions, sinceMs }: OpenShard,
  query: Query,
): Promise<ShardAnswers[Query['kind']]> {
  const answer = await questions.ask(querySince(query, sinceMs));
  return query.kind === 'standing'
    ? (standingLater(answer as ShardAnswers['standing'], sinceMs) as ShardAnswers[Query['kind']])
    : answer;
}

/** Returns how many of these agents are still there. */
async function leaveShard(open: OpenShard, leaving: readonly number[], how: Leaving): Promise<number> {
  const { agents, questions } = open;
  if (agents === undefined) return 0;
  const { shard, gone, count } = agents;
  const own = leaving.filter((agent) => isInShard(shard, agent)).map((agent) => localIn(shard, agent));
  // Who came later is another shard's.
  const here = own.filter((agent) => agent < count && !gone.has(agent));
  if (here.length === 0) return 0;
  const left = await questions.ask({ kind: 'leave', agents: Uint32Array.from(here), how });
  if (left === 0) for (const agent of here) gone.add(agent);
  return left;
}

const NOBODY: FoundAgents = { count: 0, agents: undefined };

function sumOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

type Opening = {
  readonly threads: Threads;
  readonly job: ShardJob;
  /** Tells all shards. */
  readonly relay: (password: CopiedPassword) => void;
  readonly sinceMs: number;
};

function openShard(
  { threads, job, relay, sinceMs }: Opening,
  events: ShardEvents,
  ended: (report: () => void) => void,
): Promise<OpenShard> {
  const { port1: near, port2: far } = new MessageChannel();
  const channel = channelOver<FromShard, ToShard>(near);
  const { shard, entry, task } = job;
  const questions = createQuestions(channel.send);
  let ready = false;
  return new Promise((resolve, reject) => {
    channel.listen((message) => {
      switch (message.kind) {
        case 'ready':
          ready = true;
          return resolve({
            ...{ agents: agentsOf(job), sinceMs, hostClock: task.scenario.hostClock },
            ...{ isStarted: false, channel, clockOffsetMs: 0, questions },
          });
        case 'frame':
          return events.frame(frameLater(message.frame, sinceMs));
        case 'trace':
          return void events.traced(message.message).then(() => channel.send({ kind: 'trace_shown' }));
        case 'told':
          return questions.told(message);
        case 'copied_password':
          return relay(message);
        case 'account':
          return events.accounted(shard, accountLater(message.account, sinceMs));
        case 'credentials':
          return void storeAndConfirm(channel, message.credentials, events);
        case 'forgotten':
          return void events.storeCredentials(message.uuids.map((uuid) => ({ uuid, password: '' })));
        case 'exchanges':
          return void events.storeExchanges(message.exchanges).then(() => channel.send({ kind: 'exchanges_stored' }));
        case 'files':
          return void storeFiles(channel, message.writes, { job, events });
      }
    });
    // The job's end travels on a channel of its own and may overtake the last frame; the port's end does not.
    startJob(threads, entry, { job: { task }, port: far, moved: movedWith(job) })
      .then(assertEndedWell)
      .then(() => channel.closed)
      .finally(questions.end)
      .then(
        () => ended(() => events.finished(shard)),
        (error: Error) => {
          if (ready) ended(() => events.lost(shard, error));
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
  events: ShardEvents,
): Promise<void> {
  await events.storeCredentials(credentials);
  channel.send({ kind: 'stored', agents: credentials.map(({ agent }) => agent) });
}

async function storeFiles(
  channel: OpenShard['channel'],
  writes: readonly ShardFiles[],
  { job, events }: { readonly job: ShardJob; readonly events: ShardEvents },
): Promise<void> {
  const { fleet } = job.task.scenario;
  if (job.entry !== 'shard-entry') return;
  const { shard } = job.task;
  const problem = await events.storeFiles(
    writes.map(({ agent, files }) => ({ hostName: identityOf(fleet.seed, fleetIndex(shard, agent)).hostName, files })),
  );
  channel.send({ kind: 'files_stored', writes: writes.map(({ write }) => write), problem });
}
