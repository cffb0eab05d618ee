import { messageOf, UserError } from '../ground/kernel/errors.ts';
import { formatDuration } from '../ground/kernel/units.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { shardOf, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { busiestMachine } from '../metrics/judging/validity.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import type { FiguresSpan } from '../metrics/merging/machine-figures.ts';
import { secondOf } from '../metrics/merging/timeline.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { rounded } from '../metrics/recording/histogram.ts';
import { preparationMs } from '../run/preparation.ts';
import type { Joining, ShardHandlers, Shards } from '../workers/open-shards.ts';
import { release } from './gathering.ts';
import {
  type FromMachine,
  type HeldBackAgent,
  isFromMachine,
  isLeaseRequest,
  isToMachines,
  type JoinedMachine,
  LEASE_MS,
  type LeaseAnswer,
  leaseSubject,
  type PartRecord,
  type ToMachines,
  type WorkOrder,
} from './messages.ts';
import { canTakeOver, holders, joining, leastLoaded, leavePart, rebalance } from './moving-agents.ts';
import {
  addOwner,
  askMachine,
  closePart,
  endOwnership,
  endPart,
  endWithoutStore,
  GETTING_MS,
  heldBackTexts,
  type MachinesState,
  machinesIn,
  machinesState,
  noteMachine,
  offerPart,
  publish,
  type RunOfMachines,
  type RunPart,
  releasePart,
} from './run-parts.ts';
import type { Stored } from './run-store.ts';

/** Machines, as shards of the control plane. */
export type MachineShards = Shards & {
  /** Resolves once all machines are ready to send; rejects with `UserError` if one cannot be. */
  readonly ready: () => Promise<void>;
  /** The machines of the run, with their times and figures. */
  readonly machines: (span: FiguresSpan) => readonly ClusterMachine[];
  /** The machine with the busiest other processes; `undefined` if unknown. */
  readonly busiest: () => MachineLoad | undefined;
  /** Agents that join from now on get this order. */
  readonly edited: (order: WorkOrder) => void;
  /** Agents of an edited fleet, on any machines; they start `sinceMs` after the run. */
  readonly joining: (agents: readonly number[], sinceMs: number) => Joining;
};

/** Time for a message to reach all machines, possibly over a slow network. */
const NOTICE_MS = 1000;

const LOOKED_MS = 500;
/** A coordinator that looks this late has not read what the machines sent meanwhile. */
const STOOD_STILL_MS = 3000;

/** How long to look for a replacement. The run's completed seconds are held back meanwhile. */
const REPLACED_WITHIN_MS = 30_000;

const NOTHING_SENT = {
  sent: new Uint32Array(),
  acknowledged: new Uint32Array(),
  refused: new Uint32Array(),
  assumed: [],
};

/**
 * Communicates with the machines of a run. Decisions about machines are written to the stream, and take effect when they are read back.
 */
export function createMachineShards(
  run: RunOfMachines,
  records: readonly PartRecord[],
  handlers: ShardHandlers,
): MachineShards {
  const { isResumed } = run;
  const state = machinesState(run, records, handlers);
  const { parts } = state;
  const read = () =>
    run.store.read(
      '>',
      (message) => receive(state, message),
      (why) => skip(state, why),
    );
  let stopReading = isResumed ? () => {} : read();
  const looking = setInterval(() => look(state), LOOKED_MS);
  const stopLeases = run.bus.serve(leaseSubject(run.run), (request) => leaseOf(state, request));
  return {
    get count() {
      return parts.length;
    },
    noticeMs: NOTICE_MS,
    ask: (index, query) => askMachine(state, index, query),
    askAll: (query, missing) =>
      Promise.all(parts.map(({ index }) => askMachine(state, index, query).catch(() => missing))),
    ...movingAgents(state),
    ready: async () => {
      if (!isResumed) await Promise.all(parts.map(({ opened }) => opened.promise));
    },
    machines: (span) => machinesIn(state, span),
    busiest: () => busiestMachine(state.loads),
    nameOf: (index) => `machine ${parts[index]?.record.machine.name}`,
    unreported: (index) => unreported(state, parts[index]),
    start: (atMs, epochMs) => {
      const isFirst = state.startMs === Number.POSITIVE_INFINITY;
      start(state, atMs, epochMs);
      if (isFirst && isResumed) stopReading = read();
    },
    addEvent: (event, otherServers) => {
      changeEvents(state, [...state.events, event]);
      publish(state, { kind: 'event', event, otherServers });
    },
    endEvent: (name, atMs) => endEvent(state, name, atMs),
    sendPassword: (password) => publish(state, { kind: 'copied_password', ...password }),
    stop: () => publish(state, { kind: 'stop' }),
    cancel: () => publish(state, { kind: 'cancel' }),
    close: async () => {
      clearInterval(looking);
      stopLeases();
      const left = parts.filter((part) => part.state === 'running').map(({ record }) => record);
      await release(run.bus, run.run, left);
      state.isClosed = true;
      stopReading();
    },
  };
}

function start(state: MachinesState, atMs: number, epochMs: number): void {
  const { parts, isResumed, keep } = state;
  const isFirst = state.startMs === Number.POSITIVE_INFINITY;
  Object.assign(state, { startMs: atMs, epochMs });
  for (const part of parts) part.isStarted = true;
  if (isFirst) for (const part of parts) part.lastSeenMs = monotonicClock();
  if (isFirst && isResumed) return;
  // Stored before the machines learn it.
  if (isFirst) state.publishing = state.publishing.then(() => keep({ startedAtMs: epochMs }));
  publish(state, { kind: 'start', epochMs, atMs: parts.map(({ record }) => atMs + record.monotonicOffsetMs) });
}

function movingAgents(state: MachinesState): Pick<MachineShards, 'leave' | 'edited' | 'joining'> {
  return {
    leave: async (agents, how) => {
      const left = await Promise.all(state.parts.map((part) => leavePart(state, part, { agents, how })));
      return left.reduce((sum, one) => sum + one, 0);
    },
    edited: (order) => {
      state.order = order;
    },
    joining: (agents, sinceMs) => {
      const machines = holders(state).filter(({ isLeaving }) => !isLeaving);
      const takers = machines.slice(0, agents.length).map(({ id }) => id);
      return joining(state, { agents, takers, areFree: true }, sinceMs);
    },
  };
}

/** Names only the first: a program that writes junk would fill the terminal. */
function skip(state: MachinesState, why: string): void {
  if (state.skipped++ === 0)
    state.say(`a message in the stream of the run is not counted, nor are others like it: ${why}`);
}

function receive(state: MachinesState, { subject, message }: Stored): void {
  if (subject === 'to') {
    if (isToMachines(message)) receiveOwn(state, message);
    else skip(state, `${subject}: expected a message of a coordinator, found something else`);
    return;
  }
  const part = state.parts[Number(subject.split('.')[1])];
  if (
    part === undefined ||
    !isFromMachine(message) ||
    (message.kind === 'frame' && message.frame.shard !== part.index)
  ) {
    skip(state, `${subject}: expected a message of a machine, found something else`);
    return;
  }
  const isOpen = part.state === 'running' || part.state === 'opening';
  if (isOpen && message.generation === part.record.generation) {
    part.lastSeenMs = monotonicClock();
    receiveFrom(part, message, state);
  } else if (message.kind === 'frame' && message.generation <= part.record.generation)
    receiveLate(state, part, message.frame);
}

/**
 * Counts what a lost machine sent until its lease ended, or until it read that it was lost. What it did not send is missing, and no drop:
 * another machine may have sent it.
 */
function receiveLate({ handlers, say }: MachinesState, part: RunPart, frame: Frame): void {
  const series = frame.series.map(({ dropped: { no_lease = 0, run_ended = 0, ...dropped }, planned, ...one }) => ({
    ...{ ...one, dropped, planned: planned - no_lease - run_ended },
  }));
  handlers.frame({ ...frame, series, workers: [], stalls: [], happened: undefined, pace: undefined });
  if (part.isBack || series.every(({ started }) => started === 0)) return;
  part.isBack = true;
  const text = `part ${part.index + 1}: the lost machine is back, and what it sent from ${formatDuration(frame.second * 1000)} on is counted, too`;
  say(text);
  handlers.incomplete(text);
}

/** Renews the lease of a machine that still runs its part. */
function leaseOf(state: MachinesState, request: unknown): LeaseAnswer {
  const { parts, leaving } = state;
  const part = isLeaseRequest(request) ? parts[request.part] : undefined;
  if (part === undefined || !isLeaseRequest(request)) return 'unknown';
  const { generation } = part.record;
  if (request.generation < generation || (request.generation === generation && part.state === 'lost')) return 'lost';
  if (request.generation > generation || part.state !== 'running' || part.isLosing) return 'unknown';
  part.lastSeenMs = monotonicClock();
  if (request.natsMs !== undefined) noteMachine(part, { natsMs: rounded(request.natsMs) });
  part.problem = request.problem;
  if (!request.isLeaving) return 'held';
  leaving.add(part.record.machine.id);
  return state.stay === undefined && canTakeOver(state) ? 'held' : 'alone';
}

function receiveFrom(part: RunPart, message: FromMachine, state: MachinesState): void {
  const { handlers } = state;
  const { name } = part.record.machine;
  switch (message.kind) {
    case 'ready':
      part.opened.resolve();
      break;
    case 'failed':
      part.opened.reject(new UserError(`machine ${name} cannot start its part: ${message.text}`));
      lose(state, part, message.text);
      break;
    case 'leaves':
      part.isLeaving = true;
      lose(state, part, 'it was told to leave');
      break;
    case 'frame':
      part.second = Math.max(part.second, message.frame.second);
      part.machines.at(-1)?.sums.add(secondOf(message.frame));
      handlers.frame(message.frame);
      break;
    case 'event_ended':
      state.ending.get(message.name)?.get(part.index)?.(message.count);
      break;
    case 'copied_password':
      publish(state, { kind: 'copied_password', agent: message.agent, password: message.password });
      break;
    case 'held_back':
      takeHeldBack(state, part, message.agents);
      break;
    case 'worker_lost':
      handlers.incomplete(`worker ${message.worker} on machine ${name} was lost: ${message.text}`);
      break;
    case 'account':
      state.loads.push(message.account.machine);
      noteMachine(part, { load: message.account.machine });
      handlers.accounted(part.index, { ...message.account, delivery: NOTHING_SENT });
      break;
    case 'finished':
      closePart(state, part);
      break;
    default:
      message satisfies never;
  }
}

function takeHeldBack({ say }: MachinesState, part: RunPart, agents: readonly HeldBackAgent[]): void {
  const before = heldBackTexts(part);
  part.heldBack = agents;
  for (const text of heldBackTexts(part)) if (!before.includes(text)) say(text);
  if (agents.length === 0) say(`part ${part.index + 1}: no agents are held back any more`);
}

/** Handles messages of this coordinator or its predecessor. */
function receiveOwn(state: MachinesState, message: ToMachines): void {
  switch (message.kind) {
    case 'lost':
      takeLoss(state, message);
      break;
    case 'left':
      endPart(state, state.parts[message.part], 'it stopped responding, and no other machine took over');
      break;
    case 'replaced':
      takeReplacement(state, message);
      break;
    case 'stop':
    case 'cancel':
      if (!state.own.has(message.kind)) state.handlers.incomplete('the coordinator ended the run before it was killed');
      break;
  }
}

function lose(state: MachinesState, part: RunPart, why: string): void {
  const { generation } = part.record;
  if (part.state !== 'running' || part.isLosing) return;
  part.isLosing = true;
  part.opened.reject(new UserError(`machine ${part.record.machine.name} ${goneText(part)}: ${why}`));
  const second = Math.max(part.second, state.compacted?.second ?? -1);
  publish(state, { kind: 'lost', part: part.index, generation, why, second });
}

function takeLoss(state: MachinesState, message: Extract<ToMachines, { kind: 'lost' }>): void {
  const { part: index, generation, why } = message;
  const part = state.parts[index];
  if (part === undefined || part.state !== 'running' || part.record.generation !== generation) return;
  Object.assign(part, { state: 'lost', lostMs: monotonicClock(), second: Math.max(part.second, message.second) });
  endOwnership(part);
  for (const answers of state.ending.values()) answers.get(index)?.(0);
  if (state.replace) state.say(`machine ${part.record.machine.name} ${goneText(part)}: ${why}`);
  else endPart(state, part, why);
}

function goneText({ isLeaving }: RunPart): string {
  return isLeaving ? 'left' : 'was lost';
}

function takeReplacement(state: MachinesState, message: Extract<ToMachines, { kind: 'replaced' }>): void {
  const { part: index, record, elapsedS } = message;
  const part = state.parts[index];
  if (part?.state === 'over') void releasePart(state, index, record);
  if (part === undefined || part.state === 'over') return;
  part.isStarted = true;
  const agents = part.agents?.size ?? shareOf(part.shard, (part.order?.scenario ?? state.scenario).fleet.agents);
  const [before, gone] = [part.record.machine.name, goneText(part)];
  const [lostMs, replacedMs] = [(part.second + 1) * 1000, elapsedS * 1000];
  Object.assign(part, { record, state: 'running', lastSeenMs: monotonicClock(), isOffered: false });
  Object.assign(part, { isLosing: false, isBack: false, isLeaving: false, heldBack: [] });
  addOwner(state, part, { agents, fromMs: replacedMs });
  const gap = `machine ${before} ${gone} at ${formatDuration(lostMs)}, and ${record.machine.name} took over its agents at ${formatDuration(replacedMs)}: a gap of ${formatDuration(Math.max(0, replacedMs - lostMs))}`;
  state.say(gap);
  state.handlers.incomplete(gap);
  // The new machine may have missed an earlier command.
  for (const command of ['stop', 'cancel'] as const) if (state.own.has(command)) publish(state, { kind: command });
}

/** Detects lost machines. Silence does not count while NATS is unreachable, or while the coordinator stood still. */
function look(state: MachinesState): void {
  const nowMs = monotonicClock();
  const stoodMs = nowMs - state.lookedMs;
  state.lookedMs = nowMs;
  if (stoodMs > STOOD_STILL_MS) {
    state.awakeSinceMs = nowMs;
    state.say(`the coordinator stood still for ${formatDuration(Math.round(stoodMs))}; the machines continued`);
  }
  const connectedMs = state.bus.connectedMs();
  if ((connectedMs === undefined) !== state.isAway) {
    state.isAway = !state.isAway;
    state.say(
      state.isAway
        ? 'NATS is unreachable: the machines start nothing after five seconds, and send their figures later'
        : 'NATS is reachable again',
    );
    if (!state.isAway) void state.store.lastSequence().catch(() => endWithoutStore(state));
  }
  reportRoom(state);
  for (const part of state.parts) {
    if (part.state === 'lost') seekReplacement(state, part);
    else if (part.state === 'running' && connectedMs !== undefined) listenFor(state, part, connectedMs);
  }
  if (state.stay === undefined && state.startMs !== Number.POSITIVE_INFINITY) rebalance(state);
}

/** Says when NATS has no room for what the coordinator or a machine sends, and when it has room again. */
function reportRoom(state: MachinesState): void {
  const problem = state.bus.problem() ?? state.parts.find((part) => part.problem !== undefined)?.problem;
  if ((problem !== undefined) !== state.isFull) {
    state.isFull = !state.isFull;
    state.say(
      problem === undefined
        ? 'NATS stores the run again'
        : `NATS cannot store the run (${problem}): the machines continue, and keep their figures until there is room; free some, or raise max_file_store`,
    );
  }
}

function unreported({ bus }: MachinesState, part: RunPart | undefined): string | undefined {
  const problem = bus.problem() ?? part?.problem;
  const away = bus.connectedMs() === undefined ? 'NATS is unreachable' : undefined;
  const why = problem === undefined ? away : `NATS could not store it (${problem})`;
  if (part === undefined || why === undefined) return undefined;
  const sinceMs = (part.second + 1) * 1000;
  return `machine ${part.record.machine.name}: what it sent after ${formatDuration(sinceMs)} is missing, because ${why}`;
}

function listenFor(state: MachinesState, part: RunPart, connectedMs: number): void {
  const nowMs = monotonicClock();
  const { machine } = part.record;
  const lastSeenMs = Math.max(
    part.lastSeenMs,
    state.members.lastSeenMs(machine.id) ?? 0,
    nowMs - connectedMs,
    state.awakeSinceMs,
  );
  if (nowMs - lastSeenMs <= LEASE_MS) return;
  const silence = `it did not respond for ${LEASE_MS / 1000} s`;
  part.opened.reject(new UserError(`machine ${machine.name} was lost: ${silence}; start the run again.`));
  if (!part.isLosing) void loseUnlessHeld(state, part, silence);
}

/** Its messages may be late: only an entry that has expired cannot be extended any more. */
async function loseUnlessHeld(state: MachinesState, part: RunPart, why: string): Promise<void> {
  part.isLosing = true;
  const isHeld = await state.members.isPresent(part.record.machine);
  part.isLosing = false;
  if (!isHeld) lose(state, part, why);
}

function seekReplacement(state: MachinesState, part: RunPart): void {
  if (part.isOffered) return;
  if (part.agents?.size === 0) {
    closePart(state, part);
    return;
  }
  const [machine = state.stay === undefined ? leastLoaded(state) : undefined] = state.members.waiting();
  if (machine === undefined) {
    if (monotonicClock() - part.lostMs < REPLACED_WITHIN_MS) return;
    part.isOffered = true;
    publish(state, { kind: 'left', part: part.index });
    return;
  }
  part.isOffered = true;
  void replaced(state, part, machine).then((isTaken) => {
    part.isOffered = isTaken;
  });
}

async function replaced(state: MachinesState, part: RunPart, machine: JoinedMachine): Promise<boolean> {
  const { scenario, startMs, epochMs } = state;
  const { index, record } = part;
  const shard = part.agents === undefined ? part.shard : shardOf(part.agents);
  const leadMs = GETTING_MS + preparationMs(shareOf(shard, scenario.fleet.agents));
  const elapsedS = Math.ceil((monotonicClock() - startMs + leadMs) / 1000);
  if (elapsedS * 1000 >= timelineEndMs(scenario.phases)) {
    publish(state, { kind: 'left', part: index });
    return true;
  }
  const taker = await offerPart(state, part, { machine, shard, generation: record.generation + 1, elapsedS });
  if (taker === undefined) return false;
  const atMs = startMs + taker.monotonicOffsetMs;
  publish(state, { kind: 'replaced', part: index, record: taker, elapsedS, atMs, epochMs });
  return true;
}

function changeEvents(state: MachinesState, events: readonly FleetEvent[]): void {
  state.events = events;
  void state
    .keep({ events })
    .catch((error: unknown) =>
      state.say(`--resume will not know the events added during the run: ${messageOf(error)}`),
    );
}

/** A machine that is lost meanwhile counts as if it had no agents. */
async function endEvent(state: MachinesState, name: string, atMs: number): Promise<number> {
  changeEvents(
    state,
    state.events.map((event) => (event.name === name ? { ...event, untilMs: atMs } : event)),
  );
  const answers = new Map<number, (count: number) => void>();
  state.ending.set(name, answers);
  const counts = state.parts
    .filter((part) => part.state === 'running')
    .map(({ index }) => new Promise<number>((answer) => answers.set(index, answer)));
  publish(state, { kind: 'end_event', name, atMs });
  const sum = (await Promise.all(counts)).reduce((all, one) => all + one, 0);
  state.ending.delete(name);
  return sum;
}
