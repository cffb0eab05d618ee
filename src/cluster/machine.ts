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
import { after, LOCAL_PART_LIFE, LOCAL_PART_STATES, type LocalPart } from './local-part-life.ts';
import { isToMachines, isWorkOrder, ORDER_OBJECT, type ToMachines, type Work } from './messages.ts';
import { createPartLease, isCoordinatorGone, RENEWED_MS, requestLease } from './part-lease.ts';
import { createPartReports } from './part-reports.ts';
import { buildPartShards, type PartBuild, type PartShards } from './part-shards.ts';

/** A part of a fleet that this machine runs for a coordinator. */
export type MachinePart = Awaited<ReturnType<typeof startPart>>;

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
  const part: LocalPart = {
    bus,
    store,
    work,
    agents,
    isEndless: timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY,
    leavingText: `${host.name} was told to leave`,
    reports: createPartReports(store, { work, workers }, end.resolve),
    lease: createPartLease(),
    end,
    state: LOCAL_PART_STATES.building,
    isStarted: false,
    built: undefined,
  };
  void end.promise.then(() => {
    part.state = LOCAL_PART_STATES.over;
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
    hasLease: () => part.state !== LOCAL_PART_STATES.lost,
    isOver: () => part.state === LOCAL_PART_STATES.over,
  });
  return {
    workers,
    /** Indices in the fleet of the agents that it runs now. */
    agents: agents as ReadonlySet<number>,
    /** Resolves, with the reason, when everything has ended and all messages are sent: threads could write to stores that are closed. */
    ended: end.promise.finally(() => part.built?.shards.close()),
    /** Agents are numbered within the part. Rejects before the part is built, and after its end. */
    ask: (async (query: ShardQuery) => {
      // Before the start, the hosts have no time.
      if (part.built === undefined || (query.kind === 'document' && !part.isStarted))
        throw new Error('the machine has no figures yet');
      return query.kind === 'leave' ? moveAway(part, part.built, query) : part.built.ask(query);
    }) as Ask,
    /** The machine's entry was extended after this time on the monotonic clock; `undefined`: it had expired. */
    renewLease: part.lease.extended,
    /** Ends the part immediately. A run with an end that has started does not come again. */
    release: () => end.resolve(part.isStarted && !part.isEndless ? 'its coordinator has ended the run' : 'released'),
    /** Leaves the run: hands its agents over if another machine can take them, or reports that it leaves. */
    leave: (): void => LOCAL_PART_LIFE.interrupted[part.state](part),
  };
}

async function orderOf(bus: Bus, { run, order }: Work) {
  const store = await bus.openRun(run);
  const found = order ?? (await store?.getObject(ORDER_OBJECT));
  if (store === undefined || !isWorkOrder(found))
    throw new UserError(`Run ${run}: expected its scenario in NATS, found nothing; start the run again.`);
  return { store, order: found };
}

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

/** Runs the part from its construction to its end, and reports both to the coordinator. */
async function run(part: LocalPart, build: PartBuild): Promise<void> {
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
    if (part.state === LOCAL_PART_STATES.building) part.state = LOCAL_PART_STATES.ready;
    part.lease.limit(built.shards.hold);
    reports.send({ kind: 'ready' });
    void keepLease(part);
    stopReading = store.read('to', ({ sequence, message }) => {
      if (sequence > work.fromSequence && isToMachines(message)) void receive(part, built, message);
    });
    await Promise.race([reports.workersEnded, end.promise]);
    await LOCAL_PART_LIFE.ended[part.state](part);
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

/** Without a coordinator, a part that has not started or has no end would never end. */
const COORDINATOR_GONE_MS = 30_000;
/** Why a part has ended whose work another coordinator may give out again. */
export const COORDINATOR_GONE = 'its coordinator is gone';

/** Asks the coordinator every second: stored heartbeats fail if the store is full, or its only server restarts. */
async function keepLease(part: LocalPart): Promise<void> {
  const { bus, work, end, lease, reports, built } = part;
  let natsMs: number | undefined;
  let coordinatorSeenMs = monotonicClock();
  while (part.state !== LOCAL_PART_STATES.over) {
    const requestedMs = monotonicClock();
    void bus.roundTripMs().then((tookMs) => {
      natsMs = tookMs;
    });
    const answer = await requestLease(bus, work.run, {
      part: work.part,
      generation: work.generation,
      isLeaving: part.state === LOCAL_PART_STATES.handingOver,
      natsMs,
      problem: bus.problem(),
    });
    if (answer === 'held') lease.granted(requestedMs);
    else if (answer === 'lost') LOCAL_PART_LIFE.lost[part.state](part);
    else if (answer === 'alone') LOCAL_PART_LIFE.alone[part.state](part);
    reports.heldBack(built?.claims?.heldBack() ?? []);
    if (answer !== 'nobody' || !(await isOrphaned(part))) coordinatorSeenMs = monotonicClock();
    else if (monotonicClock() - coordinatorSeenMs >= COORDINATOR_GONE_MS) end.resolve(COORDINATOR_GONE);
    await Promise.race([end.promise, after(RENEWED_MS)]);
  }
}

/** Whether the coordinator is gone, and no other one will find the part. A started run continues to its end, because it may be resumed. */
async function isOrphaned({ bus, work, isStarted, isEndless }: LocalPart): Promise<boolean> {
  return (!isStarted || isEndless) && isCoordinatorGone(bus, work);
}

/** Takes a message to all machines of the run. */
async function receive(part: LocalPart, { shards }: PartShards, message: ToMachines): Promise<void> {
  const { work, isStarted } = part;
  const isOwn = (index: number, generation: number): boolean => index === work.part && generation === work.generation;
  switch (message.kind) {
    case 'start': {
      const atMs = message.atMs[work.part];
      // A machine that replaces another starts with `replaced`.
      if (atMs !== undefined && (work.generation === 0 || isStarted))
        await LOCAL_PART_LIFE.started[part.state](part, { atMs, epochMs: message.epochMs });
      break;
    }
    case 'replaced':
      if (isOwn(message.part, message.record.generation)) await LOCAL_PART_LIFE.started[part.state](part, message);
      break;
    case 'lost':
      if (isOwn(message.part, message.generation)) LOCAL_PART_LIFE.lost[part.state](part);
      break;
    case 'left':
      break;
    default:
      shards.send(message);
  }
}

/** Agents leave for another part. Returns how many of them could not leave yet. */
async function moveAway(
  { work, agents }: LocalPart,
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
