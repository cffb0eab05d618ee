import { expect, it } from 'vitest';
import { NO_EVIDENCE } from '../../src/base/protocol/exchange.ts';
import { createEngine } from '../../src/engine/engine.ts';
import type { PayloadWriter } from '../../src/hosts/payloads.ts';
import { durationsOf } from '../../src/load/durations.ts';
import { latencyOf, unpack } from '../../src/metrics/recording/histogram.ts';
import { createProfileRecorder, createRecorder } from '../../src/metrics/recording/recorder.ts';
import { stateAt } from '../metrics/recordings.ts';
import { phase, quietPorts } from './virtual-run.ts';

it('an engine that is called late records the delay of each arrival', () => {
  const { engine, setNow, delays } = engineAt(10);
  // Arrivals are due every 100 ms from 0. One is picked up in time, and four after a stall.
  for (const instantMs of [0, 450]) {
    setNow(instantMs);
    engine.advance();
  }
  const { count, min, mean, max } = delays() ?? {};
  const rounded = [count, min, mean, max].map((figure) => Math.round(figure ?? -1));
  expect(rounded).toEqual([5, 0, (350 + 250 + 150 + 50) / 5, 350]);
});

it('an engine that is far behind asks to be called again immediately, so that answers are read in between', () => {
  const { engine, setNow, delays, sent } = engineAt(1000);
  setNow(450);
  const wishMs = engine.advance();
  const sentAtOnce = sent();
  expect(sentAtOnce).toBeGreaterThan(0);
  expect(sentAtOnce).toBeLessThan(100);
  // The first remaining arrival was due right after the last sent one.
  expect(wishMs).toBe(sentAtOnce);
  while (engine.advance() <= 450);
  expect(sent()).toBe(451);
  expect(delays()?.count).toBe(451);
});

it('an engine takes nothing that is due at the given end or later, however late it is called', () => {
  const { engine, setNow, sent } = engineAt(10);
  setNow(900.5);
  expect([engine.advance(900), sent()]).toEqual([900, 9]);
  engine.advance(1000);
  expect(sent()).toBe(10);
});

/** An engine of 1,000 agents whose requests are never answered, in virtual time. */
function engineAt(ratePerSecond: number) {
  let nowMs = 0;
  let sent = 0;
  const recorder = createRecorder();
  const load = { operation: 'checkdata', model: { kind: 'rate', ratePerSecond, limit: undefined } } as const;
  const payloads: PayloadWriter = {
    checkdataRoomBytes: () => 0,
    packagesRoomBytes: () => 0,
    writeCheckdata: (_out, offset) => offset,
    writePackages: (_out, offset) => offset,
    writeServedPackages: (_out, offset) => offset,
    buffer: (sizeBytes) => Buffer.alloc(sizeBytes),
    nextOutage: () => undefined,
    checkRunMs: () => 0,
  };
  const engine = createEngine(
    { seed: 1, agents: 1000, shard: { index: 0, count: 1 }, phases: [phase([load], 1000)], timeoutMs: 10_000 },
    {
      clock: () => nowMs,
      epochMs: () => 0,
      clockFactor: 1,
      durations: durationsOf(1),
      openTransport: () => ({
        send: () => {
          sent++;
        },
        reconfigure: () => {},
        disconnect: () => {},
        unplug: () => true,
        plug: () => {},
        abort: () => ({ sentBytes: 0, receivedBytes: 0 }),
        lastEvidence: () => NO_EVIDENCE,
        close: () => Promise.resolve(),
      }),
      payloads,
      ...quietPorts(payloads),
      recorder,
      profileRecorder: createProfileRecorder([{ profile: 'ubuntu-24.04' }], () => 0),
      storeCredential: () => {},
    },
  );
  return {
    engine,
    sent: () => sent,
    setNow: (instantMs: number) => {
      nowMs = instantMs;
    },
    delays: () => {
      const { series } = recorder.takeFrame(stateAt(0));
      const pushes = series.find(({ operation }) => operation === 'checkdata');
      return latencyOf(unpack(pushes?.histograms.delay ?? new Uint8Array()));
    },
  };
}
