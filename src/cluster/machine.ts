import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { createMachineMeter } from '../base/system/machine-load.ts';
import { agentsInShard, fleetIndex, type Shard, shardOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { createMachineFrames } from '../metrics/merging/machine-figures.ts';
import { mergeResponses } from '../metrics/recording/recorder.ts';
import { sumEvents } from '../metrics/summary/events.ts';
import { baseAt } from '../run/base-target.ts';
import { openFleet } from '../run/listening-fleet.ts';
import { assertRunnable, serversFor, shardsPlan, workersFor } from '../run/preparation.ts';
import { createSplitQueries } from '../run/split-queries.ts';
import { baseUrlsOf } from '../scenario/addresses.ts';
import { withEvents } from '../scenario/event-times.ts';
import { scenarioSince } from '../scenario/planning/staying.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardAccount } from '../workers/messages.ts';
import { openShards, type ShardHandlers, type ShardThreads } from '../workers/open-shards.ts';
import type { Ask, ShardQuery } from '../workers/shard-query.ts';
import type { Bus } from './bus.ts';
import { createKeptPasswords, type KeptPasswords, openKeptFiles } from './kept-state.ts';
import {
  coordinatorSubject,
  filesBucket,
  type HeldBackAgent,
  identitiesBucket,
  isToMachines,
  isWorkOrder,
  LEASE_MS,
  type LeaseAnswer,
  type LeaseRequest,
  leaseSubject,
  type MachineAccount,
  ORDER_OBJECT,
  subjectOf,
  type ToMachines,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { createOutbox, MAX_FRAMES } from './outbox.ts';
import type { RunStore } from './run-store.ts';

/** A part of a fleet that this machine runs for a coordinator. */
export type PartOfRun = Awaited<ReturnType<typeof startPart>>;

/** The machine for a part. */
type PlaceOfPart = {
  readonly name: string;
  readonly workersWanted: number | undefined;
  /** Parts of the same run that it has already. */
  readonly beside: readonly Beside[];
};

type Beside = { readonly workers: number; readonly agents: ReadonlySet<number> };

/**
 * Checks the requirements of a part, and starts building it.
 * @throws UserError or `TargetNotAllowedError`, with nothing opened, if this machine cannot or must not run it.
 */
export async function startPart(bus: Bus, work: Work, { name, workersWanted, beside }: PlaceOfPart) {
  const { store, order } = await orderOf(bus, work);
  const { shard, firstStartedAt, events, elapsedS } = work;
  const whole = events === undefined ? order.scenario : withEvents(order.scenario, events);
  const scenario = scenarioSince(whole, elapsedS * 1000);
  const limits = assertRunnable(scenario, withAgentsOf(beside, shard, scenario));
  const agents = agentsInShard(shard, scenario.fleet.agents);
  const [first] = beside;
  const all = beside.reduce((sum, one) => sum + one.agents.size, agents.size);
  const part = {
    scenario,
    shard,
    debug: undefined,
    firstStartedAt,
    // As many agents per thread as before.
    workers: first === undefined ? workersWanted : Math.ceil((first.workers * agents.size) / all),
  };
  const workers = workersFor(part);
  const isEndless = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
  const state = partState({ name, bus, store, work, order, agents, workers, isEndless });
  void state.done.promise.then(() => {
    state.isOver = true;
  });
  void runPart(state, () => buildShards(state, part, limits));
  return {
    workers,
    /** Indices in the fleet of the agents that it runs now. */
    agents: agents as ReadonlySet<number>,
    /** Resolves, with the reason, when everything has ended and all messages are sent: threads could write to stores that are closed. */
    ended: state.done.promise.finally(() => state.up?.shards.close()),
    /** Agents are numbered within the part. Rejects before the part is built, and after its end. */
    ask: (async (query: ShardQuery) => {
      if (state.up === undefined) throw new Error('the machine has no figures yet');
      return query.kind === 'leave' ? moveAway(state, state.up.shards, query) : state.up.ask(query);
    }) as Ask,
    /** The machine's entry was extended after this time on the monotonic clock; `undefined`: it had expired. */
    renewLease: (sinceMs: number | undefined): void => {
      state.isExpired ||= sinceMs === undefined;
      if (sinceMs !== undefined && !state.isExpired) renewLease(state, sinceMs);
    },
    /** Ends the part immediately. A run with an end that has started does not come again. */
    release: () => state.done.resolve(state.isStarted && !isEndless ? 'its coordinator has ended the run' : 'released'),
    /** Leaves the run: hands its agents over if another machine can take them, or reports that it leaves. */
    leave: (why: string): void => {
      if (isEndless && state.isStarted) {
        state.toLeave = why;
        void Promise.race([state.done.promise, after(HANDED_OVER_MS)]).then(() => leavePart(state, why));
      } else leavePart(state, why);
    },
  };
}

async function orderOf(bus: Bus, { run, order }: Work) {
  const store = await bus.openRun(run);
  const found = order ?? (await store?.getObject(ORDER_OBJECT));
  if (store === undefined || !isWorkOrder(found))
    throw new UserError(`Run ${run}: expected its scenario in NATS, found nothing; start the run again.`);
  return { store, order: found };
}

type PartOrder = {
  /** Of the machine. */
  readonly name: string;
  readonly bus: Bus;
  readonly store: RunStore;
  readonly work: Work;
  readonly order: WorkOrder;
  /** Indices in the fleet of the agents that have not left. */
  readonly agents: Set<number>;
  readonly workers: number;
  /** Whether the fleet is kept up without an end. */
  readonly isEndless: boolean;
};

type PartState = ReturnType<typeof partState>;

type BuiltPart = { readonly shards: ShardThreads; readonly ask: Ask };

function partState(order: PartOrder) {
  const { store, work, workers } = order;
  const { part, generation } = work;
  const done = Promise.withResolvers<string>();
  return {
    ...order,
    outbox: createOutbox(async (id, message) => {
      const stored = store.publish(subjectOf(part, message), `${generation}-${id}`, { ...message, generation });
      // Without the stream of its run, nobody counts what it sends.
      stored.catch((error: unknown) => done.resolve(messageOf(error)));
      return stored;
    }, MAX_FRAMES),
    frames: createMachineFrames({ shard: part, workers, numberOf: (worker) => workerNumber(work, worker) }),
    meter: createMachineMeter(),
    /** By worker. */
    accounts: new Map<number, ShardAccount>(),
    /** Workers that have ended. */
    over: new Set<number>(),
    allEnded: Promise.withResolvers<void>(),
    /** Settles with the reason why the part is over. */
    done,
    /** By index in the fleet. */
    heldBack: new Map<number, HeldBackAgent>(),
    /** `undefined` if no passwords are kept. */
    passwords: undefined as KeptPasswords | undefined,
    /** `undefined` until its shards are built. */
    up: undefined as BuiltPart | undefined,
    isStarted: false,
    /** Whether only the coordinator knows if the machine may go on, because its entry has expired. */
    isExpired: false,
    /** Whether the coordinator has given the part away. */
    isLost: false,
    /** Why the machine asks others to take its agents over; `undefined`: it does not. */
    toLeave: undefined as string | undefined,
    /** Why the machine leaves the run with its agents, once it does. */
    leaving: undefined as string | undefined,
    isOver: false,
    /** On the monotonic clock. */
    leaseUntilMs: monotonicClock() + LEASE_MS / 2,
  };
}

/** Longer than other machines need to take agents over. */
const HANDED_OVER_MS = 60_000;

/** All agents that the machine would have. */
function withAgentsOf(beside: readonly Beside[], shard: Shard, { fleet }: Scenario): Shard {
  if (beside.length === 0) return shard;
  return shardOf(new Set([...agentsInShard(shard, fleet.agents), ...beside.flatMap(({ agents }) => [...agents])]));
}

/** Larger than the number of parts. */
const FURTHER_WORKERS = 2 ** 20;

/** The number of a worker among those of all machines. */
function workerNumber({ part, shard }: Work, worker: number): number {
  return shard.only === undefined ? fleetIndex(shard, worker) : part + (worker + 1) * FURTHER_WORKERS;
}

/** Agents leave for another part. */
async function moveAway(
  { work, agents, heldBack, passwords }: PartState,
  shards: ShardThreads,
  { agents: numbers, how }: Extract<ShardQuery, { readonly kind: 'leave' }>,
): Promise<number> {
  const leaving = [...numbers].map((agent) => fleetIndex(work.shard, agent));
  const left = await shards.leave(leaving, how);
  if (left > 0) return left;
  for (const agent of leaving) {
    agents.delete(agent);
    heldBack.delete(agent);
  }
  await passwords?.release((agent) => !agents.has(agent));
  return 0;
}

async function claimOf(state: PartState, wanted: ClaimRequest): Promise<Claim> {
  const { passwords, agents, heldBack } = state;
  const { agent } = wanted;
  if (passwords === undefined) return { kind: 'granted', isInherited: false };
  const claim = await passwords.claim(wanted);
  const isHere = !state.isLost && agents.has(agent);
  if (!isHere) await passwords.release((one) => one === agent);
  if (isHere && claim.kind === 'held') heldBack.set(agent, { agent });
  else if (isHere && claim.kind === 'lost') heldBack.set(agent, { agent, lostWith: claim.machine });
  else heldBack.delete(agent);
  return claim.kind === 'lost' ? { kind: 'held' } : claim;
}

async function buildShards(
  state: PartState,
  part: Parameters<typeof shardsPlan>[0],
  limits: ReturnType<typeof assertRunnable>,
): Promise<ShardThreads> {
  const { bus, work, order } = state;
  const { scenario } = part;
  const bucketOf = (name: string) => bus.bucket(name, { replicas: order.replicas, ttlMs: undefined });
  // Passwords and files are stored in the cluster.
  const ephemeral: Scenario = { ...scenario, fleet: { ...scenario.fleet, identities: { kind: 'ephemeral' } } };
  const { fleet: kept } = order;
  const fleet = await openFleet(ephemeral, () => {}, {
    only: [...state.agents].sort((a, b) => a - b),
    open: kept === undefined ? undefined : async (hosts) => openKeptFiles(await bucketOf(filesBucket(kept)), hosts),
  });
  const bases = await Promise.all(baseUrlsOf(scenario.target).map((url) => baseAt(url, scenario.target)));
  const otherServers = await serversFor(part, bases);
  if (kept !== undefined)
    state.passwords = createKeptPasswords(await bucketOf(identitiesBucket(kept)), work, state.name);
  const known = await state.passwords?.known();
  const tls = { verify: scenario.target.tls.verify, ca: order.ca };
  const servers = { bases, otherServers, tls, knownPasswords: known && (() => known), openJournal: undefined };
  const plan = { ...shardsPlan(part, servers, { ...fleet, limits }), claims: known !== undefined };
  const handlers = handlersOf(state, async (entries) => fleet.disks?.save(entries).then(() => undefined, messageOf));
  return openShards(plan, handlers, work.elapsedS * 1000);
}

/** Runs the part from its construction to its end, and reports both to the coordinator. */
async function runPart(state: PartState, build: () => Promise<ShardThreads>): Promise<void> {
  const { store, work, outbox, workers, done } = state;
  let stopReading = (): void => {};
  try {
    const built = build();
    const shards = await Promise.race([built, done.promise.then(() => undefined)]);
    if (shards === undefined) {
      await built.then((late) => late.close());
      return;
    }
    state.up = { shards, ask: createSplitQueries({ agents: state.agents.size, workers }, shards) };
    shards.hold(state.leaseUntilMs);
    outbox.send({ kind: 'ready' });
    void keepLease(state);
    stopReading = store.read('to', ({ sequence, message }) => {
      if (sequence > work.fromSequence && isToMachines(message)) void receive(state, shards, message);
    });
    await Promise.race([state.allEnded.promise, done.promise]);
    if (state.leaving !== undefined) await done.promise;
    else if (state.over.size === workers) await conclude(state);
  } catch (error) {
    outbox.send({ kind: 'failed', text: messageOf(error) });
    await Promise.race([outbox.flushed().catch(() => {}), done.promise]);
    done.resolve(messageOf(error));
  } finally {
    stopReading();
    await state.up?.shards.close();
  }
}

/** All workers have ended. */
async function conclude(state: PartState): Promise<void> {
  const { outbox, done, passwords, isLost, toLeave, meter } = state;
  if (isLost) {
    // The machine that has the agents now may register those that got no password.
    await passwords?.release(() => true);
  } else {
    const accounts = [...state.accounts.values()];
    const account: MachineAccount = {
      machine: meter(),
      responses: mergeResponses(accounts.flatMap(({ responses }) => responses)),
      events: sumEvents(accounts.map(({ events }) => events)),
      down: accounts.flatMap(({ down }) => down),
    };
    outbox.send({ kind: 'account', account });
    outbox.send({ kind: 'finished' });
  }
  await Promise.race([outbox.flushed(), done.promise]);
  const handedOver = toLeave === undefined ? 'done' : 'others have taken its agents over';
  done.resolve(isLost ? LOST : handedOver);
}

function handlersOf(state: PartState, storeFiles: ShardHandlers['storeFiles']): ShardHandlers {
  const { work, outbox, frames, accounts } = state;
  return {
    frame: (frame) => {
      frames.add(frame);
      sendFrames(state);
    },
    storeCredentials: async (credentials) => {
      await Promise.all(credentials.map((one) => state.passwords?.store(one)));
    },
    restored: () => {},
    claim: (wanted) => Promise.all(wanted.map((one) => claimOf(state, one))),
    storeFiles,
    storeExchanges: async () => {},
    traced: async () => {},
    incomplete: () => {},
    relocate: async () => {},
    copiedPassword: (password) => outbox.send({ kind: 'copied_password', ...password }),
    accounted: (worker, account) => void accounts.set(worker, account),
    finished: (worker) => endWorker(state, worker),
    lost: (worker, error) => {
      // Threads that were ended on purpose are not lost.
      if (state.isOver) return;
      outbox.send({ kind: 'worker_lost', worker: workerNumber(work, worker), text: error.message });
      endWorker(state, worker);
    },
  };
}

function sendFrames({ frames, outbox }: PartState): void {
  for (const frame of frames.take()) outbox.send({ kind: 'frame', frame });
}

function endWorker(state: PartState, worker: number): void {
  state.over.add(worker);
  state.frames.end(worker);
  sendFrames(state);
  if (state.over.size === state.workers) state.allEnded.resolve();
}

async function start(state: PartState, shards: ShardThreads, { atMs, epochMs }: StartTime): Promise<void> {
  const { isStarted, work } = state;
  state.isStarted = true;
  // While its shards were built, agents may still have registered where they were before.
  const isMoved = !isStarted && work.generation === 0 && work.elapsedS > 0;
  if (isMoved && state.passwords !== undefined) shards.restore(await state.passwords.known());
  shards.start(atMs, epochMs);
}

type StartTime = { readonly atMs: number; readonly epochMs: number };

async function receive(state: PartState, shards: ShardThreads, message: ToMachines): Promise<void> {
  const { part, generation } = state.work;
  const isOwn = (index: number, of: number): boolean => index === part && of === generation;
  switch (message.kind) {
    case 'start': {
      const { atMs: times, epochMs } = message;
      const atMs = times[part];
      if (atMs !== undefined && (generation === 0 || state.isStarted)) await start(state, shards, { atMs, epochMs });
      break;
    }
    case 'replaced':
      if (isOwn(message.part, message.record.generation)) await start(state, shards, message);
      break;
    case 'lost':
      if (isOwn(message.part, message.generation)) takeLoss(state);
      break;
    case 'left':
      break;
    default:
      shards.send(message);
  }
}

/**
 * Leaves after the workers have ended, so that everything that they sent is counted before the part is given away. Requests in flight may end
 * in order, because the password of a registration that is cut off would be lost.
 */
function leavePart(state: PartState, why: string): void {
  if (state.leaving !== undefined || state.isOver) return;
  state.leaving = why;
  void leaveInOrder(state)
    .catch(() => {})
    .finally(() => state.done.resolve(why));
}

async function leaveInOrder({ up, allEnded, done, isStarted, passwords, outbox }: PartState): Promise<void> {
  up?.shards.send({ kind: 'stop' });
  const ended = allEnded.promise.then(() => true);
  const isInOrder = await Promise.race([ended, done.promise, after(isStarted ? LEAVING_MS : 0)]);
  if (isInOrder === true) await passwords?.release(() => true);
  up?.shards.send({ kind: 'cancel' });
  await Promise.race([ended, done.promise, after(isStarted ? LEAVING_MS : 0)]);
  outbox.send({ kind: 'leaves' });
  await outbox.flushed();
}

const LEAVING_MS = 5000;

const LOST = 'its lease ended, and its agents were given away';
/** Time for the workers to end, and for their last frames to reach NATS. */
const LOST_MS = 40_000;

/** Ends the part. What it sent until now still counts, so its last frames are sent, too. */
function takeLoss(state: PartState): void {
  if (state.isLost) return;
  state.isLost = true;
  // Passwords that the server is issuing would be lost.
  state.up?.shards.send({ kind: 'stop' });
  void after(state.isStarted ? LOST_MS : 0).then(() => state.done.resolve(LOST));
}

function renewLease(state: PartState, sinceMs: number): void {
  const untilMs = sinceMs + LEASE_MS / 2;
  if (untilMs <= state.leaseUntilMs) return;
  state.leaseUntilMs = untilMs;
  state.up?.shards.hold(untilMs);
}

const RENEWED_MS = 1000;
const COORDINATOR_ASKED_MS = 2000;
/** Without a coordinator, a part that has not started or has no end would never end. */
const COORDINATOR_GONE_MS = 30_000;
/** Why a part has ended whose work another coordinator may give out again. */
export const COORDINATOR_GONE = 'its coordinator is gone';

/** Asks the coordinator every second: stored heartbeats fail if the store is full, or its only server restarts. */
async function keepLease(state: PartState): Promise<void> {
  const { bus, work, done } = state;
  const { part, generation } = work;
  let natsMs: number | undefined;
  let sent = '[]';
  let presentMs = monotonicClock();
  while (!state.isOver) {
    const requestedMs = monotonicClock();
    void bus.roundTripMs().then((tookMs) => {
      natsMs = tookMs;
    });
    const isLeaving = state.toLeave !== undefined;
    const request: LeaseRequest = { part, generation, isLeaving, natsMs, problem: bus.problem() };
    const reply = await bus.request(leaseSubject(work.run), request, RENEWED_MS);
    const answer = reply.kind === 'answer' ? (reply.answer as LeaseAnswer) : 'unknown';
    if (answer === 'held') {
      state.isExpired = false;
      renewLease(state, requestedMs);
    } else if (answer === 'lost') takeLoss(state);
    else if (answer === 'alone' && state.toLeave !== undefined) leavePart(state, state.toLeave);
    sent = sendHeldBack(state, sent);
    if (reply.kind !== 'nobody' || !(await isOrphaned(state))) presentMs = monotonicClock();
    else if (monotonicClock() - presentMs >= COORDINATOR_GONE_MS) done.resolve(COORDINATOR_GONE);
    await Promise.race([done.promise, after(RENEWED_MS)]);
  }
}

/** Whether the coordinator is gone, and no other one will find the part. A started run continues to its end, because it may be resumed. */
async function isOrphaned({ bus, work, isStarted, isEndless }: PartState): Promise<boolean> {
  if (isStarted && !isEndless) return false;
  const { kind } = await bus.request(coordinatorSubject(work.coordinator), work.run, COORDINATOR_ASKED_MS);
  return kind === 'nobody';
}

/** Returns which agents the coordinator now knows to be held back. */
function sendHeldBack({ heldBack, outbox }: PartState, sent: string): string {
  const agents = [...heldBack.values()].sort((a, b) => a.agent - b.agent);
  const now = JSON.stringify(agents);
  if (now !== sent) outbox.send({ kind: 'held_back', agents });
  return now;
}

function after(delayMs: number): Promise<void> {
  return sleep(delayMs, undefined, { ref: false });
}
