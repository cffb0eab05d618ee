import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ending, NO_EVIDENCE, type TransportSink } from '../../src/base/protocol/exchange.ts';
import { createEngine, type Engine } from '../../src/engine/engine.ts';
import type { ReloadSettings } from '../../src/engine/reconfigurations.ts';
import type { PayloadWriter } from '../../src/hosts/payloads.ts';
import { durationsOf } from '../../src/load/durations.ts';
import type { AgentAction } from '../../src/load/events/event.ts';
import type { Load, LoadModel, Phase } from '../../src/load/timeline.ts';
import type { SeriesRecorder } from '../../src/metrics/recording/recorder.ts';
import { draws } from '../draws.ts';
import { answer, friendly, phase, quietPorts, runVirtually } from './virtual-run.ts';

const AGENTS = 12;
const SLOTS = 3;
/** Only these agents are reloaded, end, or have hosts that go down: the others can always fill the slots. */
const DISTURBED = 6;
const END_MS = 20_000;
const RELOAD: ReloadSettings = {
  configuration: undefined,
  push: { timeoutMs: 700, apiKey: 'KEY', proxy: undefined },
  checkEveryMs: undefined,
  packagesEveryMs: undefined,
  listens: true,
};

const load = (operation: Load['operation'], model: LoadModel): Load => ({ operation, model });
const closed: LoadModel = { kind: 'concurrency', slots: SLOTS, limit: undefined };
const rate: LoadModel = { kind: 'rate', ratePerSecond: 20, limit: undefined };
const every: LoadModel = {
  kind: 'cadence',
  everyMs: 800,
  jitter: 0.2,
  firstMs: 0,
  originMs: 0,
  standing: false,
  spread: 'even',
  spreadMs: 800,
};

const TIMELINES = {
  closed: [phase([load('checkdata', closed)], END_MS)],
  open: [phase([load('checkdata', every), load('packages', rate), load('authorize', rate)], END_MS)],
  changing: [
    phase([load('checkdata', closed), load('packages', rate)], 3000, 'a', 0),
    phase([load('checkdata', every)], 1000, 'b', 3000),
    phase([load('checkdata', closed), load('authorize', closed)], END_MS - 4000, 'c', 4000),
  ],
} as const;

const ACTIONS: readonly AgentAction[] = [
  { kind: 'disconnect', how: 'reset' },
  { kind: 'restart' },
  { kind: 'stop' },
  { kind: 'lose-password' },
  { kind: 'new-identity' },
  { kind: 'clone', password: 'shared', original: AGENTS - 1 },
  { kind: 'clone', password: 'none' },
  { kind: 'upgrade', version: '3.4.0' },
  { kind: 'retarget', url: 'http://127.0.0.1:1', apiKey: 'OTHER' },
  { kind: 'synchronize' },
  { kind: 'scale', share: 0.3 },
];

const ENDINGS: readonly Ending[] = [
  answer(200, { received_checks: 3 }),
  answer(403, { error: 'no' }),
  answer(500, 'oops'),
  { kind: 'failure', failure: 'connection_reset' },
];

/** An engine with a server, disk and hosts that the test controls step by step. All counts are checked at every step. */
function engineUnderTest(phases: readonly Phase[], timeoutMs = 1000) {
  let nowMs = 0;
  let sink: TransportSink | undefined;
  const connecting = new Set<number>();
  const inFlight = new Set<number>();
  const storing: number[] = [];
  let isStopped = false;
  const counts = { planned: 0, started: 0, dropped: 0, ended: 0 };
  let profiled = 0;
  const series: SeriesRecorder = {
    of: () => series,
    pickedUp: () => {},
    planned: () => counts.planned++,
    started: (lagMs) => {
      expect(lagMs).toBeGreaterThanOrEqual(0);
      counts.started++;
    },
    dropped: () => counts.dropped++,
    finished: (_outcome, { responseMs, serviceMs }) => {
      expect(responseMs).toBeGreaterThanOrEqual(serviceMs);
      counts.ended++;
    },
    served: () => {},
    doubted: () => {},
    wantsEvidence: () => true,
    keepEvidence: () => {},
  };
  const payloads: PayloadWriter = {
    checkdataRoomBytes: () => 64,
    packagesRoomBytes: () => 64,
    writeCheckdata: (out, offset) => offset + out.write('{}', offset),
    writePackages: (out, offset) => offset + out.write('{}', offset),
    writeServedPackages: (out, offset) => offset + out.write('{}', offset),
    buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
    nextOutage: (agent, fromMs) => {
      const agentStartMs = 2500 + 100 * agent;
      return agent < 2 && fromMs < agentStartMs ? { downMs: 1000 * (agent + 1), agentStartMs } : undefined;
    },
    checkRunMs: () => 600,
  };
  const engine: Engine = createEngine(
    { seed: 1, agents: AGENTS, shard: { index: 0, count: 1 }, phases, timeoutMs },
    {
      clock: () => nowMs,
      epochMs: () => 0,
      clockFactor: 1,
      durations: durationsOf(1),
      openTransport: (opened) => {
        sink = opened;
        return {
          send: (agent) => {
            expect(isStopped, 'nothing is sent after the end').toBe(false);
            expect(connecting.has(agent) || inFlight.has(agent), 'one request at a time').toBe(false);
            connecting.add(agent);
          },
          abort: (agent) => {
            expect(connecting.delete(agent) || inFlight.delete(agent), 'has a request').toBe(true);
            return { sentBytes: 0, receivedBytes: 0 };
          },
          lastEvidence: () => NO_EVIDENCE,
          reconfigure: () => {},
          unplug: () => true,
          plug: () => {},
          disconnect: (agent) => expect(inFlight.has(agent), 'is not disconnected in flight').toBe(false),
          close: () => Promise.resolve(),
        };
      },
      payloads,
      ...quietPorts(payloads),
      recorder: {
        series: () => series,
        takeFrame: () => expect.unreachable(),
        takeSeries: () => expect.unreachable(),
        redacted: () => ({}),
        attacks: { ended: () => expect.unreachable() },
        lateness: { back: () => {}, fenced: () => {}, rest: () => {}, settle: () => {} },
        stop: () => expect.unreachable(),
      },
      profileRecorder: { finished: () => profiled++, take: () => [] },
      storeCredential: (agent) => storing.push(agent),
      reloaded: () => payloads,
      events: {
        events: [],
        passwordOf: () => 'of the original',
        become: () => {},
        drawnFrom: () => 0,
        firstStartMs: () => 0,
        passwordIssuedTo: () => '',
        hasService: () => true,
        facts: { seed: 1, profile: () => '', role: () => '', group: () => '', host: () => '', uuid: () => '' },
      },
      listening: { checkIntervalMs: 800, hostDown: () => {}, hostUp: () => {} },
    },
  );
  const nth = (agents: Iterable<number>, n: number): number | undefined => {
    const all = [...agents];
    return all.length === 0 ? undefined : all[n % all.length];
  };
  const connect = (n: number): void => {
    const agent = nth(connecting, n);
    if (agent === undefined) return;
    connecting.delete(agent);
    inFlight.add(agent);
    sink?.started(agent);
  };
  const end = (n: number, ending: Ending | undefined): void => {
    const agent = nth(inFlight, n);
    if (agent === undefined) return;
    inFlight.delete(agent);
    const admitted = answer(201, { agentuuid: engine.uuid(agent), password: 'issued' });
    sink?.ended(agent, ending ?? admitted, { sentBytes: 1, receivedBytes: 1 });
  };
  const events: Readonly<Record<Event, (n: number) => void>> = {
    'time passes': (n) => {
      nowMs += n * 3;
      engine.advance();
    },
    connected: connect,
    admitted: (n) => end(n, undefined),
    answered: (n) => end(n, ENDINGS[n % ENDINGS.length]),
    stored: (n) => {
      for (const agent of storing.splice(n % 3, 1)) engine.credentialStored(agent);
    },
    reloaded: (n) => engine.reload(n % DISTURBED, RELOAD),
    'process ended': (n) => engine.down(n % DISTURBED),
    'something happens': (n) => {
      const action = ACTIONS[n % ACTIONS.length] ?? { kind: 'restart' };
      const cohort = { kind: 'agents', first: 0, last: n % DISTURBED } as const;
      const times = { fromMs: nowMs, toMs: nowMs + 50 * (n % 40), overMs: 0 };
      engine.addEvent({ name: `event ${n % 5}`, cohort, action, ...times });
      engine.advance();
    },
    'it is over': (n) => {
      engine.endEvent(`event ${n % 5}`, nowMs + (n % 3));
      engine.advance();
    },
    stopped: () => {
      isStopped = true;
      engine.stop();
    },
    canceled: () => {
      isStopped = true;
      engine.cancel();
    },
  };
  return {
    engine,
    counts,
    now: () => nowMs,
    profiled: () => profiled,
    act: (event: Event, n: number): void => events[event](n),
    expectBalance: (): void => {
      expect(counts.planned).toBe(counts.started + counts.dropped + connecting.size);
      expect(counts.started).toBe(counts.ended + inFlight.size);
      expect(engine.busyAgents()).toBeGreaterThanOrEqual(connecting.size + inFlight.size);
      expect(engine.busyAgents()).toBeLessThanOrEqual(connecting.size + inFlight.size + storing.length);
    },
  };
}

const OFTEN = ['time passes', 'time passes', 'connected', 'connected', 'admitted', 'answered', 'stored'] as const;
const SOMETIMES = ['reloaded', 'process ended', 'something happens', 'it is over'] as const;
const AT_THE_END = ['stopped', 'canceled'] as const;
type Event = (typeof OFTEN)[number] | (typeof SOMETIMES)[number] | (typeof AT_THE_END)[number];

/** Up to 200 events, with these rare ones. */
function eventsWith(rare: readonly Event[]) {
  const event = fc.tuple(fc.constantFrom<Event>(...OFTEN, ...OFTEN, ...OFTEN, ...rare), fc.nat(100));
  return fc.array(event, { maxLength: 200, size: 'max' });
}

describe('the life of an agent', () => {
  it.each(Object.entries(TIMELINES))(
    'keeps counts balanced after any event: planned, then started or dropped once, then one outcome (%s)',
    (_, phases) => {
      fc.assert(
        fc.property(eventsWith([...SOMETIMES, ...AT_THE_END]), (steps) => {
          const { engine, counts, act, expectBalance } = engineUnderTest(phases);
          for (const [event, n] of steps) {
            act(event, n);
            expectBalance();
          }
          engine.cancel();
          expect(engine.busyAgents()).toBe(0);
          expect(counts.planned).toBe(counts.started + counts.dropped);
          expect(counts.started).toBe(counts.ended);
        }),
        { numRuns: draws(30) },
      );
    },
  );

  it('returns each slot of a closed load once, however an operation ends, so that all slots stay in use', () => {
    fc.assert(
      fc.property(eventsWith(SOMETIMES), (steps) => {
        const { engine, act, now } = engineUnderTest(TIMELINES.closed);
        engine.advance();
        for (const [event, n] of steps) {
          act(event, n);
          if (now() < END_MS) expect(engine.busyAgents()).toBe(SLOTS);
        }
      }),
      { numRuns: draws(40) },
    );
  });

  it('drops a result that has waited too long when the next one is due, not only when the agent is free', () => {
    const checks = load('checkdata', { ...every, everyMs: 5000, jitter: 0 });
    const { counts, act } = engineUnderTest([phase([checks], END_MS)], 60_000);
    // No agent gets a connection. Of the results of seconds 0, 5, 10 and 15, the second one is now too old.
    for (let n = 0; n < 60; n++) act('time passes', 101);
    expect(counts).toEqual({ planned: 2 * AGENTS, started: 0, dropped: AGENTS, ended: 0 });
  });

  it('adds responses to those of the profiles only in counted phases', () => {
    const first = { ...phase([load('checkdata', closed)], 1000, 'a', 0), excluded: true };
    const { act, counts, profiled } = engineUnderTest([first, phase([load('checkdata', closed)], 1000, 'b', 1000)]);
    act('time passes', 0);
    for (const ended of ['answered', 'answered'] as const) {
      act('connected', 0);
      act(ended, 0);
      act('time passes', 400);
    }
    expect([counts.ended, profiled()]).toEqual([2, 1]);
  });

  it('keeps a password that becomes durable after a cancellation, and releases no agent twice', () => {
    const busy: number[] = [];
    const count = (engine: Engine) => busy.push(engine.busyAgents());
    const run = runVirtually({
      agents: 1,
      phases: [phase([load('register', { kind: 'rate', ratePerSecond: 10, limit: 1 })], 5000)],
      serve: friendly(0),
      storeMs: 1000,
      meanwhile: [
        { atMs: 500, act: count },
        { atMs: 501, act: (engine) => engine.cancel() },
        { atMs: 502, act: count },
        { atMs: 3000, act: count },
      ],
    });
    expect(busy).toEqual([1, 0, 0]);
    expect(run.engine.agentStates().registered).toBe(1);
  });
});
