import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import { batchPerTurn } from '../base/runtime/event-loop.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { uuidOf } from '../wire/agent/identity.ts';
import type { PackedPasswords } from '../wire/agent/passwords.ts';

type Claiming = { readonly shard: Shard; readonly seed: number; readonly agents: number };

const [UNKNOWN, REQUESTED, INHERITED, GRANTED] = [0, 1, 2, 3];

/** Whether agents may register. Before the first registration of an agent, its machine makes sure that no other one registers it. */
export type Claims = ReturnType<typeof createClaims>;

export function createClaims({ shard, seed, agents }: Claiming, request: (requests: readonly ClaimRequest[]) => void) {
  const states = new Uint8Array(shareOf(shard, agents));
  const enqueue = batchPerTurn(request);
  return {
    known: ({ positions }: PackedPasswords) => {
      for (const [agent, position] of positions.entries()) if (position !== 0) states[agent] = GRANTED;
    },
    registered: (agent: number) => {
      states[agent] = GRANTED;
    },
    /** If it is not known yet, requests a claim, and returns false. */
    mayRegister: (agent: number, uuid: string, isRefused: boolean): boolean => {
      const isInherited = states[agent] === INHERITED;
      // Nobody else has a uuid that the agent generated or cloned.
      if (states[agent] === GRANTED || uuid !== uuidOf(seed, fleetIndex(shard, agent))) return true;
      if (isInherited && !isRefused) return true;
      if (states[agent] !== REQUESTED) enqueue({ agent, uuid, isRefused: isInherited });
      states[agent] = REQUESTED;
      return false;
    },
    answered: (agent: number, claim: Claim) => {
      if (claim.kind === 'granted' && claim.isInherited) states[agent] = INHERITED;
      else states[agent] = claim.kind === 'held' ? UNKNOWN : GRANTED;
    },
  };
}
