import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { monotonicClock, realTimer } from '../../../src/base/runtime/event-loop.ts';
import { rawBytes, scriptedJson } from '../../../src/conformance/pushes/answer.ts';
import { openScriptedServer, type PendingPush } from '../../../src/conformance/pushes/scripted-server.ts';
import { selfSigned } from '../../../src/wire/http/tls.ts';

type Http2Push = {
  readonly agent: ClientHttp2Session;
  readonly request: ClientHttp2Stream;
  readonly push: PendingPush;
};

/** A push over HTTP/2 that waits for its answer. */
async function pushOverHttp2(): Promise<Http2Push> {
  const arrived = Promise.withResolvers<PendingPush>();
  const server = await openScriptedServer({ host: '127.0.0.1', port: 0 }, await selfSigned(['127.0.0.1']), {
    clock: monotonicClock,
    timer: realTimer,
    arrived: arrived.resolve,
    earlyAnswer: () => undefined,
    tlsPolicy: () => ({ alpn: ['h2'] }),
    warn: () => {},
  });
  const agent = connect(`https://127.0.0.1:${server.securePort}`, { rejectUnauthorized: false });
  onTestFinished(() => {
    agent.destroy();
    server.close();
  });
  const request = agent.request({ ':method': 'POST', ':path': '/agentconnector/submit_checkdata.json' });
  request.on('error', () => {}).end('{}');
  return { agent, request, push: await arrived.promise };
}

const signal = AbortSignal.timeout(10_000);

describe('an answer over HTTP/2', () => {
  it('to an agent that has left is no fault of this program', async () => {
    const { agent, push } = await pushOverHttp2();
    const left = new Promise((resolve) => agent.once('close', resolve));
    agent.destroy();
    await left;
    // The server learns of it in a later turn.
    await expect.poll(async () => (await push.answer(scriptedJson(200, {}), signal)).waitedMs).toBe(0);
  });

  it.each(['', 'hello\r\n\r\n', 'HTTP/1.1 100 Continue\r\n\r\n'])(
    'that it cannot express, %j, ends the request',
    async (text) => {
      const { request, push } = await pushOverHttp2();
      const ended = new Promise((resolve) => request.once('close', resolve));
      await push.answer(rawBytes(text, 'close'), signal);
      await ended;
      expect(request.rstCode).not.toBe(0);
    },
  );
});
