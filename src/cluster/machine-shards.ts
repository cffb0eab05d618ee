import { messageOf, UserError } from '../ground/kernel/errors.ts';
import { counted, formatDuration } from '../ground/kernel/units.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { fleetIndex, localIn, type Shard, shardOf, shardWithin, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { busiestMachine } from '../metrics/judging/validity.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { createMachineSums, type FiguresSpan, type MachineSums } from '../metrics/merging/machine-figures.ts';
import type { Frame } from '../metrics/recording/frame.ts';
import { preparationMs } from '../run/preparation.ts';
import { whyAgentsStay } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AnswerTo, ShardQuery } from '../workers/messages.ts';
import type { Joining, ShardHandlers, Shards } from '../workers/open-shards.ts';
import { mergeFound, NOBODY } from '../workers/queries.ts';
import { type Bus, type RunStore, type Stored, StoreGone } from './bus.ts';
import { type Membership, offer, release } from './gathering.ts';
import { isFromMachine, isLeaseRequest, isToMachines } from './message-form.ts';
import {
  type FromMachine,
  type JoinedMachine,
  LEASE_MS,
  type LeaseAnswer,
  leaseSubject,
  machineSubject,
  type PartRecord,
  type ToMachines,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { type AgentMove, type Holder, nextAgentMove } from './next-move.ts';

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

export type RunOfMachines = {
  readonly bus: Bus;
  readonly run: string;
  readonly store: RunStore;
  readonly scenario: Scenario;
  /** Id of this process. */
  readonly coordinator: string;
  readonly members: Membership;
  /** Whether another machine replaces a lost one. */
  readonly replace: boolean;
  /** As in `Work`, for machines that have their part from the start. */
  readonly firstStartedAt: Date | undefined;
  /** Another process started the run; this one reads the stream again from its beginning. */
  readonly isResumed: boolean;
  /** The last second whose frames are no longer in the stream; -1: none. */
  readonly compactedTo: number;
  /** Reports one sentence to the user. */
  readonly say: (text: string) => void;
  /** Stores the current events of the run. */
  readonly keepEvents: (events: readonly FleetEvent[]) => void;
  /** Stores the start time before the machines learn it. */
  readonly keepStart: (epochMs: number) => Promise<void>;
};

/** Time for a message to reach all machines, possibly over a slow network. */
const NOTICE_MS = 1000;

const LOOKED_MS = 500;
/** A coordinator that looks this late has not read what the machines sent meanwhile. */
const STOOD_STILL_MS = 3000;

/** How long to look for a replacement. The run's completed seconds are held back meanwhile. */
const REPLACED_WITHIN_MS = 30_000;

/** Additional time that a machine needs to get agents compared with a thread, for the offer and for reading its part. */
export const GETTING_MS = 1500;

const ASKED_MS = 5000;
/** Longer than for other queries, because agents are searched in small batches. */
const FOUND_MS = 60_000;

const NOTHING_SENT = {
  sent: new Uint32Array(),
  acknowledged: new Uint32Array(),
  refused: new Uint32Array(),
  assumed: [],
};

type Part = {
  readonly index: number;
  /** Its agents when it was opened. */
  readonly shard: Shard;
  /** As in `Work`. */
  readonly order: WorkOrder | undefined;
  /** Indices in the fleet of the agents that have not moved; `undefined`: none has. */
  agents: Set<number> | undefined;
  /** Settles when its machine is ready to send, or cannot be. */
  readonly opened: PromiseWithResolvers<void>;
  record: PartRecord;
  /** The last one is the current owner. */
  readonly machines: Owner[];
  lastSeenMs: number;
  isReady: boolean;
  /** Whether its machine has been told to start. */
  isStarted: boolean;
  /** `opening`: no machine has accepted it yet. `lost`: messages of the machine no longer count, and another may replace it. */
  state: 'opening' | 'running' | 'lost' | 'over';
  lostMs: number;
  /** The last second that it reported. */
  second: number;
  /** Why NATS does not store what its machine sends. */
  problem: string | undefined;
  /** Whether its machine is being declared lost. */
  isLosing: boolean;
  /** Whether the part is being offered to a replacement. */
  isOffered: boolean;
  /** Whether its machine was told to leave. */
  isLeaving: boolean;
  /** Whether a lost machine of the part has reported what it sent. */
  isBack: boolean;
  /** Indices in the fleet of agents that wait for what a lost machine knows. */
  heldBack: readonly number[];
};

/** A machine that has or had a part. */
type Owner = { machine: ClusterMachine; readonly sums: MachineSums };

type MachinesState = RunOfMachines & {
  readonly handlers: ShardHandlers;
  /** Why its agents stay on their machines; `undefined` if they may move. */
  readonly stay: string | undefined;
  readonly parts: Part[];
  /** As in `Work`. */
  order: WorkOrder | undefined;
  /** Ids of machines that leave. */
  readonly leaving: Set<string>;
  /** When each machine that has no part was first seen without one, by id. */
  readonly newSinceMs: Map<string, number>;
  /** While agents move, and for some time after they could not. */
  movingUntilMs: number;
  readonly allReady: PromiseWithResolvers<void>;
  /** Events that are being ended, and the parts that have not answered yet. */
  readonly ending: Map<string, Map<number, (count: number) => void>>;
  /** Commands of this coordinator. */
  readonly own: Set<string>;
  readonly loads: MachineLoad[];
  isAway: boolean;
  isFull: boolean;
  /** Number of messages that are none of the run. */
  skipped: number;
  /** When the coordinator last looked for lost machines, and when it last went on after it had stood still. */
  lookedMs: number;
  awakeSinceMs: number;
  /** The current events of the run. */
  events: readonly FleetEvent[];
  startMs: number;
  epochMs: number;
  published: number;
  /** Settles when all messages so far are stored. */
  publishing: Promise<void>;
  isClosed: boolean;
};

/**
 * Communicates with the machines of a run. Decisions about machines are written to the stream, and take effect when they are read back.
 */
export function createMachineShards(
  run: RunOfMachines,
  records: readonly PartRecord[],
  handlers: ShardHandlers,
): MachineShards {
  const { store, isResumed } = run;
  const state = stateOf(run, records, handlers);
  const { parts, allReady } = state;
  allReady.promise.catch(() => {});
  let stopReading = (): void => {};
  const begin = (): void => {
    stopReading = store.read(
      '>',
      (message) => receive(state, message),
      (why) => skip(state, why),
    );
  };
  const looking = setInterval(() => look(state), LOOKED_MS);
  const stopLeases = run.bus.serve(leaseSubject(run.run), (request) => leaseOf(state, request));
  if (!isResumed) begin();
  return {
    get count() {
      return parts.length;
    },
    noticeMs: NOTICE_MS,
    leave: async (agents, how) => {
      const left = await Promise.all(parts.map((part) => leavePart(state, part, { agents, how })));
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
    ask: (index, query) => ask(state, index, query),
    ready: () => (isResumed ? Promise.resolve() : allReady.promise),
    machines: (span) =>
      parts.flatMap(({ machines }) => machines.map(({ machine, sums }) => ({ ...machine, ...sums.read(span) }))),
    busiest: () => busiestMachine(state.loads),
    nameOf: (index) => `machine ${parts[index]?.record.machine.name}`,
    start: (atMs, epochMs) => {
      const isFirst = state.startMs === Number.POSITIVE_INFINITY;
      Object.assign(state, { startMs: atMs, epochMs });
      for (const part of parts) part.isStarted = true;
      if (isFirst) for (const part of parts) part.lastSeenMs = monotonicClock();
      if (isFirst && isResumed) return begin();
      if (isFirst) state.publishing = state.publishing.then(() => run.keepStart(epochMs));
      publish(state, { kind: 'start', epochMs, atMs: parts.map(({ record }) => atMs + record.monotonicOffsetMs) });
    },
    findEvent: async (event, withAgents) =>
      mergeFound(await askAll(state, { kind: 'find_event', event, withAgents }, NOBODY), withAgents),
    addEvent: (event, otherServers) => {
      changeEvents(state, [...state.events, event]);
      publish(state, { kind: 'event', event, otherServers });
    },
    endEvent: (name, atMs) => endEvent(state, name, atMs),
    affectedBy: async (name, atMs) => {
      const counts = await askAll(state, { kind: 'affected_by', name, atMs }, 0);
      return counts.reduce((sum, count) => sum + count, 0);
    },
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

function stateOf(run: RunOfMachines, records: readonly PartRecord[], handlers: ShardHandlers): MachinesState {
  const { scenario } = run;
  const isEndless = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
  return {
    ...{ ...run, handlers },
    stay: isEndless ? whyAgentsStay(scenario) : 'only the agents of muster fleet move',
    parts: records.map((record, index) => {
      const shard = { index, count: records.length };
      const machine = ownerOf(record, { part: index, agents: shareOf(shard, scenario.fleet.agents), fromMs: 0 });
      return { ...newPart({ index, shard, order: undefined }, record, machine), state: 'running' };
    }),
    ...{ order: undefined, leaving: new Set(), newSinceMs: new Map(), movingUntilMs: Number.NEGATIVE_INFINITY },
    allReady: Promise.withResolvers(),
    ...{ ending: new Map(), own: new Set(), loads: [], isAway: false, isFull: false, events: scenario.events },
    ...{ skipped: 0, lookedMs: monotonicClock(), awakeSinceMs: Number.NEGATIVE_INFINITY },
    ...{ startMs: Number.POSITIVE_INFINITY, epochMs: 0, published: 0, publishing: Promise.resolve(), isClosed: false },
  };
}

function newPart(
  known: Pick<Part, 'index' | 'shard' | 'order'>,
  record: PartRecord,
  ...machines: Owner[]
): Omit<Part, 'state'> {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => {});
  return {
    ...{ ...known, record, machines, opened, agents: undefined },
    ...{ lastSeenMs: monotonicClock(), isReady: false, isStarted: false, lostMs: 0, second: -1 },
    ...{ isLosing: false, isOffered: false, isBack: false, problem: undefined, isLeaving: false, heldBack: [] },
  };
}

type Ownership = {
  readonly part: number;
  readonly agents: number;
  /** When the machine got the part. */
  readonly fromMs: number;
};

function ownerOf(record: PartRecord, { part, agents, fromMs }: Ownership): Owner {
  const { machine, workers, clockOffsetMs, clockErrorMs } = record;
  return {
    machine: {
      ...{ name: machine.name, part: part + 1, agents, workers },
      ...{ clockOffsetMs: rounded(clockOffsetMs), clockErrorMs: rounded(clockErrorMs), fromMs },
    },
    sums: createMachineSums(),
  };
}

/** Adds to what is known of the machine that has the part. */
function tell({ machines }: Part, known: Partial<ClusterMachine>): void {
  const owner = machines.at(-1);
  if (owner !== undefined) owner.machine = { ...owner.machine, ...known };
}

/** Indices in the fleet of the agents that the part has now. */
function agentsOf(part: Part, { scenario }: MachinesState): Set<number> {
  const { shard, order } = part;
  part.agents ??= new Set(
    Array.from({ length: shareOf(shard, (order?.scenario ?? scenario).fleet.agents) }, (_, n) => fleetIndex(shard, n)),
  );
  return part.agents;
}

/** Stores messages in order, even if the servers are away. */
function publish(state: MachinesState, message: ToMachines): void {
  const id = `${state.coordinator}-${state.published++}`;
  if (message.kind === 'stop' || message.kind === 'cancel') state.own.add(message.kind);
  state.publishing = state.publishing
    .then(() => state.store.publish('to', id, message))
    .catch((error: unknown) => {
      if (!state.isClosed && !(error instanceof StoreGone)) throw error;
    });
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
function receiveLate({ handlers, say }: MachinesState, part: Part, frame: Frame): void {
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
  if (request.natsMs !== undefined) tell(part, { natsMs: rounded(request.natsMs) });
  part.problem = request.problem;
  if (!request.isLeaving) return 'held';
  leaving.add(part.record.machine.id);
  return state.stay === undefined && canTakeOver(state) ? 'held' : 'alone';
}

function receiveFrom(part: Part, message: FromMachine, state: MachinesState): void {
  const { parts, allReady, handlers } = state;
  const { name } = part.record.machine;
  switch (message.kind) {
    case 'ready':
      part.isReady = true;
      part.opened.resolve();
      if (parts.every(({ isReady }) => isReady)) allReady.resolve();
      break;
    case 'failed':
      allReady.reject(new UserError(`machine ${name} cannot start its part: ${message.text}`));
      lose(state, part, message.text);
      break;
    case 'leaves':
      part.isLeaving = true;
      lose(state, part, 'it was told to leave');
      break;
    case 'frame':
      part.second = Math.max(part.second, message.frame.second);
      part.machines.at(-1)?.sums.add(message.frame);
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
      tell(part, { load: message.account.machine });
      handlers.accounted(part.index, { ...message.account, delivery: NOTHING_SENT });
      break;
    case 'finished':
      closePart(state, part);
      break;
    default:
      message satisfies never;
  }
}

function takeHeldBack({ say }: MachinesState, part: Part, agents: readonly number[]): void {
  const had = part.heldBack.length;
  part.heldBack = agents;
  if (agents.length > 0) say(heldBackText(part));
  else if (had > 0) say(`part ${part.index + 1}: no agents are held back any more`);
}

/** Limit for the agents in a message. */
const AGENTS_SHOWN = 20;

function heldBackText({ index, heldBack }: Part): string {
  const more = heldBack.length > AGENTS_SHOWN ? ', …' : '';
  return `part ${index + 1}: ${counted(heldBack.length, 'agent')} held back, because a lost machine may have registered them: ${heldBack.slice(0, AGENTS_SHOWN).join(', ')}${more}`;
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

function lose(state: MachinesState, part: Part, why: string): void {
  const { generation } = part.record;
  if (part.state !== 'running' || part.isLosing) return;
  part.isLosing = true;
  part.opened.reject(new UserError(why));
  const second = Math.max(part.second, state.compactedTo);
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

function goneText({ isLeaving }: Part): string {
  return isLeaving ? 'left' : 'was lost';
}

function endOwnership(part: Part): void {
  tell(part, { toMs: (part.second + 1) * 1000 });
}

/** All its agents have moved, or its timeline is over. */
function closePart({ handlers, stay }: MachinesState, part: Part): void {
  if (part.state === 'running' && stay === undefined) endOwnership(part);
  if (part.heldBack.length > 0) handlers.incomplete(heldBackText(part));
  part.state = 'over';
  part.opened.resolve();
  handlers.finished(part.index);
}

function endPart({ handlers }: MachinesState, part: Part | undefined, why: string): void {
  if (part === undefined || part.state === 'over') return;
  part.state = 'over';
  part.opened.resolve();
  const atMs = (part.second + 1) * 1000;
  handlers.lost(part.index, new Error(`${why}; its agents stopped at ${formatDuration(atMs)}`));
}

function takeReplacement(state: MachinesState, message: Extract<ToMachines, { kind: 'replaced' }>): void {
  const { part: index, record, elapsedS } = message;
  const { parts, own } = state;
  const part = parts[index];
  if (part?.state === 'over') void releasePart(state, index, record);
  if (part === undefined || part.state === 'over') return;
  part.isStarted = true;
  const agents = part.agents?.size ?? shareOf(part.shard, (part.order?.scenario ?? state.scenario).fleet.agents);
  const [before, gone] = [part.record.machine.name, goneText(part)];
  const [lostMs, replacedMs] = [(part.second + 1) * 1000, elapsedS * 1000];
  Object.assign(part, { record, state: 'running', lastSeenMs: monotonicClock(), isOffered: false });
  Object.assign(part, { isLosing: false, isBack: false, isLeaving: false, heldBack: [] });
  part.machines.push(ownerOf(record, { part: index, agents, fromMs: replacedMs }));
  const gap = `machine ${before} ${gone} at ${formatDuration(lostMs)}, and ${record.machine.name} took over its agents at ${formatDuration(replacedMs)}: a gap of ${formatDuration(Math.max(0, replacedMs - lostMs))}`;
  state.say(gap);
  state.handlers.incomplete(gap);
  // The new machine may have missed an earlier command.
  for (const command of ['stop', 'cancel'] as const) if (own.has(command)) publish(state, { kind: command });
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

function listenFor(state: MachinesState, part: Part, connectedMs: number): void {
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
  if (!part.isReady)
    state.allReady.reject(new UserError(`machine ${machine.name} was lost: ${silence}; start the run again.`));
  if (!part.isLosing) void loseUnlessHeld(state, part, silence);
}

/** Its messages may be late: only an entry that has expired cannot be extended any more. */
async function loseUnlessHeld(state: MachinesState, part: Part, why: string): Promise<void> {
  part.isLosing = true;
  const isHeld = await state.members.isPresent(part.record.machine);
  part.isLosing = false;
  if (!isHeld) lose(state, part, why);
}

function seekReplacement(state: MachinesState, part: Part): void {
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
  void offerPart(state, part, machine).then((isTaken) => {
    part.isOffered = isTaken;
  });
}

async function offerPart(state: MachinesState, part: Part, machine: JoinedMachine): Promise<boolean> {
  const { bus, scenario, startMs, epochMs } = state;
  const { index, record } = part;
  const shard = part.agents === undefined ? part.shard : shardOf([...part.agents].sort((a, b) => a - b));
  const leadMs = GETTING_MS + preparationMs(shareOf(shard, scenario.fleet.agents));
  const elapsedS = Math.ceil((monotonicClock() - startMs + leadMs) / 1000);
  if (elapsedS * 1000 >= timelineEndMs(scenario.phases)) {
    publish(state, { kind: 'left', part: index });
    return true;
  }
  const work = await workAt(state, { part, shard, generation: record.generation + 1, elapsedS });
  const taker = await offer(bus, { machine, work }, state.members.refusals);
  if (taker === undefined) return false;
  const atMs = startMs + taker.monotonicOffsetMs;
  publish(state, { kind: 'replaced', part: index, record: taker, elapsedS, atMs, epochMs });
  return true;
}

type PartAt = { readonly part: Part; readonly shard: Shard; readonly generation: number; readonly elapsedS: number };

/** The work for a machine that gets agents during the run. */
async function workAt(state: MachinesState, { part, shard, generation, elapsedS }: PartAt): Promise<Work> {
  const { run, coordinator, store, firstStartedAt, epochMs } = state;
  return {
    ...{ run, coordinator, elapsedS, generation, shard, part: part.index, order: part.order },
    // The random draws of its agents continue.
    firstStartedAt: firstStartedAt ?? new Date(epochMs),
    // In this order, so that no event is missing.
    ...{ fromSequence: await store.lastSequence(), events: state.events },
  };
}

// ---- Agents that move to other machines ----

/** Machines that join one after another get their shares together. */
const NEWCOMERS_MS = 3000;
/** Until the next attempt if agents could not move. */
const MOVED_AGAIN_MS = 30_000;
/** How long to look for a machine for agents that are on none. */
const PLACED_WITHIN_MS = 30_000;

/** The machines that run agents. */
function holders(state: MachinesState): readonly Holder[] {
  const byId = Map.groupBy(
    state.parts.filter((part) => part.state === 'running'),
    (part) => part.record.machine.id,
  );
  return [...byId].map(([id, parts]) => ({
    ...{ id, groups: parts.length, isLeaving: state.leaving.has(id) },
    agents: parts.flatMap((part) => [...agentsOf(part, state)]),
  }));
}

function canTakeOver(state: MachinesState): boolean {
  return state.members.waiting().length > 0 || holders(state).some(({ isLeaving }) => !isLeaving);
}

function leastLoaded(state: MachinesState): JoinedMachine | undefined {
  const [first] = holders(state)
    .filter(({ isLeaving }) => !isLeaving)
    .sort((a, b) => a.agents.length - b.agents.length);
  return state.members.atWork().find(({ id }) => id === first?.id);
}

/** Gives agents to machines that have joined, and takes those of machines that leave. */
function rebalance(state: MachinesState): void {
  const nowMs = monotonicClock();
  const { parts, newSinceMs, movingUntilMs } = state;
  const waiting = state.members.waiting().map(({ id }) => id);
  for (const id of newSinceMs.keys()) if (!waiting.includes(id)) newSinceMs.delete(id);
  for (const id of waiting) if (!newSinceMs.has(id)) newSinceMs.set(id, nowMs);
  if (nowMs < movingUntilMs || parts.some((part) => part.state === 'lost')) return;
  const newcomers = waiting.filter((id) => nowMs - (newSinceMs.get(id) ?? nowMs) >= NEWCOMERS_MS);
  const move = nextAgentMove(holders(state), newcomers);
  if (move !== undefined) void carryOut(state, move);
}

async function carryOut(state: MachinesState, { why, agents, takers }: AgentMove): Promise<void> {
  const { members, handlers } = state;
  const nameOf = (id: string): string =>
    [...members.waiting(), ...members.atWork()].find((machine) => machine.id === id)?.name ?? id;
  const leavers = holders(state).filter(({ isLeaving }) => isLeaving);
  const [to, from] = [takers, leavers.map(({ id }) => id)].map((ids) => ids.map(nameOf).sort().join(', '));
  const reasons = {
    joined: `${to} joined`,
    left: `${from} leaves`,
    evened: `${to} had fewer agents`,
    regrouped: `${to} has many groups of agents`,
  };
  state.movingUntilMs = Number.POSITIVE_INFINITY;
  const leadMs = GETTING_MS + preparationMs(agents.length / takers.length);
  try {
    await handlers.relocate({
      ...{ agents, leadMs },
      joining: (sinceMs) => joining(state, { agents, takers, areFree: false }, sinceMs),
    });
    state.movingUntilMs = Number.NEGATIVE_INFINITY;
    state.say(`${reasons[why]}: ${counted(agents.length, 'agent')} moved to ${to}`);
  } catch (error) {
    state.movingUntilMs = monotonicClock() + MOVED_AGAIN_MS;
    if (!state.isClosed) state.say(`${reasons[why]}, but its agents could not move yet: ${messageOf(error)}`);
  }
}

type Placing = {
  readonly agents: readonly number[];
  /** Ids of the machines that share the agents. */
  readonly takers: readonly string[];
  /** Whether the agents are on no machine, so that each must be on one in the end. */
  readonly areFree: boolean;
};

function joining(state: MachinesState, { agents, takers, areFree }: Placing, sinceMs: number): Joining {
  const [shard, workers] = [shardOf(agents), takers.length];
  const open = async (): Promise<void> => {
    const added = takers.map((id, index) => {
      const record = { machine: { id, name: id }, workers: 0, generation: 0, ...NO_CLOCKS };
      const own = shardWithin(shard, { index, count: workers });
      const known = { index: state.parts.length, shard: own, order: state.order };
      const part: Part = { ...newPart(known, record), state: 'opening' };
      state.parts.push(part);
      return part;
    });
    try {
      await Promise.all(added.map((part) => place(state, part, { sinceMs, areFree })));
    } catch (error) {
      for (const part of added) giveUp(state, part);
      throw error;
    }
  };
  return { shard, workers, open };
}

const NO_CLOCKS = { clockOffsetMs: 0, monotonicOffsetMs: 0, clockErrorMs: 0 };

/** Resolves when a machine is ready to run the part. */
async function place(
  state: MachinesState,
  part: Part,
  { sinceMs, areFree }: { readonly sinceMs: number } & Pick<Placing, 'areFree'>,
): Promise<void> {
  const { members } = state;
  const { id, name } = part.record.machine;
  const untilMs = monotonicClock() + PLACED_WITHIN_MS;
  const known = [...members.waiting(), ...members.atWork()];
  let machine = known.find((one) => one.id === id);
  while (!(machine !== undefined && (await isPlaced(state, part, { machine, sinceMs })))) {
    const refusal = members.refusals.get(machine?.id ?? id) ?? `${name}: it is gone`;
    if (!areFree) throw new UserError(refusal);
    if (monotonicClock() > untilMs) return endPart(state, part, `no machine takes its agents (${refusal})`);
    await members.news();
    machine = leastLoaded(state);
  }
  // A free part that is lost again is replaced like any other.
  await (areFree ? part.opened.promise.catch(() => {}) : part.opened.promise);
}

/** Offers the part to a machine. Returns true if it takes it, or if it was given up meanwhile. */
async function isPlaced(
  state: MachinesState,
  part: Part,
  { machine, sinceMs }: { readonly machine: JoinedMachine; readonly sinceMs: number },
): Promise<boolean> {
  const work = await workAt(state, { part, shard: part.shard, generation: 0, elapsedS: sinceMs / 1000 });
  const record = await offer(state.bus, { machine, work }, state.members.refusals);
  if (record === undefined) return part.state === 'over';
  if (part.state === 'over') {
    await releasePart(state, part.index, record);
    return true;
  }
  const agents = shareOf(part.shard, Number.POSITIVE_INFINITY);
  part.machines.push(ownerOf(record, { part: part.index, agents, fromMs: sinceMs }));
  Object.assign(part, { record, state: 'running', lastSeenMs: monotonicClock() });
  return true;
}

function giveUp(state: MachinesState, part: Part): void {
  if (part.state === 'running') void releasePart(state, part.index, part.record);
  if (part.state !== 'over') closePart(state, part);
}

async function releasePart({ bus, run }: MachinesState, part: number, { machine }: PartRecord): Promise<void> {
  await bus.request(machineSubject(machine.id), { kind: 'release', run, part }, ASKED_MS);
}

/** Returns how many of the agents could not leave the part yet. */
async function leavePart(
  state: MachinesState,
  part: Part,
  { agents, how }: { readonly agents: readonly number[]; readonly how: Parameters<Shards['leave']>[1] },
): Promise<number> {
  if (!part.isStarted || part.state === 'over') return 0;
  const present = agentsOf(part, state);
  const own = agents.filter((agent) => present.has(agent));
  if (own.length === 0) return 0;
  if (part.state === 'running') {
    const numbers = Uint32Array.from(own, (agent) => localIn(part.shard, agent));
    const left = await ask(state, part.index, { kind: 'leave', agents: numbers, how }).catch(() => own.length);
    // A machine that does not answer is lost, or answers again.
    if (left > 0 && part.state === 'running') return left;
  }
  for (const agent of own) present.delete(agent);
  return 0;
}

// ---- Questions ----

/** Asks all machines; `missing` replaces the answer of one that has ended. */
function askAll<Query extends ShardQuery>(state: MachinesState, query: Query, missing: AnswerTo<Query>) {
  return Promise.all(state.parts.map(({ index }) => ask(state, index, query).catch(() => missing)));
}

async function ask<Query extends ShardQuery>(
  { bus, run, parts }: MachinesState,
  index: number,
  query: Query,
): Promise<AnswerTo<Query>> {
  const part = parts[index];
  if (part === undefined) throw new RangeError(`there is no machine ${index}`);
  const { id, name } = part.record.machine;
  if (part.state === 'lost')
    throw new UserError(
      `Machine ${name} was lost with its agents: try again when another machine has taken them over.`,
    );
  if (part.state !== 'running') throw new UserError(`Machine ${name} has finished, so its agents are not available.`);
  const limitMs = query.kind === 'find_event' ? FOUND_MS : ASKED_MS;
  const reply = await bus.request(machineSubject(id), { kind: 'query', run, part: index, query }, limitMs);
  if (reply.kind !== 'answer') throw new UserError(`Machine ${name} does not answer: try again in a moment.`);
  return reply.answer as AnswerTo<Query>;
}

function changeEvents(state: MachinesState, events: readonly FleetEvent[]): void {
  state.events = events;
  state.keepEvents(events);
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

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
