import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf, UserError } from '../base/kernel/errors.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { agentsInShard, fleetIndex, type Shard, shardOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { assertRunnable, workersFor } from '../run/preparation.ts';
import { withEvents } from '../scenario/event-times.ts';
import { scenarioSince } from '../scenario/planning/staying.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Ask, ShardQuery } from '../workers/shard-query.ts';
import type { Bus } from './bus.ts';
import { isToMachines, isWorkOrder, ORDER_OBJECT, type ToMachines, type Work } from './messages.ts';
import { createPartLease, isCoordinatorGone, type PartLease, RENEWED_MS, requestLease } from './part-lease.ts';
import { createPartReports, type PartReports } from './part-reports.ts';
import { buildPartShards, type PartBuild, type PartShards } from './part-shards.ts';
import type { RunStore } from './run-store.ts';

/** A part of a fleet that this machine runs for a coordinator. */
export type MachinePart = Awaited<ReturnType<typeof startPart>>;

/** The machine for a part. */
type PartHost = {
  readonly name: string;
  /** Number of workers; `undefined`: chosen for the machine. */
  readonly workers: number | undefined;
  /** Parts of the same run that it has already. */
  readonly others: readonly { readonly workers: number; readonly agents: ReadonlySet<number> }[];
};

/**
 * Checks the requirements of a part, and starts building it.
 * @throws UserError or `TargetNotAllowedError`, with nothing opened, if this machine cannot or must not run it.
 */
export async function startPart(bus: Bus, work: Work, host: PartHost) {
  const { store, order } = await orderOf(bus, work);
  const { shard, firstStartedAt, events, elapsedS } = work;
  const whole = events === undefined ? order.scenario : withEvents(order.scenario, events);
  const scenario = scenarioSince(whole, elapsedS * 1000);
  const limits = assertRunnable(scenario, withAgentsOf(host.others, shard, scenario));
  const agents = agentsInShard(shard, scenario.fleet.agents);
  const workers = workersFor({ scenario, shard, workers: workersOn(host, agents) });
  const end = Promise.withResolvers<string>();
  const part: Part = {
    bus,
    store,
    work,
    agents,
    isEndless: timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY,
    leavingText: `${host.name} was told to leave`,
    reports: createPartReports(store, { work, workers }, end.resolve),
    lease: createPartLease(),
    end,
    state: STATES.building,
    isStarted: false,
    built: undefined,
  };
  void end.promise.then(() => {
    part.state = STATES.over;
  });
  void run(part, {
    name: host.name,
    bus,
    work,
    order,
    part: { scenario, shard, debug: undefined, firstStartedAt, workers },
    limits,
    agents,
    reports: part.reports,
    hasLease: () => part.state !== STATES.lost,
    isOver: () => part.state === STATES.over,
  });
  return {
    workers,
    /** Indices in the fleet of the agents that it runs now. */
    agents: agents as ReadonlySet<number>,
    /** Resolves, with the reason, when everything has ended and all messages are sent: threads could write to stores that are closed. */
    ended: end.promise.finally(() => part.built?.shards.close()),
    /** Agents are numbered within the part. Rejects before the part is built, and after its end. */
    ask: (async (query: ShardQuery) => {
      if (part.built === undefined) throw new Error('the machine has no figures yet');
      return query.kind === 'leave' ? moveAway(part, part.built, query) : part.built.ask(query);
    }) as Ask,
    /** The machine's entry was extended after this time on the monotonic clock; `undefined`: it had expired. */
    renewLease: part.lease.extended,
    /** Ends the part immediately. A run with an end that has started does not come again. */
    release: () => end.resolve(part.isStarted && !part.isEndless ? 'its coordinator has ended the run' : 'released'),
    /** Leaves the run: hands its agents over if another machine can take them, or reports that it leaves. */
    leave: (): void => LIFE.interrupted[part.state](part),
  };
}

async function orderOf(bus: Bus, { run, order }: Work) {
  const store = await bus.openRun(run);
  const found = order ?? (await store?.getObject(ORDER_OBJECT));
  if (store === undefined || !isWorkOrder(found))
    throw new UserError(`Run ${run}: expected its scenario in NATS, found nothing; start the run again.`);
  return { store, order: found };
}

/** All agents that the machine would have. */
function withAgentsOf(others: PartHost['others'], shard: Shard, { fleet }: Scenario): Shard {
  if (others.length === 0) return shard;
  return shardOf(new Set([...agentsInShard(shard, fleet.agents), ...others.flatMap(({ agents }) => [...agents])]));
}

/** As many agents for each thread as in the part that the machine had first. */
function workersOn({ workers, others }: PartHost, agents: ReadonlySet<number>): number | undefined {
  const [first] = others;
  if (first === undefined) return workers;
  const all = others.reduce((sum, other) => sum + other.agents.size, agents.size);
  return Math.ceil((first.workers * agents.size) / all);
}

type Part = {
  readonly bus: Bus;
  readonly store: RunStore;
  readonly work: Work;
  /** Indices in the fleet of the agents that have not left. */
  readonly agents: Set<number>;
  /** Whether the fleet is kept up without an end. */
  readonly isEndless: boolean;
  /** Why the part ends if the machine is told to leave. */
  readonly leavingText: string;
  readonly reports: PartReports;
  readonly lease: PartLease;
  /** Settles with the reason why the part is over. */
  readonly end: PromiseWithResolvers<string>;
  state: State;
  isStarted: boolean;
  built: PartShards | undefined;
};

/** What the machine does with the part: the columns of `LIFE`. */
const STATES = { building: 0, ready: 1, running: 2, handingOver: 3, leaving: 4, lost: 5, over: 6 } as const;

type State = (typeof STATES)[keyof typeof STATES];
type Step<Detail extends readonly unknown[], Result> = (part: Part, ...detail: Detail) => Result;
type Row<Detail extends readonly unknown[] = [], Result = void> = Readonly<Record<State, Step<Detail, Result>>>;
type StartTime = { readonly atMs: number; readonly epochMs: number };

/**
 * The state machine of a part, as its machine sees it: each row is an event, each column a state, each cell the reaction. `PART_LIFE` is
 * that of the coordinator.
 *
 * - building: starts threads
 * - ready: waits for the start
 * - running: sends
 * - handing over: sends, and asks the coordinator to give the agents to other machines
 * - leaving: ends in order, because the machine was told to leave
 * - lost: ends, because the coordinator gave the agents away
 *
 * Use a row as `LIFE.lost[part.state](part)`. A new event is a new row.
 */
// biome-ignore format: a table is read by its columns
const LIFE: {
  readonly started: Row<[time: StartTime], Promise<void> | void>;
  readonly interrupted: Row;
  readonly alone: Row;
  readonly lost: Row;
  readonly ended: Row<[], Promise<void> | void>;
} = {
  //             building  ready     running   handing over  leaving  lost          over
  started:     [ ignore,   start,    start,    start,        ignore,  ignore,       ignore ],
  interrupted: [ leave,    leave,    handOver, ignore,       ignore,  ignore,       ignore ],
  alone:       [ ignore,   ignore,   ignore,   leave,        ignore,  ignore,       ignore ],
  lost:        [ lose,     lose,     lose,     lose,         lose,    ignore,       ignore ],
  ended:       [ ignore,   conclude, conclude, conclude,     ignore,  concludeLost, ignore ],
};

/** Runs the part from its construction to its end, and reports both to the coordinator. */
async function run(part: Part, build: PartBuild): Promise<void> {
  const { store, work, reports, end } = part;
  let stopReading = (): void => {};
  try {
    const building = buildPartShards(build);
    const built = await Promise.race([building, end.promise.then(() => undefined)]);
    if (built === undefined) {
      await building.then(({ shards }) => shards.close());
      return;
    }
    part.built = built;
    if (part.state === STATES.building) part.state = STATES.ready;
    part.lease.limit(built.shards.hold);
    reports.send({ kind: 'ready' });
    void keepLease(part);
    stopReading = store.read('to', ({ sequence, message }) => {
      if (sequence > work.fromSequence && isToMachines(message)) void receive(part, built, message);
    });
    await Promise.race([reports.workersEnded, end.promise]);
    await LIFE.ended[part.state](part);
    await end.promise;
  } catch (error) {
    reports.send({ kind: 'failed', text: messageOf(error) });
    await Promise.race([reports.flushed().catch(() => {}), end.promise]);
    end.resolve(messageOf(error));
  } finally {
    stopReading();
    await part.built?.shards.close();
  }
}

/** → running, or unchanged if agents have moved: shards without agents then end. */
async function start(part: Part, { atMs, epochMs }: StartTime): Promise<void> {
  const { built, work, isStarted } = part;
  part.isStarted = true;
  if (part.state === STATES.ready) part.state = STATES.running;
  // While its shards were built, agents may still have registered where they were before.
  const isMoved = !isStarted && work.generation === 0 && work.elapsedS > 0;
  if (isMoved && built?.claims !== undefined) built.shards.restore(await built.claims.known());
  built?.shards.start(atMs, epochMs);
}

/** Longer than other machines need to take agents over. */
const HANDED_OVER_MS = 60_000;

/** → handing over if others can take the agents of a fleet, else → leaving. */
function handOver(part: Part): void {
  if (!part.isEndless) {
    leave(part);
    return;
  }
  part.state = STATES.handingOver;
  void Promise.race([part.end.promise, after(HANDED_OVER_MS)]).then(() => LIFE.alone[part.state](part));
}

/**
 * → leaving, after which it is over. It reports that only after the workers have ended, so that everything that they sent is counted before
 * the part is given away. Requests in flight may end in order, because the password of a registration that is cut off would be lost.
 */
function leave(part: Part): void {
  part.state = STATES.leaving;
  void endInOrder(part)
    .catch(() => {})
    .finally(() => part.end.resolve(part.leavingText));
}

const LEAVING_MS = 5000;

async function endInOrder({ built, isStarted, end, reports }: Part): Promise<void> {
  const workersEnded = reports.workersEnded.then(() => true);
  const endedInTime = () => Promise.race([workersEnded, end.promise, after(isStarted ? LEAVING_MS : 0)]);
  built?.shards.send({ kind: 'stop' });
  if ((await endedInTime()) === true) await built?.claims?.releaseAll();
  built?.shards.send({ kind: 'cancel' });
  await endedInTime();
  reports.send({ kind: 'leaves' });
  await reports.flushed();
}

const LOST = 'its lease ended, and its agents were given away';
/** Time for the workers to end, and for their last frames to reach NATS. */
const LOST_MS = 40_000;

/** → lost, after which it is over. What it sent until now still counts, so its last frames are sent, too. */
function lose(part: Part): void {
  part.state = STATES.lost;
  // Passwords that the server is issuing would be lost.
  part.built?.shards.send({ kind: 'stop' });
  void after(part.isStarted ? LOST_MS : 0).then(() => part.end.resolve(LOST));
}

/** All workers have ended. */
async function conclude(part: Part): Promise<void> {
  const { reports, end, state } = part;
  reports.conclude();
  await Promise.race([reports.flushed(), end.promise]);
  end.resolve(state === STATES.handingOver ? 'others have taken its agents over' : 'done');
}

async function concludeLost({ built, reports, end }: Part): Promise<void> {
  // The machine that has the agents now may register those that got no password.
  await built?.claims?.releaseAll();
  await Promise.race([reports.flushed(), end.promise]);
  end.resolve(LOST);
}

function ignore(): void {}

/** Takes a message to all machines of the run. */
async function receive(part: Part, { shards }: PartShards, message: ToMachines): Promise<void> {
  const { work, isStarted } = part;
  const isOwn = (index: number, generation: number): boolean => index === work.part && generation === work.generation;
  switch (message.kind) {
    case 'start': {
      const atMs = message.atMs[work.part];
      // A machine that replaces another starts with `replaced`.
      if (atMs !== undefined && (work.generation === 0 || isStarted))
        await LIFE.started[part.state](part, { atMs, epochMs: message.epochMs });
      break;
    }
    case 'replaced':
      if (isOwn(message.part, message.record.generation)) await LIFE.started[part.state](part, message);
      break;
    case 'lost':
      if (isOwn(message.part, message.generation)) LIFE.lost[part.state](part);
      break;
    case 'left':
      break;
    default:
      shards.send(message);
  }
}

/** Agents leave for another part. Returns how many of them could not leave yet. */
async function moveAway(
  { work, agents }: Part,
  { shards, claims }: PartShards,
  { agents: numbers, how }: Extract<ShardQuery, { readonly kind: 'leave' }>,
): Promise<number> {
  const leaving = [...numbers].map((agent) => fleetIndex(work.shard, agent));
  const remaining = await shards.leave(leaving, how);
  if (remaining > 0) return remaining;
  for (const agent of leaving) agents.delete(agent);
  await claims?.forget(new Set(leaving));
  return 0;
}

/** Without a coordinator, a part that has not started or has no end would never end. */
const COORDINATOR_GONE_MS = 30_000;
/** Why a part has ended whose work another coordinator may give out again. */
export const COORDINATOR_GONE = 'its coordinator is gone';

/** Asks the coordinator every second: stored heartbeats fail if the store is full, or its only server restarts. */
async function keepLease(part: Part): Promise<void> {
  const { bus, work, end, lease, reports, built } = part;
  let natsMs: number | undefined;
  let coordinatorSeenMs = monotonicClock();
  while (part.state !== STATES.over) {
    const requestedMs = monotonicClock();
    void bus.roundTripMs().then((tookMs) => {
      natsMs = tookMs;
    });
    const answer = await requestLease(bus, work.run, {
      part: work.part,
      generation: work.generation,
      isLeaving: part.state === STATES.handingOver,
      natsMs,
      problem: bus.problem(),
    });
    if (answer === 'held') lease.granted(requestedMs);
    else if (answer === 'lost') LIFE.lost[part.state](part);
    else if (answer === 'alone') LIFE.alone[part.state](part);
    reports.heldBack(built?.claims?.heldBack() ?? []);
    if (answer !== 'nobody' || !(await isOrphaned(part))) coordinatorSeenMs = monotonicClock();
    else if (monotonicClock() - coordinatorSeenMs >= COORDINATOR_GONE_MS) end.resolve(COORDINATOR_GONE);
    await Promise.race([end.promise, after(RENEWED_MS)]);
  }
}

/** Whether the coordinator is gone, and no other one will find the part. A started run continues to its end, because it may be resumed. */
async function isOrphaned({ bus, work, isStarted, isEndless }: Part): Promise<boolean> {
  return (!isStarted || isEndless) && isCoordinatorGone(bus, work);
}

function after(delayMs: number): Promise<void> {
  return sleep(delayMs, undefined, { ref: false });
}
