import { MessageChannel } from 'node:worker_threads';
import { identityOf } from '../agent/identity.ts';
import type { FleetEvent } from '../events/event.ts';
import { fleetIndex } from '../load/shard.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import type { TracedMessage } from '../metrics/recording/trace.ts';
import { assertEndedWell, type Channel, channelOver } from './channel.ts';
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

/** The workers of a run, as the control plane sees them: built, waiting for the start. */
export type Shards = {
  readonly count: number;
  /** How a message names one of them: `worker 3`. */
  nameOf(shard: number): string;
  /** Time for all of them to learn of something before it comes. */
  readonly noticeMs: number;
  /** Starts all at one instant of the process-wide monotonic clock. */
  start(atMs: number, epochMs: number): void;
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
  readonly channel: Channel<FromShard, ToShard>;
  /** What its monotonic clock shows more than the control plane's. Threads of one process share theirs. */
  readonly clockOffsetMs: number;
  readonly questions: Questions;
};

/** Threads of one process. */
const NOTICE_MS = 100;

/** Starts one worker thread per shard, and one that polls, and resolves when all of them wait for the start. */
export async function openShards(plan: ShardsPlan, events: ShardEvents): Promise<Shards> {
  const jobs = jobsOf(plan);
  const threads = createThreads(jobs.length);
  const tellPassword = (password: CopiedPassword): void => sendAll({ kind: 'copied_password', ...password });
  const relay = (password: CopiedPassword): void => {
    tellPassword(password);
    events.copiedPassword(password);
  };
  const opening = jobs.map((job) => openShard({ threads, job, relay }, events, (end) => shardEnded(job, end)));
  let shards: readonly OpenShard[] = [];
  let arePollsOver = false;
  const sendAll = (message: ToShard): void => {
    for (const { channel } of shards) channel.send(message);
  };
  /** Asks all workers of the fleet; of one that has ended `missing` stands for its answer. */
  const askAll = <Query extends ShardQuery>(query: Query, missing: ShardAnswers[Query['kind']]) =>
    Promise.all(shards.slice(0, plan.workers).map(({ questions }) => questions.ask(query).catch(() => missing)));
  function shardEnded({ entry }: ShardJob, report: () => void): void {
    report();
    if (entry !== 'poller-entry') return;
    arePollsOver = true;
    sendAll({ kind: 'polls_over' });
  }
  shards = await Promise.all(opening).catch(async (error: unknown) => {
    await threads.destroy();
    throw error;
  });
  // The thread that polls may have died while the others were still being built.
  if (arePollsOver) sendAll({ kind: 'polls_over' });
  return {
    ...{ count: shards.length, noticeMs: NOTICE_MS, tellPassword },
    nameOf: (shard) => `worker ${shard}`,
    start: (atMs, epochMs) => {
      for (const { channel, clockOffsetMs } of shards)
        channel.send({ kind: 'start', atMs: atMs + clockOffsetMs, epochMs });
    },
    findEvent: async (event, withAgents) => {
      const parts = await askAll({ kind: 'find_event', event, withAgents }, NOBODY);
      const agents = parts.flatMap((part) => part.agents ?? []).sort((a, b) => a - b);
      return { count: sumOf(parts.map(({ count }) => count)), agents: withAgents ? agents : undefined };
    },
    addEvent: (event, otherServers) => sendAll({ kind: 'event', event, otherServers }),
    endEvent: async (name, atMs) => sumOf(await askAll({ kind: 'end_event', name, atMs }, 0)),
    ask: (worker, query) => shardAt(shards, worker).questions.ask(query),
    stop: () => sendAll({ kind: 'stop' }),
    cancel: () => sendAll({ kind: 'cancel' }),
    close: () => threads.destroy(),
  };
}

function shardAt(shards: readonly OpenShard[], worker: number): OpenShard {
  const shard = shards[worker];
  if (shard === undefined) throw new RangeError(`there is no worker ${worker}`);
  return shard;
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
};

function openShard(
  { threads, job, relay }: Opening,
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
          return resolve({ channel, clockOffsetMs: 0, questions });
        case 'frame':
          return events.frame(message.frame);
        case 'trace':
          return void events.traced(message.message).then(() => channel.send({ kind: 'trace_shown' }));
        case 'told':
          return questions.told(message);
        case 'copied_password':
          return relay(message);
        case 'account':
          return events.accounted(shard, message.account);
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
