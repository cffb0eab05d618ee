import { type Clock, type Timer, within } from '../base/kernel/clock.ts';
import { UserError } from '../base/kernel/errors.ts';
import { isOperation } from '../base/protocol/operations.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { abortingThresholds } from '../metrics/judging/threshold-results.ts';
import { windowsOf } from '../metrics/judging/thresholds.ts';
import { abortReason, type Reason, unreachableTarget } from '../metrics/judging/verdict.ts';
import type { Recording } from '../metrics/merging/measurement.ts';
import { createRunTotals, type RunTotals } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { withEvents } from '../scenario/event-times.ts';
import type { ScenarioChanges } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AgentExchange, BaseTarget, IssuedCredential, ShardAccount } from '../workers/messages.ts';
import type { Joining, Relocation, ShardHandlers, Shards } from '../workers/shards.ts';
import { joinTimeMs, leaveAgents, openJoining, type StartedShards } from './fleet-changes.ts';
import { createGroupCommit } from './group-commit.ts';
import type { AgentGroup } from './live-agents.ts';
import { type Addition, createRunEvents, type RunEvents } from './run-events.ts';
import { type StartOrder, scheduledStart } from './start-time.ts';

export type ControlPorts = StartOrder & {
  readonly openShards: (handlers: ShardHandlers) => Promise<Shards>;
  readonly clock: Clock;
  /** Unix time in milliseconds. */
  readonly unixClock: Clock;
  readonly timer: Timer;
  /** Ends a run of which nothing reached the target by then; `undefined`: agents try until the end, as real ones do. */
  readonly giveUpMs: number | undefined;
  /** Returns when the passwords are durable. A `UserError` ends the run as incomplete; any other error makes it fail. */
  readonly saveCredentials: (credentials: readonly IssuedCredential[]) => void;
  readonly storeFiles: ShardHandlers['storeFiles'];
  readonly traced: ShardHandlers['traced'];
  /** Like `saveCredentials`, for certificate exchanges of the embedded server. */
  readonly saveExchanges: (exchanges: readonly AgentExchange[]) => void;
  /** Called when all shards are ready, shortly before anything is sent. An exception ends the run. */
  readonly onStart: (startedAt: Date) => void;
  /** Called with the seconds of the timeline that all shards have reported, each once and in order. */
  readonly onSeconds: (seconds: readonly TimelineFrame[]) => void;
  /** Called with the current scenario whenever an event was added or ended. */
  readonly onEvents: (scenario: Scenario) => void;
  /** Called with the number of agents after an edit, and with the agents that joined, if any. */
  readonly onEdit: (agents: number, joined: AgentGroup | undefined) => void;
};

export type RunEnding =
  /** Operations in flight may complete, but nothing new starts. */
  'stop' | 'cancel';

export type ControlEnd = {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly recording: Recording;
  /** Accounts of all shards that ran to their end. */
  readonly accounts: ReadonlyMap<number, ShardAccount>;
  /** Why the run, or one of its shards, did not complete; empty if all did. */
  readonly reasons: readonly Reason[];
  /** How far the system clock was set forward during the run, or back if negative, in milliseconds. */
  readonly clockSetMs: number;
  readonly isChanged: boolean;
  /** The write error that ended the run; `undefined` if there was none. */
  readonly problem: string | undefined;
};

export type FleetEdit = {
  /** The edited scenario, with times relative to `sinceMs` after the start of the run. */
  readonly since: (sinceMs: number) => Scenario;
  /** Changed agents leave and join with their new description. Times of events count from the start of the run. */
  readonly changes: Pick<ScenarioChanges, 'agents' | 'events'>;
  /** Called before the edit takes effect; an exception refuses it. `undefined`: only check whether the edit is possible. */
  readonly keep: (() => void) | undefined;
};

/** The same, once it was found to be possible. */
export type PreparedEdit = {
  /** The edited scenario, except for phases and events; times count from the start of the run. */
  readonly scenario: Scenario;
  readonly events: ScenarioChanges['events'];
  /** Servers to which its events direct agents. */
  readonly otherServers: readonly BaseTarget[];
  /** Indices in the fleet. */
  readonly leaving: readonly number[];
  /** The joining agents, which start `sinceMs`, in whole seconds, after the run; `undefined` if none join. */
  readonly joining: ((sinceMs: number) => Promise<Joining>) | undefined;
  readonly leadMs: number;
};

// A shard that still runs this long after the last deadline is overdue. It is canceled and gets the same time again.
const GRACE_MS = 10_000;

type LiveRun = StartedShards & { readonly ports: ControlPorts };

type ControlState = ReturnType<typeof controlState>;

function controlState(scenario: Scenario, events: RunEvents) {
  return {
    /** Includes events that were added, and the ends of events. */
    scenario,
    /** Settles when all edits so far are complete. */
    editing: Promise.resolve() as Promise<unknown>,
    events,
    timelineMs: timelineEndMs(scenario.phases),
    reasons: [] as Reason[],
    /** Settles when all shards have ended, or the run has failed. */
    done: Promise.withResolvers<'ended'>(),
    /** Settles with the first command. */
    commanded: Promise.withResolvers<RunEnding>(),
    /** Whether the target is known to have taken a request; found out only if the run may give up. */
    isReached: false,
    /** Present after the start. */
    live: undefined as LiveRun | undefined,
    /** Shards that finished or were lost. */
    ended: new Set<number>(),
    accounts: new Map<number, ShardAccount>(),
    /** Number of operations in flight in each shard's last report. */
    inFlight: new Map<number, number>(),
    /** Settles when the timeline is cut short. */
    cutShort: Promise.withResolvers<void>(),
    problem: undefined as string | undefined,
    isChanged: false,
    /** Length of the completed timeline if it was cut short. */
    cutMs: undefined as number | undefined,
  };
}

export type Control = ReturnType<typeof createControl>;

/** The control plane of one run: starts its shards on a common timeline and collects their reports. */
export function createControl(scenario: Scenario) {
  const plan = { events: scenario.events, agents: scenario.fleet.agents, timelineMs: timelineEndMs(scenario.phases) };
  const events = createRunEvents(plan, (all) => changeEvents(state, all));
  const state: ControlState = controlState(scenario, events);
  const ask: Shards['ask'] = (worker, query) => {
    const { live } = state;
    if (live === undefined) return Promise.reject(new UserError(NOT_RUNNING));
    return live.shards.ask(worker, query).catch((error: unknown) => {
      throw error instanceof UserError ? error : new UserError(NOT_RUNNING);
    });
  };
  return {
    /** Can be called at any time, even before the start. */
    send: (command: RunEnding): void => interrupt(state, command),
    /** Can be called at any time; see `RunEvents`. */
    addEvent: ({ event, ...how }: Addition, servers: readonly BaseTarget[]) =>
      events.add({ ...how, event: { ...event, of: state.scenario.fleet.agents } }, servers),
    endEvent: events.end,
    /** See `Run.edit`; another edit waits. Rejects with `UserError` before the start; a later failure also makes the run fail. */
    edit: (edit: PreparedEdit): Promise<void> => inTurn(state, () => editFleet(state, edit)),
    /** Rejects with `UserError` before the start, and after the worker has ended. */
    ask,
    /** Starts all shards at the same time, and resolves when all have ended. Rejects if a shard could not start. */
    run: (ports: ControlPorts): Promise<ControlEnd> => run(state, ports),
  };
}

const NOT_RUNNING = 'The fleet is not running: try again when it has started.';

async function run(state: ControlState, ports: ControlPorts): Promise<ControlEnd> {
  const { scenario, timelineMs } = state;
  const shards = await ports.openShards(shardHandlers(state, ports));
  try {
    const { startMs, startedAt } = await scheduledStart(ports, shards.noticeMs, state.commanded.promise);
    ports.onStart(startedAt);
    const totals = createRunTotals(scenario.phases, [...Array(shards.count).keys()], windowsOf(scenario.thresholds));
    state.live = { ports, shards, totals, startMs, startedAt };
    state.events.begin({ shards, nowMs: () => ports.clock() - startMs });
    shards.start(startMs, startedAt.getTime());
    // An interrupt may have arrived while the shards were built.
    if (state.cutMs !== undefined) shards.send({ kind: 'stop' });
    endIfAllEnded(state);
    // A timeline without an end needs an interrupt.
    if (isEndless(state)) await Promise.race([state.done.promise, state.cutShort.promise]);
    const fromMs = isEndless(state) ? 0 : shards.noticeMs + timelineMs;
    const { timeoutMs, pull } = state.scenario.target;
    // A certificate exchange consists of two requests, each with its own timeout.
    const lastMs = Math.max(timeoutMs, 2 * (pull?.timeoutMs ?? 0)) + GRACE_MS;
    const end = await endInTime(state, ports, { fromMs, lastMs });
    if (end === undefined) await endOverdue(state, state.live);
    const { accounts, problem, isChanged } = state;
    // Copied, because threads that are closed below are not lost.
    const reasons = [...state.reasons];
    const lastedMs = ports.clock() - startMs;
    // The system clock may have been set during the run, but no run ends before its start.
    const endedAt = new Date(startedAt.getTime() + Math.max(0, lastedMs));
    const clockSetMs = ports.unixClock() - endedAt.getTime();
    const recording = recordingOf(state, totals);
    return {
      startedAt,
      endedAt,
      recording,
      accounts,
      reasons,
      problem,
      clockSetMs,
      isChanged,
    };
  } finally {
    state.events.close();
    await shards.close();
  }
}

/** A timer that fires later than this means that the whole process stalled. */
const STOOD_STILL_MS = 1000;

/**
 * Waits for all shards. `undefined` if one still runs `lastMs` after the end of the timeline. If the process stalled meanwhile, the backlog
 * becomes due only now and gets another `lastMs`.
 */
async function endInTime(
  state: ControlState,
  ports: ControlPorts,
  { fromMs, lastMs }: { readonly fromMs: number; readonly lastMs: number },
): Promise<'ended' | undefined> {
  const limitMs = ports.clock() + fromMs + lastMs;
  const end = await within(ports.timer, fromMs + lastMs, state.done.promise);
  if (end !== undefined || ports.clock() - limitMs < STOOD_STILL_MS) return end;
  return endInTime(state, ports, { fromMs: 0, lastMs });
}

/** Cancels overdue shards, so that their operations in flight are counted. The timeline no longer waits for shards that hang. */
async function endOverdue(state: ControlState, { ports, shards, totals }: LiveRun): Promise<void> {
  const overdue = [...Array(shards.count).keys()].filter((shard) => !state.ended.has(shard));
  const inFlight = new Map(state.inFlight);
  shards.send({ kind: 'cancel' });
  await within(ports.timer, GRACE_MS, state.done.promise);
  for (const shard of overdue) {
    const isHung = !state.ended.has(shard);
    const unreported = isHung ? shards.unreported?.(shard) : undefined;
    const text = unreported ?? overdueText(shards.nameOf(shard), inFlight.get(shard) ?? 0, isHung);
    state.reasons.push({ kind: 'incomplete', text });
    if (isHung) totals.end(shard);
  }
  ports.onSeconds(totals.takeTimeline());
}

function overdueText(shard: string, inFlight: number, isHung: boolean): string {
  const late = `${shard} ran out of time: ${GRACE_MS / 1000} s after the last deadline it still had ${inFlight} operations in flight`;
  return isHung
    ? `${late}, and it did not end when they were canceled, so their outcome is unknown`
    : `${late}, which were canceled; use more workers or machines, or a lower load`;
}

function shardHandlers(state: ControlState, ports: ControlPorts): ShardHandlers {
  return {
    frame: (frame) => takeFrame(state, frame),
    restored: (seconds) => {
      if (state.live !== undefined) ports.onSeconds(state.live.totals.restore(seconds));
    },
    storeCredentials: createGroupCommit(ports.saveCredentials, (error) => endIncomplete(state, error)),
    storeFiles: ports.storeFiles,
    traced: ports.traced,
    storeExchanges: createGroupCommit(ports.saveExchanges, (error) => endIncomplete(state, error)),
    accounted: (shard, account) => void state.accounts.set(shard, account),
    finished: (shard) => endShard(state, shard),
    copiedPassword: () => {},
    claim: async (wanted) => wanted.map(() => ({ kind: 'granted', isInherited: false }) as const),
    relocate: (relocation) => inTurn(state, () => relocate(state, relocation)),
    incomplete: (text) => void state.reasons.push({ kind: 'incomplete', text }),
    lost: (shard, error) => {
      state.reasons.push({
        kind: 'incomplete',
        text: `${state.live?.shards.nameOf(shard) ?? `worker ${shard}`} was lost: ${error.message}`,
      });
      endShard(state, shard);
      // Its agents would be lost permanently: the caller must start the whole fleet again.
      if (isEndless(state)) cut(state, 'stop');
    },
  };
}

/** A port failed: the run ends, and `run` rejects. */
function fail(state: ControlState, error: unknown): void {
  state.done.reject(error);
  cut(state, 'cancel');
}

/** Agents' data can no longer be written. The measurements so far are still worth reporting. */
function endIncomplete(state: ControlState, error: unknown): void {
  if (!(error instanceof UserError)) {
    fail(state, error);
    return;
  }
  if (state.problem === undefined) state.reasons.push({ kind: 'incomplete', text: error.message });
  state.problem ??= error.message;
  cut(state, 'cancel');
}

function takeFrame(state: ControlState, frame: Frame): void {
  if (state.live === undefined) return;
  const { totals, ports } = state.live;
  totals.add(frame);
  state.inFlight.set(frame.shard, frame.inFlight);
  const seconds = totals.takeTimeline();
  ports.onSeconds(seconds);
  if (state.cutMs !== undefined) return;
  const abort = abortOf(state, totals, seconds);
  if (abort !== undefined) {
    state.reasons.push(abort);
    cut(state, 'stop');
    return;
  }
  // The summary gives the reason.
  if (givesUp(state, state.live)) cut(state, 'cancel');
}

/** Whether the time to reach the target has passed, and every attempt so far has failed to. */
function givesUp(state: ControlState, { ports: { giveUpMs, clock }, totals, startMs }: LiveRun): boolean {
  if (giveUpMs === undefined || state.isReached || clock() - startMs < giveUpMs) return false;
  const recording = recordingOf(state, totals);
  state.isReached = recording.run.series.some((one) => isOperation(one.operation) && one.totals.sentBytes > 0);
  return unreachableTarget(recording).length > 0;
}

/** Why the run should end after these seconds; `undefined` if it continues. */
function abortOf(
  { scenario: { phases, thresholds, validity }, timelineMs }: ControlState,
  totals: RunTotals,
  seconds: readonly TimelineFrame[],
): Reason | undefined {
  const last = seconds.at(-1);
  // At the end of the timeline there is nothing left to abort.
  if (last === undefined || (last.second + 1) * 1000 >= timelineMs) return undefined;
  const elapsedMs = (last.second + 1) * 1000;
  const [crossed] = abortingThresholds({ phases, elapsedMs, run: totals.read() }, thresholds, validity.leaveOutShare);
  return crossed && abortReason(crossed, elapsedMs, timelineMs);
}

function endShard(state: ControlState, shard: number): void {
  state.ended.add(shard);
  if (state.live === undefined) return;
  const { totals, ports } = state.live;
  totals.end(shard);
  ports.onSeconds(totals.takeTimeline());
  endIfAllEnded(state);
}

function endIfAllEnded(state: ControlState): void {
  if (state.ended.size === state.live?.shards.count) state.done.resolve('ended');
}

function inTurn<T>(state: ControlState, edit: () => Promise<T>): Promise<T> {
  const result = state.editing.then(edit);
  state.editing = result.catch(() => {});
  return result;
}

async function editFleet(state: ControlState, edit: PreparedEdit): Promise<void> {
  const { live } = state;
  if (live === undefined || state.cutMs !== undefined) throw new UserError(NOT_RUNNING);
  state.isChanged = true;
  try {
    await leaveAgents(edit.leaving, live.shards, live.ports);
    const { phases, events } = state.scenario;
    state.scenario = { ...edit.scenario, phases, events };
    state.events.change(edit.events, edit.otherServers);
    const sinceMs = joinTimeMs(live, live.ports.clock(), edit.leadMs);
    const joined = edit.joining && (await openJoining(live, await edit.joining(sinceMs), sinceMs));
    startJoined(state, live, joined);
  } catch (error) {
    // The fleet may be incomplete now: the caller must start it again.
    if (state.cutMs === undefined) fail(state, error);
    throw error;
  }
}

/** Agents without an operation in flight leave immediately; their new shards start this long after. */
const MOVED_MS = 200;

/** Opens the new shards before the agents leave, so that they miss little. */
async function relocate(state: ControlState, { agents, leadMs, joining }: Relocation): Promise<void> {
  const { live } = state;
  if (live === undefined || state.cutMs !== undefined) throw new UserError(NOT_RUNNING);
  const { ports, shards, startMs } = live;
  const sinceMs = joinTimeMs(live, ports.clock(), leadMs);
  const joined = await openJoining(live, joining(sinceMs), sinceMs);
  await within(ports.timer, startMs + sinceMs - MOVED_MS - ports.clock(), state.done.promise);
  await leaveAgents(agents, shards, ports);
  startJoined(state, live, joined);
}

/** Starts the shards that wait. Those whose agents have all left end. */
function startJoined({ scenario, cutMs }: ControlState, live: LiveRun, joined: AgentGroup | undefined): void {
  const { shards, startMs, startedAt, ports } = live;
  shards.start(startMs, startedAt.getTime());
  ports.onEdit(scenario.fleet.agents, joined);
  if (cutMs !== undefined) shards.send({ kind: 'stop' });
}

/** Thresholds on an event apply until its end. */
function changeEvents(state: ControlState, events: readonly FleetEvent[]): void {
  state.scenario = withEvents(state.scenario, events);
  state.live?.totals.setWindows(windowsOf(state.scenario.thresholds));
  state.live?.ports.onEvents(state.scenario);
}

function interrupt(state: ControlState, command: RunEnding): void {
  state.commanded.resolve(command);
  const known = state.reasons.some(({ kind }) => kind === 'interrupted');
  if (!known) state.reasons.push({ kind: 'interrupted', text: 'the run was interrupted' });
  cut(state, command);
}

function cut(state: ControlState, how: RunEnding): void {
  const { live } = state;
  state.cutMs ??= live === undefined ? 0 : Math.max(0, live.ports.clock() - live.startMs);
  live?.shards.send({ kind: how });
  state.cutShort.resolve();
}

function isEndless({ timelineMs }: ControlState): boolean {
  return timelineMs === Number.POSITIVE_INFINITY;
}

function recordingOf({ scenario, timelineMs, cutMs }: ControlState, totals: RunTotals): Recording {
  return { phases: scenario.phases, elapsedMs: Math.min(timelineMs, cutMs ?? timelineMs), run: totals.read() };
}
