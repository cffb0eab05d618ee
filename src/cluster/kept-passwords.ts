import { UserError } from '../ground/kernel/errors.ts';
import type { Claim, WantedClaim } from '../ground/protocol/claim.ts';
import type { IssuedCredential } from '../workers/messages.ts';
import type { Bucket } from './bus.ts';

/**
 * The kept passwords of a fleet, by uuid. Before an agent registers for the first time, its part writes a claim instead of the password. A part that
 * takes over the agent does not register it while the claim of another part is there: the server may have issued a password that is
 * not stored yet.
 */
export type KeptPasswords = {
  readonly known: () => Promise<readonly IssuedCredential[]>;
  readonly claim: (wanted: WantedClaim) => Promise<Claim>;
  /** An empty password: it was removed. */
  readonly store: (credential: IssuedCredential) => Promise<void>;
  /** Gives up the claims of these agents that led to no password. */
  readonly release: (isMeant: (agent: number) => boolean) => Promise<void>;
};

type Claimant = { readonly run: string; readonly part: number; readonly generation: number };

const GRANTED: Claim = { kind: 'granted' };

export function createKeptPasswords(bucket: Bucket, own: Claimant): KeptPasswords {
  /** Agents whose claims have led to no password yet, by uuid. */
  const open = new Map<string, number>();
  const isOwn = ({ run, part, generation }: Claimant): boolean =>
    run === own.run && part === own.part && generation === own.generation;
  const claim = async (wanted: WantedClaim): Promise<Claim> => {
    const { uuid } = wanted;
    if (await bucket.create(uuid, own)) return granted(wanted);
    const entry = await bucket.get(uuid);
    if (entry === undefined) return claim(wanted);
    if (typeof entry.value === 'string') return { kind: 'registered', password: entry.value };
    const other = entry.value as Claimant;
    // Nobody is left who could store a password for a run that is over.
    const isFree = isOwn(other) || (other.run !== own.run && (await bucket.update(uuid, own, entry.revision)));
    return isFree ? granted(wanted) : { kind: 'held' };
  };
  const granted = ({ uuid, agent }: WantedClaim): Claim => {
    open.set(uuid, agent);
    return GRANTED;
  };
  return {
    claim,
    known: async () =>
      (await bucket.entries()).flatMap((entry) => {
        if (entry.kind === 'unreadable') throw new UserError(entry.problem);
        if (entry.kind === 'gone' || typeof entry.value !== 'string') return [];
        return [{ uuid: entry.key, password: entry.value }];
      }),
    store: async ({ uuid, password }) => {
      open.delete(uuid);
      await (password === '' ? bucket.delete(uuid) : bucket.put(uuid, password));
    },
    release: async (isMeant) => {
      const left = [...open].flatMap(([uuid, agent]) => (isMeant(agent) && open.delete(uuid) ? [uuid] : []));
      await Promise.all(left.map((uuid) => bucket.delete(uuid)));
    },
  };
}
