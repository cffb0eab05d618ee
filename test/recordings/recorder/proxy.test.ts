import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as tls from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type ProxyOrder, startRecordingProxy } from '../../../src/recordings/recorder/proxy.ts';
import { RECORDER_LIMITS } from '../../../src/recordings/recorder/recorder-thread.ts';
import { readHostRecording } from '../../../src/recordings/recorder/recording-folder.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';
import { checkdataText, usualFleet } from '../../hosts/any-machine.ts';
import { SETTINGS } from '../settings.ts';

const ONE = { fleet: usualFleet('debian-12', 'typical'), agent: 1, instantMs: Date.UTC(2026, 5, 1) };

let folder: string;
let server: Server;
let proxy: Awaited<ReturnType<typeof startRecordingProxy>> | undefined;
let lines: string[];
let accepted: (socket: Socket) => void;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'muster-proxy-'));
  lines = [];
  accepted = () => {};
  server = createServer({ allowHalfOpen: true }, (socket) => accepted(socket));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterEach(async () => {
  await proxy?.stop(0);
  proxy = undefined;
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Waits until the recording thread has said this many lines: at the end, it has only a limited time for the rest. */
const told = (count: number) => expect.poll(() => lines.length).toBe(count);

async function start(
  target = (server.address() as AddressInfo).port,
  at = folder,
  secure: { readonly target?: ProxyOrder['target']['tls']; readonly own?: ProxyOrder['tls'] } = {},
  limits = RECORDER_LIMITS,
): Promise<number> {
  proxy = await startRecordingProxy(
    {
      listen: { host: '127.0.0.1', port: 0 },
      target: { address: { host: '127.0.0.1', port: target }, tls: secure.target },
      tls: secure.own,
      task: { folder: at, intake: SETTINGS, limits },
    },
    (line) => lines.push(line),
  );
  return proxy.port;
}

function bytesOf(count: number, seed: number): Buffer {
  return Buffer.from(Uint8Array.from({ length: count }, (_, n) => (n * 31 + seed) % 251));
}

/** All bytes that a side has sent, once it has ended. */
function all(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  socket.on('data', (part: Buffer) => parts.push(part));
  return new Promise((resolve) => socket.once('end', () => resolve(Buffer.concat(parts))));
}

function push(checkdata: string, uuid = 'an-agent'): string {
  const body = `{"checkdata":${checkdata},"agentuuid":"${uuid}","password":"planted-password"}`;
  const head = `POST /agentconnector/submit_checkdata.json HTTP/1.1\r\nHost: a\r\nAuthorization: X-OITC-API planted-key`;
  return `${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}';
const PUSH_END = '"password":"planted-password"}';

/** Answers each push once it has arrived, in however many parts. */
function answerPushes(socket: Socket): void {
  let end = '';
  socket.on('data', (part: Buffer) => {
    end = (end + part.toString('latin1')).slice(-PUSH_END.length);
    if (end === PUSH_END) socket.write(ANSWER);
  });
}

describe('a recording proxy', () => {
  it('forwards every byte in both directions, whatever its value, and each end separately', async () => {
    const [there, back] = [bytesOf(3_000_000, 0), bytesOf(3_000_000, 7)];
    const arrived = Promise.withResolvers<Buffer>();
    accepted = async (socket) => {
      // The server answers only after the agent has ended its side.
      arrived.resolve(await all(socket));
      socket.end(back);
    };
    const client = connect({ port: await start(), host: '127.0.0.1', allowHalfOpen: true });
    client.end(there);
    const answer = await all(client);
    expect((await arrived.promise).equals(there)).toBe(true);
    expect(answer.length).toBe(back.length);
    expect(answer.equals(back)).toBe(true);
  });

  it('reads no faster from an agent than the server reads', async () => {
    const sockets: Socket[] = [];
    accepted = (socket) => sockets.push(socket.pause());
    const client = connect({ port: await start(), host: '127.0.0.1' });
    const chunk = Buffer.alloc(1 << 20);
    let written = 0;
    // Until the kernel's buffers are full in both directions; nothing is accepted beyond.
    while (client.write(chunk) || written < 4 << 20) written += chunk.length;
    await new Promise((resolve) => client.once('connect', resolve));
    const stuck = await Promise.race([
      new Promise((resolve) => client.once('drain', () => resolve('drained'))),
      new Promise((resolve) => setImmediate(() => resolve('full'))),
    ]);
    expect(stuck).toBe('full');
    client.destroy();
    for (const socket of sockets) socket.destroy();
  });

  it('reports nothing as recorded that is not on disk: without its folder, it keeps forwarding and fails at the end', async () => {
    accepted = answerPushes;
    const client = connect({ port: await start(), host: '127.0.0.1' });
    const pushed = (): Promise<Buffer> => {
      client.write(push(checkdataText(ONE)));
      return new Promise((resolve) => client.once('data', resolve));
    };
    await pushed();
    await expect.poll(() => lines.some((line) => line.startsWith('Recording '))).toBe(true);
    rmSync(folder, { recursive: true, force: true });
    expect(String(await pushed())).toBe(ANSWER);
    client.destroy();
    expect(await proxy?.stop(0)).toBeUndefined();
    expect(proxy?.counts()).toMatchObject({ requestsLost: 0, stopped: expect.stringContaining('ENOENT') });
  });

  it('resets the connection of an agent if the server refuses its own', async () => {
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const client = connect({ port: await start(port), host: '127.0.0.1' });
    const error = await new Promise<NodeJS.ErrnoException>((resolve) => client.once('error', resolve));
    expect(error.code).toBe('ECONNRESET');
    expect(lines.filter((line) => line.startsWith('The server is unreachable'))).toHaveLength(1);
  });

  it('records documents without the rest of the request, and the times of their pushes', async () => {
    accepted = (socket) => {
      answerPushes(socket);
      socket.on('end', () => socket.end());
    };
    const client = connect({ port: await start(), host: '127.0.0.1' });
    const startedMs = Date.now();
    const secret = '/sbin/init planted-key planted-password';
    const documentOf = (instantMs: number, cmdline: string) =>
      checkdataText({ ...ONE, instantMs }).replace('"cmdline":"/sbin/init"', `"cmdline":"${cmdline}"`);
    for (const minutes of [0, 1]) {
      client.write(push(documentOf(ONE.instantMs + minutes * 60_000, secret)));
      await new Promise((resolve) => client.once('data', resolve));
    }
    client.end();
    await new Promise((resolve) => client.once('close', resolve));
    await told(1);
    expect(await proxy?.stop(100)).toEqual({ hosts: 1, checkdata: 2, packages: 0 });
    const { index, documents } = readHostRecording(folder);
    const pushedMs = index.hosts[0]?.rhythm.checkdata ?? [];
    expect(pushedMs).toEqual(pushedMs.filter((ms) => startedMs <= ms && ms <= Date.now()));
    expect(pushedMs).toHaveLength(2);
    expect(documents[0]?.text).toMatch(/"cmdline":"\/sbin\/init zq[a-z-]+ zq[a-z-]+"/);
    const written = readFileSync(join(folder, 'documents.log'), 'latin1') + JSON.stringify({ index, documents });
    expect(written).not.toMatch(/planted|an-agent/);
  });

  it('keeps forwarding if nothing can be recorded, and reports it', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    accepted = (socket) => socket.pipe(socket);
    const client = connect({ port: await start(undefined, join(file, 'below')), host: '127.0.0.1' });
    for (let turn = 0; turn < 3; turn++) {
      client.write(`POST turn ${turn}`);
      expect(String(await new Promise((resolve) => client.once('data', resolve)))).toBe(`POST turn ${turn}`);
    }
    client.destroy();
    expect(await proxy?.stop(0)).toBeUndefined();
    expect(lines.join('\n')).toMatch(/^Recording stopped: Cannot record into .* Forwarding continues, and everything/m);
  });

  it('does not count an incomplete request as lost, but a connection that is not HTTP', async () => {
    accepted = (socket) => socket.pipe(socket);
    const port = await start();
    const said = async (text: string) => {
      const client = connect({ port, host: '127.0.0.1' });
      client.end(text);
      return String(await all(client));
    };
    const cut = push(checkdataText(ONE)).slice(0, 2000);
    expect(await said(cut)).toBe(cut);
    expect(await said('POST what?')).toBe('POST what?');
    await told(1);
    await proxy?.stop(100);
    expect(lines).toEqual(['Not recorded: a connection that does not speak HTTP/1.1']);
    expect(proxy?.counts().requestsLost).toBe(1);
  });

  it('reports invalid documents that agents push, and forwards them', async () => {
    accepted = (socket) => socket.pipe(socket);
    const client = connect({ port: await start(), host: '127.0.0.1' });
    const text = push('{"gpu":{}}');
    client.end(text);
    expect(String(await all(client))).toBe(text);
    await told(1);
    await proxy?.stop(100);
    expect(lines).toContain('Not recorded: $.checkdata.agent: expected the agent section, found nothing');
    expect(proxy?.counts().requestsLost).toBe(1);
  });

  describe('that is stopped', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
    afterEach(() => void vi.useRealTimers());

    const echo = async (socket: Socket, text: string): Promise<void> => {
      socket.write(text);
      expect(String(await new Promise((resolve) => socket.once('data', resolve)))).toBe(text);
    };

    it('forwards until the time for open connections is over, and then closes them', async () => {
      accepted = (socket) => socket.pipe(socket);
      const client = connect({ port: await start(), host: '127.0.0.1' });
      await echo(client, 'before');
      const stopped = proxy?.stop(3000);
      vi.advanceTimersByTime(2999);
      await echo(client, 'meanwhile');
      const closed = new Promise((resolve) => client.once('close', resolve));
      vi.advanceTimersByTime(1);
      await closed;
      expect(await stopped).toEqual({ hosts: 0, checkdata: 0, packages: 0 });
    });

    it('waits no longer than its connections last', async () => {
      accepted = (socket) => socket.pipe(socket);
      const client = connect({ port: await start(), host: '127.0.0.1' });
      await echo(client, 'before');
      const stopped = proxy?.stop(3000);
      client.end();
      expect(await stopped).toEqual({ hosts: 0, checkdata: 0, packages: 0 });
    });

    it('gives up a recording thread that does not finish in time, and says so', async () => {
      await start();
      const stopped = proxy?.stop(0);
      // Nothing arrives from the thread until this test waits.
      vi.advanceTimersByTime(3000);
      expect(lines).toEqual([]);
      vi.advanceTimersByTime(500);
      const reason = 'the recording thread did not finish in time';
      expect(lines).toEqual([
        `Recording stopped: ${reason}. Forwarding continues, and everything recorded so far is kept.`,
      ]);
      expect(await stopped).toBeUndefined();
      expect(proxy?.counts().stopped).toBe(reason);
    });
  });

  describe('with limited memory', () => {
    const document = push(checkdataText(ONE));
    /** A connection to a server that echoes, and what it has received. */
    function agentOf(port: number) {
      const socket = connect({ port, host: '127.0.0.1' });
      let received = '';
      socket.setEncoding('utf8').on('data', (text) => {
        received += text;
      });
      const exchange = async (text: string): Promise<void> => {
        const end = received.length + text.length;
        socket.write(text);
        while (received.length < end) await new Promise((resolve) => socket.once('data', resolve));
        expect(received.slice(-text.length) === text).toBe(true);
      };
      const end = (): Promise<unknown> => {
        socket.end();
        return new Promise((resolve) => socket.once('close', resolve));
      };
      return { exchange, end };
    }

    const startWith = (limits: Partial<typeof RECORDER_LIMITS>): Promise<number> => {
      accepted = (socket) => socket.pipe(socket);
      return start(undefined, folder, {}, { ...RECORDER_LIMITS, ...limits });
    };

    it('forwards a document that would exceed the limit for documents in flight, and names it as not recorded', async () => {
      const port = await startWith({ inFlightBytes: 1.5 * document.length });
      const agents = [agentOf(port), agentOf(port)];
      for (const { exchange } of agents) await exchange(document.slice(0, -1));
      for (const { exchange } of agents) await exchange(document.slice(-1));
      await told(2);
      expect(await proxy?.stop(0)).toMatchObject({ checkdata: 1 });
      expect(lines).toContain(`Not recorded: more than ${1.5 * document.length} bytes of documents in flight`);
      expect(proxy?.counts().requestsLost).toBe(1);
    });

    it('counts a document as in flight only until it was recorded or its connection was cut', async () => {
      const port = await startWith({ inFlightBytes: 1.5 * document.length });
      for (const [number, uuid] of ['one', 'two', 'three'].entries()) {
        const cut = agentOf(port);
        await cut.exchange(document.slice(0, -1));
        await cut.end();
        await agentOf(port).exchange(push(checkdataText(ONE), uuid));
        await told(number + 1);
      }
      expect(await proxy?.stop(0)).toMatchObject({ hosts: 3 });
      expect(proxy?.counts().requestsLost).toBe(0);
    });

    it('forwards a request that would exceed the limit of the queue, names it, and records again from the next one', async () => {
      const { exchange } = agentOf(await startWith({ queuedBytes: 2000 }));
      await exchange(document);
      await exchange(push('{"gpu":{}}'));
      await told(2);
      await proxy?.stop(0);
      expect(lines).toEqual([
        'Not recorded: the recorder cannot keep up',
        'Not recorded: $.checkdata.agent: expected the agent section, found nothing',
      ]);
    });

    it('counts bytes as queued only until they were processed', async () => {
      const { exchange } = agentOf(await startWith({ queuedBytes: 3 * document.length }));
      for (let host = 1; host <= 6; host++) {
        await exchange(push(checkdataText(ONE), `agent ${host}`));
        await told(host);
      }
      expect(lines.at(-1)).toBe('Recording host-6');
    });

    it('has the documented limits', () => {
      const page = readFileSync(join(import.meta.dirname, '../../../docs/how-to/record-hosts.md'), 'utf8');
      const { queuedBytes, inFlightBytes } = RECORDER_LIMITS;
      expect(page.replaceAll(/\s+/g, ' ')).toContain(
        `or more than ${queuedBytes >> 20} MB are queued, forwarding continues`,
      );
      expect(page).toContain(`beyond ${inFlightBytes >> 20} MB in flight`);
    });
  });

  describe('between an agent and a server that both use HTTPS', () => {
    /** The server echoes what it receives, and ends when the other side does. */
    async function secureServer(): Promise<{ readonly port: number; readonly ca: string }> {
      const { certificate, key } = await selfSigned(['127.0.0.1']);
      const secureContext = tls.createSecureContext({ cert: certificate, key });
      accepted = (socket) => {
        const secure = new tls.TLSSocket(socket, { isServer: true, secureContext });
        secure.on('error', () => {}).pipe(secure);
      };
      return { port: (server.address() as AddressInfo).port, ca: certificate };
    }

    const agentOf = (port: number): Socket => tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });

    it('forwards every byte, with its own certificate and to a server whose CA is given', async () => {
      const { port, ca } = await secureServer();
      const own = await selfSigned(['127.0.0.1']);
      const target = { secureContext: tls.createSecureContext({ ca }), verify: true };
      const client = agentOf(await start(port, folder, { target, own: { kind: 'given', ...own } }));
      const there = bytesOf(3_000_000, 3);
      client.end(there);
      expect((await all(client)).equals(there)).toBe(true);
      expect(lines).toEqual([]);
    });

    it('rejects a server with an untrusted certificate and says how to trust it, unless any certificate is accepted', async () => {
      const { port } = await secureServer();
      const secureContext = tls.createSecureContext();
      const strict = { target: { secureContext, verify: true }, own: { kind: 'self_signed' } } as const;
      const refused = agentOf(await start(port, folder, strict)).on('error', () => {});
      refused.resume().write('POST ');
      await new Promise((resolve) => refused.once('close', resolve));
      expect(lines).toEqual([
        'The server is unreachable: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT); set its CA with --ca, or accept any certificate with --insecure',
      ]);
      await proxy?.stop(0);
      const client = agentOf(await start(port, folder, { ...strict, target: { secureContext, verify: false } }));
      client.end('as it is');
      expect(String(await all(client))).toBe('as it is');
    });
  });
});
