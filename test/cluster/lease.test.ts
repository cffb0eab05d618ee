import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readBusAddress } from '../../src/cluster/address.ts';
import type { Bucket } from '../../src/cluster/bucket.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import { claim, type Lease } from '../../src/cluster/lease.ts';
import { coordinatorSubject } from '../../src/cluster/messages.ts';
import { hasNats, type NatsServer, startNats } from './nats-server.ts';

const REFUSAL = 'Run storms already has a coordinator.';

describe.skipIf(!hasNats)('the lease of a coordinator, with nats-server', () => {
  let nats: NatsServer;
  const open: Bus[] = [];

  type Candidate = {
    /** `read`: how it reads who holds the lease. */
    readonly take: (key: string, read?: Bucket['get']) => Promise<Lease>;
    readonly bucket: Bucket;
    /** Ends it like a crash: it no longer answers. */
    readonly kill: () => Promise<void>;
  };

  async function candidate(name: string, answer: () => unknown = () => 'here'): Promise<Candidate> {
    const { address, sealing } = await readBusAddress(nats.url, {});
    const bus = await openBus(address, name, sealing);
    open.push(bus);
    const bucket = await bus.bucket('muster-leases', { replicas: 1, ttlMs: undefined });
    const stop = bus.serve(coordinatorSubject(name), answer);
    const replies = () => bus.request(coordinatorSubject(name), '', 100).then(({ kind }) => kind);
    await expect.poll(replies).not.toBe('nobody');
    const kill = async (): Promise<void> => {
      stop();
      await expect.poll(replies).toBe('nobody');
    };
    return {
      bucket,
      kill,
      take: (key, get = bucket.get) => claim({ bus, bucket: { ...bucket, get }, coordinator: name }, key, REFUSAL),
    };
  }

  beforeAll(async () => {
    nats = await startNats();
  });

  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()));
    await nats.close();
  });

  it.each<[string, () => unknown]>([
    ['answers', () => 'here'],
    ['is asked and fails', () => Promise.reject(new Error('busy'))],
    ['answers too late', () => new Promise(() => {})],
  ])('stays with a living holder that %s', async (how, answer) => {
    const [holder, other] = [
      await candidate(`holder that ${how}`.replaceAll(' ', '-'), answer),
      await candidate('other'),
    ];
    await holder.take(how.replaceAll(' ', '-'));
    await expect(other.take(how.replaceAll(' ', '-'))).rejects.toThrow(REFUSAL);
  });

  it('of a killed holder passes to exactly one of two candidates', async () => {
    const [killed, one, other] = [await candidate('killed'), await candidate('one'), await candidate('another')];
    const keys = Array.from({ length: 8 }, (_, n) => `race-${n}`);
    await Promise.all(keys.map((key) => killed.take(key)));
    await killed.kill();
    const taken = await Promise.all(
      keys.map(async (key) => {
        const both = await Promise.allSettled([one.take(key), other.take(key)]);
        return both.map((result) => (result.status === 'fulfilled' ? 'taken' : result.reason.message)).sort();
      }),
    );
    expect(taken).toEqual(keys.map(() => [REFUSAL, 'taken']));
  });

  it('is free if what holds it is no name of a coordinator', async () => {
    const one = await candidate('sober');
    for (const [n, junk] of [7, {}, null, '', 'a b', '>'].entries()) {
      await one.bucket.put(`junk-${n}`, junk);
      await one.take(`junk-${n}`);
    }
  });

  it('is renewed only by its holder', async () => {
    const [former, present] = [await candidate('first-holder'), await candidate('second-holder')];
    const lost = await former.take('renewed');
    await former.kill();
    const held = await present.take('renewed');
    const before = await present.bucket.get('renewed');
    await lost.renew();
    expect(await present.bucket.get('renewed')).toEqual(before);
    await held.renew();
    const after = await present.bucket.get('renewed');
    expect(after).toEqual({ key: 'renewed', value: 'second-holder', revision: after?.revision });
    expect(after?.revision).toBeGreaterThan(before?.revision ?? 0);
  });

  it('is free for others when its holder releases it, but not when a former holder does', async () => {
    const [former, present, next] = [await candidate('former'), await candidate('present'), await candidate('next')];
    const lost = await former.take('run');
    await former.kill();
    const held = await present.take('run');
    await lost.release();
    await expect(next.take('run')).rejects.toThrow(REFUSAL);
    await held.release();
    await next.take('run');
    expect((await present.bucket.get('run'))?.value).toBe('next');
  });

  it('has an entry, even if its holder releases it just before a candidate reads who holds it', async () => {
    const [former, next] = [await candidate('leaving'), await candidate('coming')];
    const left = await former.take('left');
    await next.take('left', async (key) => {
      await left.release();
      return next.bucket.get(key);
    });
    expect((await next.bucket.get('left'))?.value).toBe('coming');
  });
});
