import { hash32 } from '../base/kernel/random.ts';
import { PASSWORD_LENGTH } from '../base/protocol/push.ts';
import { renewedUuid } from '../wire/agent/identity.ts';
import type { AgentTable } from './agent-table.ts';

type OwnIdentity = { readonly uuid: string | undefined; readonly password: string };

/** Changed identities of agents. A new identity on disk takes effect when the process restarts. */
export type Identities = ReturnType<typeof createIdentities>;

/**
 * @param drawnFrom in addition to seed and agent, the source of new identities.
 * @param issuedTo the password that a uuid had before the run; empty if there was none.
 */
export function createIdentities(
  table: AgentTable,
  seed: number,
  { drawnFrom, issuedTo }: { readonly drawnFrom: () => number; readonly issuedTo: (uuid: string) => string },
) {
  /** The identities that agents had before they assumed others. */
  const replaced = new Map<number, OwnIdentity>();
  const renewals = new Map<number, number>();
  const become = (agent: number, uuid: string | undefined, password: string): void => {
    table.assume(agent, uuid);
    table.delivery.countAs(agent, uuid);
    table.setPassword(agent, password);
    table.setState(agent, password === '' ? 'unregistered' : 'registered');
  };
  return {
    forgetPassword: (agent: number): void => become(agent, table.assumedUuid(agent), ''),
    /** Generates another uuid for the agent. It has no password, unless one was issued before the run. */
    renew: (agent: number) => {
      replaced.delete(agent);
      const renewal = (renewals.get(agent) ?? 0) + 1;
      renewals.set(agent, renewal);
      const uuid = renewedUuid(seed, table.fleetIndex(agent), { drawnFrom: drawnFrom(), renewal });
      become(agent, uuid, issuedTo(uuid));
    },
    /** Gives the agent the identity of another one, and keeps its own for `resume`. */
    assume: (agent: number, uuid: string, password: string) => {
      const own = replaced.get(agent) ?? { uuid: table.assumedUuid(agent), password: table.password(agent) };
      replaced.set(agent, own);
      become(agent, uuid, password);
    },
    /** Restores the agent's own identity, unless it has generated another one since. */
    resume: (agent: number) => {
      const own = replaced.get(agent);
      replaced.delete(agent);
      if (own !== undefined) become(agent, own.uuid, own.password);
    },
  };
}

const WORD_DIGITS = 8;

/** A password that a server might have issued after the agent was cloned; only the agent knows it. */
export function divergedPassword(seed: number, agent: number): string {
  const words = Array.from({ length: PASSWORD_LENGTH / WORD_DIGITS }, (_, word) =>
    hash32(seed, 'diverged password', agent, word).toString(16).padStart(WORD_DIGITS, '0'),
  );
  return words.join('');
}
