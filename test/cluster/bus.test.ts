import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { serialize } from 'node:v8';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type Msg, type MsgHdrs } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { readBusAddress } from '../../src/cluster/address.ts';
import { type Bus, openBus } from '../../src/cluster/bus.ts';
import type { Stored } from '../../src/cluster/run-store.ts';
import { openSession } from '../../src/cluster/session.ts';
import { hasNats, type NatsServer, startNats, startNatsCluster } from './nats-server.ts';

/** A program that writes to NATS without knowing Muster's messages. */
async function connectRaw(url: string | string[]) {
  const connection = await connect({ servers: url });
  const [manager, stream] = [await jetstreamManager(connection), jetstream(connection)];
  return {
    js: manager,
    /** The stream whose name ends like this. */
    streamOf: async (ending: string) => {
      for await (const { config } of manager.streams.list())
        if (config.name.endsWith(ending)) return { name: config.name, subject: `${config.subjects[0]}` };
      throw new Error(`there is no stream ${ending}`);
    },
    publish: (subject: string, bytes: Uint8Array, labels?: MsgHdrs) =>
      stream.publish(subject, bytes, labels && { headers: labels }),
    answer: (subject: string, act: (respond: (bytes: Uint8Array, labels?: MsgHdrs) => void) => void) => {
      const callback = (_: unknown, message: Msg) =>
        act((bytes, labels) => message.respond(bytes, labels && { headers: labels }));
      connection.subscribe(subject, { callback });
    },
    flush: () => connection.flush(),
    close: () => connection.close(),
  };
}

const KEPT = { replicas: 1, ttlMs: undefined };

/** Everything that needs a server. Skipped by name if Debian's nats-server is not installed. */
describe.skipIf(!hasNats)('the bus, with nats-server', () => {
  let nats: NatsServer;
  const open: Bus[] = [];

  async function bus(name = 'test', environment: Parameters<typeof readBusAddress>[1] = {}): Promise<Bus> {
    const { address, sealing } = await readBusAddress(nats.url, environment);
    const opened = await openBus(address, name, sealing);
    open.push(opened);
    return opened;
  }

  beforeAll(async () => {
    nats = await startNats();
  });

  afterAll(async () => {
    await Promise.all(open.map((one) => one.close()));
    await nats.close();
  });

  it('reports whether a request was answered or refused, or has no responder', async () => {
    const [asker, answerer] = [await bus(), await bus()];
    const stop = answerer.serve('muster.test.double', (message) => {
      if (typeof message === 'number') return { doubled: message * 2, bytes: Uint8Array.of(1), none: undefined };
      throw new Error('no number');
    });
    await expect
      .poll(() => asker.request('muster.test.double', 4, 1000))
      .toEqual({
        kind: 'answer',
        answer: { doubled: 8, bytes: Uint8Array.of(1), none: undefined },
      });
    expect(await asker.request('muster.test.double', 'four', 1000)).toEqual({ kind: 'refusal', text: 'no number' });
    stop();
    await expect.poll(() => asker.request('muster.test.double', 4, 1000)).toEqual({ kind: 'nobody' });
  });

  it('lets only one of two clients create an entry, and only one of two update it', async () => {
    const one = await (await bus()).bucket('muster-test', KEPT);
    const other = await (await bus()).bucket('muster-test', KEPT);
    expect(await one.create('lease', 'one')).toBe(true);
    expect(await other.create('lease', 'other')).toBe(false);
    const seen = await other.get('lease');
    expect(seen?.value).toBe('one');
    expect(await other.update('lease', 'other', seen?.revision ?? 0)).toBe(true);
    expect(await one.update('lease', 'one again', seen?.revision ?? 0)).toBe(false);
    await one.delete('lease');
    expect(await other.get('lease')).toBeUndefined();
    expect(await other.create('lease', 'other')).toBe(true);
  });

  it('gives all clients the same bucket, however many create it at the same moment', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => bus()));
    for (let round = 0; round < 60; round++) {
      const buckets = await Promise.all(clients.map((client) => client.bucket(`muster-crowd-${round}`, KEPT)));
      await buckets[0]?.put('entry', round);
      for (const bucket of buckets) expect((await bucket.get('entry'))?.value).toBe(round);
    }
  });

  it('keeps clusters with different keys apart, and counts the entries of others', async () => {
    const key = randomBytes(32).toString('base64');
    const team = () => bus('team', { MUSTER_CLUSTER_KEY: key });
    const [one, same] = [await team(), await team()];
    const others = [await bus('others', { MUSTER_CLUSTER_KEY: randomBytes(32).toString('base64') }), await bus()];
    const own = await one.bucket('muster-kept', KEPT);
    await own.put('agent', 'a password');
    const run = await one.createRun('soak', { replicas: 1, ttlMs: 60_000 });
    await run.putObject('order', 'ours');
    one.serve('muster.test.team', () => 'here');
    await expect.poll(() => same.request('muster.test.team', '', 1000)).toMatchObject({ kind: 'answer' });
    expect((await (await same.bucket('muster-kept', KEPT)).get('agent'))?.value).toBe('a password');
    for (const [n, other] of others.entries()) {
      const bucket = await other.bucket('muster-kept', KEPT);
      expect(await bucket.get('agent')).toBeUndefined();
      expect(await other.openRun('soak')).toBeUndefined();
      expect(await other.request('muster.test.team', '', 1000)).toEqual({ kind: 'nobody' });
      await bucket.put('agent', 'of others');
      expect(await other.entriesOfOtherKeys('muster-kept')).toBe(1 + n);
    }
    const theirs = await others[0]?.createRun('soak', { replicas: 1, ttlMs: 60_000 });
    await theirs?.destroy();
    expect(await (await same.openRun('soak'))?.getObject('order')).toBe('ours');
    await run.destroy();
  });

  it('lets entries expire after their age, in a bucket that had none before, too', async () => {
    const raw = await connectRaw(nats.url);
    const [one, other] = [await bus(), await bus()];
    await one.bucket('muster-aged', KEPT);
    await other.bucket('muster-aged', { replicas: 1, ttlMs: 60_000 });
    expect((await raw.js.streams.info('KV_muster-aged')).config.max_age).toBe(60_000 * 1e6);
    await raw.close();
  });

  it('stores each message once and in order, even if it is sent again or while the server is down', async () => {
    const [writer, reader] = [await bus('writer'), await bus('reader')];
    const run = await writer.createRun('storms', { replicas: 1, ttlMs: 60_000 });
    await run.putObject('scenario', { text: 'x'.repeat(300_000) });
    const seen: Stored[] = [];
    const store = await reader.openRun('storms');
    store?.read('from.>', (stored) => seen.push(stored));
    const send = (n: number) => run.publish('from.0', String(n), { n });
    await send(1);
    await send(1);
    await expect.poll(() => seen.map(({ message }) => message)).toEqual([{ n: 1 }]);
    expect(writer.connectedMs()).toBeGreaterThan(0);
    await nats.kill();
    await expect.poll(() => writer.connectedMs()).toBeUndefined();
    const late = send(2);
    await nats.start();
    await late;
    await send(2);
    await send(3);
    await run.publish('to', '1', 'not for this reader');
    await expect.poll(() => seen.map(({ message }) => message)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
    expect(seen.map(({ subject }) => subject)).toEqual(['from.0', 'from.0', 'from.0']);
    // A later reader gets the same messages from the start.
    const again: unknown[] = [];
    store?.read('>', ({ message }) => again.push(message));
    await expect.poll(() => again.length).toBe(4);
    expect(await store?.getObject('scenario')).toEqual({ text: 'x'.repeat(300_000) });
    await run.destroy();
    expect(await reader.openRun('storms')).toBeUndefined();
    await expect(send(4)).rejects.toThrow('run storms was deleted');
  });

  it('skips what is no message of a run, and what repeats one, and reads junk entries as nothing, with and without a key', async () => {
    for (const [name, environment] of [
      ['open', {}],
      ['sealed', { MUSTER_CLUSTER_KEY: randomBytes(32).toString('base64') }],
    ] as const) {
      const own = await bus('junk', environment);
      const run = await own.createRun(name, KEPT);
      const seen: unknown[] = [];
      const skipped: string[] = [];
      const stop = run.read(
        '>',
        ({ message }) => seen.push(message),
        (why) => skipped.push(why),
      );
      await run.publish('from.0', 'a-0', 'first');
      const raw = await connectRaw(nats.url);
      const stream = await raw.streamOf(`_${name}`);
      const subject = stream.subject.replace('>', 'from.0');
      const first = await raw.js.streams.getMessage(stream.name, { seq: 1 });
      const part = headers();
      part.set('Muster-Part', '0/99999999/x');
      const strange = headers();
      strange.set('Muster-Part', 'x/y');
      await raw.publish(subject, first?.data ?? new Uint8Array());
      for (let n = 0; n < 200; n++) await raw.publish(subject, randomBytes(n));
      await raw.publish(subject, serialize({ id: 'a-9', message: 'forged' }), strange);
      await raw.publish(subject, randomBytes(100), part);
      await run.publish('from.0', 'a-1', 'second');
      await expect.poll(() => seen).toEqual(['first', 'second']);
      expect(skipped.length).toBe(202);
      const junk = { open: /expected data of Muster, found junk/, sealed: /sealed with the key in MUSTER_CLUSTER_KEY/ };
      expect(skipped.filter((why) => junk[name].test(why)).length).toBeGreaterThan(190);
      stop();
      const bucket = await own.bucket(`muster-of-${name}`, KEPT);
      const stored = await raw.streamOf(`-of-${name}`);
      await raw.publish(stored.subject.replace('>', 'one'), randomBytes(40));
      expect(await bucket.entries()).toMatchObject([{ key: 'one', value: undefined }]);
      const entry = await bucket.get('one');
      expect(await bucket.update('one', 'own', entry?.revision ?? 0)).toBe(true);
      await raw.close();
    }
  });

  it('takes no junk for the answer to a request, with and without a key', async () => {
    for (const environment of [{}, { MUSTER_CLUSTER_KEY: randomBytes(32).toString('base64') }]) {
      const [asker, answerer] = [await bus('asker', environment), await bus('answerer', environment)];
      const raw = await connectRaw(nats.url);
      const label = headers();
      label.set('Muster-Part', 'x/y');
      const junk = [7, null, {}, { kind: 'refusal' }, { kind: 'no' }].map((message) => serialize(message));
      const junkSent = Promise.withResolvers<void>();
      raw.answer('*.test.junk', (respond) => {
        for (const bytes of [randomBytes(40), new Uint8Array(), ...junk]) respond(bytes);
        respond(Uint8Array.of(1), label);
        void raw.flush().then(junkSent.resolve);
      });
      await raw.flush();
      answerer.serve('muster.test.junk', () => junkSent.promise.then(() => 'real'));
      answerer.serve('muster.test.ready', () => 'here');
      await expect.poll(() => asker.request('muster.test.ready', 1, 1000)).toMatchObject({ kind: 'answer' });
      expect(await asker.request('muster.test.junk', 1, 10_000)).toEqual({ kind: 'answer', answer: 'real' });
      await raw.close();
    }
  });

  it('finds no run that has lost its stream or its objects', async () => {
    const own = await bus();
    for (const lost of ['MUSTER_halved', 'OBJ_muster-halved']) {
      const run = await own.createRun('halved', { replicas: 1, ttlMs: 60_000 });
      expect(await own.openRun('halved')).toBeDefined();
      const raw = await connectRaw(nats.url);
      await raw.js.streams.delete(lost);
      expect(await own.openRun('halved')).toBeUndefined();
      await raw.close();
      await run.destroy();
    }
  });

  it('carries requests, answers and messages of any length, and reports an entry that is too long', async () => {
    const key = { MUSTER_CLUSTER_KEY: randomBytes(32).toString('base64') };
    const [one, other] = [await bus('one', key), await bus('other', key)];
    // Six times the server's maximum message size.
    const agents = Array.from({ length: 1_500_000 }, (_, agent) => agent + 2 ** 21);
    const stop = other.serve('muster.test.long', (message) => ({ agents: message }));
    await expect.poll(async () => (await one.request('muster.test.long', 1, 1000)).kind).toBe('answer');
    expect(await one.request('muster.test.long', agents, 30_000)).toEqual({ kind: 'answer', answer: { agents } });
    stop();
    const run = await one.createRun('long', { replicas: 1, ttlMs: 60_000 });
    const seen: Stored[] = [];
    (await other.openRun('long'))?.read('>', (stored) => seen.push(stored));
    // Two machines at the same time, whose parts are interleaved.
    await Promise.all(['from.0', 'from.1'].map((subject) => run.publish(subject, '0', { subject, agents })));
    await run.publish('from.0', '1', 'short');
    await run.putObject('order', agents);
    await expect.poll(() => seen.length).toBe(3);
    expect(new Set(seen.slice(0, 2).map(({ subject }) => subject))).toEqual(new Set(['from.0', 'from.1']));
    for (const { subject, message } of seen.slice(0, 2)) expect(message).toEqual({ subject, agents });
    expect(seen[2]?.message).toBe('short');
    expect(await (await other.openRun('long'))?.getObject('order')).toEqual(agents);
    await expect((await one.bucket('muster-long', KEPT)).put('run', agents)).rejects.toThrow(
      /^muster-[0-9a-f]{8}-long\/run: expected at most 1047552 bytes in one entry, found \d+; raise max_payload/,
    );
    await run.destroy();
  });

  it('continues to report changes of a bucket after the server restarts', async () => {
    const [writer, reader] = [await bus(), await bus()];
    const seen = new Map<string, unknown>();
    const machines = await writer.bucket('muster-watched', KEPT);
    await machines.put('a', 1);
    const stop = await (await reader.bucket('muster-watched', KEPT)).watch((key, entry) => seen.set(key, entry?.value));
    await expect.poll(() => seen.get('a')).toBe(1);
    await nats.kill();
    await nats.start();
    await machines.put('b', 2);
    await machines.delete('a');
    await expect
      .poll(() => [...seen])
      .toEqual([
        ['a', undefined],
        ['b', 2],
      ]);
    stop();
    expect(await machines.entries()).toMatchObject([{ key: 'b', value: 2 }]);
  });

  it('delivers the messages of a run with three copies after the server that served its reader is lost', async () => {
    const servers = await startNatsCluster();
    onTestFinished(async () => {
      await Promise.all(servers.map((server) => server.close()));
    });
    const { address, sealing } = await readBusAddress(servers.map(({ url }) => url).join(','), {});
    // JetStream begins when the servers have elected a leader.
    const own = await vi.waitFor(() => openBus(address, 'test', sealing), { timeout: 20_000, interval: 500 });
    open.push(own);
    const run = await vi.waitFor(() => own.createRun('copies', { replicas: 3, ttlMs: undefined }), 20_000);
    const seen: unknown[] = [];
    run.read('from.>', ({ message }) => seen.push(message));
    await run.publish('from.0', '1', 'before');
    await expect.poll(() => seen, { timeout: 10_000 }).toEqual(['before']);
    const raw = await connectRaw(servers.map(({ url }) => url));
    const { name } = await raw.streamOf('_copies');
    const [consumer] = await raw.js.consumers.list(name).next();
    await servers[Number(consumer?.cluster?.leader)]?.kill();
    await run.publish('from.0', '2', 'after');
    await expect.poll(() => seen, { timeout: 30_000 }).toEqual(['before', 'after']);
    await raw.close();
  }, 90_000);

  it('says why a full server stores nothing, writes when there is room, and starts no run without', async () => {
    const configured = join(mkdtempSync(join(tmpdir(), 'muster-full-')), 'nats.conf');
    writeFileSync(configured, 'jetstream { max_file_store: 1MB }');
    const full = await startNats('-c', configured);
    onTestFinished(async () => {
      await full.close();
      rmSync(dirname(configured), { recursive: true, force: true });
    });
    const { address, sealing } = await readBusAddress(full.url, {});
    const own = await openBus(address, 'test', sealing);
    const bucket = await own.bucket('muster-machines', KEPT);
    const runs = await openSession(own, 1);
    const run = await own.createRun('storms', KEPT);
    const raw = await connectRaw(full.url);
    await raw.js.streams.add({ name: 'junk', subjects: ['junk'] });
    const hasRoomFor = (bytes: number) =>
      raw.publish('junk', new Uint8Array(bytes)).then(
        () => true,
        () => false,
      );
    for (const bytes of [100_000, 1000, 1]) while (await hasRoomFor(bytes));
    const written = bucket.put('a', 1);
    await expect.poll(() => own.problem()).toBe('insufficient resources');
    await expect(runs.claim('coordinator.storms', 'taken')).rejects.toThrow(
      '--cluster: expected room in NATS to store a run, found an error (insufficient resources)',
    );
    await expect(run.putObject('order', 'x'.repeat(1000))).rejects.toThrow('raise its storage limits');
    await raw.js.streams.delete('junk');
    await written;
    expect(own.problem()).toBeUndefined();
    await runs.claim('coordinator.later', 'taken');
    const left = async () => (await runs.runs.entries()).map(({ key }) => key).sort();
    await expect.poll(left).toEqual(['coordinator.later', 'coordinator.storms']);
    await runs.close();
    expect(await left()).toEqual([]);
    await Promise.all([raw.close(), own.close()]);
  });

  it('waits for servers that start later, if configured', async () => {
    const later = await startNats();
    await later.kill();
    const { address, sealing } = await readBusAddress(later.url, { MUSTER_NATS_WAIT: '5m' });
    const opening = openBus(address, 'test', sealing);
    await later.start();
    const opened = await opening;
    expect(opened.connectedMs()).toBeGreaterThanOrEqual(0);
    await opened.close();
    await later.close();
    await expect(readBusAddress(later.url, { MUSTER_NATS_WAIT: 'long' })).rejects.toThrow(
      'MUSTER_NATS_WAIT: expected a duration such as 10m, found "long"',
    );
  });

  it('returns all entries even while one is written repeatedly', async () => {
    const [writer, reader] = [await bus(), await bus()];
    const [written, read] = [await writer.bucket('muster-busy', KEPT), await reader.bucket('muster-busy', KEPT)];
    const keys = Array.from({ length: 50 }, (_, n) => `key-${n}`);
    await Promise.all(keys.map((key) => written.put(key, 0)));
    let isOver = false;
    const writing = (async () => {
      while (!isOver) {
        await written.put('key-49', 1);
        await new Promise((next) => setTimeout(next, 5));
      }
    })();
    for (let n = 0; n < 20; n++) expect((await read.entries()).map(({ key }) => key).sort()).toEqual([...keys].sort());
    isOver = true;
    await writing;
  });

  it('is refused by name if there is no server, or if there are fewer servers than replicas', async () => {
    const { address, sealing } = await readBusAddress('nats://127.0.0.1:1', {});
    await expect(openBus(address, 'test', sealing)).rejects.toThrow(
      'nats://127.0.0.1:1: expected a NATS server, found none',
    );
    await expect((await bus()).bucket('muster-copies', { replicas: 3, ttlMs: undefined })).rejects.toThrow(
      'expected JetStream to store a run, found an error',
    );
  });
});

describe('the address of a cluster', () => {
  const KEY = randomBytes(32).toString('base64');
  const USER = { MUSTER_NATS_USER: 'muster', MUSTER_NATS_PASSWORD: 'secret' };

  it('requires nothing else on loopback', async () => {
    expect((await readBusAddress('nats://localhost', {})).address).toEqual({
      url: 'nats://localhost:4222',
      isEncrypted: false,
      login: undefined,
      waitMs: 0,
      answeredMs: 5000,
      ca: undefined,
    });
  });

  it('requires TLS, credentials and a key for a remote server', async () => {
    const refusalOf = (url: string, environment = {}) =>
      readBusAddress(url, environment).catch(({ message }) => message);
    expect(await refusalOf('nats://nats.example')).toContain('expected TLS for a remote server');
    expect(await refusalOf('nats://127.0.0.1:1,nats://nats.example')).toContain('nats.example:4222: expected TLS');
    expect(await refusalOf('nats://127.0.0.1,tls://localhost')).toContain(
      'expected tls:// in all addresses or in none',
    );
    expect(await refusalOf('tls://nats.example')).toContain('expected credentials for a remote server');
    expect(await refusalOf('tls://nats.example', USER)).toContain('expected a cluster key for a remote server');
    const { address } = await readBusAddress('tls://nats.example:4443', { ...USER, MUSTER_CLUSTER_KEY: KEY });
    expect(address).toMatchObject({ url: 'tls://nats.example:4443', isEncrypted: true });
  });

  it('must not contain credentials, and error messages do not show them', async () => {
    const refused = await readBusAddress('nats://muster:secret@127.0.0.1:4222', {}).catch(({ message }) => message);
    expect(refused).toContain('without credentials, because messages show the address, found some');
    expect(refused).not.toContain('secret');
    await expect(readBusAddress('https://nats.example', {})).rejects.toThrow('such as nats://127.0.0.1:4222');
  });
});

describe('a server that does not speak NATS', () => {
  const speakers: Readonly<Record<string, readonly [speak: (socket: Socket) => void, sentence: string]>> = {
    'says nothing': [() => {}, 'found no answer within'],
    'speaks SSH': [(socket) => void socket.write('SSH-2.0-OpenSSH_9.2\r\n'), 'found another protocol'],
    'hangs up': [(socket) => void socket.destroy(), 'found a closed connection'],
    'introduces itself and says nothing more': [
      (socket) =>
        void socket.write('INFO {"server_id":"x","version":"2.9.10","max_payload":1048576,"headers":true}\r\n'),
      'found no answer within',
    ],
  };

  it.each(Object.entries(speakers))(
    'is refused by name if it %s, and no connection stays open',
    async (_, [speak, why]) => {
      const open = new Set<Socket>();
      const server = createServer((socket) => {
        open.add(
          socket
            .on('error', () => {})
            .on('close', () => open.delete(socket))
            .resume(),
        );
        speak(socket);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { address, sealing } = await readBusAddress(url, {});
      await expect(openBus({ ...address, answeredMs: 300 }, 'test', sealing)).rejects.toThrow(why);
      await expect.poll(() => open.size).toBe(0);
      server.close();
    },
  );
});
