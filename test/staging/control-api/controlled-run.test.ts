import { expect, it } from 'vitest';
import { NO_LISTENER_COUNTS } from '../../../src/metrics/recording/listener-counts.ts';
import { scenarioOf, withPhases } from '../../scenario/read-scenario.ts';
import { reportedRun } from './served-fleet.ts';

const STARTED_MS = Date.parse('2026-01-31T12:00:00Z');
const agents = { unregistered: 0, waiting: 0, refused: 0, registered: 3, authorized: 0 };
const STATE = { agents, inFlight: 0, listening: 0, down: 0, listeners: NO_LISTENER_COUNTS, series: [], workers: [] };

it('a run keeps its figures like a fleet: its seconds, and minutes, hours and spans of which the last is still open', () => {
  const scenario = scenarioOf(withPhases('  - { name: steady, duration: 30h, checkdata: { every: 30s } }\n'));
  const run = reportedRun(scenario);
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
  const kept = (resolution: 'second' | 'minute' | 'hour') =>
    run.fleet.figures({ resolution, fromMs: 0, toMs: Number.POSITIVE_INFINITY }).map(({ figures }) => figures.seconds);
  expect(kept('second')).toEqual(Array.from({ length: 150 }, () => 1));
  expect([kept('minute'), kept('hour')]).toEqual([[60, 60, 30], [150]]);
});
