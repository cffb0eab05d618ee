import { z } from 'zod';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import type { IssuedCredential } from '../workers/messages.ts';
import type { Bucket } from './bucket.ts';

/**
 * The kept passwords of a fleet, by uuid. Before an agent registers for the first time, its part writes a claim instead of the password. A part that
 * takes over the agent does not register it while the claim of another part is there: the server may have issued a password that is
 * not stored yet. Of a machine that was killed, nobody will store it, so the claim counts only for some time. After that, the agent registers
 * once; if the server refuses it, its password is lost.
 */
export type KeptPasswords = ReturnType<typeof createKeptPasswords>;

/** The server has registered the agent, but its password was lost with this machine. Nobody can register it again in this run. */
export type LostPassword = { readonly kind: 'lost'; readonly machine: string };

/** A part of a fleet in a run; each machine that takes the part over has the next generation. */
const claimant = z.object({ run: z.string(), part: z.number(), generation: z.number() });

type Claimant = z.infer<typeof claimant>;

const claimEntry = claimant.extend({
  /** The name of the machine that may have registered the agent; `undefined`: none did. */
  machine: z.string().optional(),
  /** The name of the machine with which the password was lost in this run. */
  lostWith: z.string().optional(),
});

type ClaimEntry = z.infer<typeof claimEntry>;

/** Of no run, so anybody may take it over. */
const GIVEN_UP: ClaimEntry = { run: '', part: 0, generation: 0 };

/** What is neither a password nor a claim holds nobody back. */
const claimIn = (value: unknown): ClaimEntry => claimEntry.safeParse(value).data ?? GIVEN_UP;

/**
 * How long after a part has taken agents over it respects the claims of others in its run: an agent that is due every 30 s starts again
 * within a minute after the lease of a killed machine.
 */
const RESPECTED_MS = 25_000;

/** @param machine name of the machine that has the part */
export function createKeptPasswords(bucket: Bucket, { run, part, generation }: Claimant, machine: string) {
  const ownClaim: ClaimEntry = { run, part, generation, machine };
  const respectsUntilMs = monotonicClock() + RESPECTED_MS;
  /** Claims that have led to no password yet, by uuid, with the machine whose claim the part took over. */
  const pending = new Map<string, { readonly agent: number; readonly inheritedFrom: string | undefined }>();
  const isOwn = (one: ClaimEntry): boolean => one.run === run && one.part === part && one.generation === generation;
  const grant = ({ uuid, agent }: ClaimRequest, inheritedFrom: string | undefined): Claim => {
    pending.set(uuid, { agent, inheritedFrom });
    return { kind: 'granted', isInherited: inheritedFrom !== undefined };
  };
  const claim = async (request: ClaimRequest): Promise<Claim | LostPassword> => {
    const { uuid } = request;
    if (await bucket.create(uuid, ownClaim)) return grant(request, undefined);
    const entry = await bucket.get(uuid);
    if (entry === undefined) return claim(request);
    if (typeof entry.value === 'string') return { kind: 'registered', password: entry.value };
    const found = claimIn(entry.value);
    if (found.run === run && found.lostWith !== undefined) return { kind: 'lost', machine: found.lostWith };
    return isOwn(found) ? claimAgain(request, entry.revision) : takeOver(request, found, entry.revision);
  };
  const claimAgain = async (request: ClaimRequest, revision: number): Promise<Claim | LostPassword> => {
    const { uuid, isRefused } = request;
    const lostWith = pending.get(uuid)?.inheritedFrom;
    if (!isRefused || lostWith === undefined) return grant(request, lostWith);
    if (!(await bucket.update(uuid, { ...ownClaim, lostWith }, revision))) return { kind: 'held' };
    pending.delete(uuid);
    return { kind: 'lost', machine: lostWith };
  };
  const takeOver = async (request: ClaimRequest, found: ClaimEntry, revision: number): Promise<Claim> => {
    const isRespected = found.run === run && monotonicClock() < respectsUntilMs;
    if (isRespected || !(await bucket.update(request.uuid, ownClaim, revision))) return { kind: 'held' };
    return grant(request, found.lostWith ?? found.machine);
  };
  /** Leaves what another part has written meanwhile. */
  const giveUp = async (uuid: string): Promise<void> => {
    const entry = await bucket.get(uuid);
    if (entry !== undefined && isOwn(claimIn(entry.value))) await bucket.update(uuid, GIVEN_UP, entry.revision);
  };
  return {
    claim,
    known: async (): Promise<readonly IssuedCredential[]> =>
      (await bucket.entries()).flatMap(({ key: uuid, value: password }) =>
        typeof password === 'string' ? [{ uuid, password }] : [],
      ),
    /** An empty password: it was removed. */
    store: async ({ uuid, password }: IssuedCredential): Promise<void> => {
      pending.delete(uuid);
      await (password === '' ? bucket.delete(uuid) : bucket.put(uuid, password));
    },
    /** Gives up the claims of these agents that led to no password. */
    release: async (isMeant: (agent: number) => boolean): Promise<void> => {
      const left = [...pending].flatMap(([uuid, { agent }]) => (isMeant(agent) && pending.delete(uuid) ? [uuid] : []));
      await Promise.all(left.map(giveUp));
    },
  };
}
