import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { scenarioOf, withPhases } from './read-scenario.ts';

function modelOf(scenario: Scenario, phase: number, operation: string) {
  return scenario.phases[phase]?.loads.find((load) => load.operation === operation)?.model;
}

describe('phases', () => {
  it('follow one another without a gap', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 10 ** 7 }), { minLength: 1, maxLength: 8 }), (durations) => {
        const lines = durations.map((ms, n) => `  - { name: p${n}, duration: ${ms}ms, checkdata: { rate: 1/s } }`);
        let endMs = 0;
        for (const phase of scenarioOf(withPhases(lines.join('\n'))).phases) {
          expect(phase.startMs).toBe(endMs);
          endMs += phase.durationMs;
        }
        expect(endMs).toBe(durations.reduce((sum, ms) => sum + ms));
      }),
      { numRuns: 30 },
    );
  });
});

describe('registration', () => {
  it.each([
    ['rate: 20/s', 5000],
    ['rate: 30/s', 3334],
    ['over: 7s', 7000],
    ['rate: 0/s..50/s', 4000],
    ['rate: 23/m', 260_870],
    ['rate: 25/m', 240_000],
    ['rate: 7/m', 857_143],
    ['rate: 35/m..45/m', 150_000],
  ])('of 100 agents with %s lasts %d ms where no duration is given', (load, durationMs) => {
    expect(scenarioOf(withPhases(`  - { name: enrol, register: { ${load} } }`)).phases[0]?.durationMs).toBe(durationMs);
  });

  it('asks every agent once', () => {
    const text = withPhases('  - { name: enrol, duration: 9s, register: { over: 4s } }');
    expect(scenarioOf(text).phases[0]).toMatchObject({
      durationMs: 9000,
      loads: [{ operation: 'register', model: { kind: 'rate', ratePerSecond: 25, limit: 100 } }],
    });
  });
});

describe('cadences', () => {
  it('start packages 90 s after the agent, spread like its check data', () => {
    const text = withPhases(
      '  - { name: a, duration: 9s, register: { over: 4s } }\n' +
        '  - { name: b, duration: 9s, checkdata: { every: 5s }, packages: { every: 1h } }',
    );
    expect(modelOf(scenarioOf(text), 1, 'packages')).toEqual({
      kind: 'cadence',
      everyMs: 3_600_000,
      jitter: 0,
      firstMs: 90_000,
      originMs: 9000,
      spreadMs: 5000,
    });
  });

  it('spread packages over their own interval without a cadence of check data', () => {
    const text = withPhases(
      '  - { name: b, duration: 9s, checkdata: { rate: 5/s }, packages: { every: 1m, first: 0s } }',
    );
    expect(modelOf(scenarioOf(text), 0, 'packages')).toMatchObject({ spreadMs: 60_000, firstMs: 0 });
  });

  it('go on unbroken through neighbouring phases that state the same', () => {
    const text = withPhases(
      [
        '  - { name: a, duration: 1s, checkdata: { every: 5s, jitter: 0.1 }, packages: { every: 1h } }',
        '  - { name: b, duration: 2s, checkdata: { every: 5000ms, jitter: 0.1, first: 0s }, packages: { every: 60m } }',
        '  - { name: c, duration: 3s, packages: { every: 1h } }',
      ].join('\n'),
    );
    const scenario = scenarioOf(text);
    expect(modelOf(scenario, 1, 'checkdata')).toEqual(modelOf(scenario, 0, 'checkdata'));
    expect(modelOf(scenario, 2, 'packages')).toMatchObject({ originMs: 0, spreadMs: 5000 });
  });

  it('start anew where the interval, the jitter or the first arrival differs, or after a phase without them', () => {
    const lines = [
      'every: 5s',
      'every: 6s',
      'every: 6s, jitter: 0.2',
      'every: 6s, jitter: 0.2, first: 1s',
      'rate: 5/s',
      'every: 5s',
    ];
    const phases = lines.map((load, n) => `  - { name: p${n}, duration: 1s, checkdata: { ${load} } }`);
    const scenario = scenarioOf(withPhases(phases.join('\n')));
    const origins = scenario.phases.map((_, n) => modelOf(scenario, n, 'checkdata'));
    expect(origins.map((model) => model?.kind === 'cadence' && model.originMs)).toEqual([
      0,
      1000,
      2000,
      3000,
      false,
      5000,
    ]);
  });
});

describe('registration over a time', () => {
  it('lasts as long as is written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.constantFrom(7, 23, 100, 999), (ms, agents) => {
        const text = withPhases(`  - { name: enrol, register: { over: ${ms}ms } }`);
        expect(scenarioOf(text, [`fleet.agents=${agents}`]).phases[0]?.durationMs).toBe(ms);
      }),
      { numRuns: 200 },
    );
  });
});
