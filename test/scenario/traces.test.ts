import { describe, expect, it } from 'vitest';
import { formatScenario } from '../../src/scenario/file.ts';
import { planOf } from '../../src/scenario/planning/plan.ts';
import { scenarioSince } from '../../src/scenario/planning/staying.ts';
import { formatProblems } from '../../src/scenario/reading/document.ts';
import { HOST_DATA } from '../hosts/host-data.ts';
import { row, traceText } from '../load/traces/traces.ts';
import { problemsOf, scenarioOf } from './read-scenario.ts';

const TRACE = '/work/scenarios/incident.trace';

/** Three arrivals in the first second, one every 10 s after that, to 100 s. */
const ROWS = [
  row(0, 'checkdata', 0),
  row(1000, 'register', 80),
  row(5000, 'checkdata', 80),
  ...Array.from({ length: 10 }, (_, n) => row(10e6 * (n + 1), 'checkdata', n)),
];
const FILES = { [TRACE]: traceText(81, ROWS) };

const replayed = (phases: string, agents = 100) => `fleet: { agents: ${agents} }\nphases:\n${phases}`;
const read = (phases: string, files = FILES) => scenarioOf(replayed(phases), [], {}, files);
const refused = (phases: string, files: Readonly<Record<string, string>> = FILES, agents = 100) =>
  formatProblems('a.yaml', problemsOf(replayed(phases, agents), [], {}, files));

const stretches = (phases: string) =>
  read(phases).phases.map(({ startMs, durationMs, loads }) => {
    const [model] = loads.map((load) => load.model);
    return [startMs, durationMs, model?.kind === 'trace' ? model.fromMs : undefined];
  });

const WHOLE = '  - { name: all, load: { trace: incident.trace } }\n';
const PARTS = `  - { name: enroll, register: { over: 4s, agents: 80 } }
  - { name: before, duration: 5s, load: { trace: incident.trace } }
  - { name: pause, duration: 1s, exclude: true }
  - { name: fast, duration: 2s, load: { trace: incident.trace, speed: 10 } }
  - { name: rest, load: { trace: ./incident.trace, speed: 5 } }
  - { name: again, duration: 1s, load: { trace: incident.trace, from: 99500ms } }
`;

describe('a phase with a trace', () => {
  it('lasts to the last row, which is in it', () => {
    expect(stretches(WHOLE)).toEqual([[0, 100_001, 0]]);
    expect(stretches(WHOLE.replace('}', ', speed: 10 }'))).toEqual([[0, 10_001, 0]]);
    expect(stretches(WHOLE.replace('}', ', from: 1m40s }'))).toEqual([[0, 1, 100_000]]);
  });

  it('goes on where the one before it with the same trace ended', () => {
    expect(stretches(PARTS)).toEqual([
      [0, 4000, undefined],
      [4000, 5000, 0],
      [9000, 1000, undefined],
      [10_000, 2000, 5000],
      [12_000, 15_001, 25_000],
      [27_001, 1000, 99_500],
    ]);
  });

  it('has the loads of its rows, which the plan counts', () => {
    const [load] = read(WHOLE)
      .phases.flatMap(({ loads }) => loads)
      .filter(({ operation }) => operation === 'checkdata');
    expect(load?.model).toMatchObject({ kind: 'trace', file: TRACE, counts: { arrivals: 12, mostInSecond: 2 } });
    const plan = planOf(read(WHOLE), HOST_DATA);
    expect(plan.phases[0]?.loads.map(({ operation, peakPerSecond }) => [operation, peakPerSecond])).toEqual([
      ['register', 1],
      ['checkdata', 2],
    ]);
    const [silent] = planOf(
      read(WHOLE.replace('}', ', from: 91s }').replace('load', 'duration: 5s, load')),
      HOST_DATA,
    ).phases;
    expect(silent?.loads.map(({ peakPerSecond }) => peakPerSecond)).toEqual([0, 0, 0, 0]);
  });

  it('is formatted so that it is read again as the same, and another file is not', () => {
    const scenario = read(PARTS);
    const text = formatScenario(scenario);
    expect(scenarioOf(text, [], {}, FILES)).toEqual({ ...scenario, name: expect.any(String) });
    const other = { [TRACE]: traceText(81, ROWS.slice(1)) };
    expect(formatProblems('a.yaml', problemsOf(text, [], {}, other))).toContain(
      `load.trace: expected the trace with ${FILES[TRACE]?.length} bytes, found one with ${other[TRACE]?.length}`,
    );
  });

  it('is read without its file for a finished run', () => {
    const text = formatScenario(read(PARTS));
    expect(scenarioOf(text).phases.map(({ durationMs }) => durationMs)).toEqual([4000, 5000, 1000, 2000, 15_001, 1000]);
    expect(formatScenario(scenarioOf(text))).toBe(text);
  });

  it('is resumed in the middle where it would be by then', () => {
    const { phases } = scenarioSince(read(PARTS), 11_000);
    expect(phases[0]).toMatchObject({ name: 'fast', startMs: 0, durationMs: 1000 });
    expect(phases[0]?.loads[0]?.model).toMatchObject({ fromMs: 15_000 });
  });

  it('keeps its speed whatever the clocks of its hosts do', () => {
    const clocked = scenarioOf(`hostClock: { factor: 60 }\n${replayed(WHOLE)}`, [], {}, FILES);
    expect(clocked.phases[0]?.durationMs).toBe(100_001);
  });
});

describe('a trace is refused', () => {
  it.each([
    [
      'with other loads',
      WHOLE.replace('load', 'checkdata: { every: 5s }, load'),
      'phases.all.checkdata: expected a phase with a trace to have no other load, because the trace has all its arrivals, found checkdata beside load',
    ],
    [
      'from its end on',
      WHOLE.replace('}', ', from: 101s }'),
      'phases.all.load.trace: expected rows after 1m41s, where the phase begins, found its end at 1m40s',
    ],
    [
      'at a speed of zero',
      WHOLE.replace('}', ', speed: 0 }'),
      'phases.all.load.speed: expected a number from 0.01 to 1000, found the number 0',
    ],
    [
      'without a file name',
      WHOLE.replace('incident.trace', '""'),
      'phases.all.load.trace: expected a non-empty string, found an empty string',
    ],
  ])('%s', (_, phases, expected) => {
    expect(refused(phases)).toContain(expected);
  });

  it('if the fleet has fewer agents', () => {
    expect(refused(WHOLE, FILES, 80)).toContain(
      'fleet.agents: expected at least 81, the agents of incident.trace, found 80',
    );
  });

  it('without a row, unless the phase has a duration', () => {
    const empty = { [TRACE]: traceText(81, []) };
    expect(refused(WHOLE, empty)).toContain(
      'load.trace: expected rows after 0s, where the phase begins, found a trace without rows',
    );
    expect(refused(WHOLE.replace('load', 'duration: 3s, load'), empty)).toBe('');
  });

  it('without a duration, if its file is not read', () => {
    expect(refused(WHOLE, {})).toContain('phases.all: expected a duration, found none');
  });

  it.each([
    ['is missing', {}, `there is no ${TRACE}`],
    ['is none', { [TRACE]: 'hello' }, `The trace ${TRACE}: expected a first line`],
    ['has a bad row anywhere', { [TRACE]: `${traceText(81, ROWS)}1\tc\t1\t1\n` }, 'in line 15, found "1\\tc\\t1\\t1"'],
  ])('if its file %s', (_, files, expected) => {
    const others = { '/work/scenarios/other.trace': '', ...files };
    const parse = () => scenarioOf(replayed(WHOLE.replace('load', 'duration: 3s, load')), [], {}, others);
    expect(parse).toThrow(expected);
  });
});

describe('a registration of some agents', () => {
  it('registers the first ones, for as long as they take', () => {
    const [phase] = scenarioOf(replayed('  - { name: enroll, register: { rate: 20/s, agents: 50 } }')).phases;
    expect(phase).toMatchObject({ durationMs: 2500, loads: [{ model: { ratePerSecond: 20, limit: 50 } }] });
    expect(read(PARTS).phases[0]?.loads[0]?.model).toMatchObject({ ratePerSecond: 20, limit: 80 });
  });

  it('is formatted with their number, and that of all agents without it', () => {
    const text = (register: string) =>
      formatScenario(scenarioOf(replayed(`  - { name: enroll, register: ${register} }`)));
    expect(text('{ over: 5s, agents: 50 }')).toContain('    register:\n      rate: 10/s\n      agents: 50\n');
    expect(text('{ over: 5s, agents: 100 }')).toBe(text('{ over: 5s }'));
  });

  it('is refused for more agents than the fleet has', () => {
    expect(refused('  - { name: enroll, register: { over: 5s, agents: 101 } }')).toContain(
      'phases.enroll.register.agents: expected at most the agents of the fleet, 100, found 101',
    );
  });
});
