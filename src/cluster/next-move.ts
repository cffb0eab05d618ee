/** A machine of a running fleet. */
export type Holder = {
  readonly id: string;
  /** Indices in the fleet. */
  readonly agents: readonly number[];
  /** In how many groups it got them; each has its own threads. */
  readonly groups: number;
  readonly isLeaving: boolean;
};

/** Agents to move, and the machines that share them. */
export type AgentMove = {
  readonly why: 'joined' | 'left' | 'evened' | 'regrouped';
  /** Ascending. */
  readonly agents: readonly number[];
  readonly takers: readonly string[];
};

/** A machine that absorbs one leaving machine after the other would start threads without end. */
const MOST_GROUPS = 4;

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
    const takers = newcomers.length > 0 ? newcomers : staying.map(({ id }) => id);
    return moveOf('left', leaving, takers);
  }
  const total = staying.reduce((sum, { agents }) => sum + agents.length, 0);
  const share = Math.ceil(total / (staying.length + newcomers.length));
  const surplus = staying.flatMap(({ agents }) => everyNth(agents, agents.length - share));
  const joined = moveOf('joined', surplus, newcomers);
  if (joined !== undefined) return joined;
  if (staying.some(({ agents }) => agents.length >= UNEVEN * share && agents.length > share + 1)) {
    const takers = staying.filter(({ agents }) => agents.length < share);
    return moveOf(
      'evened',
      surplus,
      takers.map(({ id }) => id),
    );
  }
  const crowded = staying.find(({ groups }) => groups > MOST_GROUPS);
  return crowded && moveOf('regrouped', crowded.agents, [crowded.id]);
}

function moveOf(why: AgentMove['why'], agents: readonly number[], takers: readonly string[]): AgentMove | undefined {
  if (agents.length === 0 || takers.length === 0) return undefined;
  return { why, agents: agents.toSorted((a, b) => a - b), takers: takers.slice(0, agents.length) };
}

/** So many of the agents, evenly spaced. */
function everyNth(agents: readonly number[], wanted: number): readonly number[] {
  const due = (place: number): number => Math.floor((place * wanted) / agents.length);
  return agents.filter((_, place) => wanted > 0 && due(place + 1) > due(place));
}
