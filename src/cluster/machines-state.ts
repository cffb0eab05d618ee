import { monotonicClock } from '../base/runtime/event-loop.ts';
import { agentsInShard, type Shard, shareOf } from '../load/shard.ts';
import { timelineEndMs } from '../load/timeline.ts';
import type { ClusterMachine, MachineLoad } from '../metrics/merging/cluster-machine.ts';
import { createMachineSums, type FiguresSpan, type MachineSums } from '../metrics/merging/machine-figures.ts';
import { rounded } from '../metrics/recording/histogram.ts';
import { whyAgentsStay } from '../scenario/planning/changes.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ShardHandlers } from '../workers/shards.ts';
import type { Bus } from './bus.ts';
import type { Membership } from './membership.ts';
import type { HeldBackAgent, JoinedMachine, PartRecord, RunRecord, WorkOrder } from './messages.ts';
import type { RunStore } from './run-store.ts';

export type RunOfMachines = {
  readonly bus: Bus;
  readonly run: string;
  readonly store: RunStore;
  readonly scenario: Scenario;
  /** Id of this process. */
  readonly coordinator: string;
  readonly members: Membership;
  readonly replace: boolean;
  /** As in `Work`, for machines that have their part from the start. */
  readonly firstStartedAt: Date | undefined;
  /** Another process started the run; this one reads the stream again from its beginning. */
  readonly isResumed: boolean;
  /** As in `RunRecord`, of an earlier coordinator. */
  readonly compacted: RunRecord['compacted'];
  readonly note: (text: string) => void;
  /** Changes what is stored about the run. */
  readonly keep: (change: Partial<RunRecord>) => Promise<void>;
};

/** What a part is doing: the columns of `PART_LIFE`. */
export const PART_STATES = { opening: 0, running: 1, suspect: 2, failing: 3, lost: 4, offered: 5, over: 6 } as const;

export type PartState = (typeof PART_STATES)[keyof typeof PART_STATES];

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
    isStarted: false,
  };
}

/** The current machine of a part, or the last one if it was lost, and what it has said since. */
export function newAssignment(record: PartRecord) {
  return {
    record,
    lastSeenMs: monotonicClock(),
    /** Why NATS does not store what the machine sends. */
    problem: undefined as string | undefined,
    heldBack: [] as readonly HeldBackAgent[],
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
    movingObstacle: isEndless
      ? (listeningFilesObstacle(scenario) ?? whyAgentsStay(scenario))
      : 'only the agents of muster fleet move',
    parts: records.map((record, index) => {
      const shard = { index, count: records.length };
      const part = newPart({ index, shard, order: undefined }, PART_STATES.running, record);
      addOwner(part, { agents: shareOf(shard, scenario.fleet.agents), fromMs: 0 });
      return part;
    }),
    /** As in `Work`. */
    order: undefined as WorkOrder | undefined,
    /** Ids of machines that leave. */
    leavingMachines: new Set<string>(),
    /** When each machine that has no part was first seen without one, by id. */
    idleSinceMs: new Map<string, number>(),
    /** While agents move, and for some time after they could not. */
    movingUntilMs: Number.NEGATIVE_INFINITY,
    ownCommands: new Set<string>(),
    /** Of machines that ran to the end. */
    machineLoads: [] as MachineLoad[],
    /** What the user was told last. */
    isNatsAway: false,
    isStoreFull: false,
    /** Number of messages that are none of the run. */
    skippedMessages: 0,
    /** When the coordinator last looked for lost machines, and when it last went on after it had stood still. */
    checkedAtMs: monotonicClock(),
    awakeSinceMs: Number.NEGATIVE_INFINITY,
    /** The current events of the run. */
    events: scenario.events,
    startMs: Number.POSITIVE_INFINITY,
    epochMs: 0,
    publishedCount: 0,
    /** Settles when all messages so far are stored. */
    publishing: Promise.resolve(),
    isClosed: false,
  };
}

/** A part reads the files of its agents when it is opened, while they might still change where they are. */
export function listeningFilesObstacle({ fleet, webServer }: Scenario): string | undefined {
  if (webServer === undefined || fleet.identities.kind !== 'file') return undefined;
  return 'webServer: expected agents without files that are kept (fleet.identities, or muster fleet), found agents that listen';
}

/** The machine of its assignment has the part from now on. */
export function addOwner({ index, assignment, owners }: RunPart, had: Pick<ClusterMachine, 'agents' | 'fromMs'>): void {
  const { machine, workers, clockOffsetMs, clockErrorMs } = assignment.record;
  const clock = { clockOffsetMs: rounded(clockOffsetMs), clockErrorMs: rounded(clockErrorMs) };
  owners.push({ id: machine.id, machine: { name: machine.name, part: index + 1, workers, ...clock, ...had } });
}

export function sumsOf({ sums }: MachinesState, id: string): MachineSums {
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
export function noteMachine({ owners }: RunPart, known: Partial<ClusterMachine>): void {
  const owner = owners.at(-1);
  if (owner !== undefined) owner.machine = { ...owner.machine, ...known };
}

/** Indices in the fleet of the agents that the part has now. */
export function agentsOf(part: RunPart, { scenario }: MachinesState): Set<number> {
  const { shard, order } = part;
  part.agents ??= agentsInShard(shard, (order?.scenario ?? scenario).fleet.agents);
  return part.agents;
}

export type Holder = {
  readonly id: string;
  /** Indices in the fleet. */
  readonly agents: readonly number[];
  /** In how many groups it got them; each has its own threads. */
  readonly groups: number;
  readonly isLeaving: boolean;
};

export function holders(state: MachinesState): readonly Holder[] {
  const byId = Map.groupBy(state.parts.filter(hasMachine), ({ assignment }) => assignment.record.machine.id);
  return [...byId].map(([id, parts]) => ({
    id,
    groups: parts.length,
    isLeaving: state.leavingMachines.has(id),
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
