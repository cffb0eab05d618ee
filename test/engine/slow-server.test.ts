import { expect, it } from 'vitest';
import { latencyOf, unpack } from '../../src/metrics/recording/histogram.ts';
import { phase, runVirtually, type Serve } from './virtual-run.ts';

const REGISTER = { operation: 'register', model: { kind: 'rate', ratePerSecond: 100, limit: 50 } } as const;
const REPORT = { operation: 'checkdata', model: { kind: 'rate', ratePerSecond: 50, limit: undefined } } as const;

const RESET = { kind: 'failure', failure: 'connection_reset' } as const;
const NEVER: Serve = () => undefined;

it.each([
  ['never answers', NEVER],
  ['resets everything after three seconds', () => ({ afterMs: 3000, ending: RESET })],
] as const)('a server that %s never causes scheduling delay', (_, serve) => {
  const phases = [phase([REGISTER], 1000, 'enroll'), phase([REPORT], 10_000, 'steady', 1000)];
  const { series } = runVirtually({ agents: 50, phases, serve: serve as Serve, timeoutMs: 5000 });
  const delays = series.flatMap(({ histograms: { delay } }) => (delay === undefined ? [] : [latencyOf(unpack(delay))]));
  expect(delays.map((delay) => delay?.count)).toEqual([50, 500]);
  expect(delays.map((delay) => Math.round(delay?.max ?? -1))).toEqual([0, 0]);
});
