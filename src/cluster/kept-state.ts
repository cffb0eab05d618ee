import { z } from 'zod';
import { isAgentFile } from '../base/protocol/agent-files.ts';
import type { Claim, ClaimRequest } from '../base/protocol/claim.ts';
import { monotonicClock } from '../base/runtime/event-loop.ts';
import { type AgentFiles, type AgentFilesEntry, ephemeralAgentFiles } from '../base/storage/agent-files.ts';
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

const claimant = z.object({ run: z.string(), part: z.number(), generation: z.number() });

type Claimant = z.infer<typeof claimant>;

const claimEntry = claimant.extend({
  /** The name of the machine that may have registered the agent; `undefined`: none did. */
  machine: z.string().optional(),
  /** The name of the machine with which the password was lost in this run. */
  lostWith: z.string().optional(),
});

type Entry = z.infer<typeof claimEntry>;

/** Like the claim of a run that is over. */
const FREE: Entry = { run: '', part: 0, generation: 0 };

/** What is neither a password nor a claim holds nobody back. */
function entryOf(value: unknown): Entry {
  return claimEntry.safeParse(value).data ?? FREE;
}

/**
 * How long after a part has taken agents over it respects the claims of others in its run: an agent that is due every 30 s starts again
 * within a minute after the lease of a killed machine.
 */
const RESPECTED_MS = 25_000;

export function createKeptPasswords(bucket: Bucket, { run, part, generation }: Claimant, machine: string) {
  const claimed: Entry = { run, part, generation, machine };
  const respectsUntilMs = monotonicClock() + RESPECTED_MS;
  /** Agents whose claims have led to no password yet, by uuid, and the machine from which the claim was inherited. */
  const open = new Map<string, { readonly agent: number; readonly before: string | undefined }>();
  const isOwn = (entry: Entry): boolean => entry.run === run && entry.part === part && entry.generation === generation;
  const claim = async (wanted: ClaimRequest): Promise<Claim | LostPassword> => {
    const { uuid } = wanted;
    if (await bucket.create(uuid, claimed)) return granted(wanted, undefined);
    const found = await bucket.get(uuid);
    if (found === undefined) return claim(wanted);
    if (typeof found.value === 'string') return { kind: 'registered', password: found.value };
    const entry = entryOf(found.value);
    if (entry.run === run && entry.lostWith !== undefined) return { kind: 'lost', machine: entry.lostWith };
    return isOwn(entry) ? own(wanted, found.revision) : takeOver(wanted, entry, found.revision);
  };
  const takeOver = async (wanted: ClaimRequest, entry: Entry, revision: number): Promise<Claim> => {
    const isRespected = entry.run === run && monotonicClock() < respectsUntilMs;
    if (isRespected || !(await bucket.update(wanted.uuid, claimed, revision))) return { kind: 'held' };
    return granted(wanted, entry.lostWith ?? entry.machine);
  };
  const own = async (wanted: ClaimRequest, revision: number): Promise<Claim | LostPassword> => {
    const { uuid, isRefused } = wanted;
    const before = open.get(uuid)?.before;
    if (!isRefused || before === undefined) return granted(wanted, before);
    if (!(await bucket.update(uuid, { ...claimed, lostWith: before }, revision))) return { kind: 'held' };
    open.delete(uuid);
    return { kind: 'lost', machine: before };
  };
  const granted = ({ uuid, agent }: ClaimRequest, before: string | undefined): Claim => {
    open.set(uuid, { agent, before });
    return { kind: 'granted', isInherited: before !== undefined };
  };
  /** Leaves what another part has written meanwhile. */
  const giveUp = async (uuid: string): Promise<void> => {
    const entry = await bucket.get(uuid);
    if (entry !== undefined && isOwn(entryOf(entry.value))) await bucket.update(uuid, FREE, entry.revision);
  };
  return {
    claim,
    known: async (): Promise<readonly IssuedCredential[]> =>
      (await bucket.entries()).flatMap(({ key: uuid, value: password }) =>
        typeof password === 'string' ? [{ uuid, password }] : [],
      ),
    /** An empty password: it was removed. */
    store: async ({ uuid, password }: IssuedCredential): Promise<void> => {
      open.delete(uuid);
      await (password === '' ? bucket.delete(uuid) : bucket.put(uuid, password));
    },
    /** Gives up the claims of these agents that led to no password. */
    release: async (isMeant: (agent: number) => boolean): Promise<void> => {
      const left = [...open].flatMap(([uuid, { agent }]) => (isMeant(agent) && open.delete(uuid) ? [uuid] : []));
      await Promise.all(left.map(giveUp));
    },
  };
}

/**
 * The files of the listening agents of a fleet, in an entry each, `HOST/FILE`. Reads those of these hosts once; each machine makes its own
 * keys.
 */
export async function openKeptFiles(bucket: Bucket, hostNames: ReadonlySet<string>): Promise<AgentFiles> {
  const found = new Map<string, AgentFilesEntry['files']>();
  for (const entry of await bucket.entries()) {
    const [hostName = '', file = ''] = entry.key.split('/');
    if (!hostNames.has(hostName) || !isAgentFile(file)) continue;
    if (typeof entry.value === 'string') found.set(hostName, { ...found.get(hostName), [file]: entry.value });
  }
  return {
    ...ephemeralAgentFiles(),
    loadAll: () => found,
    save: async (entries) => {
      const files = entries.flatMap(({ hostName, files }) =>
        Object.entries(files).map(([file, text]) => ({ key: `${hostName}/${file}`, text })),
      );
      await Promise.all(files.map(({ key, text }) => bucket.put(key, text)));
    },
    where: (hostName, file) => `NATS, ${hostName}/${file}`,
  };
}
