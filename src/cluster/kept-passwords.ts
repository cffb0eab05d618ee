import { isDeepStrictEqual } from 'node:util';
import { UserError } from '../ground/kernel/errors.ts';
import type { Claim, WantedClaim } from '../ground/protocol/claim.ts';
import { monotonicClock } from '../ground/runtime/event-loop.ts';
import type { IssuedCredential } from '../workers/messages.ts';
import type { Bucket } from './bucket.ts';

/**
 * The kept passwords of a fleet, by uuid. Before an agent registers for the first time, its part writes a claim instead of the password. A part that
 * takes over the agent does not register it while the claim of another part is there: the server may have issued a password that is
 * not stored yet. Of a machine that was killed, nobody will store it, so the claim counts only for some time.
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

/** Like the claim of a run that is over. */
const FREE: Claimant = { run: '', part: 0, generation: 0 };

/**
 * How long after a part has taken agents over it respects the claims of others in its run: an agent that is due every 30 s starts again
 * within a minute after the lease of a killed machine.
 */
const RESPECTED_MS = 25_000;

export function createKeptPasswords(bucket: Bucket, { run, part, generation }: Claimant): KeptPasswords {
  const own: Claimant = { run, part, generation };
  const respectsUntilMs = monotonicClock() + RESPECTED_MS;
  /** Agents whose claims have led to no password yet, by uuid. */
  const open = new Map<string, number>();
  const isOwn = (value: unknown): boolean => isDeepStrictEqual(value, own);
  const claim = async (wanted: WantedClaim): Promise<Claim> => {
    const { uuid } = wanted;
    if (await bucket.create(uuid, own)) return granted(wanted);
    const entry = await bucket.get(uuid);
    if (entry === undefined) return claim(wanted);
    if (typeof entry.value === 'string') return { kind: 'registered', password: entry.value };
    const isRespected = (entry.value as Claimant).run === run && monotonicClock() < respectsUntilMs;
    const isFree = isOwn(entry.value) || (!isRespected && (await bucket.update(uuid, own, entry.revision)));
    return isFree ? granted(wanted) : { kind: 'held' };
  };
  const granted = ({ uuid, agent }: WantedClaim): Claim => {
    open.set(uuid, agent);
    return GRANTED;
  };
  /** Leaves what another part has written meanwhile. */
  const giveUp = async (uuid: string): Promise<void> => {
    const entry = await bucket.get(uuid);
    if (entry !== undefined && isOwn(entry.value)) await bucket.update(uuid, FREE, entry.revision);
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
      await Promise.all(left.map(giveUp));
    },
  };
}
