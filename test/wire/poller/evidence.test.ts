import { describe, expect, it } from 'vitest';
import { createTrace, type TracedMessage } from '../../../src/metrics/recording/trace.ts';
import { answer, failure, healthy, pollVirtually, type SeenRequest, type VirtualSettings } from './virtual-poller.ts';

const AUTO_TLS: VirtualSettings = { agents: 1, durationMs: 60_000 };
const PLAIN: VirtualSettings = { ...AUTO_TLS, security: { kind: 'http' } };

/** The evidence of polls of one agent that answers like this. */
async function evidenceOf(serve: VirtualSettings['serve'], settings: VirtualSettings = PLAIN) {
  const { evidence } = await pollVirtually({ ...settings, ...(serve && { serve }) });
  return evidence;
}

const unless = (path: string, reply: ReturnType<typeof answer>) => (request: SeenRequest) =>
  request.path === path ? reply : healthy(request);

describe('the evidence of a poller', () => {
  it("is the agent's answer to each failed operation, in its phase", async () => {
    expect(await evidenceOf(unless('/', answer(403, 'Forbidden')))).toEqual([
      {
        phase: 'main',
        operation: 'poll',
        outcome: 'http_403',
        agent: 0,
        atMs: expect.any(Number),
        head: 'HTTP/1.1 403',
        body: 'Forbidden',
      },
    ]);
    const [packages] = await evidenceOf(unless('/packages', answer(200, '<html>')));
    expect(packages).toMatchObject({ operation: 'poll-packages', outcome: 'unexpected_body', body: '<html>' });
    const documents = { configuration: '', customChecks: '', exporters: '' };
    const [configured] = await evidenceOf(unless('/config', answer(400, 'no JSON')), {
      ...PLAIN,
      configuration: { documents, fromMs: undefined },
    });
    expect(configured).toMatchObject({ operation: 'configure', outcome: 'http_400', body: 'no JSON' });
  });

  it('reports why no answer came, and omits successful answers', async () => {
    expect(await evidenceOf(unless('/', failure('connection_refused')))).toMatchObject([
      { operation: 'poll', outcome: 'connection_refused', reason: 'no answer: connection_refused' },
    ]);
    expect(await evidenceOf(healthy, AUTO_TLS)).toEqual([]);
  });

  it('of an exchange is that of the failed step, with its meaning', async () => {
    const [refused] = await evidenceOf(
      (request) => (request.body === undefined ? healthy(request) : answer(500, 'no room')),
      AUTO_TLS,
    );
    expect(refused).toMatchObject({
      operation: 'exchange',
      outcome: 'http_500',
      head: 'HTTP/1.1 500',
      body: 'no room',
      reason: 'the agent rejected its certificates',
    });
    // Plain HTTP only detects the agent's protocol: the failed request is the one over TLS.
    const [lost] = await evidenceOf((request) => (request.secure ? failure('tls_failed', true) : healthy(request)), {
      ...AUTO_TLS,
      exchanged: true,
    });
    expect(lost).toMatchObject({
      outcome: 'tls_failed',
      reason: expect.stringMatching(/plain HTTP; .*; no answer: tls_failed$/),
    });
    expect(lost).not.toHaveProperty('head');
  });

  it('contains no password of an agent in any encoding', async () => {
    const told = `me:s3cret s3cret ${Buffer.from('me:s3cret').toString('base64')}`;
    const [seen] = await evidenceOf(() => answer(401, told), { ...PLAIN, basicAuth: 'me:s3cret' });
    expect(seen?.body).toBe('*** *** ***');
  });
});

it('the trace of an agent contains each request and answer of an exchange, and the outcome of the operation', async () => {
  const told: TracedMessage[] = [];
  await pollVirtually({
    ...AUTO_TLS,
    agents: 3,
    basicAuth: 'me:s3cret',
    serve: (request) => (request.body === undefined ? healthy(request, 7) : answer(500, 'no s3cret', 3)),
    trace: createTrace({ agent: 1 }, [], (message) => told.push(message)),
  });
  const whose = { agent: 1, phase: 'main', operation: 'exchange' };
  expect(told.slice(0, 4)).toMatchObject([
    { ...whose, kind: 'request', atMs: 0, head: 'the head for /autotls' },
    { ...whose, kind: 'answer', atMs: 7, serviceMs: 7, outcome: undefined, head: 'HTTP/1.1 200' },
    { ...whose, kind: 'request', atMs: 7, body: '{"signed":"signed request","ca":"authority"}' },
    { ...whose, kind: 'answer', atMs: 10, serviceMs: 3, outcome: 'http_500', body: 'no ***' },
  ]);
});
