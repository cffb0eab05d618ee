import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import type { Load } from '../../src/load/timeline.ts';
import { friendly, phase, runVirtually } from './virtual-run.ts';

const REGISTER: Load = { operation: 'register', model: { kind: 'rate', ratePerSecond: 10, limit: 1 } };

it('a password that becomes durable after everything was cancelled makes nobody free twice', () => {
  const busy: number[] = [];
  const count = (engine: Engine) => busy.push(engine.busyAgents());
  runVirtually({
    agents: 1,
    phases: [phase([REGISTER], 5000)],
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
});
