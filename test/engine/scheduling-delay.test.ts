import { expect, it } from 'vitest';
import { createEngine } from '../../src/engine/engine.ts';
import { decode } from '../../src/metrics/recording/histogram.ts';
import { createProfileRecorder } from '../../src/metrics/recording/profile-recorder.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { latencyOf } from '../../src/metrics/results/latency.ts';
import { stateAt } from '../metrics/recordings.ts';
import { phase } from './virtual-run.ts';

it('an engine that is called late records how late it picked up each arrival', () => {
  let nowMs = 0;
  const recorder = createRecorder();
  const load = { operation: 'checkdata', model: { kind: 'rate', ratePerSecond: 10, limit: undefined } } as const;
  const engine = createEngine(
    { seed: 1, agents: 10, shard: { index: 0, count: 1 }, phases: [phase([load], 1000)], timeoutMs: 10_000 },
    {
      clock: () => nowMs,
      epochMs: () => 0,
      openTransport: () => ({
        send: () => {},
        setApiKey: () => {},
        disconnect: () => {},
        abort: () => ({ sentBytes: 0, receivedBytes: 0 }),
        close: () => Promise.resolve(),
      }),
      payloads: {
        maxCheckdataBytes: 0,
        maxPackagesBytes: 0,
        writeCheckdata: (_out, offset) => offset,
        writePackages: (_out, offset) => offset,
        writeServedPackages: (_out, offset) => offset,
        roomBytes: () => 0,
        nextOutage: () => undefined,
        checkRunMs: () => 0,
      },
      recorder,
      profileRecorder: createProfileRecorder(() => 'ubuntu-24.04'),
      storeCredential: () => {},
    },
  );
  // Arrivals are due every 100 ms from 0 on: one is picked up in time, then four after a stall.
  for (const instantMs of [0, 450]) {
    nowMs = instantMs;
    engine.advance();
  }
  const frame = recorder.takeFrame(stateAt(0));
  const delays = latencyOf(
    decode(frame.series.find(({ operation }) => operation === 'checkdata')?.histograms.delay ?? ''),
  );
  const rounded = [delays?.count, delays?.min, delays?.mean, delays?.max].map((figure) => Math.round(figure ?? -1));
  expect(rounded).toEqual([5, 0, (350 + 250 + 150 + 50) / 5, 350]);
});
