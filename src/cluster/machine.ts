import { messageOf, UserError } from '../ground/kernel/errors.ts';
import { createMachineMeter } from '../ground/system/machine-load.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { createMachineFrames } from '../metrics/merging/machine-frames.ts';
import { mergeResponses } from '../metrics/recording/recorder.ts';
import { sumHappened } from '../metrics/summary/events.ts';
import { baseAt } from '../run/base-target.ts';
import { openFleet } from '../run/listening-fleet.ts';
import { assertRunnable, serversFor, shardsPlan, workersFor } from '../run/preparation.ts';
import { createSplitQueries } from '../run/split-queries.ts';
import { baseUrlsOf } from '../scenario/base-urls.ts';
import { withEvents } from '../scenario/event-times.ts';
import { scenarioSince } from '../scenario/planning/staying.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Ask, IssuedCredential, ShardAccount } from '../workers/messages.ts';
import { openShards, type ShardHandlers, type Shards } from '../workers/open-shards.ts';
import type { Bucket, Bus, RunStore } from './bus.ts';
import {
  coordinatorSubject,
  type FromMachine,
  identitiesBucket,
  type MachineAccount,
  ORDER_OBJECT,
  type ToMachines,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { createOutbox, MOST_FRAMES, type Outbox } from './outbox.ts';

/** A part of a fleet that this machine runs for a coordinator. */
export type PartOfRun = {
  readonly workers: number;
  /** Agents are numbered within the part. Rejects before the part is built, and after its end. */
  readonly ask: Ask;
  /** Ends the part immediately. */
  readonly release: () => void;
  /** Leaves the run, after reporting it. */
  readonly leave: (why: string) => void;
  /** Resolves, with the reason, when everything has ended and all messages are sent. */
  readonly ended: Promise<string>;
};

/** A message without its generation, which is the same for the whole part. */
type PartMessage = FromMachine extends infer Message
  ? Message extends FromMachine
    ? Omit<Message, 'generation'>
    : never
  : never;

/**
 * Checks the requirements of a part, and starts building it.
 * @throws UserError or `TargetNotAllowedError`, with nothing opened, if this machine cannot or must not run it.
 */
export async function startPart(bus: Bus, work: Work, workersWanted: number | undefined): Promise<PartOfRun> {
  const store = await bus.openRun(work.run);
  const order = (await store?.getObject(ORDER_OBJECT)) as WorkOrder | undefined;
  if (store === undefined || order === undefined)
    throw new UserError(`Run ${work.run}: expected its scenario in NATS, found nothing; start the run again.`);
  const scenario = scenarioFor(order.scenario, work);
  const limits = assertRunnable(scenario, work.part);
  const part = {
    ...{ scenario, shard: work.part, workers: workersWanted, debug: undefined },
    raisedAt: work.raisedAt,
  };
  const workers = workersFor(part);
  const outbox = createOutbox<PartMessage>({
    publish: (id, message) =>
      store.publish(`from.${work.part.index}`, `${work.generation}-${id}`, {
        ...message,
        generation: work.generation,
      }),
    frameOf: (message) => (message.kind === 'frame' ? message.frame : undefined),
    skipped: (seconds) => ({ kind: 'skipped', seconds }),
    mostFrames: MOST_FRAMES,
  });
  const agents = shareOf(work.part, scenario.fleet.agents);
  const isEndless = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
  const job = createJob(work, { agents, workers, isEndless }, outbox);
  const build = async (): Promise<Shards> => {
    // Files of listening agents exist only during the run; passwords are stored in the cluster.
    const fleet = await openFleet(ephemeral(scenario), () => {});
    const bases = await Promise.all(baseUrlsOf(scenario.target).map((url) => baseAt(url, scenario.target)));
    const otherServers = await serversFor(part, bases);
    const identities =
      order.fleet === undefined
        ? undefined
        : await bus.bucket(identitiesBucket(order.fleet), { replicas: order.replicas, ttlMs: undefined });
    const known = identities && (await passwordsIn(identities));
    const tls = { verify: scenario.target.tls.verify, ca: order.ca };
    const plan = shardsPlan(
      part,
      { bases, otherServers, tls, knownPasswords: known && (() => known) },
      { ...fleet, limits },
    );
    return openShards(
      plan,
      job.handlers(identities, async (entries) => {
        await fleet.disks?.save(entries);
        return undefined;
      }),
      work.elapsedS * 1000,
    );
  };
  void job.run(store, build, bus);
  return { ...{ workers, ask: job.ask, release: job.release, leave: job.leave, ended: job.ended } };
}

function scenarioFor(scenario: Scenario, { events, elapsedS }: Work): Scenario {
  return scenarioSince(events === undefined ? scenario : withEvents(scenario, events), elapsedS * 1000);
}

function ephemeral(scenario: Scenario): Scenario {
  return { ...scenario, fleet: { ...scenario.fleet, identities: { kind: 'ephemeral' } } };
}

async function passwordsIn(identities: Bucket): Promise<readonly IssuedCredential[]> {
  return (await identities.entries()).map(({ key, value }) => ({ uuid: key, password: String(value) }));
}

type PartSize = {
  readonly agents: number;
  readonly workers: number;
  /** Whether the fleet is kept up without an end. */
  readonly isEndless: boolean;
};

/** Without a coordinator, a part that has not started or has no end would never end. */
const COORDINATOR_GONE_MS = 30_000;
const COORDINATOR_ASKED_MS = 2000;

function createJob(work: Work, { agents, workers, isEndless }: PartSize, outbox: Outbox<PartMessage>) {
  const { part, generation } = work;
  const frames = createMachineFrames({
    ...{ shard: part.index, workers },
    numberOf: (worker) => fleetIndex(part, worker),
  });
  const done = Promise.withResolvers<string>();
  const allEnded = Promise.withResolvers<void>();
  const accounts = new Map<number, ShardAccount>();
  const over = new Set<number>();
  let shards: Shards | undefined;
  let isStarted = false;
  let isOver = false;
  const meter = createMachineMeter();

  const sendFrames = (): void => {
    for (const frame of frames.take()) outbox.send({ kind: 'frame', frame });
  };
  const end = (worker: number): void => {
    over.add(worker);
    frames.end(worker);
    sendFrames();
    if (over.size === workers) allEnded.resolve();
  };
  const giveUp = (why: string): void => done.resolve(why);
  void done.promise.then(() => {
    isOver = true;
  });

  function handlers(identities: Bucket | undefined, storeFiles: ShardHandlers['storeFiles']): ShardHandlers {
    return {
      frame: (frame) => {
        frames.add(frame);
        sendFrames();
      },
      storeCredentials: async (credentials) => {
        await Promise.all(
          credentials.map(({ uuid, password }) =>
            password === '' ? identities?.delete(uuid) : identities?.put(uuid, password),
          ),
        );
      },
      ...{ storeFiles, storeExchanges: async () => {}, traced: async () => {}, incomplete: () => {} },
      copiedPassword: (password) => outbox.send({ kind: 'copied_password', ...password }),
      accounted: (worker, account) => void accounts.set(worker, account),
      finished: end,
      lost: (worker, error) => {
        // Threads that were ended on purpose are not lost.
        if (isOver) return;
        outbox.send({ kind: 'worker_lost', worker: fleetIndex(part, worker), text: error.message });
        end(worker);
      },
    };
  }

  function start(atMs: number, epochMs: number): void {
    isStarted = true;
    shards?.start(atMs, epochMs);
  }

  function receive(message: ToMachines): void {
    switch (message.kind) {
      case 'start':
        if (generation === 0) start(message.atMs[part.index] ?? 0, message.epochMs);
        break;
      case 'replaced':
        if (isOwn(message.part, message.record.generation)) start(message.atMs, message.epochMs);
        break;
      case 'lost':
        if (isOwn(message.part, message.generation)) giveUp('the coordinator declared it lost');
        break;
      case 'event':
        shards?.addEvent(message.event, message.otherServers);
        break;
      case 'copied_password':
        shards?.sendPassword(message);
        break;
      case 'end_event':
        void endEvent(message.name, message.atMs);
        break;
      case 'stop':
        shards?.stop();
        break;
      case 'cancel':
        shards?.cancel();
        break;
      case 'left':
        break;
      default:
        message satisfies never;
    }
  }

  function isOwn(index: number, of: number): boolean {
    return index === part.index && of === generation;
  }

  let split: Ask | undefined;
  const ask: Ask = async (query) => {
    if (split === undefined) throw new Error('the machine has no figures yet');
    return split(query);
  };

  async function endEvent(name: string, atMs: number): Promise<void> {
    const count = (await shards?.endEvent(name, atMs)) ?? 0;
    outbox.send({ kind: 'event_ended', name, count });
  }

  /** Ends the part if its coordinator is gone. A started run continues to its end, because another coordinator may resume it. */
  async function watchCoordinator(bus: Bus): Promise<void> {
    const endsByItself = (): boolean => isOver || (isStarted && !isEndless);
    let goneSinceMs: number | undefined;
    while (!endsByItself()) {
      await Promise.race([done.promise, new Promise((next) => setTimeout(next, COORDINATOR_ASKED_MS).unref())]);
      if (endsByItself()) return;
      const { kind } = await bus.request(coordinatorSubject(work.coordinator), work.run, COORDINATOR_ASKED_MS);
      if (kind !== 'nobody') goneSinceMs = undefined;
      else goneSinceMs ??= performance.now();
      if (endsByItself() || goneSinceMs === undefined || performance.now() - goneSinceMs < COORDINATOR_GONE_MS)
        continue;
      return giveUp('its coordinator is gone');
    }
  }

  return {
    handlers,
    ask,
    ended: done.promise,
    release: () => giveUp('released'),
    leave: (why: string) => {
      outbox.send({ kind: 'failed', text: why });
      void outbox.flushed().finally(() => giveUp(why));
    },
    run: async (store: RunStore, build: () => Promise<Shards>, bus: Bus): Promise<void> => {
      let stopReading = (): void => {};
      try {
        const built = build();
        shards = await Promise.race([built, done.promise.then(() => undefined)]);
        if (shards === undefined) {
          await built.then((late) => late.close());
          return;
        }
        split = createSplitQueries({ agents, workers }, shards);
        outbox.send({ kind: 'ready' });
        void watchCoordinator(bus);
        stopReading = store.read('to', ({ sequence, message }) => {
          if (sequence > work.fromSequence) receive(message as ToMachines);
        });
        await Promise.race([allEnded.promise, done.promise]);
        if (over.size === workers) {
          outbox.send({ kind: 'account', account: accountOf([...accounts.values()], meter()) });
          outbox.send({ kind: 'finished' });
          await Promise.race([outbox.flushed(), done.promise]);
          done.resolve('done');
        }
      } catch (error) {
        outbox.send({ kind: 'failed', text: messageOf(error) });
        await Promise.race([outbox.flushed().catch(() => {}), done.promise]);
        done.resolve(messageOf(error));
      } finally {
        stopReading();
        await shards?.close();
      }
    },
  };
}

function accountOf(accounts: readonly ShardAccount[], machine: MachineAccount['machine']): MachineAccount {
  return {
    machine,
    responses: mergeResponses(accounts.flatMap(({ responses }) => responses)),
    events: sumHappened(accounts.map(({ events }) => events)),
    down: accounts.flatMap(({ down }) => down),
  };
}
