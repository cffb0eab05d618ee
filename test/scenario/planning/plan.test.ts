import { describe, expect, it } from 'vitest';
import { profileNamed } from '../../../src/hosts/profiles.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { problemsOf, SMALLEST, scenarioOf, withPhases } from '../read-scenario.ts';

const UBUNTU = profileNamed('ubuntu-24.04').payloads(HOST_DATA.tables);

describe('a plan', () => {
  it('adds up the loads of the busiest phase', () => {
    const text = withPhases(`  - { name: a, duration: 5s, checkdata: { rate: 5/s..30/s }, authorize: { rate: 60/m } }
  - { name: b, duration: 5s, checkdata: { every: 5s } }
`);
    expect(planOf(scenarioOf(text, ['fleet.payload=lean']), HOST_DATA)).toMatchObject({
      durationMs: 10_000,
      peakPerSecond: 31,
      peakBytesPerSecond: 30 * (UBUNTU.lean.averageBytes.checkdata + 461) + 461,
      size: {
        agents: 100,
        connections: 100,
        connectionsPerSource: 100,
        tlsConnections: 0,
        http2Connections: 0,
        listeners: 0,
        tlsContexts: 0,
        polls: 0,
        attackSockets: 0,
        attackBytes: 0,
      },
    });
  });

  it('takes the peak of a curve from the part that its phase reaches', () => {
    const peakOf = (rate: string) =>
      planOf(scenarioOf(withPhases(`  - { name: a, duration: 5s, checkdata: { rate: ${rate} } }`)), HOST_DATA)
        .peakPerSecond;
    expect(peakOf('{ 0s: 10/s, 10s: 30/s }')).toBe(20);
    expect(peakOf('{ 0s: 10/s, 2s: 90/s, 5s: 20/s, 1h: 1000/s }')).toBe(90);
    expect(peakOf('{ 10s: 30/s }')).toBe(30);
    expect(peakOf('{ 0s: 0/s, 6s: 0/s, 1h: 1000/s }')).toBe(0);
  });

  it('is there for an interval of a microsecond, too', () => {
    const text = withPhases('  - { name: a, duration: 1s, checkdata: { every: 1us } }');
    expect(planOf(scenarioOf(text), HOST_DATA).peakPerSecond).toBe(100_000_000);
  });

  it('counts what the attackers of concurrent events use, up to the limits on attacks', () => {
    const sizeWith = (...events: readonly string[]) => {
      const text = withPhases('  - { name: a, duration: 20s, checkdata: { every: 5s } }');
      return planOf(scenarioOf(`events: [${events.join(', ')}]\n${text}`), HOST_DATA).size;
    };
    const hoard = '{ do: misbehave, how: hoarded-connections, at: 5s, for: 5s, cohort: 0..2 }';
    const large = '{ do: misbehave, how: size-at-limit, at: 5s, for: 5s, cohort: 3 }';
    const later = '{ do: misbehave, how: gzip, at: 10s, cohort: 0..59 }';
    expect(sizeWith(hoard)).toMatchObject({ connections: 100, attackSockets: 150, attackBytes: 0 });
    expect(sizeWith(hoard, large, later)).toMatchObject({ attackSockets: 151, attackBytes: 50 << 20 });
    expect(sizeWith(hoard.replace('0..2', '100%'))).toMatchObject({ attackSockets: 1000 });
    expect(sizeWith(large.replace('3', '100%'))).toMatchObject({ attackSockets: 100, attackBytes: 64 << 20 });
  });

  it('counts the check data that follows each registration', () => {
    const text = withPhases('  - { name: enroll, register: { rate: 10/s } }');
    const { phases, peakPerSecond } = planOf(scenarioOf(text), HOST_DATA);
    expect(phases[0]?.loads.map(({ operation }) => operation)).toEqual(['register', 'checkdata']);
    expect(peakPerSecond).toBe(20);
  });

  it('counts what optional checks add to a push', () => {
    const bytesOf = (checks: string) =>
      planOf(scenarioOf(SMALLEST, ['fleet.payload=lean', `fleet.checks=${checks}`]), HOST_DATA).peakBytesPerSecond ?? 0;
    expect(bytesOf('{ docker: 20 }')).toBeGreaterThan(2 * bytesOf('{}'));
  });

  it('estimates the size of hosts with explicit counts', () => {
    const bytesOf = (payload: string) =>
      planOf(scenarioOf(SMALLEST, [`fleet.payload=${payload}`]), HOST_DATA).peakBytesPerSecond ?? 0;
    expect(bytesOf('{ processes: 300 }')).toBeGreaterThan(2 * bytesOf('{ processes: 30 }'));
  });

  it('recognizes that agents that start together send their packages together', () => {
    const text = withPhases(
      '  - { name: a, duration: 5s, checkdata: { every: 5s }, packages: { every: 1h, first: 1s } }',
    );
    expect(planOf(scenarioOf(text), HOST_DATA).peakPerSecond).toBe(100 / 5 + 100 / 5);
  });

  it.each([
    ['every: 4s', 25, 25 + 3 * Math.sqrt((25 * 3) / 4)],
    ['every: 4s, spread: even', 25, 25],
    ['every: 4s, spread: together', 100, 100],
    ['every: 500ms', 200, 200],
    ['rate: 25/s', 25, 25],
  ])('estimates how many arrivals may randomly share one second, with %s', (load, peakPerSecond, mostInSecond) => {
    const text = withPhases(`  - { name: a, duration: 5s, checkdata: { ${load} } }`);
    expect(planOf(scenarioOf(text), HOST_DATA)).toMatchObject({ peakPerSecond, mostInSecond });
  });

  it('counts the polls of agents, and no outbound connections for agents that only listen', () => {
    const text = `${withPhases('  - { name: a, duration: 5s }')}
target: { pull: { every: 10s, packages: 100s, concurrency: 200 } }
webServer: { listen: 127.0.0.1:20000+, autoTls: true }`;
    const { phases, peakPerSecond, size } = planOf(scenarioOf(text), HOST_DATA);
    expect(phases[0]?.loads).toMatchObject([
      { operation: 'poll', peakPerSecond: 10 },
      { operation: 'poll-packages', peakPerSecond: 1 },
    ]);
    expect(peakPerSecond).toBe(11);
    expect(size).toEqual({
      agents: 100,
      connections: 0,
      connectionsPerSource: 0,
      tlsConnections: 0,
      http2Connections: 0,
      listeners: 100,
      tlsContexts: 100,
      polls: 100,
      attackSockets: 0,
      attackSocketsPerSource: 0,
      attackBytes: 0,
      documents: expect.any(Array),
    });
  });

  it('leaves the rate of a closed workload undefined', () => {
    const text = withPhases('  - { name: a, duration: 5s, checkdata: { concurrency: 4 } }');
    expect(planOf(scenarioOf(text, ['fleet.connections={ shared: 8 }']), HOST_DATA)).toMatchObject({
      peakPerSecond: undefined,
      peakBytesPerSecond: undefined,
      size: { connections: 8 },
    });
  });
});

describe('a load whose first arrival is due after its phase has ended', () => {
  const late = (duration: string, load: string) =>
    withPhases(`  - { name: a, duration: 1s, authorize: { rate: 1/s } }
  - { name: steady, duration: ${duration}, ${load} }
`);
  const rateOf = (text: string) => planOf(scenarioOf(text), HOST_DATA).phases[1]?.loads[0]?.peakPerSecond;

  it.each([
    ['3s', 'checkdata: { every: 5s, first: 5s }', 0],
    ['5s', 'checkdata: { every: 5s, first: 5s }', 0],
    ['20s', 'packages: { every: 1d }', 0],
    ['20s', 'packages: { every: 1h, first: 90s }', 0],
    ['5500ms', 'checkdata: { every: 5s, first: 5s }', 20],
    ['5s', 'checkdata: { every: 10s, first: 4s }', 10],
  ])('is not part of the plan: %s with %s', (duration, load, rate) => {
    expect(rateOf(late(duration, load))).toBe(rate);
  });

  it.each(['checkdata', 'checkdata{phase:steady}', 'register'])('leaves a threshold on %s without data', (subject) => {
    const text = `${late('3s', 'checkdata: { every: 5s, first: 5s }')}thresholds: { "${subject}": ["count > 1"] }`;
    const expected = expect.stringContaining(
      'steady lasts 3s, and the first checkdata of an agent is due 5s after its start',
    );
    expect(problemsOf(text)).toMatchObject([{ path: `thresholds.${subject}`, expected }]);
    expect(problemsOf(text, ['phases.steady.duration=6s'])).toEqual([]);
    expect(problemsOf(text, ['phases.a.checkdata={ every: 1s }'])).toHaveLength(subject.includes('{') ? 1 : 0);
  });

  it('continues in the next phase, where arrivals are due', () => {
    const load = 'checkdata: { every: 5s, first: 5s }';
    const text = withPhases(`  - { name: a, duration: 3s, ${load} }
  - { name: steady, duration: 3s, ${load} }
`);
    expect(rateOf(text)).toBe(20);
    expect(problemsOf(`${text}thresholds: { "checkdata{phase:steady}": ["count > 1"] }`)).toEqual([]);
    expect(problemsOf(`${text}thresholds: { "checkdata{phase:a}": ["count > 1"] }`)).toHaveLength(1);
  });
});
