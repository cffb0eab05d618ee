import { messageOf, UserError } from '../base/kernel/errors.ts';
import { counted } from '../base/kernel/units.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { localIn, shardOf, shardWithin } from '../load/shard.ts';
import { preparationMs } from '../run/preparation.ts';
import type { Joining, Shards } from '../workers/shards.ts';
import {
  agentsOf,
  type Holder,
  hasMachine,
  holders,
  leastLoaded,
  type MachinesState,
  newPart,
  PART_STATES,
  type RunPart,
} from './machines-state.ts';
import type { PartRecord } from './messages.ts';
import { askMachine, offerPart, PART_LEAD_MS, PART_LIFE } from './part-life.ts';

/** Machines that join one after another get their shares together. */
const NEWCOMERS_MS = 3000;
/** Until the next attempt if agents could not move. */
const RETRIED_MS = 30_000;
/** How long to look for a machine for agents that are on none. */
const ASSIGNED_WITHIN_MS = 30_000;

/** Gives agents to machines that have joined, and takes those of machines that leave. */
export function rebalance(state: MachinesState): void {
  const nowMs = monotonicClock();
  const { parts, idleSinceMs, movingUntilMs } = state;
  const waiting = state.members.waiting().map(({ id }) => id);
  for (const id of idleSinceMs.keys()) if (!waiting.includes(id)) idleSinceMs.delete(id);
  for (const id of waiting) if (!idleSinceMs.has(id)) idleSinceMs.set(id, nowMs);
  if (nowMs < movingUntilMs || parts.some(({ state }) => state === PART_STATES.lost || state === PART_STATES.offered))
    return;
  const newcomers = waiting.filter((id) => nowMs - (idleSinceMs.get(id) ?? nowMs) >= NEWCOMERS_MS);
  const move = nextAgentMove(holders(state), newcomers);
  if (move !== undefined) void carryOut(state, move);
}

async function carryOut(state: MachinesState, { why, agents, machines }: AgentMove): Promise<void> {
  const { members, handlers } = state;
  const nameOf = (id: string): string =>
    [...members.waiting(), ...members.atWork()].find((machine) => machine.id === id)?.name ?? id;
  const leavers = holders(state).filter(({ isLeaving }) => isLeaving);
  const [to, from] = [machines, leavers.map(({ id }) => id)].map((ids) => ids.map(nameOf).sort().join(', '));
  const reasons = {
    joined: `${to} joined`,
    left: `${from} leaves`,
    evened: `${to} had fewer agents`,
    regrouped: `${to} has many groups of agents`,
  };
  state.movingUntilMs = Number.POSITIVE_INFINITY;
  const leadMs = PART_LEAD_MS + preparationMs(agents.length / machines.length);
  try {
    await handlers.relocate({
      agents,
      leadMs,
      joining: (sinceMs) => joining(state, { agents, machines, areNew: false }, sinceMs),
    });
    state.movingUntilMs = Number.NEGATIVE_INFINITY;
    state.note(`${reasons[why]}: ${counted(agents.length, 'agent')} moved to ${to}`);
  } catch (error) {
    state.movingUntilMs = monotonicClock() + RETRIED_MS;
    if (!state.isClosed) state.note(`${reasons[why]}, but its agents could not move yet: ${messageOf(error)}`);
  }
}

type Destination = {
  readonly agents: readonly number[];
  readonly machines: readonly string[];
  /** Whether the agents are on no machine, so that each must be on one in the end. */
  readonly areNew: boolean;
};

export function joining(state: MachinesState, { agents, machines, areNew }: Destination, sinceMs: number): Joining {
  const [shard, workers] = [shardOf(agents), machines.length];
  const open = async (): Promise<void> => {
    const added = machines.map((id, index) => {
      const record = { machine: { id, name: id }, workers: 0, generation: 0, ...NO_CLOCKS };
      const own = shardWithin(shard, { index, count: workers });
      const known = { index: state.parts.length, shard: own, order: state.order };
      const part = newPart(known, PART_STATES.opening, record);
      state.parts.push(part);
      return part;
    });
    try {
      await Promise.all(added.map((part) => assign(state, part, { sinceMs, areNew })));
    } catch (error) {
      for (const part of added) PART_LIFE.canceled[part.state](state, part);
      throw error;
    }
  };
  return { shard, workers, open };
}

const NO_CLOCKS = { clockOffsetMs: 0, monotonicOffsetMs: 0, clockErrorMs: 0 };

async function assign(
  state: MachinesState,
  part: RunPart,
  { sinceMs, areNew }: { readonly sinceMs: number } & Pick<Destination, 'areNew'>,
): Promise<void> {
  const { members } = state;
  const { id, name } = part.assignment.record.machine;
  const { shard } = part;
  const untilMs = monotonicClock() + ASSIGNED_WITHIN_MS;
  let machine = [...members.waiting(), ...members.atWork()].find((one) => one.id === id);
  let record: PartRecord | undefined;
  for (;;) {
    record = machine && (await offerPart(state, part, { machine, shard, generation: 0, elapsedS: sinceMs / 1000 }));
    if (record !== undefined || part.state === PART_STATES.over) break;
    const refusal = members.refusals.get(machine?.id ?? id) ?? `${name}: it is gone`;
    if (!areNew) throw new UserError(refusal);
    if (monotonicClock() > untilMs) {
      PART_LIFE.abandoned[part.state](state, part, `no machine takes its agents (${refusal})`);
      return;
    }
    await members.changed();
    machine = leastLoaded(state);
  }
  // It was canceled meanwhile, and no machine has accepted it.
  if (record === undefined) return;
  PART_LIFE.accepted[part.state](state, part, { record, elapsedS: sinceMs / 1000 });
  // A part of new agents that is lost again is replaced like any other.
  await (areNew ? part.opened.promise.catch(() => {}) : part.opened.promise);
}

/** Returns how many of the agents could not leave the part yet. */
export async function leavePart(
  state: MachinesState,
  part: RunPart,
  { agents, how }: { readonly agents: readonly number[]; readonly how: Parameters<Shards['leave']>[1] },
): Promise<number> {
  if (!part.isStarted || part.state === PART_STATES.over) return 0;
  const present = agentsOf(part, state);
  const own = agents.filter((agent) => present.has(agent));
  if (own.length === 0) return 0;
  if (hasMachine(part)) {
    const numbers = Uint32Array.from(own, (agent) => localIn(part.shard, agent));
    const remaining = await askMachine(state, part.index, { kind: 'leave', agents: numbers, how }).catch(
      () => own.length,
    );
    // A machine that does not answer is lost, or answers again.
    if (remaining > 0 && hasMachine(part)) return remaining;
  }
  for (const agent of own) present.delete(agent);
  return 0;
}

/** Agents to move, and the machines that share them. */
type AgentMove = {
  readonly why: 'joined' | 'left' | 'evened' | 'regrouped';
  /** Ascending. */
  readonly agents: readonly number[];
  readonly machines: readonly string[];
};

/** A machine that absorbs one leaving machine after the other would start threads without end. */
const MAX_GROUPS = 4;

/** Of its share, as after a machine has taken over the agents of a lost one. */
const UNEVEN = 1.5;

/**
 * What has to move next, so that machines that leave have no agents, and the others have equally many. `newcomers` have joined, but have
 * none yet. `undefined`: nothing.
 */
export function nextAgentMove(holders: readonly Holder[], newcomers: readonly string[]): AgentMove | undefined {
  const leaving = holders.filter(({ isLeaving }) => isLeaving).flatMap(({ agents }) => agents);
  const staying = holders.filter(({ isLeaving }) => !isLeaving);
  if (leaving.length > 0) {
    const machines = newcomers.length > 0 ? newcomers : staying.map(({ id }) => id);
    return moveOf('left', leaving, machines);
  }
  const total = staying.reduce((sum, { agents }) => sum + agents.length, 0);
  const share = Math.ceil(total / (staying.length + newcomers.length));
  const surplus = staying.flatMap(({ agents }) => evenlySpaced(agents, agents.length - share));
  const joined = moveOf('joined', surplus, newcomers);
  if (joined !== undefined) return joined;
  if (staying.some(({ agents }) => agents.length >= UNEVEN * share && agents.length > share + 1)) {
    const machines = staying.filter(({ agents }) => agents.length < share);
    return moveOf(
      'evened',
      surplus,
      machines.map(({ id }) => id),
    );
  }
  const crowded = staying.find(({ groups }) => groups > MAX_GROUPS);
  return crowded && moveOf('regrouped', crowded.agents, [crowded.id]);
}

function moveOf(why: AgentMove['why'], agents: readonly number[], machines: readonly string[]): AgentMove | undefined {
  if (agents.length === 0 || machines.length === 0) return undefined;
  return { why, agents: agents.toSorted((a, b) => a - b), machines: machines.slice(0, agents.length) };
}

/** So many of the agents, evenly spaced. */
function evenlySpaced(agents: readonly number[], count: number): readonly number[] {
  const due = (index: number): number => Math.floor((index * count) / agents.length);
  return agents.filter((_, index) => count > 0 && due(index + 1) > due(index));
}
