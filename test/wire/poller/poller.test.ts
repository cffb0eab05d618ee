import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { spread } from '../../../src/base/kernel/random.ts';
import { percentileMs, unpack } from '../../../src/metrics/recording/histogram.ts';
import { draws } from '../../draws.ts';
import { answer, failure, healthy, pollVirtually, type SeenRequest } from './virtual-poller.ts';

const PLAIN = { security: { kind: 'http' } } as const;
const DOCUMENTS = { configuration: '[default]\n', customChecks: '', exporters: 'ö' };

const to = (path: string, requests: readonly SeenRequest[]) => requests.filter((request) => request.path === path);
const instants = (requests: readonly SeenRequest[]) => requests.map(({ atMs }) => atMs);

describe('a poller with Auto-TLS', () => {
  it('exchanges certificates, waits five seconds, and polls only over TLS', async () => {
    const { requests, changes } = await pollVirtually({ agents: 1, durationMs: 300_000 });
    expect(requests.slice(0, 2)).toMatchObject([
      { atMs: 0, secure: false, path: '/autotls', body: undefined },
      { atMs: 1, secure: false, path: '/autotls', body: '{"signed":"signed request","ca":"authority"}' },
    ]);
    expect(requests.slice(2).every(({ secure, atMs }) => secure && atMs >= 5002)).toBe(true);
    expect(changes.map(({ kind }) => kind)).toEqual(['exchanged', 'data']);
  });

  it('records an exchange before and after the agent gets certificates, unless it was already recorded', async () => {
    const first = await pollVirtually({ agents: 1, durationMs: 10_000 });
    expect(first.remembered).toEqual([
      { agent: 0, record: 'signed', atMs: 1 },
      { agent: 0, record: 'exchanged', atMs: 2 },
    ]);
    const again = await pollVirtually({ agents: 1, durationMs: 10_000, exchanged: true });
    expect(again.remembered).toEqual([]);
  });

  it('notices that an agent installed its certificates although its answer was lost, and polls it without waiting', async () => {
    let secure = false;
    const { changes, remembered, requests } = await pollVirtually({
      agents: 1,
      durationMs: 200_000,
      serve: (request) => {
        if (request.secure !== secure) return secure ? answer(400, '') : failure('tls_failed', true);
        if (request.body === undefined) return healthy(request);
        secure = true;
        return undefined;
      },
    });
    expect(changes.map(({ kind }) => kind)).toEqual(['not_exchanged', 'confirmed', 'data']);
    expect(remembered.map(({ record }) => record)).toEqual(['signed', 'exchanged']);
    expect(requests.filter(({ body }) => body !== undefined)).toHaveLength(1);
  });

  it('counts an exchange as one operation, with the bytes of both requests', async () => {
    const { series } = await pollVirtually({ agents: 3, durationMs: 10_000 });
    expect(series('exchange')).toMatchObject({ planned: 3, started: 3, outcomes: { ok: 3 }, sentBytes: 600 });
  });

  it('confirms a recorded exchange, and polls without waiting', async () => {
    const { requests, changes } = await pollVirtually({ agents: 20, durationMs: 60_000, exchanged: true });
    expect(requests.every(({ secure }) => secure)).toBe(true);
    expect(to('/autotls', requests)).toHaveLength(20);
    expect(changes.slice(0, 20).every(({ kind }) => kind === 'confirmed')).toBe(true);
    expect(Math.min(...instants(to('/', requests)))).toBeLessThan(5000);
  });

  it('retries a failed exchange after an interval, and reports each kind of failure once', async () => {
    const { requests, changes, series } = await pollVirtually({
      agents: 1,
      durationMs: 300_000,
      serve: (request) => (request.atMs < 100_000 ? answer(503, '') : healthy(request)),
    });
    expect(instants(to('/autotls', requests).filter(({ body }) => body === undefined))).toEqual([0, 60_001, 120_002]);
    expect(changes.map(({ kind }) => kind)).toEqual(['not_exchanged', 'exchanged', 'data']);
    expect(series('exchange')?.outcomes).toEqual({ http_503: 2, ok: 1 });
  });

  it('never polls an agent that has lost its certificates over plain HTTP', async () => {
    const { requests, changes, poller } = await pollVirtually({
      agents: 1,
      durationMs: 300_000,
      exchanged: true,
      serve: (request) => (request.secure ? failure('tls_failed', true) : healthy(request)),
    });
    expect(requests.every(({ path, body }) => path === '/autotls' && body === undefined)).toBe(true);
    expect(changes).toMatchObject([{ kind: 'not_exchanged', failure: 'plain_http', outcome: 'tls_failed' }]);
    expect(poller.counts()).toMatchObject({ exchanged: 1, answering: 0, states: { exchange_failed: 1, waiting: 0 } });
  });

  it('exchanges again with such an agent if that is configured', async () => {
    let secure = false;
    const { changes, poller, remembered } = await pollVirtually({
      agents: 1,
      durationMs: 300_000,
      exchanged: true,
      security: { kind: 'auto-tls', exchangeAgain: true },
      serve: (request) => {
        if (request.secure !== secure) return failure('tls_failed', request.secure);
        secure ||= request.body !== undefined;
        return healthy(request);
      },
    });
    expect(changes.map(({ kind }) => kind)).toEqual(['not_exchanged', 'lost', 'exchanged', 'data']);
    expect(remembered.map(({ record }) => record)).toEqual(['lost', 'signed', 'exchanged']);
    expect(poller.counts()).toEqual({
      agents: 1,
      exchanged: 1,
      configured: 0,
      answering: 1,
      states: { waiting: 0, exchange_failed: 0, ready: 0, answering: 1, failing: 0 },
    });
  });

  it('limits concurrent exchanges, and completes all of them', async () => {
    const { mostAtOnce, series } = await pollVirtually({
      agents: 100,
      durationMs: 4000,
      concurrency: 7,
      serve: (request) => healthy(request, 50),
    });
    expect(mostAtOnce).toBe(7);
    expect(series('exchange')).toMatchObject({ planned: 100, outcomes: { ok: 100 } });
    expect(series('exchange')?.histograms.delay).toBeUndefined();
  });
});

describe('a poller', () => {
  it('polls each agent exactly as often as its interval fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 500, max: 5000 }),
        fc.integer({ min: 1, max: 20_000 }),
        fc.constantFrom(0, 0.5, 700),
        async (agents, everyMs, durationMs, lateMs) => {
          const run = await pollVirtually({ ...PLAIN, agents, everyMs, durationMs, lateMs });
          const expected = Array.from({ length: agents }, (_, agent) =>
            Math.max(0, Math.ceil((durationMs - spread(agent) * everyMs) / everyMs)),
          );
          const { planned = 0, started = 0, dropped = {} } = run.series('poll') ?? {};
          expect(planned).toBe(expected.reduce((sum, count) => sum + count, 0));
          expect(started + Object.values(dropped).reduce((sum, count) => sum + count, 0)).toBe(planned);
        },
      ),
      { numRuns: draws(20) },
    );
  });

  it('distributes the fleet over the interval', async () => {
    const { requests } = await pollVirtually({ ...PLAIN, agents: 100, durationMs: 60_000 });
    const quarters = [0, 0, 0, 0];
    for (const { atMs } of to('/', requests)) {
      const quarter = Math.floor(atMs / 15_000);
      quarters[quarter] = (quarters[quarter] ?? 0) + 1;
    }
    for (const count of quarters) expect(Math.abs(count - 25)).toBeLessThanOrEqual(2);
  });

  it('measures from the due time, however late it is called', async () => {
    const { series } = await pollVirtually({ ...PLAIN, agents: 5, durationMs: 120_000, lateMs: 400 });
    const histograms = series('poll')?.histograms;
    const median = (clock: 'response' | 'service' | 'lag' | 'delay') =>
      Math.round(percentileMs(unpack(histograms?.[clock] ?? new Uint8Array()), 50) ?? 0);
    expect([median('response'), median('service'), median('lag'), median('delay')]).toEqual([401, 1, 400, 400]);
  });

  it.each([
    [answer(403, 'Forbidden\n'), 'http_403'],
    [answer(200, {}), 'unexpected_body'],
    [answer(200, { agent: null }), 'unexpected_body'],
    [answer(200, '[]'), 'unexpected_body'],
    [answer(200, 'no JSON'), 'unexpected_body'],
    [failure('connection_refused'), 'connection_refused'],
    [undefined, 'timeout'],
  ] as const)('counts %j as %s', async (reply, outcome) => {
    const { series, changes } = await pollVirtually({ ...PLAIN, agents: 1, durationMs: 180_000, serve: () => reply });
    expect(series('poll')?.outcomes).toEqual({ [outcome]: 3 });
    expect(changes).toMatchObject([{ kind: 'no_data', outcome }]);
  });

  it('reports when an agent stops answering, and when it answers again', async () => {
    const { changes } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      durationMs: 360_000,
      serve: (request) =>
        request.atMs > 100_000 && request.atMs < 250_000 ? failure('connection_refused') : healthy(request),
    });
    expect(changes.map(({ kind }) => kind)).toEqual(['data', 'no_data', 'data']);
  });

  it('lets an arrival wait for its busy agent, and drops it when the next one is due', async () => {
    const run = await pollVirtually({
      ...PLAIN,
      agents: 1,
      everyMs: 10_000,
      durationMs: 60_000,
      serve: (request) => (request.atMs < 10_000 ? healthy(request, 24_000) : healthy(request)),
    });
    // Due at 5, 15, 25 s and so on. The first answer arrives at 29 s, when the second has waited for more than an interval.
    expect(instants(to('/', run.requests))).toEqual([5000, 29_001, 35_000, 45_000, 55_000]);
    expect(run.series('poll')).toMatchObject({ planned: 6, started: 5, dropped: { agent_busy: 1 } });
  });

  it('takes the longest-waiting request when the agent is free again', async () => {
    const { requests } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      everyMs: 20_000,
      packagesEveryMs: 15_000,
      durationMs: 60_000,
      serve: (request) => healthy(request, request.atMs === 30_000 ? 25_000 : 1),
    });
    const late = requests.filter(({ atMs }) => atMs >= 30_000 && atMs < 55_002);
    expect(late.map(({ path, atMs }) => [path, atMs])).toEqual([
      ['/', 30_000],
      ['/packages', 55_000],
      ['/', 55_001],
    ]);
  });

  it('starts no poll at the end of the run', async () => {
    const { series } = await pollVirtually({ ...PLAIN, agents: 1, everyMs: 10_000, durationMs: 25_000 });
    expect(series('poll')?.planned).toBe(2);
  });

  it('counts a poll in the phase in which it is due', async () => {
    const phases = [
      { name: 'one', startMs: 0, durationMs: 60_000 },
      { name: 'two', startMs: 60_000, durationMs: 120_000 },
    ];
    const { series } = await pollVirtually({ ...PLAIN, agents: 4, durationMs: 0, phases });
    expect([series('poll', 'one')?.planned, series('poll', 'two')?.planned]).toEqual([4, 8]);
  });
});

describe('packages', () => {
  it('are requested right after the first check data, and then at their own interval', async () => {
    const { requests } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      packagesEveryMs: 100_000,
      durationMs: 400_000,
      serve: (request) => (request.atMs < 60_000 ? answer(200, {}) : healthy(request)),
    });
    expect(instants(to('/packages', requests))).toEqual([90_001, 190_001, 290_001, 390_001]);
  });

  it('require Stats', async () => {
    const { series } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      durationMs: 60_000,
      serve: (request) => (request.path === '/packages' ? answer(200, { Stats: null }) : healthy(request)),
    });
    expect(series('poll-packages')).toMatchObject({ planned: 1, outcomes: { unexpected_body: 1 } });
  });
});

describe('a configuration', () => {
  it('is pushed once, completely, right after the exchange and before the first poll', async () => {
    const { requests, series } = await pollVirtually({
      agents: 2,
      durationMs: 200_000,
      configuration: { documents: DOCUMENTS, fromMs: undefined },
    });
    const pushed = to('/config', requests);
    expect(pushed).toHaveLength(2);
    expect(instants(pushed)).toEqual([5002, 5002]);
    const { configuration, ...others } = JSON.parse(pushed[0]?.body ?? '');
    expect(Buffer.from(configuration, 'base64').toString()).toBe('[default]\n\n[default]\naddress = agent\nport = 0\n');
    expect(others).toEqual({ customcheck_configuration: '', prometheus_exporter: 'w7Y=' });
    expect(Math.min(...instants(to('/', requests)))).toBeGreaterThanOrEqual(10_003);
    expect(series('configure')?.outcomes).toEqual({ ok: 2 });
  });

  it('is pushed at its time to agents that are already being polled', async () => {
    const { requests, poller } = await pollVirtually({
      ...PLAIN,
      agents: 10,
      durationMs: 120_000,
      configuration: { documents: DOCUMENTS, fromMs: 70_000 },
    });
    expect(instants(to('/config', requests))).toEqual(Array.from({ length: 10 }, () => 70_000));
    expect(to('/', requests)).toHaveLength(20);
    expect(poller.counts().configured).toBe(10);
  });

  it('releases its slot once: with two slots, all agents are configured, two at a time', async () => {
    const { requests, mostAtOnce, poller } = await pollVirtually({
      ...PLAIN,
      agents: 7,
      durationMs: 4000,
      concurrency: 2,
      configuration: { documents: DOCUMENTS, fromMs: undefined },
      serve: (request) => (request.agent === 3 ? answer(403, '', 100) : healthy(request, 100)),
    });
    expect(instants(to('/config', requests))).toEqual([0, 0, 100, 100, 200, 200, 300]);
    expect(mostAtOnce).toBe(2);
    expect(poller.counts().configured).toBe(6);
  });

  it("waits for its agent's pending answer", async () => {
    const { requests } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      durationMs: 60_000,
      configuration: { documents: DOCUMENTS, fromMs: 31_000 },
      serve: (request) => healthy(request, request.path === '/' ? 5000 : 1),
    });
    expect(to('/config', requests).map(({ atMs }) => atMs)).toEqual([35_001]);
  });

  it('is not required for polling: a refused push does not stop the polls', async () => {
    const { series, changes, poller } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      durationMs: 60_000,
      configuration: { documents: DOCUMENTS, fromMs: undefined },
      serve: (request) => (request.path === '/config' ? answer(403, '') : healthy(request)),
    });
    expect(changes.map(({ kind }) => kind)).toEqual(['not_configured', 'data']);
    expect(series('poll')?.outcomes).toEqual({ ok: 1 });
    expect(poller.counts().configured).toBe(0);
  });
});

describe('a run that ends', () => {
  it('lets pending requests finish until their time limit', async () => {
    const { endedMs, series } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      durationMs: 31_000,
      serve: () => undefined,
    });
    expect(endedMs).toBe(60_000);
    expect(series('poll')).toMatchObject({ planned: 1, started: 1, outcomes: { timeout: 1 } });
  });

  it('drops waiting requests, and starts no more', async () => {
    const { series, requests } = await pollVirtually({
      ...PLAIN,
      agents: 1,
      everyMs: 10_000,
      durationMs: 16_000,
      serve: (request) => healthy(request, 20_000),
    });
    expect(series('poll')).toMatchObject({ planned: 2, started: 1, dropped: { run_ended: 1 }, outcomes: { ok: 1 } });
    expect(requests).toHaveLength(1);
  });

  it('completes an exchange that has started', async () => {
    const { changes } = await pollVirtually({
      agents: 1,
      durationMs: 10,
      serve: (request) => healthy(request, 20),
    });
    expect(changes).toMatchObject([{ kind: 'exchanged', atMs: 40 }]);
  });

  it('does not mistake a handshake that was canceled for a peer without TLS', async () => {
    const { requests } = await pollVirtually({
      agents: 1,
      durationMs: 100_000,
      cancelAtMs: 10,
      exchanged: true,
      serve: (request) => healthy(request, 20),
    });
    expect(requests).toMatchObject([{ secure: true }]);
  });

  it('cancels all pending requests immediately if it is canceled', async () => {
    const { series, endedMs, requests } = await pollVirtually({
      agents: 3,
      durationMs: 100_000,
      cancelAtMs: 10,
      serve: (request) => healthy(request, 20),
    });
    expect(endedMs).toBe(10);
    expect(series('exchange')).toMatchObject({ started: 3, outcomes: { canceled: 3 } });
    expect(requests).toHaveLength(3);
  });
});
