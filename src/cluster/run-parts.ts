import { UserError } from '../ground/kernel/errors.ts';
import { counted, formatDuration } from '../ground/kernel/units.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { createMachineSums, type FiguresSpan, type MachineSums } from '../metrics/merging/machine-figures.ts';
import { rounded } from '../metrics/recording/histogram.ts';
import { whyAgentsStay } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardHandlers } from '../workers/open-shards.ts';
import type { AnswerTo, ShardQuery } from '../workers/shard-query.ts';
import type { Bus } from './bus.ts';
import { type Membership, offer, release } from './gathering.ts';
import {
  type HeldBackAgent,
  type JoinedMachine,
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

const ASKED_MS = 5000;
/** Longer than for other queries, because agents are searched in small batches. */
const FOUND_MS = 60_000;

export type RunPart = ReturnType<typeof newPart>;

/** `shard`: its agents when it was opened. `order`: as in `Work`. */
type PartOfFleet = { readonly index: number; readonly shard: Shard; readonly order: WorkOrder | undefined };

/** `opening`: no machine has accepted it yet. `lost`: messages of the machine no longer count, and another may replace it. */
type RunPartState = 'opening' | 'running' | 'lost' | 'over';

export function newPart(known: PartOfFleet, state: RunPartState, record: PartRecord) {
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => {});
  return {
    ...{ ...known, state, record },
    /** Settles when its machine is ready to send, or cannot be. */
    opened,
    /** The last one is the current owner. */
    machines: [] as Owner[],
    /** Indices in the fleet of the agents that have not moved; `undefined`: none has. */
    agents: undefined as Set<number> | undefined,
    lastSeenMs: monotonicClock(),
    lostMs: 0,
    /** The last second that it reported. */
    second: -1,
    /** Why NATS does not store what its machine sends. */
    problem: undefined as string | undefined,
    /** Whether its machine has been told to start. */
    isStarted: false,
    /** Whether its machine is being declared lost. */
    isLosing: false,
    /** Whether the part is being offered to a replacement. */
    isOffered: false,
    /** Whether its machine was told to leave. */
    isLeaving: false,
    /** Whether a lost machine of the part has reported what it sent. */
    isBack: false,
    heldBack: [] as readonly HeldBackAgent[],
  };
}

/** A machine that has or had a part. Its figures are those of all its parts. */
type Owner = { readonly id: string; machine: ClusterMachine; readonly sums: MachineSums };

export type MachinesState = ReturnType<typeof machinesState>;

export function machinesState(run: RunOfMachines, records: readonly PartRecord[], handlers: ShardHandlers) {
  const { scenario } = run;
  const isEndless = timelineEndMs(scenario.phases) === Number.POSITIVE_INFINITY;
  const sums = new Map<string, MachineSums>();
  return {
    ...{ ...run, handlers },
    /** Figures of machines, by id. */
    sums,
    /** Why its agents stay on their machines; `undefined` if they may move. */
    stay: isEndless ? (filesStay(scenario) ?? whyAgentsStay(scenario)) : 'only the agents of muster fleet move',
    parts: records.map((record, index) => {
      const shard = { index, count: records.length };
      const part = newPart({ index, shard, order: undefined }, 'running', record);
      addOwner({ sums }, part, { agents: shareOf(shard, scenario.fleet.agents), fromMs: 0 });
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
    /** Events that are being ended, and the parts that have not answered yet. */
    ending: new Map<string, Map<number, (count: number) => void>>(),
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

/** The machine of its record has the part from now on. */
export function addOwner(
  { sums }: { readonly sums: Map<string, MachineSums> },
  { index, record, machines }: RunPart,
  had: Pick<ClusterMachine, 'agents' | 'fromMs'>,
): void {
  const { workers, clockOffsetMs, clockErrorMs } = record;
  const { id, name } = record.machine;
  const known = sums.get(id) ?? createMachineSums();
  sums.set(id, known);
  const clock = { clockOffsetMs: rounded(clockOffsetMs), clockErrorMs: rounded(clockErrorMs) };
  machines.push({ id, machine: { name, part: index + 1, workers, ...clock, ...had }, sums: known });
}

/** A row for each machine, with all parts that it has; if it has none any more, with those that it had. */
export function machinesIn({ parts }: MachinesState, span: FiguresSpan): readonly ClusterMachine[] {
  const owners = parts.flatMap(({ machines, agents, state }) =>
    machines.map(({ machine, ...owner }, at) => {
      const isCurrent = at === machines.length - 1 && state === 'running';
      return { ...owner, machine: isCurrent && agents ? { ...machine, agents: agents.size } : machine };
    }),
  );
  return [...Map.groupBy(owners, ({ id }) => id).values()].flatMap((owned) => {
    const machines = owned.map(({ machine }) => machine);
    const present = machines.filter(({ toMs }) => toMs === undefined);
    const shown = present.length > 0 ? present : machines.toSorted((a, b) => (a.toMs ?? 0) - (b.toMs ?? 0));
    const [first, last] = [owned[0], shown.at(-1)];
    if (first === undefined || last === undefined) return [];
    const sumOf = (count: 'agents' | 'workers') => shown.reduce((sum, machine) => sum + machine[count], 0);
    const since = { part: first.machine.part, fromMs: Math.min(...machines.map(({ fromMs }) => fromMs)) };
    return [{ ...last, ...since, agents: sumOf('agents'), workers: sumOf('workers'), ...first.sums.read(span) }];
  });
}

/** Adds to what is known of the machine that has the part. */
export function noteMachine({ machines }: RunPart, known: Partial<ClusterMachine>): void {
  const owner = machines.at(-1);
  if (owner !== undefined) owner.machine = { ...owner.machine, ...known };
}

/** Indices in the fleet of the agents that the part has now. */
export function agentsOf(part: RunPart, { scenario }: MachinesState): Set<number> {
  const { shard, order } = part;
  part.agents ??= new Set(
    Array.from({ length: shareOf(shard, (order?.scenario ?? scenario).fleet.agents) }, (_, n) => fleetIndex(shard, n)),
  );
  return part.agents;
}

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
  const present = parts.filter(({ state: now }) => now !== 'over');
  if (isClosed || present.length === 0) return;
  const text = 'NATS has lost the run, because its store was deleted: what the machines had not reported is missing';
  state.say(text);
  handlers.incomplete(text);
  void release(
    bus,
    run,
    present.map(({ record }) => record),
  );
  for (const part of present) closePart(state, part);
}

export function endOwnership(part: RunPart): void {
  noteMachine(part, { toMs: (part.second + 1) * 1000 });
}

/** All its agents have moved, or its timeline is over. */
export function closePart({ handlers, stay }: MachinesState, part: RunPart): void {
  if (part.state === 'running' && stay === undefined) endOwnership(part);
  for (const text of heldBackTexts(part)) handlers.incomplete(text);
  part.state = 'over';
  part.opened.resolve();
  handlers.finished(part.index);
}

export function endPart({ handlers }: MachinesState, part: RunPart | undefined, why: string): void {
  if (part === undefined || part.state === 'over') return;
  part.state = 'over';
  part.opened.resolve();
  const atMs = (part.second + 1) * 1000;
  handlers.lost(part.index, new Error(`${why}; its agents stopped at ${formatDuration(atMs)}`));
}

/** Limit for the agents in a message. */
const AGENTS_SHOWN = 20;

/** A sentence for each reason. */
export function heldBackTexts({ index, heldBack }: RunPart): readonly string[] {
  return [...Map.groupBy(heldBack, ({ lostWith }) => lostWith)].map(([machine, agents]) => {
    const shown = agents.slice(0, AGENTS_SHOWN).map(({ agent }) => agent);
    const those = `part ${index + 1}: ${counted(agents.length, 'agent')} held back`;
    const numbers = `${shown.join(', ')}${agents.length > AGENTS_SHOWN ? ', …' : ''}`;
    if (machine === undefined) return `${those}, because a lost machine may have registered them: ${numbers}`;
    return `${those}, because the server knows them, but their passwords were lost with machine ${machine}, which is no failure of the server: ${numbers}; remove them there before the next run`;
  });
}

/** Offers a part to a machine during the run; `undefined` if it refuses. */
export async function offerPart(
  state: MachinesState,
  part: RunPart,
  { machine, ...given }: Pick<Work, 'shard' | 'generation' | 'elapsedS'> & { readonly machine: JoinedMachine },
): Promise<PartRecord | undefined> {
  const { bus, run, coordinator, store, members, firstStartedAt, epochMs } = state;
  const work: Work = {
    ...{ ...given, run, coordinator, part: part.index, order: part.order },
    // The random draws of its agents continue.
    firstStartedAt: firstStartedAt ?? new Date(epochMs),
    // In this order, so that no event is missing.
    ...{ fromSequence: await store.lastSequence(), events: state.events },
  };
  return offer(bus, { machine, work }, members.refusals);
}

export async function askMachine<Query extends ShardQuery>(
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

export async function releasePart({ bus, run }: MachinesState, part: number, { machine }: PartRecord): Promise<void> {
  await bus.request(machineSubject(machine.id), { kind: 'release', run, part }, ASKED_MS);
}
