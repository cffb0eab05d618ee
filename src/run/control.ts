import type { FleetEvent } from '../events/event.ts';
import { type Clock, type Timer, within } from '../kernel/clock.ts';
import { UserError } from '../kernel/errors.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { abortingThresholds, windowsOf } from '../metrics/judging/thresholds.ts';
import { abortReason, type Reason } from '../metrics/judging/verdict.ts';
import { createRunTotals, type Recording, type RunTotals } from '../metrics/merging/run-totals.ts';
import type { TimelineFrame } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { batchPerTurn } from '../runtime/event-loop.ts';
import { withEvents } from '../scenario/event-times.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AgentExchange, IssuedCredential, ShardAccount } from '../workers/messages.ts';
import type { ShardEvents, Shards } from '../workers/open-shards.ts';
import { type FleetChange, letCome, letLeave } from './fleet-change.ts';
import { createReachWatch, type ReachWatch } from './reach-watch.ts';
import { createRunEvents, type RunEvents } from './run-events.ts';

/** What the control of a run has around it. */
export type ControlPorts = {
  /** Builds the shards; they wait for the start. */
  readonly openShards: (events: ShardEvents) => Promise<Shards>;
  /** Monotonic; milliseconds. */
  readonly clock: Clock;
  /** Unix time in milliseconds. */
  readonly unixClock: Clock;
  readonly timer: Timer;
  /** When the run is to start; undefined: as soon as all shards are ready. */
  readonly startAt: Date | undefined;
  /** The run begins at that instant also if the shards are ready only later; else that is refused. */
  readonly mayStartLate: boolean;
  /** Whether the target takes a connection at all; asked once, at the start. */
  readonly takesConnections: () => Promise<boolean>;
  /** Returns once the passwords are durable; a `UserError` ends the run, which is incomplete then; anything else fails it. */
  readonly saveCredentials: (credentials: readonly IssuedCredential[]) => void;
  /** As in `ShardEvents`. */
  readonly storeFiles: ShardEvents['storeFiles'];
  readonly traced: ShardEvents['traced'];
  /** Like `saveCredentials`, of what became of certificates of the embedded server. */
  readonly saveExchanges: (exchanges: readonly AgentExchange[]) => void;
  /** Called once all shards are ready, shortly before anything is sent; what it throws ends the run. */
  readonly onStart: (startedAt: Date) => void;
  /** Called with the seconds of the timeline that all shards have reported, each once and in order. */
  readonly onSeconds: (seconds: readonly TimelineFrame[]) => void;
  /** Called with the scenario as it is now, each time that an event was added or ended. */
  readonly onEvents: (scenario: Scenario) => void;
};

/** How a run can be ended before its time. */
export type RunEnding =
  /** What is in flight may end, nothing new starts. */
  | 'stop'
  /** Ends everything immediately. */
  | 'cancel';

export type ControlEnd = {
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly recording: Recording;
  /** Whether the target ever took a connection. */
  readonly connected: boolean;
  /** By shard, of all that ran to their end. */
  readonly accounts: ReadonlyMap<number, ShardAccount>;
  /** Why the run did not go to its end with all its shards; empty if it did. */
  readonly reasons: readonly Reason[];
  /** How far the clock of the world was set forward in the run, or back if negative. */
  readonly clockSetMs: number;
  /** Agents have left, or come, while it was up. */
  readonly isChanged: boolean;
  /** What the disk did not take, for which the run was ended; undefined: it was not. */
  readonly problem: string | undefined;
};

export type Control = {
  /** May come at any time, before the start too. */
  send(command: RunEnding): void;
  /** The same; as in `RunEvents`. */
  readonly addEvent: RunEvents['add'];
  readonly endEvent: RunEvents['end'];
  /**
   * Agents leave, others come, and other events happen; all other agents go on undisturbed. Nothing else may be added, ended or
   * changed meanwhile. Rejects with `UserError` before the start; if it fails after it, so does the run. Resolves with the number of
   * the first worker of those who came.
   */
  change(change: FleetChange): Promise<number>;
  /** Rejects with `UserError` before the start and once the worker has ended. */
  readonly ask: Shards['ask'];
  /**
   * Starts all shards at one instant and resolves when none runs any more. Rejects if the run could not be carried
   * out: a shard could not start.
   */
  run(ports: ControlPorts): Promise<ControlEnd>;
};

// Beyond the last deadline of the last request, a shard that still runs has run out of time; canceled, it has as long again.
const GRACE_MS = 10_000;

type Live = {
  readonly ports: ControlPorts;
  readonly shards: Shards;
  readonly totals: RunTotals;
  readonly startMs: number;
  readonly startedAt: Date;
  readonly reach: ReachWatch;
};

type ControlState = {
  /** With the events that were added, and when they were ended. */
  scenario: Scenario;
  readonly events: RunEvents;
  readonly timelineMs: number;
  readonly reasons: Reason[];
  /** Settles when no shard runs any more, or the run has failed. */
  readonly done: PromiseWithResolvers<'ended'>;
  /** Settles with the first command. */
  readonly commanded: PromiseWithResolvers<RunEnding>;
  /** Present from the start on. */
  live: Live | undefined;
  /** Shards that finished or were lost. */
  readonly ended: Set<number>;
  readonly accounts: Map<number, ShardAccount>;
  /** What each shard had under way when it last reported. */
  readonly inFlight: Map<number, number>;
  /** Settles when the timeline is cut short. */
  readonly cutShort: PromiseWithResolvers<void>;
  problem: string | undefined;
  isChanged: boolean;
  /** Length of the timeline that took place, once it was cut short. */
  cutMs: number | undefined;
};

/** The control plane of one run: shards that all follow one timeline, and what they report. */
export function createControl(scenario: Scenario): Control {
  const timelineMs = timelineEndMs(scenario.phases);
  const plan = { events: scenario.events, agents: scenario.fleet.agents, timelineMs };
  const events = createRunEvents(plan, (all) => changeEvents(state, all));
  const state: ControlState = {
    ...{ scenario, events, timelineMs },
    reasons: [],
    done: Promise.withResolvers(),
    commanded: Promise.withResolvers(),
    live: undefined,
    ended: new Set(),
    accounts: new Map(),
    inFlight: new Map(),
    cutShort: Promise.withResolvers(),
    problem: undefined,
    isChanged: false,
    cutMs: undefined,
  };
  return {
    send: (command) => interrupt(state, command),
    addEvent: events.add,
    endEvent: events.end,
    change: (change) => changeFleet(state, change),
    ask: (worker, query) => {
      const { live } = state;
      if (live === undefined) return Promise.reject(new UserError(NOT_RUNNING));
      return live.shards.ask(worker, query).catch((error: unknown) => {
        throw error instanceof UserError ? error : new UserError(NOT_RUNNING);
      });
    },
    run: (ports) => run(state, ports),
  };
}

/** Message about a fleet that other machines raise. */
export const AS_IT_BEGAN = 'A fleet on several machines cannot change: stop it, and start it with the edited scenario.';

const NOT_RUNNING = 'The fleet is not running: try again when it has started.';

async function run(state: ControlState, ports: ControlPorts): Promise<ControlEnd> {
  const { scenario, timelineMs } = state;
  const shards = await ports.openShards(shardEvents(state, ports));
  try {
    const { startMs, startedAt } = await scheduledStart(ports, shards.noticeMs, state.commanded.promise);
    ports.onStart(startedAt);
    const totals = createRunTotals(scenario.phases, [...Array(shards.count).keys()], windowsOf(scenario.thresholds));
    const reach = createReachWatch(ports.takesConnections());
    state.live = { ports, shards, totals, startMs, startedAt, reach };
    state.events.begin({ shards, nowMs: () => ports.clock() - startMs });
    shards.start(startMs, startedAt.getTime());
    // An interrupt that came while the shards were built.
    if (state.cutMs !== undefined) shards.stop();
    endIfAllEnded(state);
    // A timeline without an end needs an interrupt.
    if (isEndless(state)) await Promise.race([state.done.promise, state.cutShort.promise]);
    const fromMs = isEndless(state) ? 0 : shards.noticeMs + timelineMs;
    const lastMs = longestOperationMs(state.scenario.target) + GRACE_MS;
    const end = await endInTime(state, ports, { fromMs, lastMs });
    if (end === undefined) await endOverdue(state, state.live);
    const { accounts, problem, isChanged } = state;
    // A copy: threads that are ended now are not lost.
    const reasons = [...state.reasons];
    const lastedMs = ports.clock() - startMs;
    // The clock of the world may have been set meanwhile; nothing ends before it has begun.
    const endedAt = new Date(startedAt.getTime() + Math.max(0, lastedMs));
    const clockSetMs = ports.unixClock() - endedAt.getTime();
    const recording = recordingOf(state, totals);
    return {
      ...{ startedAt, endedAt, recording, connected: reach.connected(), accounts },
      ...{ reasons, problem, clockSetMs, isChanged },
    };
  } finally {
    state.events.close();
    await shards.close();
  }
}

/**
 * Resolves shortly before the start, with its instant on the monotonic clock and on that of the world; a command ends
 * the waiting. Throws a `UserError` if the fleet was ready too late for the others that start at the same instant.
 */
async function scheduledStart(
  {
    startAt,
    mayStartLate,
    timer,
    ...clocks
  }: Pick<ControlPorts, 'startAt' | 'mayStartLate' | 'clock' | 'unixClock' | 'timer'>,
  noticeMs: number,
  command: Promise<unknown>,
): Promise<{ readonly startMs: number; readonly startedAt: Date }> {
  const startIn = ({ monotonicMs, unixMs }: Instant, delayMs: number) => ({
    startMs: monotonicMs + delayMs,
    startedAt: new Date(unixMs + delayMs),
  });
  const ready = instantOf(clocks);
  if (startAt === undefined) return startIn(ready, noticeMs);
  const waitMs = startAt.getTime() - noticeMs - ready.unixMs;
  if (waitMs < 0 && mayStartLate) return startIn(ready, startAt.getTime() - ready.unixMs);
  if (waitMs < 0) {
    throw new UserError(
      `--start-at: the run was scheduled for ${startAt.toISOString()}, but its fleet was ready only at ${new Date(ready.unixMs).toISOString()}; ` +
        'choose a later time.',
    );
  }
  const isCommanded = await within(
    timer,
    waitMs,
    command.then(() => true),
  );
  const now = instantOf(clocks);
  return startIn(now, isCommanded === true ? noticeMs : Math.max(0, startAt.getTime() - now.unixMs));
}

type Instant = { readonly monotonicMs: number; readonly unixMs: number };

const READINGS = 5;

/** One instant on both clocks: of a few readings that between which the process was not held up. */
function instantOf({ clock, unixClock }: Pick<ControlPorts, 'clock' | 'unixClock'>): Instant {
  const readings = Array.from({ length: READINGS }, () => {
    const monotonicMs = clock();
    const unixMs = unixClock();
    return { monotonicMs, unixMs, tookMs: clock() - monotonicMs };
  });
  return readings.reduce((best, reading) => (reading.tookMs < best.tookMs ? reading : best));
}

/** A certificate exchange is two requests, each with its own timeout. */
function longestOperationMs({ timeoutMs, pull }: Scenario['target']): number {
  return Math.max(timeoutMs, 2 * (pull?.timeoutMs ?? 0));
}

/** A timer that fires later than this means that the whole process stalled. */
const STOOD_STILL_MS = 1000;

/**
 * Undefined: a shard is still at work `lastMs` after the end of the timeline. If the process stood still then, all that had
 * piled up falls due when it goes on, and has as long as the last request again.
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

/**
 * Shards that ran out of time are canceled, so that what they have under way is accounted for. What one that hangs held up of
 * the timeline is taken after all.
 */
async function endOverdue(state: ControlState, { ports, shards, totals }: Live): Promise<void> {
  const overdue = [...Array(shards.count).keys()].filter((shard) => !state.ended.has(shard));
  const underWay = new Map(state.inFlight);
  shards.cancel();
  await within(ports.timer, GRACE_MS, state.done.promise);
  for (const shard of overdue) {
    const isHung = !state.ended.has(shard);
    state.reasons.push({
      kind: 'incomplete',
      text: overdueText(shards.nameOf(shard), underWay.get(shard) ?? 0, isHung),
    });
    if (isHung) totals.end(shard);
  }
  ports.onSeconds(totals.takeTimeline());
}

function overdueText(shard: string, underWay: number, isHung: boolean): string {
  const late = `${shard} ran out of time: ${GRACE_MS / 1000} s after the last deadline it still had ${underWay} operations in flight`;
  return isHung
    ? `${late}, and it did not end when they were canceled, so their outcome is unknown`
    : `${late}, which were canceled; use more workers or machines, or a lower load`;
}

function shardEvents(state: ControlState, ports: ControlPorts): ShardEvents {
  return {
    frame: (frame) => takeFrame(state, frame),
    storeCredentials: createGroupCommit(ports.saveCredentials, (error) => giveUp(state, error)),
    storeFiles: ports.storeFiles,
    traced: ports.traced,
    storeExchanges: createGroupCommit(ports.saveExchanges, (error) => giveUp(state, error)),
    accounted: (shard, account) => void state.accounts.set(shard, account),
    finished: (shard) => endShard(state, shard),
    copiedPassword: () => {},
    incomplete: (text) => void state.reasons.push({ kind: 'incomplete', text }),
    lost: (shard, error) => {
      state.reasons.push({
        kind: 'incomplete',
        text: `${state.live?.shards.nameOf(shard) ?? `worker ${shard}`} was lost: ${error.message}`,
      });
      endShard(state, shard);
      // Its agents would be gone for good: the caller raises the whole fleet again.
      if (isEndless(state)) cut(state, 'stop');
    },
  };
}

/** Something around the run failed, such as the disk: the run ends, and its end rejects. */
function fail(state: ControlState, error: unknown): void {
  state.done.reject(error);
  cut(state, 'cancel');
}

/** The disk takes no more of what agents need: what was measured so far is worth telling. */
function giveUp(state: ControlState, error: unknown): void {
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
  const { totals, reach, startMs, ports } = state.live;
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
  // A fleet that stays outlasts its server.
  if (isEndless(state)) return;
  const reasons = reach.unreachable(ports.clock() - startMs, () => recordingOf(state, totals));
  if (reasons === undefined) return;
  state.reasons.push(...reasons);
  cut(state, 'cancel');
}

/** Why the run should end with these seconds; undefined if it continues. */
function abortOf(
  { scenario: { phases, thresholds }, timelineMs }: ControlState,
  totals: RunTotals,
  seconds: readonly TimelineFrame[],
): Reason | undefined {
  const last = seconds.at(-1);
  // What comes after the end of the timeline is over anyway.
  if (last === undefined || (last.second + 1) * 1000 >= timelineMs) return undefined;
  const elapsedMs = (last.second + 1) * 1000;
  const [crossed] = abortingThresholds({ phases, elapsedMs, run: totals.read() }, thresholds);
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

async function changeFleet(state: ControlState, change: FleetChange): Promise<number> {
  const { live } = state;
  if (live === undefined || state.cutMs !== undefined) throw new UserError(NOT_RUNNING);
  const { moving } = live.shards;
  if (moving === undefined) throw new UserError(AS_IT_BEGAN);
  state.isChanged = true;
  try {
    await letLeave({ ...live.ports, moving }, change.leaving);
    const { phases, events } = state.scenario;
    state.scenario = { ...change.scenario, phases, events };
    state.events.change(change.events, change.otherServers);
    const first = live.shards.count;
    await letCome({ ...live.ports, ...live, moving }, change);
    if (state.cutMs !== undefined) live.shards.stop();
    return first;
  } catch (error) {
    // The machine has left: the caller raises the whole fleet again.
    if (state.cutMs === undefined) fail(state, error);
    throw error;
  }
}

/** What is judged of an event counts until it was ended. */
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
  live?.shards[how]();
  state.cutShort.resolve();
}

function isEndless({ timelineMs }: ControlState): boolean {
  return timelineMs === Number.POSITIVE_INFINITY;
}

function recordingOf({ scenario, timelineMs, cutMs }: ControlState, totals: RunTotals): Recording {
  return { phases: scenario.phases, elapsedMs: Math.min(timelineMs, cutMs ?? timelineMs), run: totals.read() };
}

/**
 * Saves what several callers hand over in one turn of the event loop together, and resolves when it is saved. `save`
 * returns once its entries are durable. If it throws, `onFailure` is called and the entries' callers wait forever: nobody
 * may act on an entry that is not saved.
 */
export function createGroupCommit<T>(
  save: (entries: readonly T[]) => void,
  onFailure: (error: unknown) => void,
): (entries: readonly T[]) => Promise<void> {
  const add = batchPerTurn<{ entries: readonly T[]; confirm: () => void }>((group) => {
    try {
      save(group.flatMap(({ entries }) => entries));
    } catch (error) {
      onFailure(error);
      return;
    }
    for (const { confirm } of group) confirm();
  });
  return (entries) => new Promise((confirm) => add({ entries, confirm }));
}
