import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatScenario } from '../../src/scenario/file.ts';
import { inHostTime } from '../../src/scenario/host-clock.ts';
import { keptScenario } from '../../src/scenario/planning/staying.ts';
import { draws } from '../draws.ts';
import { problemsOf, scenarioOf } from './read-scenario.ts';

const DAY = `
target:
  timeout: 10s
  faults:
    - { do: latency, delay: 200ms, at: work+6h, for: 12h }
fleet: { agents: 100 }
hostClock: { factor: 60, start: "06:00" }
phases:
  - { name: enroll, register: { over: 1h } }
  - name: work
    duration: 24h
    checkdata: { rate: { 0s: 10/s, 12h: 90/s } }
    authorize: { every: 30s, first: 90s }
events:
  - { do: cpu-saturated, name: busy, at: work+2h, for: 30m, over: 1h, repeat: { every: 4h, times: 3 } }
  - { do: clock-skew, name: skew, offset: 90s, at: 3h }
  - { do: end, event: skew, at: work+5h }
thresholds:
  checkdata: ["p(95) < 500ms"]
`;

const MINUTE_MS = 60_000;

describe('a scenario in host time', () => {
  const { phases, events, target } = scenarioOf(DAY);

  it('scales phases and curves to the time of the run', () => {
    const [enroll, work] = phases;
    expect(enroll).toMatchObject({ startMs: 0, durationMs: MINUTE_MS });
    expect(work).toMatchObject({ startMs: MINUTE_MS, durationMs: 24 * MINUTE_MS });
    expect(work?.loads.find(({ operation }) => operation === 'checkdata')?.model).toMatchObject({
      curve: [
        { atMs: 0, perSecond: 10 },
        { atMs: 12 * MINUTE_MS, perSecond: 90 },
      ],
    });
    expect(enroll?.loads[0]?.model).toMatchObject({ ratePerSecond: 100 / 60 });
  });

  it('scales events and faults to the time of the run', () => {
    expect(events).toMatchObject([
      { fromMs: 3 * MINUTE_MS, toMs: 3.5 * MINUTE_MS, overMs: MINUTE_MS, repeat: { everyMs: 4 * MINUTE_MS, times: 3 } },
      { fromMs: 3 * MINUTE_MS, toMs: 25 * MINUTE_MS, untilMs: 6 * MINUTE_MS },
    ]);
    expect(target.faults).toMatchObject([{ atMs: 7 * MINUTE_MS, forMs: 12 * MINUTE_MS }]);
  });

  it('does not scale intervals of requests, timeouts, latencies and clock offsets', () => {
    const authorize = phases[1]?.loads.find(({ operation }) => operation === 'authorize');
    expect(authorize?.model).toMatchObject({ everyMs: 30_000, firstMs: 90_000 });
    expect(target.timeoutMs).toBe(10_000);
    expect(events[1]?.action).toMatchObject({ offsetSeconds: 90 });
    expect(formatScenario(scenarioOf(DAY))).toContain('delay: 200ms');
  });

  it('is written back in host time', () => {
    const written = formatScenario(scenarioOf(DAY));
    expect(written).toMatch(/at: 7h\n\s+for: 12h/);
    expect(written).toContain('12h: 90/s');
    expect(written).toContain('duration: 1d');
  });

  it('reads back as the same scenario, whatever the factor', () => {
    const whole = fc.integer({ min: 1, max: 10 ** 9 });
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 480 }),
        fc.array(whole, { minLength: 1, maxLength: 12 }),
        whole,
        whole,
        (factor, durations, at, lasts) => {
          const text = `
fleet: { agents: 10 }
hostClock: { factor: ${factor} }
phases:
${durations.map((duration, n) => `  - { name: p${n}, duration: ${duration}ms, checkdata: { rate: { 0s: 1/s, ${duration}ms: 2/s } } }`).join('\n')}
events:
  - { do: cpu-saturated, name: a, at: p${durations.length - 1}+${Math.floor((durations.at(-1) ?? 0) / 2)}ms, for: ${lasts}ms, over: ${at}ms }
`;
          const scenario = scenarioOf(text);
          expect(scenarioOf(formatScenario(scenario), ['name=sample'])).toEqual(scenario);
          const { phases, events } = inHostTime(scenario);
          expect(phases.map(({ durationMs }) => durationMs)).toEqual(durations);
          const [last = 0, ...earlier] = durations.toReversed();
          const fromMs = earlier.reduce((sum, duration) => sum + duration, Math.floor(last / 2));
          expect(events).toMatchObject([{ fromMs, toMs: fromMs + lasts, overMs: at }]);
        },
      ),
      {
        numRuns: draws(30),
        examples: [
          [401, [1, 6], 1, 1],
          [83, [28], 1, 14],
        ],
      },
    );
  });

  it.each([
    ['factor: 0', 'factor'],
    ['factor: 1.5', 'factor'],
    ['factor: 481', 'factor'],
    ['start: "25:00"', 'start'],
    ['start: 2026-02-31', 'start'],
    ['start: 2026-02-30T00:00:00Z', 'start'],
    ['start: 2026-02-28T24:00:00Z', 'start'],
    ['start: tomorrow', 'start'],
  ])('rejects %s', (clock, key) => {
    const [problem, ...others] = problemsOf(DAY.replace(/hostClock: .*/, `hostClock: { ${clock} }`));
    expect(problem?.path).toBe(`hostClock.${key}`);
    expect(others).toEqual([]);
  });

  it.each([
    ['duration: 24h', 'duration: 400us', 'phases.work.duration', '400us'],
    ['over: 1h }', 'over: 1.5ms }', 'phases.enroll.register.over', '1.5ms'],
    ['12h: 90/s', '1.2ms: 90/s', 'phases.work.checkdata.rate', '1.2ms'],
    ['work+2h', 'work+0.4ms', 'events.0.at', '400us'],
    ['for: 30m', 'for: 1us', 'events.0.for', '1us'],
    ['over: 1h, ', 'over: 0.5ms, ', 'events.0.over', '500us'],
    ['every: 4h', 'every: 4h0.5ms', 'events.0.repeat.every', '4h0.0005s'],
    ['work+5h', '1.0005s', 'events.2.at', '1.0005s'],
    ['work+6h', 'work+1us', 'target.faults.0.at', '1us'],
    ['for: 12h', 'for: 10us', 'target.faults.0.for', '10us'],
  ])('rejects times that are not whole milliseconds: %s as %s', (written, other, path, found) => {
    const text = DAY.replace(written, other);
    const expected = "whole milliseconds, the resolution of the hosts' clocks";
    expect(problemsOf(text)).toMatchObject([{ path, expected, found }]);
    const inRealTime = text.replace('factor: 60', 'factor: 1');
    expect(problemsOf(inRealTime).map((problem) => problem.expected)).not.toContain(expected);
  });

  it('is rejected for a kept fleet', () => {
    expect(() => keptScenario(scenarioOf(DAY))).toThrow(
      'A kept fleet runs in real time: expected no hostClock in the scenario, found one',
    );
  });
});
