import { afterEach, describe, expect, it, vi } from 'vitest';
import { createKeptPasswords } from '../../src/cluster/kept-passwords.ts';
import { memoryBucket } from './memory-bucket.ts';

const part = (number: number, generation: number, run = 'r') => ({ run, part: number, generation });
afterEach(() => {
  vi.useRealTimers();
});

const AGENT = { agent: 7, uuid: 'u-7' };

describe('the registration of an agent', () => {
  it('is left to the part that claims it first, until that part stores the password', async () => {
    const bucket = memoryBucket();
    const [first, taker] = [part(0, 0), part(0, 1)].map((own) => createKeptPasswords(bucket, own));
    expect(await first?.claim(AGENT)).toEqual({ kind: 'granted' });
    expect(await first?.claim(AGENT)).toEqual({ kind: 'granted' });
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
      createKeptPasswords(bucket, own),
    );
    await first?.claim(AGENT);
    await first?.claim({ agent: 8, uuid: 'u-8' });
    await first?.release((agent) => agent === 7);
    expect(await taker?.claim(AGENT)).toEqual({ kind: 'granted' });
    expect(await taker?.claim({ agent: 8, uuid: 'u-8' })).toEqual({ kind: 'held' });
    expect(await next?.claim(AGENT)).toEqual({ kind: 'granted' });
    expect(await next?.claim({ agent: 8, uuid: 'u-8' })).toEqual({ kind: 'granted' });
  });

  it('is free half a minute after another part took the agent over, and the one that comes back later changes nothing', async () => {
    vi.useFakeTimers();
    const bucket = memoryBucket();
    const killed = createKeptPasswords(bucket, part(0, 0));
    await killed.claim(AGENT);
    const taker = createKeptPasswords(bucket, part(0, 1));
    vi.advanceTimersByTime(20_000);
    expect(await taker.claim(AGENT)).toEqual({ kind: 'held' });
    vi.advanceTimersByTime(10_000);
    expect(await taker.claim(AGENT)).toEqual({ kind: 'granted' });
    await killed.release(() => true);
    expect(await createKeptPasswords(bucket, part(0, 2)).claim(AGENT)).toEqual({ kind: 'held' });
    await taker.store({ uuid: 'u-7', password: 'secret' });
    expect(await taker.known()).toEqual([{ uuid: 'u-7', password: 'secret' }]);
  });
});
