import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { draws } from '../../draws.ts';
import { READ, REFUSED } from './answer-samples.ts';
import { httpAnswer, type Probe, probe, type RawServer, rawServer } from './wire.ts';

/**
 * How a server misbehaves on one request: pieces of an answer with a turn of the event loop between them, and how it ends the connection.
 */
type Misdeed = { readonly pieces: readonly Buffer[]; readonly end: 'close' | 'reset' };

const gzipped = (packed: Buffer): string =>
  `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n${packed.toString('latin1')}`;

const BOMB = gzipped(gzipSync(Buffer.alloc(48 << 20)));
const GOOD = httpAnswer(200, '{"received_checks":7}');

const SAMPLES = [
  ...[...READ, ...REFUSED].map(([, answer]) => answer),
  ...[BOMB, gzipped(gzipSync('{"received_checks":1}')), gzipped(Buffer.from('no gzip at all'))],
  ...[GOOD + GOOD, httpAnswer(302, '', 'Location: /\r\n'), httpAnswer(500, 'x'.repeat(100_000))],
];

const damage = fc.record({ at: fc.nat(), byte: fc.nat(255) });

const misdeeds: fc.Arbitrary<Misdeed> = fc
  .record({
    answer: fc.constantFrom(...SAMPLES),
    damages: fc.array(damage, { maxLength: 3 }),
    cuts: fc.array(fc.nat(), { maxLength: 4 }),
    end: fc.constantFrom('close' as const, 'reset' as const),
  })
  .map(({ answer, damages, cuts, end }) => ({ pieces: piecesOf(damaged(answer, damages), cuts), end }));

function damaged(answer: string, damages: readonly { at: number; byte: number }[]): Buffer {
  const bytes = Buffer.from(answer, 'latin1');
  for (const { at, byte } of damages) bytes[at % bytes.length] = byte;
  return bytes;
}

function piecesOf(bytes: Buffer, cuts: readonly number[]): readonly Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].sort((a, b) => a - b);
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

describe('the transport, for any answer of a server,', () => {
  let misdeed: Misdeed | undefined;
  /** The socket of the last misdeed. */
  let misled: Socket | undefined;
  let server: RawServer;
  let agent: Probe;

  beforeAll(async () => {
    server = await rawServer(async (socket) => {
      const now = misdeed;
      misdeed = undefined;
      if (now === undefined) return void socket.write(GOOD);
      misled = socket;
      for (const piece of now.pieces) {
        socket.write(piece);
        await new Promise(setImmediate);
      }
      if (now.end === 'reset') socket.resetAndDestroy();
      else socket.end();
    });
    agent = probe({ baseUrl: `http://127.0.0.1:${server.port}` });
  });

  /** Returns the ending of a request that gets this answer, after the server has closed the connection. */
  async function mislead(chosen: Misdeed): Promise<unknown> {
    misdeed = chosen;
    const { ending } = await agent.push(0);
    // Surplus bytes after an answer must arrive before the next request, or they cannot be told apart from its answer.
    while (misled?.destroyed === false) await new Promise(setImmediate);
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate);
    return ending;
  }

  afterAll(async () => {
    await agent.transport.close();
    await server.close();
  });

  it('ends the request once, and reads none of its bytes as part of the next answer', async () => {
    await fc.assert(
      fc.asyncProperty(misdeeds, async (chosen) => {
        const before = agent.endings.length;
        expect(await mislead(chosen)).toMatchObject({ kind: expect.stringMatching(/^answer|failure$/) });
        expect((await agent.push(0)).ending).toEqual({ kind: 'answer', status: 200, body: '{"received_checks":7}' });
        expect(agent.endings.length).toBe(before + 2);
      }),
      { numRuns: draws(60), endOnFailure: true },
    );
  });

  it('allocates no more than a few MB', async () => {
    const before = process.memoryUsage();
    for (const answer of [BOMB, ...REFUSED.map(([, refused]) => refused)]) {
      await mislead({ pieces: [Buffer.from(answer, 'latin1')], end: 'close' });
    }
    expect(process.memoryUsage().arrayBuffers - before.arrayBuffers).toBeLessThan(16 << 20);
  });
});
