import { describe, expect, it } from 'vitest';
import { averageBytesOf } from '../../../src/machine/profiles.ts';
import { planOf } from '../../../src/scenario/planning/plan.ts';
import { HOST_DATA } from '../../machine/host-data.ts';
import { SMALLEST, scenarioOf, withPhases } from '../read-scenario.ts';

describe('a plan', () => {
  it('adds up the loads of the busiest phase', () => {
    const text = withPhases(`  - { name: a, duration: 5s, checkdata: { rate: 5/s..30/s }, authorize: { rate: 60/m } }
  - { name: b, duration: 5s, checkdata: { every: 5s } }
`);
    expect(planOf(scenarioOf(text, ['fleet.payload=lean']), HOST_DATA)).toMatchObject({
      durationMs: 10_000,
      peakPerSecond: 31,
      peakBytesPerSecond: 30 * (averageBytesOf('ubuntu-24.04', 'lean').checkdata + 461) + 461,
      size: { agents: 100, connections: 100, connectionsPerSource: 100, listeners: 0, tlsContexts: 0, polls: 0 },
    });
  });

  it('counts the check data that follows each registration', () => {
    const text = withPhases('  - { name: enrol, register: { rate: 10/s } }');
    const { phases, peakPerSecond } = planOf(scenarioOf(text), HOST_DATA);
    expect(phases[0]?.loads.map(({ operation }) => operation)).toEqual(['register', 'checkdata']);
    expect(peakPerSecond).toBe(20);
  });

  it('counts what optional checks add to a push', () => {
    const bytesOf = (checks: string) =>
      planOf(scenarioOf(SMALLEST, ['fleet.payload=lean', `fleet.checks=${checks}`]), HOST_DATA).peakBytesPerSecond ?? 0;
    expect(bytesOf('{ docker: 20 }')).toBeGreaterThan(2 * bytesOf('{}'));
  });

  it('knows the size of hosts whose counts are given', () => {
    const bytesOf = (payload: string) =>
      planOf(scenarioOf(SMALLEST, [`fleet.payload=${payload}`]), HOST_DATA).peakBytesPerSecond ?? 0;
    expect(bytesOf('{ processes: 300 }')).toBeGreaterThan(2 * bytesOf('{ processes: 30 }'));
  });

  it('sees that agents which start together send their packages together', () => {
    const text = withPhases('  - { name: a, duration: 5s, checkdata: { every: 5s }, packages: { every: 1h } }');
    expect(planOf(scenarioOf(text), HOST_DATA).peakPerSecond).toBe(100 / 5 + 100 / 5);
  });

  it('counts what agents are polled for, and no connection of theirs where they only listen', () => {
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
      listeners: 100,
      tlsContexts: 100,
      polls: 100,
    });
  });

  it('leaves open how much comes as fast as answers do', () => {
    const text = withPhases('  - { name: a, duration: 5s, checkdata: { concurrency: 4 } }');
    expect(planOf(scenarioOf(text, ['fleet.connections={ shared: 8 }']), HOST_DATA)).toMatchObject({
      peakPerSecond: undefined,
      peakBytesPerSecond: undefined,
      size: { connections: 8 },
    });
  });
});
