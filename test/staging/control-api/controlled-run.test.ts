import { expect, it } from 'vitest';
import { WHOLE_FLEET } from '../../../src/load/shard.ts';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { createControlledRun } from '../../../src/staging/control-api/controlled-run.ts';
import { scenarioOf, withPhases } from '../../scenario/read-scenario.ts';

const STARTED_MS = Date.parse('2026-01-31T12:00:00Z');
const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 3, authorized: 0 };
const STATE = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS, series: [], workers: [] };

it('a run has the figures of a whole span, whose last minute is still open', () => {
  const scenario = scenarioOf(withPhases('  - { name: steady, duration: 30h, checkdata: { every: 30s } }\n'));
  const run = createControlledRun(scenario, WHOLE_FLEET, () => []);
  run.started(new Date(STARTED_MS));
  for (let second = 0; second < 150; second++) run.add([{ ...STATE, second }]);
  const secondsIn = (from: number, to: number) =>
    run.fleet.figures({ resolution: 'whole', fromMs: STARTED_MS + from * 1000, toMs: STARTED_MS + to * 1000 })[0]
      ?.figures.seconds;
  expect([secondsIn(0, 1000), secondsIn(50, 125), secondsIn(110, 180), secondsIn(200, 300)]).toEqual([
    150,
    75,
    40,
    undefined,
  ]);
});
