import { expect, it } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { EVERYONE } from '../../src/load/cohorts/cohort.ts';
import type { Cadence } from '../../src/load/pacers.ts';
import type { Load } from '../../src/load/timeline.ts';
import { friendly, phase, runVirtually, type VirtualSettings } from './virtual-run.ts';

const EVERY: Cadence = {
  everyMs: 10_000,
  jitter: 0,
  firstMs: 0,
  standing: false,
  spread: 'even',
  originMs: 0,
  spreadMs: 10_000,
};
const CHECKS: Load = { operation: 'checkdata', model: { kind: 'cadence', ...EVERY } };

/** Three agents; the first one leaves at the given time. */
function runWith(atMs: number, act: (engine: Engine) => void, more: Partial<VirtualSettings> = {}) {
  const settings = { agents: 3, phases: [phase([CHECKS], 60_000)], serve: friendly(20), ...more };
  return runVirtually({ ...settings, meanwhile: [{ atMs, act }] });
}

const sumOf = (counts: object) => Object.values(counts).reduce((sum: number, count: number) => sum + count, 0);

it('an agent that leaves closes its connection, sends nothing more and is not counted, and the others are unaffected', () => {
  const all = runVirtually({ agents: 3, phases: [phase([CHECKS], 60_000)], serve: friendly(20) });
  let left = Number.NaN;
  const run = runWith(27_000, (engine) => {
    left = engine.leave([0], 'idle');
  });
  expect(left).toBe(0);
  expect(run.disconnected).toEqual([{ atMs: 27_000, agent: 0 }]);
  expect(run.requests).toEqual(all.requests.filter(({ agent, atMs }) => agent !== 0 || atMs < 27_000));
  expect([sumOf(run.engine.agentStates()), run.engine.downAgents()]).toEqual([2, 0]);
  expect(sumOf(all.engine.agentStates())).toBe(3);
});

it('no event affects or counts an agent that has left', () => {
  const restart = { name: 'kick', cohort: EVERYONE, overMs: 0, action: { kind: 'restart' } } as const;
  const stop = { ...restart, name: 'halt', action: { kind: 'stop' } } as const;
  const run = runWith(27_000, (engine) => engine.leave([0], 'idle'), {
    events: [
      { ...restart, fromMs: 32_000, toMs: 32_000 },
      { ...stop, fromMs: 33_000, toMs: 43_000 },
    ],
  });
  expect(run.requests.filter(({ agent, atMs }) => agent === 0 && atMs > 27_000)).toEqual([]);
  expect(run.engine.eventHits().map(({ agents }) => agents)).toEqual([2, 2]);
});

it.each([
  ['checkdata', 35_005, 1, 0],
  ['a registration', 5005, 1, 1],
] as const)(
  'an agent that is sending %s leaves later, and only a registration cannot be interrupted',
  (_what, atMs, idle, now) => {
    const answers: number[] = [];
    const run = runWith(atMs, (engine) => {
      answers.push(engine.leave([0], 'idle'), engine.leave([0], 'now'));
    });
    expect(answers).toEqual([idle, now]);
    expect(run.series.find(({ operation }) => operation === 'checkdata')?.outcomes.canceled ?? 0).toBe(1 - now);
  },
);

it('an agent that was issued a password stays until it is on disk', () => {
  const answers: number[] = [];
  runVirtually({
    agents: 3,
    phases: [phase([CHECKS], 60_000)],
    serve: friendly(20),
    storeMs: 500,
    meanwhile: [5100, 5600].map((atMs) => ({
      atMs,
      act: (engine) => {
        answers.push(engine.leave([0], 'now'));
      },
    })),
  });
  expect(answers).toEqual([1, 0]);
});
