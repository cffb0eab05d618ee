import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatScenario } from '../../src/scenario/file.ts';
import type { Scenario } from '../../src/scenario/scenario.ts';
import { draws } from '../draws.ts';
import { problemsOf, scenarioOf, withPhases } from './read-scenario.ts';

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
      { numRuns: draws(15) },
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
  ])('of 100 agents with %s lasts %d ms if the phase has no duration', (load, durationMs) => {
    expect(scenarioOf(withPhases(`  - { name: enroll, register: { ${load} } }`)).phases[0]?.durationMs).toBe(
      durationMs,
    );
  });

  it('registers every agent once', () => {
    const text = withPhases('  - { name: enroll, duration: 9s, register: { over: 4s } }');
    expect(scenarioOf(text).phases[0]).toMatchObject({
      durationMs: 9000,
      loads: [{ operation: 'register', model: { kind: 'rate', ratePerSecond: 25, limit: 100 } }],
    });
  });
});

describe('cadences', () => {
  const BOTH = withPhases(
    '  - { name: a, duration: 9s, register: { over: 4s } }\n' +
      '  - { name: b, duration: 9s, checkdata: { every: 5s }, packages: { every: 1h } }',
  );
  const OTHERS = { kind: 'cadence', jitter: 0, spread: 'random' };

  it('continue across phases that differ only in jitter', () => {
    const lines = [0.1, 0.2].map((jitter) => `duration: 1s, checkdata: { every: 5s, spread: even, jitter: ${jitter} }`);
    const scenario = scenarioOf(withPhases(lines.map((line, n) => `  - { name: p${n}, ${line} }`).join('\n')));
    expect([0, 1].map((n) => modelOf(scenario, n, 'checkdata'))).toMatchObject([
      { originMs: 0, jitter: 0.1 },
      { originMs: 0, jitter: 0.2 },
    ]);
  });

  it('of standing agents count from one start per agent, and spread packages over their own interval', () => {
    const start = { standing: true, originMs: -86_400_000, spreadMs: 86_400_000 };
    const [checks, packages] = ['checkdata', 'packages'].map((operation) => modelOf(scenarioOf(BOTH), 1, operation));
    expect(checks).toEqual({ ...OTHERS, ...start, everyMs: 5000, firstMs: 0 });
    expect(packages).toEqual({ ...OTHERS, ...start, everyMs: 3_600_000, firstMs: 90_000 });
  });

  it.each([
    ['fleet.start=fresh', 90_000],
    ['phases.b.packages.first=90s', 90_000],
    ['phases.b.packages.first=0s', 0],
  ])('start packages with the agent, and agents within one interval of check data, with %s', (set, firstMs) => {
    const start = { standing: false, originMs: 9000, spreadMs: 5000 };
    const packages = modelOf(scenarioOf(BOTH, [set]), 1, 'packages');
    expect(packages).toEqual({ ...OTHERS, ...start, everyMs: 3_600_000, firstMs });
    const together = scenarioOf(BOTH, [set, 'phases.b.checkdata.spread=together']);
    expect(modelOf(together, 1, 'packages')).toMatchObject({ spread: 'together' });
  });

  it.each(['even', 'together'])(
    'are spread over their own interval from the start of their phase with spread %s',
    (spread) => {
      const scenario = scenarioOf(BOTH, [`phases.b.packages.spread=${spread}`]);
      const start = { standing: true, spread, originMs: 9000, spreadMs: 3_600_000 };
      expect(modelOf(scenario, 1, 'packages')).toMatchObject(start);
    },
  );

  it('spread packages over their own interval if check data has no cadence', () => {
    const text = withPhases(
      '  - { name: b, duration: 9s, checkdata: { rate: 5/s }, packages: { every: 1m, first: 0s } }',
    );
    expect(modelOf(scenarioOf(text), 0, 'packages')).toMatchObject({ spreadMs: 60_000, firstMs: 0 });
  });

  const originsOf = (loads: readonly string[], sets: readonly string[]) => {
    const phases = loads.map((load, n) => `  - { name: p${n}, duration: 1s, checkdata: { ${load} } }`);
    const scenario = scenarioOf(withPhases(phases.join('\n')), sets);
    const models = scenario.phases.map((_, n) => modelOf(scenario, n, 'checkdata'));
    return models.map((model) => model?.kind === 'cadence' && model.originMs);
  };
  const CHANGES = [
    ...['every: 5s', 'every: 6s', 'every: 6000ms, jitter: 0.2', 'every: 6s, first: 1s', 'every: 6s, first: 1s'],
    ...['rate: 5/s', 'every: 6s, first: 1s', 'every: 5s'],
  ];

  it('of agents that start with their load restart if the interval or the first arrival changes', () => {
    const origins = [0, 1000, 1000, 3000, 3000, false, 3000, 7000];
    expect(originsOf(CHANGES, ['fleet.start=fresh'])).toEqual(origins);
    const even = CHANGES.map((load) => (load.startsWith('rate') ? load : `${load}, spread: even`));
    expect(originsOf(even, [])).toEqual(origins);
    expect(originsOf(['every: 5s, spread: even', 'every: 5s, spread: together'], [])).toEqual([0, 1000]);
  });

  it('of standing agents count from the same start in all phases', () => {
    const ago = -86_400_000;
    expect(originsOf(CHANGES, [])).toEqual([ago, ago, ago, 3000, 3000, false, 3000, ago]);
  });
});

describe('a phase without a duration', () => {
  it.each(['0.000001/s', '0/s..0.000001/s', `0.${'0'.repeat(320)}1/s`])(
    'is rejected if its agents need more than a year to register: %s',
    (rate) => {
      expect(problemsOf(withPhases(`  - { name: a, register: { rate: ${rate} } }`))).toMatchObject([
        { path: 'phases.a.register.rate', expected: expect.stringContaining('all 100 agents register within 365d') },
      ]);
    },
  );
});

describe('registration over a given time', () => {
  it('lasts exactly that long', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), fc.constantFrom(7, 23, 100, 999), (ms, agents) => {
        const text = withPhases(`  - { name: enroll, register: { over: ${ms}ms } }`);
        expect(scenarioOf(text, [`fleet.agents=${agents}`]).phases[0]?.durationMs).toBe(ms);
      }),
      { numRuns: draws(40) },
    );
  });
});

describe('the rate of a load', () => {
  it('is written back with all its digits, however low', () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,14}$/);
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), digits, (zeros, last) => {
        const rate = `0.${'0'.repeat(zeros)}${last}/s`;
        const scenario = scenarioOf(withPhases(`  - { name: a, duration: 5s, checkdata: { rate: ${rate} } }`));
        expect(scenarioOf(formatScenario(scenario), ['name=sample'])).toEqual(scenario);
      }),
    );
  });

  it.each([
    ['{ 1s: 10/s, 1000ms: 20/s }', 'each time of a curve once', '1s twice'],
    ['{ 400d: 5/s }', 'times of a curve up to 365d', 'a later one'],
    ['{ noon: 5/s }', 'a time since the start of the phase such as 0s or 6h', '"noon"'],
    ['{ 0s: 5./s }', 'a rate such as 900/s or 30/m', '"5./s"'],
    ['{ 0s: 5 }', 'a rate such as 900/s or 30/m', 'the number 5 without a unit'],
    ['{ 0s: 0/s, 6h: 0.0/m }', 'a curve with a rate above zero', 'only 0/s'],
    ['{ 0s: 1/s, 6h: 2000000000000000/s }', 'a rate up to 1000000000000000/s', '2000000000000000/s at 6h'],
    ['2000000000000000/s', 'a rate up to 1000000000000000/s', '"2000000000000000/s"'],
    ['0/s..0/s', expect.stringMatching(/^a rate above zero such as 200\/s/), '"0/s..0/s"'],
    ['{}', expect.stringMatching(/^a rate above zero such as 200\/s/), 'a section'],
  ])('is rejected with its fault: %s', (rate, expected, found) => {
    const problems = problemsOf(withPhases(`  - { name: a, duration: 5s, checkdata: { rate: ${rate} } }`));
    expect(problems).toEqual([expect.objectContaining({ expected, found })]);
  });
});
