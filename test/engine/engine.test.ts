import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OPERATIONS, type Operation } from '../../src/base/protocol/operations.ts';
import type { Engine } from '../../src/engine/engine.ts';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { deliveryEntry } from '../../src/metrics/delivery/reconcile.ts';
import { draws } from '../draws.ts';
import { restore } from './restore.ts';
import { answer, friendly, phase, runVirtually, type SeenRequest, type Serve, total } from './virtual-run.ts';

const rate = (ratePerSecond: number, limit?: number): LoadModel => ({ kind: 'rate', ratePerSecond, limit });
const every = (everyMs: number, jitter = 0): LoadModel => ({
  kind: 'cadence',
  everyMs,
  jitter,
  firstMs: 0,
  standing: false,
  spread: 'even',
  originMs: 0,
  spreadMs: everyMs,
});
const closed = (slots: number, limit?: number): LoadModel => ({ kind: 'concurrency', slots, limit });
const registerAll = (agents: number, ratePerSecond: number): Load => ({
  operation: 'register',
  model: rate(ratePerSecond, agents),
});
const of = (requests: readonly SeenRequest[], agent: number): string[] =>
  requests.filter((request) => request.agent === agent).map(({ endpoint }) => endpoint);
const seriesOf = (run: ReturnType<typeof runVirtually>, operation: string) =>
  run.series.filter((series) => series.operation === operation);

describe('enrollment', () => {
  it('registers every agent once, at the rate of the whole fleet, and submits right after each admission', () => {
    const run = runVirtually({ agents: 20, phases: [phase([registerAll(20, 10)], 2000)], serve: friendly(3) });
    const registrations = run.requests.filter(({ endpoint }) => endpoint === 'register_agent');
    expect(registrations.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 20 }, (_, n) => n * 100));
    for (let agent = 0; agent < 20; agent++)
      expect(of(run.requests, agent)).toEqual(['register_agent', 'submit_checkdata']);
    expect(run.engine.agentStates().registered).toBe(20);
  });

  it("sends the real agent's requests, with keys in the same order", () => {
    const { requests } = runVirtually({ agents: 1, phases: [phase([registerAll(1, 1)], 1000)], serve: friendly() });
    expect(requests.map(({ body }) => Object.keys(body))).toEqual([
      ['agentuuid', 'password', 'hostname', 'ipaddress'],
      ['checkdata', 'agentuuid', 'password'],
    ]);
    expect(requests[0]?.body.password).toBe('');
    expect(requests[1]?.body.password).toBe('issued');
  });

  it('submits the result that was due before the registration', () => {
    const serve = friendly(30);
    const { requests } = runVirtually({ agents: 1, phases: [phase([registerAll(1, 1)], 1000)], serve });
    expect(requests[1]).toMatchObject({ atMs: 30, body: { checkdata: { at: 0 } } });
  });

  it.each([
    ['of 100,000 characters', 'x'.repeat(100_000)],
    ['with characters that require escapes', '\u2028<\u0000"é'.repeat(1000)],
  ])('sends a password %s unchanged', (_title, password) => {
    const { requests } = runVirtually({
      agents: 1,
      phases: [phase([registerAll(1, 1)], 1000)],
      serve: ({ body }) => ({ afterMs: 1, ending: answer(201, { agentuuid: body.agentuuid, password }) }),
    });
    expect(requests[1]?.body.password).toBe(password);
  });

  it('uses a password only once it is stored', () => {
    const { requests } = runVirtually({
      agents: 1,
      storeMs: 40,
      phases: [phase([registerAll(1, 1)], 1000)],
      serve: friendly(2),
    });
    expect(requests.map(({ atMs }) => atMs)).toEqual([0, 42]);
  });

  it('skips agents that already have a password', () => {
    const run = runVirtually({
      agents: 3,
      phases: [phase([registerAll(3, 10)], 1000)],
      serve: friendly(),
      prepare: (engine) => restore(engine, [1], 'kept'),
    });
    expect(of(run.requests, 1)).toEqual([]);
    expect(seriesOf(run, 'register')[0]?.planned).toBe(2);
  });
});

describe('a cadence', () => {
  it.each([
    ['refused', answer(403, { error: 'taken' })],
    ['waiting', answer(201, { password: '' })],
    ['answered by an error page', answer(502, '<html>')],
  ] as const)('makes an agent that is %s ask again at every interval, and not in between', (title, ending) => {
    const serve: Serve = ({ body }) => ({
      afterMs: 1,
      ending: title === 'waiting' ? answer(201, { agentuuid: body.agentuuid, password: '' }) : ending,
    });
    const run = runVirtually({
      agents: 1,
      phases: [phase([{ operation: 'checkdata', model: every(1000) }], 5000)],
      serve,
    });
    expect(of(run.requests, 0)).toEqual(new Array(5).fill('register_agent'));
    expect(run.requests.map(({ atMs }) => Math.round(atMs) % 1000)).toEqual(new Array(5).fill(500));
  });

  it('continues in the next phase where the previous one left it', () => {
    const load: Load = { operation: 'checkdata', model: every(1000) };
    const phases = [phase([load], 2500, 'a', 0), phase([load], 2500, 'b', 2500)];
    const run = runVirtually({
      agents: 5,
      phases,
      serve: friendly(),
      prepare: (engine) => {
        restore(engine, [...Array(5).keys()]);
      },
    });
    for (let agent = 0; agent < 5; agent++) {
      const instants = run.requests.filter((request) => request.agent === agent).map(({ atMs }) => atMs);
      expect(instants).toHaveLength(5);
      for (const [n, atMs] of instants.slice(1).entries()) expect(atMs - (instants[n] ?? 0)).toBeCloseTo(1000, 6);
    }
  });
});

describe('a busy agent', () => {
  const load: Load = { operation: 'checkdata', model: every(1000) };
  const restored = {
    agents: 1,
    prepare: (engine: Engine) => restore(engine, [0]),
  };

  it('picks up a waiting arrival as soon as it is free, with a response time measured from the due time', () => {
    const run = runVirtually({
      ...restored,
      phases: [phase([load], 3000)],
      serve: () => ({ afterMs: 1500, ending: answer(200, {}) }),
    });
    expect(run.requests.map(({ atMs }) => atMs)).toEqual([500, 2000]);
    expect(run.mostPerAgent).toBe(1);
    const series = seriesOf(run, 'checkdata')[0];
    expect(series).toMatchObject({ planned: 3, started: 2, outcomes: { ok: 2 }, dropped: { run_ended: 1 } });
  });

  it('times out exactly at its deadline', () => {
    const run = runVirtually({ ...restored, phases: [phase([load], 900)], serve: () => undefined, timeoutMs: 2000 });
    expect(seriesOf(run, 'checkdata')[0]?.outcomes).toEqual({ timeout: 1 });
    expect(seriesOf(run, 'checkdata')[0]?.sentBytes).toBeGreaterThan(100);
    expect(run.endedMs).toBe(2500);
  });

  it('shares one time limit between a registration and the following submit', () => {
    const serve: Serve = (request) =>
      request.endpoint === 'register_agent'
        ? ({ ...friendly()(request), afterMs: 1500 } as ReturnType<Serve>)
        : undefined;
    const run = runVirtually({ agents: 1, phases: [phase([registerAll(1, 1)], 1600)], serve, timeoutMs: 2000 });
    expect(seriesOf(run, 'checkdata')[0]?.outcomes).toEqual({ timeout: 1 });
    expect(run.endedMs).toBe(2000);
  });
});

describe('a closed load', () => {
  it('keeps exactly its number of operations in flight', () => {
    const run = runVirtually({
      agents: 50,
      phases: [phase([{ operation: 'checkdata', model: closed(8) }], 1000)],
      serve: friendly(10),
      prepare: (engine) => {
        restore(engine, [...Array(50).keys()]);
      },
    });
    expect(run.mostAtOnce).toBe(8);
    expect(run.requests).toHaveLength(8 * 100);
  });

  it('counts operations in flight from the previous phase as occupied slots', () => {
    const load: Load = { operation: 'checkdata', model: closed(4) };
    const run = runVirtually({
      agents: 50,
      phases: [phase([load], 1000, 'a', 0), phase([load], 1000, 'b', 1000)],
      serve: friendly(300),
      prepare: (engine) => {
        restore(engine, [...Array(50).keys()]);
      },
    });
    expect(run.mostAtOnce).toBe(4);
    expect(run.requests).toHaveLength(4 * 7);
  });

  it('with fewer slots in the next phase lets the surplus operations end', () => {
    const load = (slots: number): Load => ({ operation: 'checkdata', model: closed(slots) });
    const run = runVirtually({
      agents: 50,
      phases: [phase([load(8)], 1000, 'a', 0), phase([load(2)], 900, 'b', 1000)],
      serve: friendly(300),
      prepare: (engine) => {
        restore(engine, [...Array(50).keys()]);
      },
    });
    expect(run.mostAtOnce).toBe(8);
    expect(run.requests.filter(({ atMs }) => atMs > 1000)).toHaveLength(2 * 3);
  });

  it('registers every agent once', () => {
    const run = runVirtually({
      agents: 30,
      phases: [phase([{ operation: 'register', model: closed(4, 30) }], 5000)],
      serve: friendly(5),
    });
    expect(seriesOf(run, 'register')[0]).toMatchObject({ planned: 30, started: 30, outcomes: { ok: 30 } });
  });

  it('of registrations appears in the results even if every agent already has a password', () => {
    const run = runVirtually({
      agents: 3,
      phases: [phase([{ operation: 'register', model: closed(2, 3) }], 1000)],
      serve: friendly(),
      prepare: (engine) => restore(engine, [0, 1, 2]),
    });
    expect(seriesOf(run, 'register')).toMatchObject([{ planned: 0, started: 0 }]);
  });

  it('causes no endless loop if no agent can work', () => {
    const run = runVirtually({
      agents: 10,
      phases: [phase([{ operation: 'authorize', model: closed(4) }], 1000)],
      serve: friendly(),
    });
    expect(run.requests).toEqual([]);
  });
});

const models: fc.Arbitrary<LoadModel> = fc.oneof(
  fc.integer({ min: 1, max: 200 }).map((value) => rate(value)),
  fc.tuple(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 200 })).map(
    ([from, to]): LoadModel => ({
      kind: 'curve',
      curve: [
        { atMs: 0, perSecond: from },
        { atMs: 5000, perSecond: to },
      ],
      limit: undefined,
    }),
  ),
  fc
    .tuple(fc.integer({ min: 100, max: 3000 }), fc.double({ min: 0, max: 0.9, noNaN: true }))
    .map(([value, jitter]) => every(value, jitter)),
);
const openLoads: fc.Arbitrary<Load[]> = fc.uniqueArray(
  fc.record({
    operation: fc.constantFrom('authorize', 'checkdata', 'packages'),
    model: models,
  }) as fc.Arbitrary<Load>,
  { selector: ({ operation }) => operation, minLength: 1, maxLength: 3 },
);

/** A mixture of answers, failures and silence that depends only on the request's number. */
function moody(seed: number): Serve {
  let count = seed;
  return (request) => {
    count = (count * 1103515245 + 12345) % 2147483648;
    const mood = count % 7;
    if (mood === 0) return undefined;
    if (mood === 1) return { afterMs: 5, ending: { kind: 'failure', failure: 'connection_reset' } };
    if (mood === 2) return { afterMs: count % 900, ending: answer(500, 'oops') };
    return friendly(count % 300)(request);
  };
}

describe('the counts', () => {
  it('balance for any load and any server: planned = started + dropped, started = ended', () => {
    fc.assert(
      fc.property(openLoads, fc.integer({ min: 1, max: 40 }), fc.nat(1000), (loads, agents, seed) => {
        const phases = [phase([registerAll(agents, 50)], 500, 'enroll'), phase(loads, 2500, 'main', 500)];
        const run = runVirtually({ agents, phases, serve: moody(seed), timeoutMs: 1000 });
        expect(run.mostPerAgent).toBeLessThanOrEqual(1);
        for (const series of run.series) {
          expect(series.planned).toBe(series.started + total(series.dropped));
          expect(series.started).toBe(total(series.outcomes));
        }
      }),
      { numRuns: draws(15) },
    );
  });

  it('are the same for one shard and for many: the plan does not depend on the number of workers', () => {
    fc.assert(
      fc.property(
        openLoads,
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 2, max: 5 }),
        (loads, agents, count) => {
          const phases = [phase([registerAll(agents, 100)], 400, 'enroll'), phase(loads, 2000, 'main', 400)];
          const whole = runVirtually({ agents, phases, serve: friendly(0) });
          const parts = Array.from({ length: count }, (_, index) =>
            runVirtually({ agents, phases, serve: friendly(0), shard: { index, count } }),
          );
          expect(inOrder(parts.flatMap(({ requests }) => requests))).toEqual(inOrder(whole.requests));
        },
      ),
      { numRuns: draws(6) },
    );
  });
});

/** Delivery counts of one agent's operation. */
function entryOf({ engine }: ReturnType<typeof runVirtually>, agent: number, operation: Operation): number[] {
  const { sent, acknowledged, refused } = engine.deliveryCounts();
  const entry = deliveryEntry(agent, operation, sent.length / OPERATIONS.length);
  return [sent[entry] ?? 0, acknowledged[entry] ?? 0, refused[entry] ?? 0];
}

describe('the delivery counts', () => {
  const load: Load = { operation: 'checkdata', model: every(1000) };
  const bookOfPush = (serve: Serve, part: { timeoutMs?: number } = {}) =>
    entryOf(
      runVirtually({
        ...part,
        agents: 2,
        phases: [phase([load], 2000)],
        serve: (request) => (request.agent === 0 ? serve(request) : friendly()(request)),
        prepare: (engine) => {
          restore(engine, [0, 1]);
        },
      }),
      0,
      'checkdata',
    );

  it.each<[string, Serve, readonly number[]]>([
    ['acknowledged if its answer is a success', friendly(), [2, 2, 0]],
    ['refused if it is anything else', () => ({ afterMs: 1, ending: answer(500, 'oops') }), [2, 0, 2]],
    [
      'neither if the connection broke',
      () => ({ afterMs: 1, ending: { kind: 'failure', failure: 'connection_reset' } }),
      [2, 0, 0],
    ],
    ['neither if no answer came in time', () => undefined, [2, 0, 0]],
  ])('count a push as %s', (_, serve, expected) => {
    expect(bookOfPush(serve, { timeoutMs: 500 })).toEqual(expected);
  });

  it('count an agent that waits for a password as acknowledged, because the server accepted its request', () => {
    const run = runVirtually({
      agents: 1,
      phases: [phase([load], 3000)],
      serve: ({ body }) => ({ afterMs: 1, ending: answer(201, { agentuuid: body.agentuuid, password: '' }) }),
    });
    expect(entryOf(run, 0, 'register')).toEqual([3, 3, 0]);
    expect(entryOf(run, 0, 'checkdata')).toEqual([0, 0, 0]);
  });

  it('include every request that reached the server, with any outcome, and the outcomes of all answers', () => {
    fc.assert(
      fc.property(openLoads, fc.integer({ min: 1, max: 20 }), fc.nat(1000), (loads, agents, seed) => {
        const phases = [phase([registerAll(agents, 50)], 500, 'enroll'), phase(loads, 2000, 'main', 500)];
        const { engine, requests, series } = runVirtually({ agents, phases, serve: moody(seed), timeoutMs: 1000 });
        const { sent, acknowledged, refused } = engine.deliveryCounts();
        const outcomes = series.flatMap((part) => Object.entries(part.outcomes));
        const counted = (matches: (outcome: string) => boolean) =>
          outcomes.reduce((sum, [outcome, count]) => (matches(outcome) ? sum + (count ?? 0) : sum), 0);
        const sum = (column: Uint32Array) => column.reduce((all, count) => all + count, 0);
        expect(sum(sent)).toBe(requests.length);
        expect(sum(acknowledged)).toBe(counted((outcome) => outcome === 'ok' || outcome === 'waiting'));
        expect(sum(refused)).toBe(counted((outcome) => outcome.startsWith('http_')));
        for (let agent = 0; agent < agents; agent++) {
          const own = OPERATIONS.reduce(
            (all, operation) => all + (sent[deliveryEntry(agent, operation, agents)] ?? 0),
            0,
          );
          expect(own).toBe(of(requests, agent).length);
        }
      }),
      { numRuns: draws(10) },
    );
  });
});

function inOrder(requests: readonly SeenRequest[]): string[] {
  return requests.map((request) => JSON.stringify(request)).sort();
}
