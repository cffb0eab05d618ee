import { recordOf } from '../base/kernel/records.ts';
import type { Claim } from '../base/protocol/claim.ts';
import { headAndBody, type WireSink } from '../base/protocol/exchange.ts';
import { OPERATIONS } from '../base/protocol/operations.ts';
import { collectedBeforeRun } from '../load/arrivals.ts';
import { justBefore } from '../load/due-queue.ts';
import { hostTimeOf } from '../load/host-clock.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { Pace } from '../metrics/recording/frame.ts';
import { startDelayMs } from '../wire/agent/lifecycle.ts';
import { type RequestSubject, requestBody } from '../wire/agent/request.ts';
import { createActiveEffects } from './active-effects.ts';
import { type Leaving, leave, takeHit } from './agent-hits.ts';
import {
  cancelRun,
  completeRun,
  fillFreeSlots,
  LIFE,
  seriesOf,
  stopRun,
  takeArrival,
  takeClaim,
  timeOut,
  traceSubjectOf,
} from './agent-life.ts';
import { changeHost, endProcess, reload } from './agent-process.ts';
import { createStatuses, noteCondition } from './agent-status.ts';
import { createAgentTable, createIdentities } from './agent-table.ts';
import { createConditionLog } from './conditions.ts';
import { attackInstead, sends } from './due-arrivals.ts';
import type { EnginePlan, EnginePorts, EngineState, ListeningPorts, Replay } from './engine-state.ts';
import { createFleetEvents, type FleetEvents } from './fleet-events.ts';
import { createHostOutages } from './host-outages.ts';
import { createReconfigurations, type ReloadSettings } from './reconfigurations.ts';
import { createSchedule } from './schedule.ts';
import { createServedDocuments } from './served-documents.ts';
import { openSlots } from './slots.ts';

/**
 * Runs one shard of a fleet in one thread: takes arrivals as they become due, sends requests and records outcomes. It has no timer. The
 * caller calls `advance` at the times that it returns; calls may be early or late.
 */
export type Engine = ReturnType<typeof createEngine>;

// A late engine reads pending answers between batches. Otherwise these answers would appear to be late.
const MAX_BATCH = 32;

export function createEngine(plan: EnginePlan, ports: EnginePorts) {
  const engine = createState(plan, ports);
  const { table, events } = engine;
  const { advance, catchUp } = createTurns(engine);
  return {
    advance,
    /** Call before the start with the passwords of agents, numbered within the shard. The engine keeps this memory. */
    restore: table.restore,
    /** Call before the start of a fleet that is started again too late: what was due before this time is not caught up. */
    skipBefore: (atMs: number): void => {
      engine.skippedBeforeMs = atMs;
    },
    credentialStored: (agent: number): void => LIFE.stored[table.busy.of(agent).activity](engine, agent),
    /** Answers the port `mayRegister`. */
    takeClaim: (agent: number, claim: Claim): void => takeClaim(engine, agent, claim),
    /** Starts no new operations; operations in flight continue. */
    stop: (): void => stopRun(engine),
    /** Ends operations in flight as canceled. */
    cancel: (): void => cancelRun(engine),
    ...createFigures(engine),
    uuid: table.uuid,
    /** Empty if the agent has none. */
    password: table.password,
    ...createServedDocuments(engine, catchUp),
    /**
     * Ends the agent's operation and restarts the agent with these settings. Call `advance` after it, and after `down`: the next due time
     * has changed.
     */
    reload: (agent: number, settings: ReloadSettings): void => {
      catchUp();
      if (!table.isGone(agent)) reload(engine, agent, settings);
    },
    /** Ends the agent's process until the agent is reloaded. */
    down: (agent: number): void => {
      catchUp();
      endProcess(engine, agent);
    },
    /** Removes agents from the shard. Returns the number of agents that could not leave yet; call again for them. See `Leaving`. */
    leave: (agents: readonly number[], how: Leaving): number => leave(engine, agents, how),
    /** Call `advance` after it. */
    findEvent: events.find,
    /** Also during a run: its past part takes effect immediately. Call `advance` after it, and after `endEvent`. */
    addEvent: events.add,
    endEvent: events.end,
    affectedBy: events.affected,
    ...createStatuses(engine),
    /** Counts of all requests so far; final once nothing is in flight. */
    deliveryCounts: table.delivery.counts,
    close: (): Promise<void> => engine.transport.close(),
  };
}

/** The figures of the shard for its frames. */
function createFigures(engine: EngineState) {
  const { table, ports, dueTenths } = engine;
  return {
    /** Number of agents with an operation in flight or waiting for a connection. */
    busyAgents: table.busy.count,
    /** How long the oldest request in flight has waited for its answer; `undefined` if there is none. */
    longestWaitMs: (): number | undefined => {
      const startedMs = table.busy.oldestStartMs();
      return startedMs === undefined ? undefined : ports.clock() - startedMs;
    },
    agentStates: table.stateTotals,
    downAgents: (): number => engine.reconfigurations.endedAgents() - table.goneAgents(),
    eventHits: engine.events.hits,
    /** How unevenly operations were due and answered since the last call. */
    takePace: (): Pace => {
      const due = [...dueTenths];
      dueTenths.fill(0);
      return { leastInFlight: table.busy.takeLeast(), due };
    },
  };
}

/** The turns of an engine: everything that is due, as often as its caller wakes it. */
function createTurns(engine: EngineState) {
  const { table, schedule, outages, events, ports } = engine;
  /** The hosts of listening agents are watched from the first turn on. */
  let isWatching = ports.listening === undefined;

  /** A listener closes and opens with its host, whether or not its agent sends. */
  const watchHosts = (nowMs: number): void => {
    // Listeners open before the start, when the start time is still unknown.
    if (nowMs < 0) return;
    isWatching = true;
    for (let agent = 0; agent < table.count; agent++) outages.watch(agent, 0);
  };
  const catchUp = (): void => {
    if (engine.stopped) return;
    const nowMs = ports.clock();
    if (!isWatching) watchHosts(nowMs);
    takeDue(engine, nowMs, { untilMs: nowMs, most: Number.POSITIVE_INFINITY });
  };

  return {
    catchUp,
    /**
     * Starts operations that are due, and due before `beforeMs`, and ends overdue ones. Returns the time of the next call. This time is in
     * the past if one call was not enough.
     */
    advance: (beforeMs = Number.POSITIVE_INFINITY): number => {
      const nowMs = ports.clock();
      if (engine.stopped) {
        timeOut(engine, nowMs);
        return table.busy.nextDeadlineMs();
      }
      if (!isWatching) watchHosts(nowMs);
      if (ports.isFenced()) ports.recorder.lateness.fenced(nowMs);
      takeDue(engine, nowMs, { untilMs: Math.min(nowMs, justBefore(beforeMs)), most: MAX_BATCH });
      if (engine.replay.isInProgress) settleReplay(engine);
      if (nowMs < beforeMs) fillFreeSlots(engine);
      timeOut(engine, nowMs);
      const nextMs = Math.min(table.busy.nextDeadlineMs(), schedule.nextDueMs(), outages.nextMs(), events.nextMs());
      const isPrepared = schedule.prepare(nowMs) && events.prepare(nowMs);
      return isPrepared ? nextMs : Math.min(nextMs, nowMs + 1);
    },
  };
}

function createState(plan: EnginePlan, callersPorts: EnginePorts): EngineState {
  const { phases } = plan;
  const { replay, listening } = createReplay(callersPorts.listening);
  const ports = { ...callersPorts, ...(listening && { listening }) };
  const changed = (agent: number): void => noteCondition(engine, agent);
  const table = createAgentTable(plan, changed);
  const isListening = ports.listening !== undefined;
  const firstResultAfterMs = (agent: number) => startDelayMs(isListening) + ports.payloads.checkRunMs(agent);
  const fleet = { ...plan, firstResultAfterMs, durations: ports.durations, openTrace: ports.openTrace };
  const packages = phases.flatMap(({ loads }) => loads).find(({ operation }) => operation === 'packages');
  if (packages !== undefined) table.setAllCollected(collectedBeforeRun(packages.model, fleet));
  const activeEffects = createActiveEffects(changed);
  const events = eventsOf(plan, ports, { table, activeEffects });
  const reconfigurations = createReconfigurations({
    payloads: ports.payloads,
    timeoutMs: plan.timeoutMs,
    listens: isListening,
    fleetIndex: table.fleetIndex,
    changed,
  });
  const engine: EngineState = {
    plan,
    ports,
    table,
    reconfigurations,
    activeEffects,
    events,
    replay,
    conditions: createConditionLog(),
    identities: createIdentities(table, plan.seed, {
      drawnFrom: ports.events.drawnFrom,
      issuedTo: ports.events.passwordIssuedTo,
    }),
    transport: ports.openTransport({
      started: (agent) => LIFE.connected[table.busy.of(agent).activity](engine, agent),
      buffer: ports.payloads.buffer,
      openBody: (agent) => {
        const subject = subjectOf(engine, agent);
        table.delivery.count(agent, subject.operation, 'sent');
        return requestBody(subject, { seed: plan.seed, payloads: reconfigurations.payloadsOf(agent) });
      },
      ended: (agent, ending, traffic) => {
        const { activity } = table.busy.of(agent);
        if (ending.kind === 'answer') LIFE.answered[activity](engine, agent, ending, traffic);
        else LIFE.failed[activity](engine, agent, ending.failure, traffic);
      },
      ...(ports.trace && { wire: wireTo(ports.trace, () => engine) }),
    }),
    series: phases.map(({ name }) => recordOf(OPERATIONS, (operation) => ports.recorder.series(name, operation))),
    schedule: createSchedule(phases, fleet, (phase, index) => {
      engine.slots = openSlots({ phase, index }, plan.shard, table.busy.heldSlots);
    }),
    outages: createHostOutages({
      nextOutage: ports.payloads.nextOutage,
      firstResultAfterMs: reconfigurations.firstResultAfterMs,
      agents: table.count,
      fleetIndex: table.fleetIndex,
      epochMs: ports.epochMs,
      clockFactor: ports.clockFactor,
      endMs: timelineEndMs(phases),
      isWatched: isListening,
    }),
    pulled: phases.every(({ loads }) => loads.length === 0),
    dueTenths: new Uint32Array(10),
    slots: [],
    skippedBeforeMs: Number.NEGATIVE_INFINITY,
    stopped: false,
  };
  return engine;
}

function eventsOf(
  { seed, agents, phases }: EnginePlan,
  ports: EnginePorts,
  { table, activeEffects }: Pick<EngineState, 'table' | 'activeEffects'>,
): FleetEvents {
  const events = createFleetEvents({
    seed,
    agents: table.count,
    fleetIndex: table.fleetIndex,
    facts: { ...ports.events.facts, agents, state: (index) => table.state(table.local(index)) },
    hasService: ports.events.hasService,
    standing: (index) => {
      const agent = table.local(index);
      if (table.password(agent) !== '') return table.health.standing(agent);
      return table.health.last(agent) === undefined ? 'unknown' : 'accepted';
    },
    isHere: (agent) => !table.isGone(agent),
    affected: activeEffects.agentsOf,
    endMs: timelineEndMs(phases),
  });
  for (const event of ports.events.events) events.add(event);
  events.prepareStart();
  return events;
}

/**
 * Takes up to `most` arrivals and hits of events that are due at `untilMs` or earlier. Changes of hosts between them take effect at their
 * own times.
 */
function takeDue(
  engine: EngineState,
  nowMs: number,
  { untilMs, most }: { readonly untilMs: number; readonly most: number },
): void {
  const { schedule, outages, events, replay, dueTenths } = engine;
  for (let left = most; ; ) {
    left -= schedule.takeDue(Math.min(untilMs, outages.nextMs(), events.nextMs()), left, (arrival) => {
      if (arrival.dueMs < engine.skippedBeforeMs || attackInstead(engine, arrival)) {
        completeRun(engine, arrival);
        return;
      }
      seriesOf(engine, arrival.phase, arrival.load.operation).pickedUp(nowMs - arrival.dueMs);
      if (!sends(engine, arrival)) return;
      const tenth = Math.floor(arrival.dueMs / 100) % 10;
      dueTenths[tenth] = (dueTenths[tenth] as number) + 1;
      takeArrival(engine, arrival);
    });
    const instantMs = Math.min(outages.nextMs(), events.nextMs());
    if (left <= 0 || instantMs > untilMs) return;
    replay.isInProgress = instantMs < 0;
    if (outages.nextMs() <= events.nextMs()) {
      const change = outages.take();
      changeHost(engine, change.agent, change);
      noteCondition(engine, change.agent);
    } else left -= events.takeDue(events.nextMs(), left, (hit) => takeHit(engine, hit));
    if (left <= 0) return;
  }
}

function settleReplay({ replay, outages, events }: EngineState): void {
  if (Math.min(outages.nextMs(), events.nextMs()) >= 0) replay.settle();
}

function subjectOf({ table, ports }: EngineState, agent: number): RequestSubject {
  const { operation, resultMs, collectionMs } = table.busy.of(agent);
  const index = table.fleetIndex(agent);
  switch (operation) {
    case 'register':
      // A registration carries no password, even if one is being written to disk.
      return { operation, agent: index, uuid: table.uuid(agent), password: '' };
    case 'authorize':
      return { operation, agent: index, uuid: table.uuid(agent), password: table.password(agent) };
    case 'checkdata':
    case 'packages':
      return {
        operation,
        agent: index,
        signature: table.signature(agent),
        instantMs: hostTimeOf(ports, resultMs),
        collectionMs: Number.isNaN(collectionMs) ? undefined : hostTimeOf(ports, collectionMs),
      };
  }
}

// Longest part of a request in a trace.
const TRACED_BYTES = 16 << 10;

/** Traces requests and redirects, which precede the end of an operation. */
function wireTo(trace: NonNullable<EnginePorts['trace']>, engineOf: () => EngineState): WireSink {
  return {
    request: (agent, bytes) => {
      const engine = engineOf();
      if (trace.follows(engine.table.fleetIndex(agent)))
        trace.request(traceSubjectOf(engine, agent), () => headAndBody(bytes.toString('utf8', 0, TRACED_BYTES)));
    },
    redirected: (agent, seen) => {
      const engine = engineOf();
      if (!trace.follows(engine.table.fleetIndex(agent))) return;
      const serviceMs = engine.ports.clock() - engine.table.busy.of(agent).startedMs;
      trace.answer(traceSubjectOf(engine, agent), { outcome: undefined, serviceMs }, () => seen);
    },
  };
}

/** While events before the start are replayed, listeners, which are already open, learn only the last change of each host. */
function createReplay(listening: ListeningPorts | undefined) {
  const last = new Map<number, 'hostDown' | 'hostUp'>();
  const recorded = (change: 'hostDown' | 'hostUp') => (agent: number) => {
    if (replay.isInProgress) last.set(agent, change);
    else listening?.[change](agent);
  };
  const replay: Replay = {
    isInProgress: false,
    settle: () => {
      replay.isInProgress = false;
      for (const [agent, change] of last) if (change === 'hostDown') listening?.hostDown(agent);
      last.clear();
    },
  };
  const recording = listening && { ...listening, hostDown: recorded('hostDown'), hostUp: recorded('hostUp') };
  return { replay, listening: recording };
}
