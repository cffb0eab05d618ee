import type { Claim, WantedClaim } from '../ground/protocol/claim.ts';
import { batchPerTurn } from '../ground/runtime/event-loop.ts';
import { fleetIndex, type Shard, shareOf } from '../load/shard.ts';
import { uuidOf } from '../wire/agent/identity.ts';
import type { PackedPasswords } from '../wire/agent/passwords.ts';

type Claiming = { readonly shard: Shard; readonly seed: number; readonly agents: number };

const [UNKNOWN, ASKED, INHERITED, GRANTED] = [0, 1, 2, 3];

/** Whether agents may register. Before the first registration of an agent, its machine makes sure that no other one registers it. */
export type Claims = ReturnType<typeof createClaims>;

export function createClaims({ shard, seed, agents }: Claiming, ask: (wanted: readonly WantedClaim[]) => void) {
  const states = new Uint8Array(shareOf(shard, agents));
  const want = batchPerTurn(ask);
  return {
    /** These agents have registered. */
    known: ({ places }: PackedPasswords) => {
      for (const [agent, place] of places.entries()) if (place !== 0) states[agent] = GRANTED;
    },
    registered: (agent: number) => {
      states[agent] = GRANTED;
    },
    /** If it is not known yet, asks, and returns false. */
    mayRegister: (agent: number, uuid: string, isRefused: boolean): boolean => {
      const isInherited = states[agent] === INHERITED;
      // Nobody else has a uuid that the agent generated or cloned.
      if (states[agent] === GRANTED || uuid !== uuidOf(seed, fleetIndex(shard, agent))) return true;
      if (isInherited && !isRefused) return true;
      if (states[agent] !== ASKED) want({ agent, uuid, isRefused: isInherited });
      states[agent] = ASKED;
      return false;
    },
    answered: (agent: number, claim: Claim) => {
      if (claim.kind === 'granted' && claim.isInherited) states[agent] = INHERITED;
      else states[agent] = claim.kind === 'held' ? UNKNOWN : GRANTED;
    },
  };
}
