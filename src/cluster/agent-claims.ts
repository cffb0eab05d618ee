import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import type { KeptPasswords } from './kept-passwords.ts';
import type { HeldBackAgent } from './messages.ts';

/** Which agents of a part may register. */
export type AgentClaims = ReturnType<typeof createAgentClaims>;

/**
 * @param passwords of the fleet
 * @param isOwn whether the part has an agent, by its index in the fleet
 */
export function createAgentClaims(passwords: KeptPasswords, isOwn: (agent: number) => boolean) {
  const heldBack = new Map<number, HeldBackAgent>();
  const claim = async (request: ClaimRequest): Promise<Claim> => {
    const { agent } = request;
    const answer = await passwords.claim(request);
    heldBack.delete(agent);
    if (!isOwn(agent)) await passwords.release((other) => other === agent);
    else if (answer.kind === 'held') heldBack.set(agent, { agent });
    else if (answer.kind === 'lost') heldBack.set(agent, { agent, lostWith: answer.machine });
    return answer.kind === 'lost' ? { kind: 'held' } : answer;
  };
  return {
    claim: (requests: readonly ClaimRequest[]): Promise<readonly Claim[]> => Promise.all(requests.map(claim)),
    known: passwords.known,
    store: passwords.store,
    /** Agents have left the part: their claims without a password end. */
    forget: (agents: ReadonlySet<number>): Promise<void> => {
      for (const agent of agents) heldBack.delete(agent);
      return passwords.release((agent) => agents.has(agent));
    },
    /** Ends all claims without a password, so that another machine may register those agents. */
    releaseAll: (): Promise<void> => passwords.release(() => true),
    /** By index in the fleet, ascending. */
    heldBack: (): readonly HeldBackAgent[] => [...heldBack.values()].sort((a, b) => a.agent - b.agent),
  };
}
