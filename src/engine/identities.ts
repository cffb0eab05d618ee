import { renewedUuid } from '../agent/identity.ts';
import { hash32 } from '../kernel/random.ts';
import { PASSWORD_LENGTH } from '../protocol/push.ts';
import { type AgentTable, ELSEWHERE } from './agent-table.ts';

/** Changed identities of agents. A new identity on disk takes effect when the process restarts. */
export type Identities = {
  forgetPassword(agent: number): void;
  /** The agent makes up another uuid, and has no password for it, unless it was before the run. */
  renew(agent: number): void;
  /** The agent has what another's disk holds, and its own is put aside. */
  assume(agent: number, uuid: string, password: string): void;
  /** Its own identity comes back, unless it has made up another one since. */
  resume(agent: number): void;
  /** Its requests go to another server, which does not count them, or again to that of the run. */
  setElsewhere(agent: number, isElsewhere: boolean): void;
};

type Aside = { readonly uuid: string | undefined; readonly password: string };

/**
 * `drawnFrom`: what new identities are drawn from beside seed and agent. `issuedTo`: the password that one had before the run; empty:
 * none.
 */
export function createIdentities(
  table: AgentTable,
  seed: number,
  { drawnFrom, issuedTo }: { readonly drawnFrom: () => number; readonly issuedTo: (uuid: string) => string },
): Identities {
  const aside = new Map<number, Aside>();
  const renewals = new Map<number, number>();
  const elsewhere = new Set<number>();
  const become = (agent: number, uuid: string | undefined, password: string): void => {
    table.assume(agent, uuid);
    table.delivery.countAs(agent, elsewhere.has(agent) ? ELSEWHERE : uuid);
    table.setPassword(agent, password);
    table.setState(agent, password === '' ? 'unregistered' : 'registered');
  };
  return {
    forgetPassword: (agent) => become(agent, table.assumedUuid(agent), ''),
    renew: (agent) => {
      aside.delete(agent);
      const renewal = (renewals.get(agent) ?? 0) + 1;
      renewals.set(agent, renewal);
      const uuid = renewedUuid(seed, table.fleetIndex(agent), { drawnFrom: drawnFrom(), renewal });
      become(agent, uuid, issuedTo(uuid));
    },
    assume: (agent, uuid, password) => {
      const own = aside.get(agent) ?? { uuid: table.assumedUuid(agent), password: table.password(agent) };
      aside.set(agent, own);
      become(agent, uuid, password);
    },
    resume: (agent) => {
      const own = aside.get(agent);
      aside.delete(agent);
      if (own !== undefined) become(agent, own.uuid, own.password);
    },
    setElsewhere: (agent, isElsewhere) => {
      if (isElsewhere) elsewhere.add(agent);
      else elsewhere.delete(agent);
      table.delivery.countAs(agent, isElsewhere ? ELSEWHERE : table.assumedUuid(agent));
    },
  };
}

const WORD_DIGITS = 8;

/** A password such as a server might have issued to the agent after its copies were made; only the agent knows it. */
export function divergedPassword(seed: number, agent: number): string {
  const words = Array.from({ length: PASSWORD_LENGTH / WORD_DIGITS }, (_, word) =>
    hash32(seed, 'diverged password', agent, word).toString(16).padStart(WORD_DIGITS, '0'),
  );
  return words.join('');
}
