import { UserError } from '../base/kernel/errors.ts';
import { counted, formatDuration } from '../base/kernel/units.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { shardOf, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import { secondOf } from '../metrics/merging/timeline.ts';
import type { SeriesFrame } from '../metrics/recording/frame.ts';
import { rounded } from '../metrics/recording/histogram.ts';
import { preparationMs } from '../run/preparation.ts';
import type { AnswerTo, ShardQuery } from '../workers/shard-query.ts';
import { offer, release } from './gathering.ts';
import { StoreGone } from './link.ts';
import {
  addOwner,
  leastLoaded,
  type MachinesState,
  newAssignment,
  noteMachine,
  PART_STATES,
  type PartState,
  type RunPart,
  sumsOf,
} from './machines-state.ts';
import {
  type FromMachine,
  type HeldBackAgent,
  type JoinedMachine,
  LEASE_MS,
  type LeaseAnswer,
  type LeaseRequest,
  machineSubject,
  type PartRecord,
  type ToMachines,
  type Work,
} from './messages.ts';

/** Additional time that a machine needs to get agents compared with a thread, for the offer and for reading its part. */
export const PART_LEAD_MS = 1500;

type Step<Detail extends readonly unknown[], Result> = (
  state: MachinesState,
  part: RunPart,
  ...detail: Detail
) => Result;
type Row<Detail extends readonly unknown[] = [], Result = void> = Readonly<Record<PartState, Step<Detail, Result>>>;
/** The machine that takes the part, and when it starts, in seconds since the start of the run. */
type Accepted = Pick<Decision<'replaced'>, 'record' | 'elapsedS'>;
type Decision<Kind extends ToMachines['kind']> = Extract<ToMachines, { readonly kind: Kind }>;

/**
 * The state machine of a part of a fleet: each row is an event, each column a state (docs/developers/mechanisms.md explains them), each
 * cell the reaction. The coordinator writes its decisions to the stream (`failing`, `offered`), and acts on them when it reads them back
 * (`lost`, `replaced`, `abandoned`).
 *
 * Use a row as `PART_LIFE.finished[part.state](state, part)`. A new event is a new row.
 */
// biome-ignore format: a table is read by its columns
export const PART_LIFE: {
  readonly accepted: Row<[offer: Accepted]>;
  readonly reported: Row<[message: FromMachine]>;
  readonly renewed: Row<[request: LeaseRequest], LeaseAnswer>;
  readonly queried: Row<[query: ShardQuery], Promise<unknown>>;
  readonly failed: Row<[why: string]>;
  readonly checked: Row;
  readonly present: Row;
  readonly expired: Row<[why: string]>;
  readonly lost: Row<[decision: Decision<'lost'>]>;
  readonly refused: Row;
  readonly replaced: Row<[decision: Decision<'replaced'>]>;
  readonly abandoned: Row<[why: string]>;
  readonly finished: Row;
  readonly canceled: Row;
} = {
  //           opening running       suspect      failing   lost       offered       over
  accepted:  [ begin,  never,        never,       never,    never,     never,        decline    ],
  reported:  [ count,  count,        count,       count,    countLate, countLate,    countLate  ],
  renewed:   [ doubt,  renew,        doubt,       doubt,    deny,      deny,         doubt      ],
  queried:   [ reject, query,        query,       query,    postpone,  postpone,     reject     ],
  failed:    [ ignore, declareLost,  declareLost, ignore,   ignore,    ignore,       ignore     ],
  checked:   [ ignore, checkSilence, ignore,      ignore,   seek,      ignore,       ignore     ],
  present:   [ ignore, ignore,       trust,       ignore,   ignore,    ignore,       ignore     ],
  expired:   [ ignore, ignore,       declareLost, ignore,   ignore,    ignore,       ignore     ],
  lost:      [ ignore, lose,         lose,        lose,     ignore,    ignore,       ignore     ],
  refused:   [ ignore, ignore,       ignore,      ignore,   ignore,    retrySeeking, ignore     ],
  replaced:  [ ignore, takeOver,     takeOver,    takeOver, takeOver,  takeOver,     decline    ],
  abandoned: [ end,    end,          end,         end,      end,       end,          ignore     ],
  finished:  [ close,  close,        close,       close,    close,     close,        ignore     ],
  canceled:  [ close,  giveUp,       giveUp,      giveUp,   close,     close,        ignore     ],
};

// ---- A machine has the part ----

/** → running. */
function begin(_: MachinesState, part: RunPart, { record, elapsedS }: Accepted): void {
  part.state = PART_STATES.running;
  // Its machine may have reported already.
  part.assignment = { ...part.assignment, record, lastSeenMs: monotonicClock() };
  addOwner(part, { agents: shareOf(part.shard, Number.POSITIVE_INFINITY), fromMs: elapsedS * 1000 });
}

/** → running, on another machine. */
function takeOver(state: MachinesState, part: RunPart, { record, elapsedS }: Accepted): void {
  const { shard, order, agents, second } = part;
  const { end, record: before } = part.assignment;
  part.state = PART_STATES.running;
  part.isStarted = true;
  part.assignment = newAssignment(record);
  const [lostMs, fromMs] = [(second + 1) * 1000, elapsedS * 1000];
  const share = agents?.size ?? shareOf(shard, (order?.scenario ?? state.scenario).fleet.agents);
  addOwner(part, { agents: share, fromMs });
  const gap = `machine ${before.machine.name} ${end} at ${formatDuration(lostMs)}, and ${record.machine.name} took over its agents at ${formatDuration(fromMs)}: a gap of ${formatDuration(Math.max(0, fromMs - lostMs))}`;
  state.note(gap);
  state.handlers.incomplete(gap);
  // The new machine may have missed an earlier command.
  for (const command of ['stop', 'cancel'] as const)
    if (state.ownCommands.has(command)) publish(state, { kind: command });
}

function decline({ bus, run }: MachinesState, { index }: RunPart, { record }: Pick<Accepted, 'record'>): void {
  void bus.request(machineSubject(record.machine.id), { kind: 'release', run, part: index }, QUERY_MS);
}

function count(state: MachinesState, part: RunPart, message: FromMachine): void {
  const { handlers } = state;
  const { assignment, index } = part;
  const { id, name } = assignment.record.machine;
  assignment.lastSeenMs = monotonicClock();
  switch (message.kind) {
    case 'ready':
      part.opened.resolve();
      break;
    case 'failed':
      part.opened.reject(new UserError(`machine ${name} cannot start its part: ${message.text}`));
      PART_LIFE.failed[part.state](state, part, message.text);
      break;
    case 'leaves':
      assignment.end = 'left';
      PART_LIFE.failed[part.state](state, part, 'it was told to leave');
      break;
    case 'frame':
      part.second = Math.max(part.second, message.frame.second);
      sumsOf(state, id).add(secondOf(message.frame));
      handlers.frame(message.frame);
      break;
    case 'copied_password':
      publish(state, { kind: 'copied_password', agent: message.agent, password: message.password });
      break;
    case 'held_back':
      noteHeldBack(state, part, message.agents);
      break;
    case 'worker_lost':
      handlers.incomplete(`worker ${message.worker} on machine ${name} was lost: ${message.text}`);
      break;
    case 'account':
      state.machineLoads.push(message.account.machine);
      noteMachine(part, { load: message.account.machine });
      handlers.accounted(index, { ...message.account, delivery: NOTHING_SENT });
      break;
    case 'finished':
      PART_LIFE.finished[part.state](state, part);
      break;
    default:
      message satisfies never;
  }
}

const NOTHING_SENT = {
  sent: new Uint32Array(),
  acknowledged: new Uint32Array(),
  refused: new Uint32Array(),
  assumed: [],
};

function noteHeldBack({ note }: MachinesState, part: RunPart, agents: readonly HeldBackAgent[]): void {
  const before = heldBackTexts(part);
  part.assignment.heldBack = agents;
  for (const text of heldBackTexts(part)) if (!before.includes(text)) note(text);
  if (agents.length === 0) note(`part ${part.index + 1}: no agents are held back any more`);
}

const AGENTS_SHOWN = 20;

/** A sentence for each reason. */
function heldBackTexts({ index, assignment }: RunPart): readonly string[] {
  return [...Map.groupBy(assignment.heldBack, ({ lostWith }) => lostWith)].map(([machine, agents]) => {
    const shown = agents.slice(0, AGENTS_SHOWN).map(({ agent }) => agent);
    const those = `part ${index + 1}: ${counted(agents.length, 'agent')} held back`;
    const numbers = `${shown.join(', ')}${agents.length > AGENTS_SHOWN ? ', …' : ''}`;
    if (machine === undefined) return `${those}, because a lost machine may have registered them: ${numbers}`;
    return `${those}, because the server knows them, but their passwords were lost with machine ${machine}, which is no failure of the server: ${numbers}; remove them there before the next run`;
  });
}

/** Counts what a lost machine sent until its lease ended. What it did not send is no drop: another machine may have sent it. */
export function countLate({ handlers, note }: MachinesState, part: RunPart, message: FromMachine): void {
  if (message.kind !== 'frame') return;
  const { frame } = message;
  const series = frame.series.map(withoutUnsent);
  const segments = frame.segments?.map(withoutUnsent);
  handlers.frame({ ...frame, series, segments, workers: [], stalls: [], happened: undefined, pace: undefined });
  if (part.assignment.isBack || series.every(({ started }) => started === 0)) return;
  part.assignment.isBack = true;
  const text = `part ${part.index + 1}: the lost machine is back, and what it sent from ${formatDuration(frame.second * 1000)} on is counted, too`;
  note(text);
  handlers.incomplete(text);
}

function withoutUnsent<Series extends SeriesFrame>({ dropped, planned, ...series }: Series) {
  const { no_lease = 0, run_ended = 0, ...others } = dropped;
  return { ...series, dropped: others, planned: planned - no_lease - run_ended };
}

/** Renews the lease of its machine. One that leaves learns whether another one can take its agents. */
function renew(state: MachinesState, part: RunPart, { natsMs, problem, isLeaving }: LeaseRequest): LeaseAnswer {
  const { assignment } = part;
  assignment.lastSeenMs = monotonicClock();
  assignment.problem = problem;
  if (natsMs !== undefined) noteMachine(part, { natsMs: rounded(natsMs) });
  if (!isLeaving) return 'held';
  state.leavingMachines.add(assignment.record.machine.id);
  if (state.movingObstacle !== undefined) return 'alone';
  return state.members.waiting().length > 0 || leastLoaded(state) !== undefined ? 'held' : 'alone';
}

/** The coordinator has not read as far, or is about to give the part away. */
function doubt(): LeaseAnswer {
  return 'unknown';
}

function deny(): LeaseAnswer {
  return 'lost';
}

const QUERY_MS = 5000;
/** Agents are searched in small batches. */
const SEARCH_MS = 60_000;

export async function askMachine<Query extends ShardQuery>(
  state: MachinesState,
  index: number,
  shardQuery: Query,
): Promise<AnswerTo<Query>> {
  const part = state.parts[index];
  if (part === undefined) throw new RangeError(`there is no machine ${index}`);
  return (await PART_LIFE.queried[part.state](state, part, shardQuery)) as AnswerTo<Query>;
}

async function query({ bus, run }: MachinesState, part: RunPart, shardQuery: ShardQuery): Promise<unknown> {
  const { id, name } = part.assignment.record.machine;
  const limitMs = shardQuery.kind === 'find_event' ? SEARCH_MS : QUERY_MS;
  const reply = await bus.request(
    machineSubject(id),
    { kind: 'query', run, part: part.index, query: shardQuery },
    limitMs,
  );
  if (reply.kind !== 'answer') throw new UserError(`Machine ${name} does not answer: try again in a moment.`);
  return reply.answer;
}

async function postpone(_: MachinesState, { assignment }: RunPart): Promise<never> {
  throw new UserError(
    `Machine ${assignment.record.machine.name} was lost with its agents: try again when another machine has taken them over.`,
  );
}

async function reject(_: MachinesState, { assignment }: RunPart): Promise<never> {
  throw new UserError(`Machine ${assignment.record.machine.name} has finished, so its agents are not available.`);
}

// ---- Its machine is lost ----

/** → suspect after silence, which does not count while NATS is unreachable, or while the coordinator stood still. */
function checkSilence(state: MachinesState, part: RunPart): void {
  const connectedMs = state.bus.connectedMs();
  if (connectedMs === undefined) return;
  const { record, lastSeenMs } = part.assignment;
  const { machine } = record;
  const nowMs = monotonicClock();
  const beatMs = state.members.lastSeenMs(machine.id) ?? 0;
  if (nowMs - Math.max(lastSeenMs, beatMs, nowMs - connectedMs, state.awakeSinceMs) <= LEASE_MS) return;
  const silence = `it did not respond for ${LEASE_MS / 1000} s`;
  part.opened.reject(new UserError(`machine ${machine.name} was lost: ${silence}; start the run again.`));
  part.state = PART_STATES.suspect;
  // Its messages may be late: only an entry that has expired cannot be extended any more.
  void state.members.isPresent(machine).then((isPresent) => {
    if (isPresent) PART_LIFE.present[part.state](state, part);
    else PART_LIFE.expired[part.state](state, part, silence);
  });
}

/** → running. */
function trust(_: MachinesState, part: RunPart): void {
  part.state = PART_STATES.running;
}

/** → failing. */
function declareLost(state: MachinesState, part: RunPart, why: string): void {
  const { index, assignment } = part;
  const { machine, generation } = assignment.record;
  part.state = PART_STATES.failing;
  part.opened.reject(new UserError(`machine ${machine.name} ${assignment.end}: ${why}`));
  const second = Math.max(part.second, state.compacted?.second ?? -1);
  publish(state, { kind: 'lost', part: index, generation, why, second });
}

/** → lost, or over if no other machine takes over in this run. */
function lose(state: MachinesState, part: RunPart, { generation, why, second }: Decision<'lost'>): void {
  const { record, end: how } = part.assignment;
  if (record.generation !== generation) return;
  part.state = PART_STATES.lost;
  part.lostMs = monotonicClock();
  part.second = Math.max(part.second, second);
  endOwnership(part);
  if (state.replace) state.note(`machine ${record.machine.name} ${how}: ${why}`);
  else end(state, part, why);
}

/** How long to look for a replacement. The run's completed seconds are held back meanwhile. */
const REPLACED_WITHIN_MS = 30_000;

/** → offered, if there is a machine or there was none for too long; → over, if its agents have moved meanwhile. */
function seek(state: MachinesState, part: RunPart): void {
  if (part.agents?.size === 0) {
    close(state, part);
    return;
  }
  const [machine = state.movingObstacle === undefined ? leastLoaded(state) : undefined] = state.members.waiting();
  if (machine === undefined && monotonicClock() - part.lostMs < REPLACED_WITHIN_MS) return;
  part.state = PART_STATES.offered;
  if (machine === undefined) publish(state, { kind: 'left', part: part.index });
  else void replace(state, part, machine);
}

async function replace(state: MachinesState, part: RunPart, machine: JoinedMachine): Promise<void> {
  const { scenario, startMs, epochMs } = state;
  const { index, assignment } = part;
  const shard = part.agents === undefined ? part.shard : shardOf(part.agents);
  const leadMs = PART_LEAD_MS + preparationMs(shareOf(shard, scenario.fleet.agents));
  const elapsedS = Math.ceil((monotonicClock() - startMs + leadMs) / 1000);
  if (elapsedS * 1000 >= timelineEndMs(scenario.phases)) {
    publish(state, { kind: 'left', part: index });
    return;
  }
  const generation = assignment.record.generation + 1;
  const record = await offerPart(state, part, { machine, shard, generation, elapsedS });
  if (record === undefined) {
    PART_LIFE.refused[part.state](state, part);
    return;
  }
  const atMs = startMs + record.monotonicOffsetMs;
  publish(state, { kind: 'replaced', part: index, record, elapsedS, atMs, epochMs });
}

/** → lost. */
function retrySeeking(_: MachinesState, part: RunPart): void {
  part.state = PART_STATES.lost;
}

/** Offers a part to a machine during the run; `undefined` if it refuses. */
export async function offerPart(
  state: MachinesState,
  part: RunPart,
  { machine, ...given }: Pick<Work, 'shard' | 'generation' | 'elapsedS'> & { readonly machine: JoinedMachine },
): Promise<PartRecord | undefined> {
  const { bus, run, coordinator, store, members, firstStartedAt, epochMs } = state;
  const work: Work = {
    ...given,
    run,
    coordinator,
    part: part.index,
    order: part.order,
    // The random draws of its agents continue.
    firstStartedAt: firstStartedAt ?? new Date(epochMs),
    // In this order, so that no event is missing.
    fromSequence: await store.lastSequence(),
    events: state.events,
  };
  return offer(bus, { machine, work }, members.refusals);
}

// ---- The part ends ----

/** → over, with its agents. */
function end({ handlers }: MachinesState, part: RunPart, why: string): void {
  part.state = PART_STATES.over;
  part.opened.resolve();
  const atMs = (part.second + 1) * 1000;
  handlers.lost(part.index, new Error(`${why}; its agents stopped at ${formatDuration(atMs)}`));
}

/** → over: all its agents have moved, or its timeline is over. */
function close({ handlers, movingObstacle }: MachinesState, part: RunPart): void {
  if (movingObstacle === undefined) endOwnership(part);
  for (const text of heldBackTexts(part)) handlers.incomplete(text);
  part.state = PART_STATES.over;
  part.opened.resolve();
  handlers.finished(part.index);
}

/** → over, without its machine. */
function giveUp(state: MachinesState, part: RunPart): void {
  decline(state, part, part.assignment);
  close(state, part);
}

function endOwnership(part: RunPart): void {
  noteMachine(part, { toMs: (part.second + 1) * 1000 });
}

function ignore(): void {}

function never(_: MachinesState, { index }: RunPart): never {
  throw new Error(`part ${index} already has a machine`);
}

// ---- The stream ----

/** Stores messages in order, even if the servers are away. */
export function publish(state: MachinesState, message: ToMachines): void {
  const id = `${state.coordinator}-${state.publishedCount++}`;
  if (message.kind === 'stop' || message.kind === 'cancel') state.ownCommands.add(message.kind);
  state.publishing = state.publishing
    .then(() => state.store.publish('to', id, message))
    .catch((error: unknown) => {
      if (error instanceof StoreGone) endWithoutStore(state);
      else if (!state.isClosed) throw error;
    });
}

/** Nothing more can be counted. */
export function endWithoutStore(state: MachinesState): void {
  const { parts, handlers, bus, run, isClosed } = state;
  const present = parts.filter((part) => part.state !== PART_STATES.over);
  if (isClosed || present.length === 0) return;
  const text = 'NATS has lost the run, because its store was deleted: what the machines had not reported is missing';
  state.note(text);
  handlers.incomplete(text);
  const ids = present.map(({ assignment }) => assignment.record.machine.id);
  void release(bus, run, ids);
  for (const part of present) PART_LIFE.finished[part.state](state, part);
}
