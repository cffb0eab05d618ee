import { afterEach, describe, expect, it, vi } from 'vitest';
import { createKeptPasswords } from '../../src/cluster/kept-passwords.ts';
import { memoryBucket } from './memory-bucket.ts';

const part = (number: number, generation: number, run = 'r') => ({ run, part: number, generation });
afterEach(() => {
  vi.useRealTimers();
});

const AGENT = { agent: 7, uuid: 'u-7', isRefused: false };
const OTHER = { agent: 8, uuid: 'u-8', isRefused: false };
const GRANTED = { kind: 'granted', isInherited: false };
const INHERITED = { kind: 'granted', isInherited: true };
const RESPECTED_MS = 30_000;

describe('the registration of an agent', () => {
  it('is left to the part that claims it first, until that part stores the password', async () => {
    const bucket = memoryBucket();
    const [first, taker] = [part(0, 0), part(0, 1)].map((own) => createKeptPasswords(bucket, own, 'm'));
    expect(await first?.claim(AGENT)).toEqual(GRANTED);
    expect(await first?.claim(AGENT)).toEqual(GRANTED);
    expect(await taker?.claim(AGENT)).toEqual({ kind: 'held' });
    expect(await taker?.known()).toEqual([]);
    await first?.store({ uuid: 'u-7', password: 'secret' });
    expect(await taker?.claim(AGENT)).toEqual({ kind: 'registered', password: 'secret' });
    await first?.release(() => true);
    expect(await taker?.known()).toEqual([{ uuid: 'u-7', password: 'secret' }]);
  });

  it('is free again when its part gives the claim up, or its run is over', async () => {
    const bucket = memoryBucket();
    const [first, taker, next] = [part(0, 0), part(3, 0), part(0, 0, 'next')].map((own) =>
      createKeptPasswords(bucket, own, 'm'),
    );
    await first?.claim(AGENT);
    await first?.claim(OTHER);
    await first?.release((agent) => agent === 7);
    expect(await taker?.claim(AGENT)).toEqual(GRANTED);
    expect(await taker?.claim(OTHER)).toEqual({ kind: 'held' });
    expect(await next?.claim(AGENT)).toEqual(INHERITED);
    expect(await next?.claim(OTHER)).toEqual(INHERITED);
  });

  it('is free half a minute after another part took the agent over, and the one that comes back later changes nothing', async () => {
    vi.useFakeTimers();
    const bucket = memoryBucket();
    const killed = createKeptPasswords(bucket, part(0, 0), 'b');
    await killed.claim(AGENT);
    const taker = createKeptPasswords(bucket, part(0, 1), 'c');
    vi.advanceTimersByTime(20_000);
    expect(await taker.claim(AGENT)).toEqual({ kind: 'held' });
    vi.advanceTimersByTime(10_000);
    expect(await taker.claim(AGENT)).toEqual(INHERITED);
    await killed.release(() => true);
    expect(await createKeptPasswords(bucket, part(0, 2), 'd').claim(AGENT)).toEqual({ kind: 'held' });
    await taker.store({ uuid: 'u-7', password: 'secret' });
    expect(await taker.known()).toEqual([{ uuid: 'u-7', password: 'secret' }]);
  });

  it('is tried once after a machine was killed: if the server refuses it, nobody tries again in this run, unless its password appears', async () => {
    vi.useFakeTimers();
    const bucket = memoryBucket();
    const killed = createKeptPasswords(bucket, part(0, 0), 'b');
    await killed.claim(AGENT);
    const taker = createKeptPasswords(bucket, part(0, 1), 'c');
    vi.advanceTimersByTime(RESPECTED_MS);
    expect(await taker.claim(AGENT)).toEqual(INHERITED);
    // No answer came, so the agent may try again.
    expect(await taker.claim(AGENT)).toEqual(INHERITED);
    const lost = { kind: 'lost', machine: 'b' };
    expect(await taker.claim({ ...AGENT, isRefused: true })).toEqual(lost);
    await taker.release(() => true);
    const next = createKeptPasswords(bucket, part(0, 2), 'd');
    vi.advanceTimersByTime(RESPECTED_MS);
    expect([await taker.claim(AGENT), await next.claim(AGENT)]).toEqual([lost, lost]);
    // Somebody may have removed it from the server meanwhile.
    const later = createKeptPasswords(bucket, part(0, 0, 'next'), 'e');
    expect(await later.claim(AGENT)).toEqual(INHERITED);
    expect(await later.claim({ ...AGENT, isRefused: true })).toEqual(lost);
    await killed.store({ uuid: 'u-7', password: 'late' });
    expect(await later.claim(AGENT)).toEqual({ kind: 'registered', password: 'late' });
  });

  it('is not held back by an entry that is neither a password nor a claim', async () => {
    const bucket = memoryBucket();
    for (const junk of [null, undefined, 7, [], {}, { run: 'r', part: 'x' }]) {
      await bucket.put('u-7', junk);
      expect(await createKeptPasswords(bucket, part(0, 0), 'b').known()).toEqual([]);
      vi.useFakeTimers();
      expect(await createKeptPasswords(bucket, part(0, 0), 'b').claim(AGENT)).toEqual(GRANTED);
    }
  });

  it('that the server refuses without another machine is tried again, like that of a real agent', async () => {
    const only = createKeptPasswords(memoryBucket(), part(0, 0), 'b');
    expect(await only.claim(AGENT)).toEqual(GRANTED);
    expect(await only.claim({ ...AGENT, isRefused: true })).toEqual(GRANTED);
  });
});
