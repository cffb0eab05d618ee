import { expect, it } from 'vitest';
import { doneText, fleetText } from '../../../src/cli/ctl/texts.ts';

const FLEET: Parameters<typeof fleetText>[0] = {
  name: 'staging',
  description: '',
  version: '1',
  seed: 1,
  target: 'http://mon.example',
  shard: { index: 0, count: 1 },
  raisedAt: null,
  startedAt: null,
  hosts: { version: '1', since: null },
  elapsedSeconds: 0,
  phase: null,
  phases: [],
  health: null,
  generator: null,
  agents: {
    total: 4,
    inFlight: 0,
    listening: 0,
    down: 0,
    states: { unregistered: 0, waiting: 0, refused: 0, registered: 4, authorized: 0 },
  },
};

it('ctl fleet has a row for each machine of a cluster, and none for a single machine', () => {
  const figures = { startedPerSecond: 2, stalledMs: 0, busiestLoopUtilization: 0.1, usedCores: 0.05 };
  const clock = { clockOffsetMs: 0, clockErrorMs: 1 };
  const one = { part: 1, agents: 2, workers: 1, fromMs: 0, ...clock };
  const machines = [
    { ...one, name: 'b', natsMs: 0.4, figures: { ...figures, schedulingDelayP99Ms: 450 } },
    { ...one, name: 'a' },
  ];
  expect(fleetText(FLEET)).not.toContain('machine');
  expect(
    fleetText({ ...FLEET, machines })
      .split('\n')
      .slice(-3),
  ).toEqual([
    expect.stringMatching(/^machine +agents +rate +scheduling delay p99 /),
    expect.stringMatching(/^b +2 +2\.0\/s +450 ms +0\.00 ms +10% +0\.05 +\+0\.0 ± 1\.0 ms +0\.40 ms$/),
    expect.stringMatching(/^a +2 +– .* –$/),
  ]);
});

it('an event that all agents are asked for says only how many it hits', () => {
  const done = (cohort: string, count: number) =>
    doneText(
      { event: { name: 'ngx' }, hits: { count, agents: [], isFinal: true, cohort }, note: null } as never,
      false,
    );
  expect(done('100%', 112)).toBe('ngx hits 112 agents');
  expect(done('30%', 1)).toBe('ngx hits 1 agent (30%)');
});
