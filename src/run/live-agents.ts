import { fleetIndex, isInShard, localIn, type Shard, shareOf } from '../load/shard.ts';
import { type HealthReading, mergeHealth } from '../metrics/recording/health-reading.ts';
import type { AgentDetails, AgentDocument, AnswerTo, ShardQuery } from '../workers/shard-query.ts';
import type { Shards } from '../workers/shards.ts';

/** The agents of a running fleet, by place: the n-th agent that runs here. Methods reject with `UserError` while no worker runs. */
export type LiveAgents = Omit<ChangingAgents, 'change'>;

export type LiveChanges = {
  readonly next: string;
  /** Number of changes that are no longer kept. */
  readonly missed: number;
  /** The last change of each agent; codes as in `conditions`. */
  readonly changes: readonly { readonly place: number; readonly code: number }[];
};

/** Agents per query: a worker answers it within a fraction of a millisecond. */
const AT_ONCE = 4096;

/** Agents that started together, and their workers: `workers` consecutive ones from `firstWorker`, to which agents are assigned in turn. */
export type AgentGroup = { readonly shard: Shard; readonly firstWorker: number; readonly workers: number };

export type ChangingAgents = ReturnType<typeof createLiveAgents>;

export function createLiveAgents(part: LivePart, ask: Shards['ask']) {
  const seats = createSeats(part);
  const askOf = <Query extends ShardQuery>(place: number, query: (agent: number, index: number) => Query) => {
    const { worker, agent, index } = seats.of(place);
    return ask(worker, query(agent, index));
  };
  const ranged = createRanged(seats);
  const all = (): AgentRange => ({ first: 0, count: seats.count() });
  return {
    /** Changes the number of agents. The agents of `group`, if any, run in additional workers. */
    change: seats.change,
    /** One byte for each agent of a range of places, by default of all, to decode with `conditionOf` of `engine`. */
    conditions: async (of = all()): Promise<Uint8Array> => {
      const { count, parts } = await ranged(of, (worker, range) => ask(worker, { kind: 'conditions', ...range }));
      return mergeConditions(count, parts);
    },
    /** The health of such agents, by place. */
    health: async (of = all()): Promise<HealthReading> => {
      const { count, parts } = await ranged(of, (worker, range) => ask(worker, { kind: 'health', ...range }));
      return mergeHealth(count, parts);
    },
    /** Changes since `next` of an earlier call; `undefined` returns only `next`. */
    changes: createChanges(seats, ask),
    /** Uuids that are not the agents' own, by place. */
    assumedUuids: async (): Promise<ReadonlyMap<number, string>> => {
      const found = seats.workers().map(async ({ worker, placeOf }) => {
        const part = await ask(worker, { kind: 'assumed_uuids' });
        return part.flatMap(([agent, uuid]) => {
          const place = placeOf(agent);
          return place === undefined ? [] : [[place, uuid] as const];
        });
      });
      return new Map((await Promise.all(found)).flat());
    },
    /** Sets the clocks of the hosts forward, or back if negative, unless the scenario sets them. */
    setClock: async (setMs: number): Promise<void> => {
      await Promise.all(seats.workers().map(({ worker }) => ask(worker, { kind: 'set_clock', setMs })));
    },
    details: (place: number): Promise<AgentDetails> =>
      askOf(place, (agent, index) => ({ kind: 'agent_details', agent, index }) as const),
    /** The document that the agent would send at a time in Unix ms; default: now. JSON in UTF-8; empty if the host is down. */
    document: (place: number, document: AgentDocument, instantMs?: number): Promise<Uint8Array> =>
      askOf(place, (agent) => ({ kind: 'document', agent, document, instantMs }) as const),
  };
}

/** Asks all workers for their agents of a range, some at a time; the answers have places within the range. */
function createRanged(seats: Seats) {
  return async <Answer>(
    { first, count }: AgentRange,
    query: (worker: number, range: AgentRange) => Promise<Answer>,
  ) => {
    const end = Math.min(first + count, seats.count());
    const parts = seats.workers().map(async ({ worker, agentsBelow, placeOf }) => {
      const answers = [];
      for (let from = agentsBelow(first); from < agentsBelow(end); from += AT_ONCE) {
        const reading = await query(worker, { first: from, count: Math.min(AT_ONCE, agentsBelow(end) - from) });
        const placeIn = (place: number | undefined) => (place === undefined ? undefined : place - first);
        answers.push({ reading, placeOf: (n: number) => placeIn(placeOf(from + n)) });
      }
      return answers;
    });
    return { count: Math.max(0, end - first), parts: (await Promise.all(parts)).flat() };
  };
}

type ConditionsPart = { readonly reading: Uint8Array; readonly placeOf: (agent: number) => number | undefined };

/** Merges readings of several workers, like `mergeHealth`. */
function mergeConditions(count: number, parts: readonly ConditionsPart[]): Uint8Array {
  const codes = new Uint8Array(count);
  for (const { reading, placeOf } of parts)
    for (const [agent, code] of reading.entries()) {
      const place = placeOf(agent);
      if (place !== undefined) codes[place] = code;
    }
  return codes;
}

/** The part of a fleet that runs here. */
type LivePart = { readonly shard: Shard; readonly agents: number; readonly workers: number };

/** Which worker runs the agent at a place, and as which of its agents. */
type Seats = ReturnType<typeof createSeats>;

type LiveWorker = {
  readonly worker: number;
  /** The number of its agents with lower places, including those that have left it. */
  readonly agentsBelow: (place: number) => number;
  /** The place of its agent; `undefined` if the agent has left it. */
  readonly placeOf: (agent: number) => number | undefined;
};

function createSeats({ shard, agents, workers }: LivePart) {
  let count = shareOf(shard, agents);
  // Differs from that of another machine that has taken the agents over.
  let version = Date.now();
  let groups: readonly AgentGroup[] = [{ shard, firstWorker: 0, workers }];
  /** Workers whose agents have all left have ended. */
  let present: ReadonlySet<number> | undefined;
  /** An agent that was started again belongs to its latest group. */
  const groupAt = (place: number): AgentGroup => {
    const index = fleetIndex(shard, place);
    return groups.findLast((group) => isInShard(group.shard, index)) ?? (groups[0] as AgentGroup);
  };
  const workerOf = (group: AgentGroup, number: number): LiveWorker => ({
    worker: group.firstWorker + number,
    agentsBelow: (place) =>
      shareOf({ index: number, count: group.workers }, shareOf(group.shard, fleetIndex(shard, place))),
    placeOf: (agent) => {
      const place = localIn(shard, fleetIndex(group.shard, number + agent * group.workers));
      return place < count && groupAt(place) === group ? place : undefined;
    },
  });
  const seatOf = (place: number) => {
    const index = fleetIndex(shard, place);
    const group = groupAt(place);
    const local = localIn(group.shard, index);
    const worker = group.firstWorker + (local % group.workers);
    return { worker, agent: Math.floor(local / group.workers), index };
  };
  return {
    /** The number of places. */
    count: () => count,
    /** Another one after each change. */
    version: () => version,
    of: seatOf,
    workers: (): readonly LiveWorker[] =>
      groups
        .flatMap((group) => Array.from({ length: group.workers }, (_, number) => workerOf(group, number)))
        .filter(({ worker }) => present?.has(worker) ?? true),
    change: (total: number, group: AgentGroup | undefined): void => {
      count = shareOf(shard, total);
      version++;
      if (group !== undefined) groups = [...groups, group];
      const seats = Array.from({ length: count }, (_, place) => ({ group: groupAt(place), ...seatOf(place) }));
      present = new Set(seats.map(({ worker }) => worker));
      const left = new Set(seats.map((seat) => seat.group));
      groups = groups.filter((one) => left.has(one));
    },
  };
}

/** Each worker has its own positions; together with the version of the seats, they are one. */
function createChanges(seats: Seats, ask: Shards['ask']) {
  return async (since: string | undefined): Promise<LiveChanges> => {
    const asked = seats.workers();
    const version = seats.version();
    const [before, ...positions]: readonly unknown[] = since === undefined ? [version] : JSON.parse(since);
    const isKnown = before === version;
    // Callers from before the last change do not know the new agents.
    const parts = await Promise.all(
      asked.map(({ worker }, n) =>
        ask(worker, { kind: 'changes', since: isKnown ? (positions[n] as string | undefined) : undefined }),
      ),
    );
    return {
      next: JSON.stringify([version, ...parts.map(({ next }) => next)]),
      missed: isKnown ? parts.reduce((sum, { missed }) => sum + missed, 0) : seats.count(),
      changes: parts.flatMap((part, n) => changesOf(part, (asked[n] as LiveWorker).placeOf)),
    };
  };
}

export type AgentRange = { readonly first: number; readonly count: number };

function changesOf(
  { agents, codes }: AnswerTo<{ readonly kind: 'changes' }>,
  placeOf: (agent: number) => number | undefined,
): LiveChanges['changes'] {
  const last = new Map<number, number>();
  for (const [n, agent] of agents.entries()) {
    const place = placeOf(agent);
    if (place !== undefined) last.set(place, codes[n] as number);
  }
  return [...last].map(([place, code]) => ({ place, code }));
}
