import { describe, expect, it } from 'vitest';
import { createTrace, type TracedMessage } from '../../src/metrics/recording/trace.ts';
import { answer, failure, healthy, pollVirtually, type SeenRequest, type VirtualSettings } from './virtual-poller.ts';

const AUTO_TLS: VirtualSettings = { agents: 1, durationMs: 60_000 };
const PLAIN: VirtualSettings = { ...AUTO_TLS, security: { kind: 'http' } };

/** What was seen of a poll of one agent, whose answers these are. */
async function seenOf(serve: VirtualSettings['serve'], settings: VirtualSettings = PLAIN) {
  const { evidence } = await pollVirtually({ ...settings, ...(serve && { serve }) });
  return evidence;
}

const unless = (path: string, reply: ReturnType<typeof answer>) => (request: SeenRequest) =>
  request.path === path ? reply : healthy(request);

describe('the evidence of a poller', () => {
  it('is what the agent answered to each operation that went wrong, in its phase', async () => {
    expect(await seenOf(unless('/', answer(403, 'Forbidden')))).toEqual([
      {
        ...{ phase: 'main', operation: 'poll', outcome: 'http_403', agent: 0, atMs: expect.any(Number) },
        ...{ head: 'HTTP/1.1 403', body: 'Forbidden' },
      },
    ]);
    const [packages] = await seenOf(unless('/packages', answer(200, '<html>')));
    expect(packages).toMatchObject({ operation: 'poll-packages', outcome: 'unexpected_body', body: '<html>' });
    const documents = { configuration: '', customChecks: '', exporters: '' };
    const [configured] = await seenOf(unless('/config', answer(400, 'no JSON')), {
      ...PLAIN,
      configuration: { documents, fromMs: undefined },
    });
    expect(configured).toMatchObject({ operation: 'configure', outcome: 'http_400', body: 'no JSON' });
  });

  it('says why nothing came, and is kept of no answer that is fine', async () => {
    expect(await seenOf(unless('/', failure('connection_refused')))).toMatchObject([
      { operation: 'poll', outcome: 'connection_refused', reason: 'no answer: connection_refused' },
    ]);
    expect(await seenOf(healthy, AUTO_TLS)).toEqual([]);
  });

  it('of an exchange is that of the step that failed, with what that means', async () => {
    const [refused] = await seenOf(
      (request) => (request.body === undefined ? healthy(request) : answer(500, 'no room')),
      AUTO_TLS,
    );
    expect(refused).toMatchObject({
      ...{ operation: 'exchange', outcome: 'http_500', head: 'HTTP/1.1 500', body: 'no room' },
      reason: 'the agent rejected its certificates',
    });
    // Plain HTTP only finds out what the agent speaks: what failed was asked over TLS.
    const [lost] = await seenOf((request) => (request.secure ? failure('tls_failed', true) : healthy(request)), {
      ...AUTO_TLS,
      exchanged: true,
    });
    expect(lost).toMatchObject({
      outcome: 'tls_failed',
      reason: expect.stringMatching(/plain HTTP; .*; no answer: tls_failed$/),
    });
    expect(lost).not.toHaveProperty('head');
  });

  it('holds no password of the agents, however it is written', async () => {
    const told = `me:s3cret s3cret ${Buffer.from('me:s3cret').toString('base64')}`;
    const [seen] = await seenOf(() => answer(401, told), { ...PLAIN, basicAuth: 'me:s3cret' });
    expect(seen?.body).toBe('*** *** ***');
  });
});

it('whoever follows an agent hears of each request of an exchange, of each answer, and how the operation ended', async () => {
  const told: TracedMessage[] = [];
  await pollVirtually({
    ...{ ...AUTO_TLS, agents: 3, basicAuth: 'me:s3cret' },
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
