import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { LoadModel } from '../../src/load/timeline.ts';
import type { Health } from '../../src/metrics/recording/health-reading.ts';
import { restore } from './restore.ts';
import { answer, friendly, phase, runVirtually, type Serve } from './virtual-run.ts';

const EVERY_30_S: LoadModel = {
  kind: 'cadence',
  everyMs: 30_000,
  firstMs: 0,
  jitter: 0,
  originMs: 0,
  standing: false,
  spread: 'even',
  spreadMs: 0,
};

/** The health of the agents at each time, as a state and an outcome. */
function healthAt(timesMs: readonly number[], serve: Serve, more: object = {}): Record<number, string[]> {
  const found: Record<number, string[]> = {};
  const look = (atMs: number) => (engine: Engine) => {
    const { kinds, codes } = engine.health(0, 99, () => undefined);
    const kindOf = (code: number) => kinds[code] as Health;
    found[atMs / 1000] = [...codes].map((code) => {
      const { state, outcome, sinceMs } = kindOf(code);
      return [state, outcome, sinceMs === undefined ? undefined : sinceMs / 1000]
        .filter((part) => part !== undefined)
        .join(' ');
    });
  };
  runVirtually({
    agents: 2,
    phases: [phase([{ operation: 'checkdata', model: EVERY_30_S }], 600_000)],
    prepare: (engine) => restore(engine, [0, 1]),
    serve,
    meanwhile: timesMs.map((atMs) => ({ atMs, act: look(atMs) })),
    ...more,
  });
  return found;
}

it('an agent is refused from its first refused push until one is accepted', () => {
  const serve: Serve = (request) =>
    request.agent === 1 && request.atMs > 50_000 && request.atMs < 200_000
      ? { afterMs: 1, ending: answer(400, { error: 'Host not found' }) }
      : friendly()(request);
  expect(healthAt([0, 20_000, 80_000, 195_000, 220_000], serve)).toEqual({
    0: ['pending', 'pending'],
    20: ['reporting', 'reporting'],
    80: ['reporting', 'refused http_400 60'],
    195: ['reporting', 'refused http_400 60'],
    220: ['reporting', 'reporting'],
  });
});

it('an agent without answers is unreachable, and one that was never registered is not late but unregistered', () => {
  const serve: Serve = (request) => (request.atMs < 100_000 ? friendly()(request) : undefined);
  const unknown = healthAt([50_000], () => undefined, { prepare: () => {}, timeoutMs: 60_000 });
  expect(unknown).toEqual({ 50: ['unregistered', 'unregistered'] });
  expect(healthAt([95_000, 140_000], serve)).toEqual({
    95: ['reporting', 'reporting'],
    140: ['unreachable timeout 130', 'unreachable timeout 130'],
  });
});

it('a host that boots has the whole time for its first push before its agent is late', () => {
  const outages = { 1: { downMs: 100_000, agentStartMs: 400_000 } };
  expect(healthAt([350_000, 402_000, 440_000], friendly(), { outages })).toEqual({
    350: ['reporting', 'down'],
    402: ['reporting', 'reporting'],
    440: ['reporting', 'reporting'],
  });
});
