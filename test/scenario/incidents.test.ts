import { describe, expect, it } from 'vitest';
import { problemsOf, scenarioOf, withPhases } from './read-scenario.ts';

const PHASES = withPhases(`  - { name: enrol, register: { rate: 50/s } }
  - { name: steady, duration: 10s, checkdata: { every: 5s } }
`);
// Hosts of a typical size: whether they have what an incident is about takes longest to find out of full ones.
const withIncident = (incident: string) =>
  `machine: { incidents: [${incident}] }\n${PHASES.replace('agents: 100', 'agents: 100, payload: typical')}`;
const readIncident = (incident: string) => scenarioOf(withIncident(incident)).incidents[0];

describe('an incident', () => {
  it('hits all agents from the start to the end, unless it says otherwise', () => {
    expect(readIncident('{ do: disk-full }')).toEqual({
      kind: 'disk-full',
      cohort: { share: 1 },
      fromMs: 0,
      toMs: 12_000,
    });
  });

  it('counts its times from the start of the run', () => {
    expect(readIncident('{ do: reboot, at: steady+5s, for: 30s }')).toMatchObject({ fromMs: 7000, toMs: 37_000 });
  });

  it.each([
    ['30%', { share: 0.3 }],
    ['0.3', { share: 0.3 }],
    ['1', { share: 1 }],
    ['10..19', { fromAgent: 10, toAgent: 20 }],
    ['99..99', { fromAgent: 99, toAgent: 100 }],
    ['ubuntu-24.04', { profile: 'ubuntu-24.04' }],
  ])('of the cohort %s hits %o', (cohort, expected) => {
    expect(readIncident(`{ do: reboot, cohort: ${cohort} }`)?.cohort).toEqual(expected);
  });

  it.each([
    ['{ do: disk-full, mountpoint: / }', { kind: 'disk-full', mountpoint: '/' }],
    ['{ do: service-down, service: nginx }', { kind: 'service-down', service: 'nginx' }],
    ['{ do: clock-skew, offset: 1m30s }', { kind: 'clock-skew', offsetSeconds: 90 }],
    ['{ do: clock-skew, offset: -5m }', { kind: 'clock-skew', offsetSeconds: -300 }],
    ['{ do: check-error, check: disk_io, error: broken }', { kind: 'check-error', check: 'disk_io', error: 'broken' }],
  ])('%s keeps what it is about', (written, expected) => {
    expect(readIncident(written)).toMatchObject(expected);
  });

  it.each([
    ['{ do: disk-ful }', 'do', 'disk-full'],
    ['{ do: reboot, at: stedy }', 'at', 'steady'],
    ['{ do: reboot, mountpoint: / }', 'mountpoint', undefined],
    ['{ do: check-error, check: disk_oi }', 'check', 'disk_io'],
    ['{ do: service-down }', 'service', undefined],
    ['{ do: clock-skew, offset: 5 }', 'offset', undefined],
    ['{ do: clock-skew, offset: 0s }', 'offset', undefined],
    ['{ do: reboot, cohort: 5 }', 'cohort', undefined],
    ['{ do: reboot, cohort: 9..1 }', 'cohort', undefined],
    ['{ do: reboot, cohort: some }', 'cohort', undefined],
    ['{ do: reboot, cohort: 90..100 }', 'cohort', undefined],
    ['{ do: reboot, cohort: 0% }', 'cohort', undefined],
    ['{ do: reboot, cohort: windows-11 }', 'cohort', undefined],
    ['{ do: reboot, at: 12s }', 'at', undefined],
    ['{ do: disk-full, mountpoint: /nowhere }', 'mountpoint', undefined],
    ['{ do: service-down, service: Spooler }', 'service', undefined],
    ['{ do: check-error, check: docker }', 'check', undefined],
  ])('%s is told once what is wrong', (incident, key, meant) => {
    // Before a host is said to have it not, one of each kind is asked.
    const sets = /nowhere|Spooler|docker/.test(incident) ? ['fleet.agents=6'] : [];
    expect(problemsOf(withIncident(incident), sets).map(({ path, suggestion }) => [path, suggestion])).toEqual([
      [`machine.incidents.0.${key}`, meant],
    ]);
  });
});

describe('what an incident is about', () => {
  const mixed = ['fleet.profiles={ ubuntu-24.04: 20, windows-11: 4 }', 'fleet.agents=24', 'fleet.payload=full'];
  const problemsWith = (incident: string, sets: readonly string[]) =>
    problemsOf(withIncident(incident), sets).map(({ path, expected, found }) => `${path}: ${expected}, ${found}`);

  it('may be on a part of its cohort only', () => {
    expect(problemsWith('{ do: service-down, service: spooler }', mixed)).toEqual([]);
    expect(problemsWith('{ do: check-error, check: docker }', ['fleet.checks.docker=1'])).toEqual([]);
  });

  it('has to be on some agent of it', () => {
    expect(problemsWith('{ do: service-down, service: spooler, cohort: ubuntu-24.04 }', mixed)).toEqual([
      'machine.incidents.0.service: a running service that an agent of the cohort has, "spooler"',
    ]);
  });
});

describe('a payload', () => {
  it('can be counts per kind', () => {
    const payload = { processes: 80, services: 120, disks: 4, interfaces: 3, containers: 10 };
    expect(scenarioOf(PHASES, [`fleet.payload=${JSON.stringify(payload)}`]).fleet.payload).toEqual(payload);
  });

  it.each([
    ['ful', 'fleet.payload', 'full'],
    ['{ proceses: 5 }', 'fleet.payload.proceses', 'processes'],
    ['{ disks: 0 }', 'fleet.payload.disks', undefined],
    ['5', 'fleet.payload', undefined],
  ])('of %s is told once what is wrong', (payload, path, meant) => {
    const problems = problemsOf(PHASES, [`fleet.payload=${payload}`]);
    expect(problems.map((problem) => [problem.path, problem.suggestion])).toEqual([[path, meant]]);
  });
});
