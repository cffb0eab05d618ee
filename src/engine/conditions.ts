import { LIFECYCLE_STATES, type LifecycleState } from '../base/protocol/operations.ts';

/** Conditions that stop an agent or change its behavior. Each is a bit above the bits of the state. */
export const CONDITION_FLAGS = {
  /** The host is down, or has not started the agent yet. */
  'host-down': 0x08,
  /** The process has ended and must not be started yet. */
  stopped: 0x10,
  /** The agent has no network. */
  offline: 0x20,
  /** The agent attacks instead of pushing. */
  misbehaving: 0x40,
  /** At least one lasting event affects the agent. */
  'in-event': 0x80,
} as const;

export type ConditionFlag = keyof typeof CONDITION_FLAGS;

export type AgentCondition = { readonly state: LifecycleState; readonly flags: readonly ConditionFlag[] };

export const STATE_BITS = 0x07;

/** Decodes a condition; `undefined` if the code is invalid. */
export function conditionOf(code: number): AgentCondition | undefined {
  const state = LIFECYCLE_STATES[code & STATE_BITS];
  const flags = (Object.keys(CONDITION_FLAGS) as ConditionFlag[]).filter(
    (flag) => (code & CONDITION_FLAGS[flag]) !== 0,
  );
  return state && { state, flags };
}

/** Code of a state without flags. */
export function codeOfState(state: LifecycleState): number {
  return LIFECYCLE_STATES.indexOf(state);
}

/** Changes of agents' conditions in order; agents are numbered within the shard. */
export type ConditionChanges = {
  /** The position after them, for a later call. */
  readonly next: string;
  /** Number of older changes that are no longer kept. */
  readonly missed: number;
  readonly agents: Uint32Array;
  readonly codes: Uint8Array;
};

const MAX_KEPT = 16_384;

/** Recent changes of the agents' conditions. Changes are rare compared with pushes. */
export type ConditionLog = ReturnType<typeof createConditionLog>;

/** @param most maximum number of changes to keep. */
export function createConditionLog(most = MAX_KEPT) {
  const agents = new Uint32Array(most);
  const codes = new Uint8Array(most);
  const atMs = new Float64Array(most);
  let count = 0;
  const indices = (from: number): readonly number[] =>
    Array.from({ length: count - from }, (_, n) => (from + n) % most);
  const first = (): number => Math.max(0, count - most);
  return {
    note: (agent: number, code: number, instantMs: number) => {
      const index = count++ % most;
      agents[index] = agent;
      codes[index] = code;
      atMs[index] = instantMs;
    },
    /** Changes since `next` of an earlier call; `undefined`: none. */
    since: (position = String(count)): ConditionChanges => {
      const number = Number(position);
      const from = Math.min(count, Math.max(number, first()));
      const kept = indices(from);
      return {
        next: String(count),
        missed: Math.max(0, from - number),
        agents: Uint32Array.from(kept, (index) => agents[index] as number),
        codes: Uint8Array.from(kept, (index) => codes[index] as number),
      };
    },
    /** Returns the kept entries of one agent, without entries that changed nothing. */
    of: (agent: number): readonly { readonly code: number; readonly atMs: number }[] =>
      indices(first())
        .filter((index) => agents[index] === agent)
        .map((index) => ({ code: codes[index] as number, atMs: atMs[index] as number }))
        .filter(({ code }, n, all) => code !== all[n - 1]?.code),
  };
}
