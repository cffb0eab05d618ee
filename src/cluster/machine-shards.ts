import { messageOf } from '../base/kernel/errors.ts';
import { formatDuration } from '../base/kernel/units.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { busiestMachine } from '../metrics/merging/cluster-machine.ts';
import type { FiguresSpan } from '../metrics/merging/machine-figures.ts';
import type { FleetEventChange } from '../workers/messages.ts';
import type { Joining, ShardHandlers, Shards } from '../workers/shards.ts';
import { release } from './gathering.ts';
import {
  hasMachine,
  holders,
  type MachinesState,
  machinesIn,
  machinesState,
  type RunOfMachines,
  type RunPart,
} from './machines-state.ts';
import {
  isFromMachine,
  isLeaseRequest,
  isToMachines,
  type LeaseAnswer,
  leaseSubject,
  type PartRecord,
  type ToMachines,
  type WorkOrder,
} from './messages.ts';
import { joining, leavePart, rebalance } from './moving-agents.ts';
import { askMachine, countLate, endWithoutStore, PART_LIFE, publish } from './part-life.ts';
import type { Stored } from './run-store.ts';

/** Machines, as shards of the control plane. */
export type MachineShards = Shards & {
  /** Resolves once all machines are ready to send; rejects with `UserError` if one cannot be. */
  readonly ready: () => Promise<void>;
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

const CHECKED_MS = 500;
/** A coordinator that checks this late has not read what the machines sent meanwhile. */
const STOOD_STILL_MS = 3000;

/** Communicates with the machines of a run. Decisions about machines are written to the stream, and take effect when they are read back. */
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
  const checking = setInterval(() => check(state), CHECKED_MS);
  const stopLeases = run.bus.serve(leaseSubject(run.run), (request) => answerLeaseRequest(state, request));
  return {
    get count() {
      return parts.length;
    },
    noticeMs: NOTICE_MS,
    ask: (index, query) => askMachine(state, index, query),
    askAll: (query, missing) =>
      Promise.all(parts.map(({ index }) => askMachine(state, index, query).catch(() => missing))),
    leave: async (agents, how) => {
      const remaining = await Promise.all(parts.map((part) => leavePart(state, part, { agents, how })));
      return remaining.reduce((sum, count) => sum + count, 0);
    },
    edited: (order) => {
      state.order = order;
    },
    joining: (agents, sinceMs) => {
      const staying = holders(state).flatMap(({ id, isLeaving }) => (isLeaving ? [] : [id]));
      return joining(state, { agents, machines: staying.slice(0, agents.length), areNew: true }, sinceMs);
    },
    ready: async () => {
      if (!isResumed) await Promise.all(parts.map(({ opened }) => opened.promise));
    },
    machines: (span) => machinesIn(state, span),
    busiest: () => busiestMachine(state.machineLoads),
    nameOf: (index) => `machine ${parts[index]?.assignment.record.machine.name}`,
    unreported: (index) => unreported(state, parts[index]),
    start: (atMs, epochMs) => {
      const isFirst = state.startMs === Number.POSITIVE_INFINITY;
      start(state, atMs, epochMs);
      if (isFirst && isResumed) stopReading = read();
    },
    send: (message) => {
      if (message.kind === 'event' || message.kind === 'end_event') noteEvents(state, message);
      publish(state, message);
    },
    close: async () => {
      clearInterval(checking);
      stopLeases();
      const present = parts.filter(hasMachine).map(({ assignment }) => assignment.record.machine.id);
      await release(run.bus, run.run, present);
      state.isClosed = true;
      stopReading();
    },
  };
}

function start(state: MachinesState, atMs: number, epochMs: number): void {
  const { parts, isResumed, keep } = state;
  const isFirst = state.startMs === Number.POSITIVE_INFINITY;
  state.startMs = atMs;
  state.epochMs = epochMs;
  for (const part of parts) {
    part.isStarted = true;
    if (isFirst) part.assignment.lastSeenMs = monotonicClock();
  }
  if (isFirst && isResumed) return;
  // Stored before the machines learn it.
  if (isFirst) state.publishing = state.publishing.then(() => keep({ startedAtMs: epochMs }));
  publish(state, {
    kind: 'start',
    epochMs,
    atMs: parts.map(({ assignment }) => atMs + assignment.record.monotonicOffsetMs),
  });
}

/** Names only the first: a program that writes junk would fill the terminal. */
function skip(state: MachinesState, why: string): void {
  if (state.skippedMessages++ === 0)
    state.note(`a message in the stream of the run is not counted, nor are others like it: ${why}`);
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
  const { generation } = part.assignment.record;
  if (message.generation === generation) PART_LIFE.reported[part.state](state, part, message);
  else if (message.generation < generation) countLate(state, part, message);
}

function answerLeaseRequest(state: MachinesState, request: unknown): LeaseAnswer {
  const part = isLeaseRequest(request) ? state.parts[request.part] : undefined;
  if (part === undefined || !isLeaseRequest(request)) return 'unknown';
  const { generation } = part.assignment.record;
  if (request.generation !== generation) return request.generation < generation ? 'lost' : 'unknown';
  return PART_LIFE.renewed[part.state](state, part, request);
}

/** Handles messages of this coordinator or its predecessor. */
function receiveOwn(state: MachinesState, message: ToMachines): void {
  const part = 'part' in message ? state.parts[message.part] : undefined;
  switch (message.kind) {
    case 'lost':
      if (part !== undefined) PART_LIFE.lost[part.state](state, part, message);
      break;
    case 'left':
      if (part !== undefined) PART_LIFE.abandoned[part.state](state, part, UNREPLACED);
      break;
    case 'replaced':
      if (part !== undefined) PART_LIFE.replaced[part.state](state, part, message);
      break;
    case 'stop':
    case 'cancel':
      if (!state.ownCommands.has(message.kind))
        state.handlers.incomplete('the coordinator ended the run before it was killed');
      break;
  }
}

const UNREPLACED = 'it stopped responding, and no other machine took over';

/** Detects lost machines, and what keeps the coordinator from hearing them. */
function check(state: MachinesState): void {
  const nowMs = monotonicClock();
  const stoodMs = nowMs - state.checkedAtMs;
  state.checkedAtMs = nowMs;
  if (stoodMs > STOOD_STILL_MS) {
    state.awakeSinceMs = nowMs;
    state.note(`the coordinator stood still for ${formatDuration(Math.round(stoodMs))}; the machines continued`);
  }
  const connectedMs = state.bus.connectedMs();
  if ((connectedMs === undefined) !== state.isNatsAway) {
    state.isNatsAway = !state.isNatsAway;
    state.note(
      state.isNatsAway
        ? 'NATS is unreachable: the machines start nothing after five seconds, and send their figures later'
        : 'NATS is reachable again',
    );
    if (!state.isNatsAway) void state.store.lastSequence().catch(() => endWithoutStore(state));
  }
  reportRoom(state);
  for (const part of state.parts) PART_LIFE.checked[part.state](state, part);
  if (state.movingObstacle === undefined && state.startMs !== Number.POSITIVE_INFINITY) rebalance(state);
}

/** Says when NATS has no room for what the coordinator or a machine sends, and when it has room again. */
function reportRoom(state: MachinesState): void {
  const problem =
    state.bus.problem() ?? state.parts.map(({ assignment }) => assignment.problem).find((known) => known !== undefined);
  if ((problem !== undefined) !== state.isStoreFull) {
    state.isStoreFull = !state.isStoreFull;
    state.note(
      problem === undefined
        ? 'NATS stores the run again'
        : `NATS cannot store the run (${problem}): the machines continue, and keep their figures until there is room; free some, or raise max_file_store`,
    );
  }
}

function unreported({ bus }: MachinesState, part: RunPart | undefined): string | undefined {
  const problem = bus.problem() ?? part?.assignment.problem;
  const away = bus.connectedMs() === undefined ? 'NATS is unreachable' : undefined;
  const why = problem === undefined ? away : `NATS could not store it (${problem})`;
  if (part === undefined || why === undefined) return undefined;
  const sinceMs = (part.second + 1) * 1000;
  return `machine ${part.assignment.record.machine.name}: what it sent after ${formatDuration(sinceMs)} is missing, because ${why}`;
}

function noteEvents(state: MachinesState, change: FleetEventChange): void {
  state.events =
    change.kind === 'event'
      ? [...state.events, change.event]
      : state.events.map((event) => (event.name === change.name ? { ...event, untilMs: change.atMs } : event));
  void state
    .keep({ events: state.events })
    .catch((error: unknown) =>
      state.note(`--resume will not know the events added during the run: ${messageOf(error)}`),
    );
}
