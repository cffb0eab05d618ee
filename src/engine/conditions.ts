import { LIFECYCLE_STATES, type LifecycleState } from '../protocol/operations.ts';

/** What keeps an agent from its work, or makes it another than usual; each has a bit above those of the state. */
export const CONDITION_FLAGS = {
  /** Its host is down, or has not started it yet. */
  'host-down': 0x08,
  /** Its process has ended and is not to be started yet. */
  stopped: 0x10,
  /** It has no network. */
  offline: 0x20,
  /** It attacks in place of all that it would send. */
  misbehaving: 0x40,
  /** Something that lasts has been done to it and is not over. */
  'in-event': 0x80,
} as const;

export type ConditionFlag = keyof typeof CONDITION_FLAGS;

/** Where an agent stands: its state, and what holds for it besides. */
export type AgentCondition = { readonly state: LifecycleState; readonly flags: readonly ConditionFlag[] };

export const STATE_BITS = 0x07;

/** Undefined: no condition has such a code. */
export function conditionOf(code: number): AgentCondition | undefined {
  const state = LIFECYCLE_STATES[code & STATE_BITS];
  const flags = (Object.keys(CONDITION_FLAGS) as ConditionFlag[]).filter(
    (flag) => (code & CONDITION_FLAGS[flag]) !== 0,
  );
  return state && { state, flags };
}

/** To which the flags are added. */
export function codeOfState(state: LifecycleState): number {
  return LIFECYCLE_STATES.indexOf(state);
}

/** Agents, numbered within the shard, that came into conditions, one after another; instants count from the start of the run. */
export type ConditionChanges = {
  /** The number of the change that comes next. */
  readonly next: number;
  /** Number of earlier changes that are no longer kept. */
  readonly missed: number;
  readonly agents: Uint32Array;
  readonly codes: Uint8Array;
  readonly atMs: Float64Array;
};

/** Recent changes of the agents' conditions. A change is rare compared with pushes. */
export type ConditionLog = {
  note(agent: number, code: number, atMs: number): void;
  /** The changes from a number on. */
  since(number: number): ConditionChanges;
  /** Those of one agent that are kept, without such as changed nothing. */
  of(agent: number): readonly { readonly code: number; readonly atMs: number }[];
};

const KEPT = 16_384;

/** @param kept most changes to keep. */
export function createConditionLog(kept = KEPT): ConditionLog {
  const agents = new Uint32Array(kept);
  const codes = new Uint8Array(kept);
  const atMs = new Float64Array(kept);
  let count = 0;
  const places = (from: number): readonly number[] => Array.from({ length: count - from }, (_, n) => (from + n) % kept);
  const first = (): number => Math.max(0, count - kept);
  return {
    note: (agent, code, instantMs) => {
      const place = count++ % kept;
      agents[place] = agent;
      codes[place] = code;
      atMs[place] = instantMs;
    },
    since: (number) => {
      const from = Math.min(count, Math.max(number, first()));
      const wanted = places(from);
      return {
        ...{ next: count, missed: Math.max(0, from - number) },
        agents: Uint32Array.from(wanted, (place) => agents[place] as number),
        codes: Uint8Array.from(wanted, (place) => codes[place] as number),
        atMs: Float64Array.from(wanted, (place) => atMs[place] as number),
      };
    },
    of: (agent) =>
      places(first())
        .filter((place) => agents[place] === agent)
        .map((place) => ({ code: codes[place] as number, atMs: atMs[place] as number }))
        .filter(({ code }, index, all) => code !== all[index - 1]?.code),
  };
}
