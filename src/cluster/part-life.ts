import { UserError } from '../base/kernel/errors.ts';
import { counted, formatDuration } from '../base/kernel/units.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { agentsInShard, type Shard, shardOf, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { createMachineSums, type FiguresSpan, type MachineSums } from '../metrics/merging/machine-figures.ts';
import { secondOf } from '../metrics/merging/timeline.ts';
import type { SeriesFrame } from '../metrics/recording/frame.ts';
import { rounded } from '../metrics/recording/histogram.ts';
import { preparationMs } from '../run/preparation.ts';
import { whyAgentsStay } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardHandlers } from '../workers/open-shards.ts';
import type { AnswerTo, ShardQuery } from '../workers/shard-query.ts';
import type { Bus } from './bus.ts';
import { type Membership, offer, release } from './gathering.ts';
import {
  type FromMachine,
  type HeldBackAgent,
  type JoinedMachine,
  LEASE_MS,
  type LeaseAnswer,
  type LeaseRequest,
  machineSubject,
  type PartRecord,
  type RunRecord,
  type ToMachines,
  type Work,
  type WorkOrder,
} from './messages.ts';
import { type RunStore, StoreGone } from './run-store.ts';

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
  /** As in `RunRecord`, of an earlier coordinator. */
  readonly compacted: RunRecord['compacted'];
  /** Reports one sentence to the user. */
  readonly say: (text: string) => void;
  /** Changes what is stored about the run. */
  readonly keep: (change: Partial<RunRecord>) => Promise<void>;
};

/** Additional time that a machine needs to get agents compared with a thread, for the offer and for reading its part. */
export const GETTING_MS = 1500;

/** What a part is doing: the columns of `PART_LIFE`. */
export const PART_STATES = { opening: 0, running: 1, suspect: 2, failing: 3, lost: 4, offered: 5, over: 6 } as const;

type PartState = (typeof PART_STATES)[keyof typeof PART_STATES];

export type RunPart = ReturnType<typeof newPart>;

/** `shard`: its agents when it was opened. `order`: as in `Work`. */
type PartOfFleet = { readonly index: number; readonly shard: Shard; readonly order: WorkOrder | undefined };

export function newPart(known: PartOfFleet, state: PartState, record: PartRecord) {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => {});
  return {
    ...known,
    state,
    /** Settles when its machine is ready to send, or cannot be. */
    opened,
    assignment: newAssignment(record),
    /** The machines that have or had it; the last one is the current one. */
    owners: [] as Owner[],
    /** Indices in the fleet of the agents that have not moved; `undefined`: none has. */
    agents: undefined as Set<number> | undefined,
    lostMs: 0,
    /** The last second that it reported. */
    second: -1,
    /** Whether its machine has been told to start. */
    isStarted: false,
  };
}

/** The current machine of a part, or the last one if it was lost, and what it has said since. */
function newAssignment(record: PartRecord) {
  return {
    record,
    lastSeenMs: monotonicClock(),
    /** Why NATS does not store what the machine sends. */
    problem: undefined as string | undefined,
    heldBack: [] as readonly HeldBackAgent[],
    /** How it ended, if it has. */
    end: 'was lost' as 'was lost' | 'left',
    /** Whether the machine was lost, and has reported what it sent. */
    isBack: false,
  };
}

/** Whether a machine runs the part, as far as is known. */
export function hasMachine({ state }: Pick<RunPart, 'state'>): boolean {
  const { running, suspect, failing } = PART_STATES;
  return state === running || state === suspect || state === failing;
}

type Owner = { readonly id: string; machine: ClusterMachine };

export type MachinesState = ReturnType<typeof machinesState>;

export function machinesState(run: RunOfMachines, records: readonly PartRecord[], handlers: ShardHandlers) {
  const { scenario } = run;
  const isEndless = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
  return {
    ...run,
    handlers,
    /** Figures of machines, by id; those of a machine are those of all its parts. */
    sums: new Map<string, MachineSums>(),
    /** Why its agents stay on their machines; `undefined` if they may move. */
    stay: isEndless ? (filesStay(scenario) ?? whyAgentsStay(scenario)) : 'only the agents of muster fleet move',
    parts: records.map((record, index) => {
      const shard = { index, count: records.length };
      const part = newPart({ index, shard, order: undefined }, PART_STATES.running, record);
      addOwner(part, { agents: shareOf(shard, scenario.fleet.agents), fromMs: 0 });
      return part;
    }),
    /** As in `Work`. */
    order: undefined as WorkOrder | undefined,
    /** Ids of machines that leave. */
    leaving: new Set<string>(),
    /** When each machine that has no part was first seen without one, by id. */
    newSinceMs: new Map<string, number>(),
    /** While agents move, and for some time after they could not. */
    movingUntilMs: Number.NEGATIVE_INFINITY,
    /** Commands of this coordinator. */
    own: new Set<string>(),
    loads: [] as MachineLoad[],
    isAway: false,
    isFull: false,
    /** Number of messages that are none of the run. */
    skipped: 0,
    /** When the coordinator last looked for lost machines, and when it last went on after it had stood still. */
    lookedMs: monotonicClock(),
    awakeSinceMs: Number.NEGATIVE_INFINITY,
    /** The current events of the run. */
    events: scenario.events,
    startMs: Number.POSITIVE_INFINITY,
    epochMs: 0,
    published: 0,
    /** Settles when all messages so far are stored. */
    publishing: Promise.resolve(),
    isClosed: false,
  };
}

/** A part reads the files of its agents when it is opened, while they might still change where they are. */
export function filesStay({ fleet, webServer }: Scenario): string | undefined {
  if (webServer === undefined || fleet.identities.kind !== 'file') return undefined;
  return 'webServer: expected agents without files that are kept (fleet.identities, or muster fleet), found agents that listen';
}

/** The machine of its assignment has the part from now on. */
function addOwner({ index, assignment, owners }: RunPart, had: Pick<ClusterMachine, 'agents' | 'fromMs'>): void {
  const { machine, workers, clockOffsetMs, clockErrorMs } = assignment.record;
  const clock = { clockOffsetMs: rounded(clockOffsetMs), clockErrorMs: rounded(clockErrorMs) };
  owners.push({ id: machine.id, machine: { name: machine.name, part: index + 1, workers, ...clock, ...had } });
}

function sumsOf({ sums }: MachinesState, id: string): MachineSums {
  const known = sums.get(id) ?? createMachineSums();
  sums.set(id, known);
  return known;
}

/** A row for each machine, with all parts that it has; if it has none any more, with those that it had. */
export function machinesIn(state: MachinesState, span: FiguresSpan): readonly ClusterMachine[] {
  const all = state.parts.flatMap((part) =>
    part.owners.map(({ id, machine }, at) => {
      const isCurrent = at === part.owners.length - 1 && hasMachine(part);
      return { id, machine: isCurrent && part.agents ? { ...machine, agents: part.agents.size } : machine };
    }),
  );
  return [...Map.groupBy(all, ({ id }) => id)].flatMap(([id, owned]) => {
    const machines = owned.map(({ machine }) => machine);
    const present = machines.filter(({ toMs }) => toMs === undefined);
    const shown = present.length > 0 ? present : machines.toSorted((a, b) => (a.toMs ?? 0) - (b.toMs ?? 0));
    const [first, last] = [machines[0], shown.at(-1)];
    if (first === undefined || last === undefined) return [];
    const sumOf = (count: 'agents' | 'workers') => shown.reduce((sum, machine) => sum + machine[count], 0);
    const since = { part: first.part, fromMs: Math.min(...machines.map(({ fromMs }) => fromMs)) };
    return [{ ...last, ...since, agents: sumOf('agents'), workers: sumOf('workers'), ...sumsOf(state, id).read(span) }];
  });
}

/** Adds to what is known of the machine that has the part. */
function noteMachine({ owners }: RunPart, known: Partial<ClusterMachine>): void {
  const owner = owners.at(-1);
  if (owner !== undefined) owner.machine = { ...owner.machine, ...known };
}

/** Indices in the fleet of the agents that the part has now. */
export function agentsOf(part: RunPart, { scenario }: MachinesState): Set<number> {
  const { shard, order } = part;
  part.agents ??= agentsInShard(shard, (order?.scenario ?? scenario).fleet.agents);
  return part.agents;
}

/** A machine of a running fleet. */
export type Holder = {
  readonly id: string;
  /** Indices in the fleet. */
  readonly agents: readonly number[];
  /** In how many groups it got them; each has its own threads. */
  readonly groups: number;
  readonly isLeaving: boolean;
};

/** The machines that run agents. */
export function holders(state: MachinesState): readonly Holder[] {
  const byId = Map.groupBy(state.parts.filter(hasMachine), ({ assignment }) => assignment.record.machine.id);
  return [...byId].map(([id, parts]) => ({
    id,
    groups: parts.length,
    isLeaving: state.leaving.has(id),
    agents: parts.flatMap((part) => [...agentsOf(part, state)]),
  }));
}

/** The machine with the fewest agents among those that stay. */
export function leastLoaded(state: MachinesState): JoinedMachine | undefined {
  const [first] = holders(state)
    .filter(({ isLeaving }) => !isLeaving)
    .sort((a, b) => a.agents.length - b.agents.length);
  return state.members.atWork().find(({ id }) => id === first?.id);
}

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
  //           opening     running      suspect      failing      lost       offered    over
  accepted:  [ begin,      never,       never,       never,       never,     never,     turnDown  ],
  reported:  [ count,      count,       count,       count,       countLate, countLate, countLate ],
  renewed:   [ doubt,      renew,       doubt,       doubt,       deny,      deny,      doubt     ],
  queried:   [ reject,     query,       query,       query,       postpone,  postpone,  reject    ],
  failed:    [ ignore,     declare,     declare,     ignore,      ignore,    ignore,    ignore    ],
  checked:   [ ignore,     listen,      ignore,      ignore,      seek,      ignore,    ignore    ],
  present:   [ ignore,     ignore,      trust,       ignore,      ignore,    ignore,    ignore    ],
  expired:   [ ignore,     ignore,      declare,     ignore,      ignore,    ignore,    ignore    ],
  lost:      [ ignore,     lose,        lose,        lose,        ignore,    ignore,    ignore    ],
  refused:   [ ignore,     ignore,      ignore,      ignore,      ignore,    seekAgain, ignore    ],
  replaced:  [ ignore,     takeOver,    takeOver,    takeOver,    takeOver,  takeOver,  turnDown  ],
  abandoned: [ end,        end,         end,         end,         end,       end,       ignore    ],
  finished:  [ close,      close,       close,       close,       close,     close,     ignore    ],
  canceled:  [ close,      giveUp,      giveUp,      giveUp,      close,     close,     ignore    ],
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
  state.say(gap);
  state.handlers.incomplete(gap);
  // The new machine may have missed an earlier command.
  for (const command of ['stop', 'cancel'] as const) if (state.own.has(command)) publish(state, { kind: command });
}

/** The machine is not needed for this part. */
function turnDown({ bus, run }: MachinesState, { index }: RunPart, { record }: Pick<Accepted, 'record'>): void {
  void bus.request(machineSubject(record.machine.id), { kind: 'release', run, part: index }, ASKED_MS);
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
      state.loads.push(message.account.machine);
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

function noteHeldBack({ say }: MachinesState, part: RunPart, agents: readonly HeldBackAgent[]): void {
  const before = heldBackTexts(part);
  part.assignment.heldBack = agents;
  for (const text of heldBackTexts(part)) if (!before.includes(text)) say(text);
  if (agents.length === 0) say(`part ${part.index + 1}: no agents are held back any more`);
}

/** Limit for the agents in a message. */
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

/**
 * Counts what a lost machine sent until its lease ended, or until it read that it was lost. What it did not send is missing, and no drop:
 * another machine may have sent it.
 */
export function countLate({ handlers, say }: MachinesState, part: RunPart, message: FromMachine): void {
  if (message.kind !== 'frame') return;
  const { frame } = message;
  const series = frame.series.map(withoutUnsent);
  const segments = frame.segments?.map(withoutUnsent);
  handlers.frame({ ...frame, series, segments, workers: [], stalls: [], happened: undefined, pace: undefined });
  if (part.assignment.isBack || series.every(({ started }) => started === 0)) return;
  part.assignment.isBack = true;
  const text = `part ${part.index + 1}: the lost machine is back, and what it sent from ${formatDuration(frame.second * 1000)} on is counted, too`;
  say(text);
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
  state.leaving.add(assignment.record.machine.id);
  if (state.stay !== undefined) return 'alone';
  return state.members.waiting().length > 0 || leastLoaded(state) !== undefined ? 'held' : 'alone';
}

/** The coordinator has not read as far, or is about to give the part away. */
function doubt(): LeaseAnswer {
  return 'unknown';
}

function deny(): LeaseAnswer {
  return 'lost';
}

const ASKED_MS = 5000;
/** Longer than for other queries, because agents are searched in small batches. */
const FOUND_MS = 60_000;

export async function askMachine<Query extends ShardQuery>(
  state: MachinesState,
  index: number,
  asked: Query,
): Promise<AnswerTo<Query>> {
  const part = state.parts[index];
  if (part === undefined) throw new RangeError(`there is no machine ${index}`);
  return (await PART_LIFE.queried[part.state](state, part, asked)) as AnswerTo<Query>;
}

async function query({ bus, run }: MachinesState, part: RunPart, asked: ShardQuery): Promise<unknown> {
  const { id, name } = part.assignment.record.machine;
  const limitMs = asked.kind === 'find_event' ? FOUND_MS : ASKED_MS;
  const reply = await bus.request(machineSubject(id), { kind: 'query', run, part: part.index, query: asked }, limitMs);
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
function listen(state: MachinesState, part: RunPart): void {
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
function declare(state: MachinesState, part: RunPart, why: string): void {
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
  if (state.replace) state.say(`machine ${record.machine.name} ${how}: ${why}`);
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
  const [machine = state.stay === undefined ? leastLoaded(state) : undefined] = state.members.waiting();
  if (machine === undefined && monotonicClock() - part.lostMs < REPLACED_WITHIN_MS) return;
  part.state = PART_STATES.offered;
  if (machine === undefined) publish(state, { kind: 'left', part: part.index });
  else void replace(state, part, machine);
}

async function replace(state: MachinesState, part: RunPart, machine: JoinedMachine): Promise<void> {
  const { scenario, startMs, epochMs } = state;
  const { index, assignment } = part;
  const shard = part.agents === undefined ? part.shard : shardOf(part.agents);
  const leadMs = GETTING_MS + preparationMs(shareOf(shard, scenario.fleet.agents));
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
function seekAgain(_: MachinesState, part: RunPart): void {
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
function close({ handlers, stay }: MachinesState, part: RunPart): void {
  if (stay === undefined) endOwnership(part);
  for (const text of heldBackTexts(part)) handlers.incomplete(text);
  part.state = PART_STATES.over;
  part.opened.resolve();
  handlers.finished(part.index);
}

/** → over, without its machine. */
function giveUp(state: MachinesState, part: RunPart): void {
  turnDown(state, part, part.assignment);
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
  const id = `${state.coordinator}-${state.published++}`;
  if (message.kind === 'stop' || message.kind === 'cancel') state.own.add(message.kind);
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
  state.say(text);
  handlers.incomplete(text);
  void release(
    bus,
    run,
    present.map(({ assignment }) => assignment.record),
  );
  for (const part of present) PART_LIFE.finished[part.state](state, part);
}
