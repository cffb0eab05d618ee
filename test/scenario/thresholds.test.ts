import { describe, expect, it } from 'vitest';
import { evaluateThresholds } from '../../src/metrics/judging/threshold-results.ts';
import { createRunTotals } from '../../src/metrics/merging/run-totals.ts';
import { createRecorder } from '../../src/metrics/recording/recorder.ts';
import { plainScenario } from '../../src/scenario/file.ts';
import { PHASES, stateAt } from '../metrics/recordings.ts';
import { problemsOf, scenarioOf } from './read-scenario.ts';

const FILE =
  'fleet: { agents: 10 }\nphases: [{ name: steady, duration: 1m, checkdata: { every: 10s } }]\n' +
  'events: [{ do: disconnect, name: outage, at: 10s, for: 5s }, { do: restart, at: 25s }, { do: misbehave, how: gzip, name: other, at: 40s, for: 5s }]\n';

const withThresholds = (key: string, ...conditions: string[]) =>
  `${FILE}thresholds: { ${JSON.stringify(key)}: ${JSON.stringify(conditions)} }\n`;

const thresholdsOf = (key: string, ...conditions: string[]) =>
  scenarioOf(withThresholds(key, ...conditions)).thresholds;

describe('a threshold on misbehaving agents', () => {
  it.each([
    ['misbehave{how:broken-json}', 'accepted == 0'],
    ['misbehave', 'unanswered < 3'],
  ])('%s: %s is written back unchanged', (key, condition) => {
    expect(plainScenario(scenarioOf(withThresholds(key, condition))).thresholds).toEqual({ [key]: [condition] });
  });

  const recorder = createRecorder();
  for (const status of [400, 400, 200]) {
    const kind = status === 200 ? 'accepted' : 'refused';
    recorder.attacks.ended({ how: 'gzip', ending: { kind, status }, latencyMs: 1, sentBytes: 1 });
  }
  recorder.attacks.ended({ how: 'slow-head', ending: { kind: 'closed' }, latencyMs: 1, sentBytes: 1 });
  recorder.attacks.ended({ how: 'huge-head', ending: { kind: 'skipped' }, latencyMs: 0, sentBytes: 0 });
  const totals = createRunTotals(PHASES, [0]);
  totals.add(recorder.takeFrame(stateAt(0)));
  const recording = { phases: PHASES, elapsedMs: 7000, run: totals.read() };
  const delivery = { observed: false, reason: 'nobody looked' } as const;

  it.each([
    ['misbehave{how:gzip}', 'accepted == 1', { observed: 1, passed: true }],
    ['misbehave{how:gzip}', 'refused < 2', { observed: 2, passed: false }],
    ['misbehave', 'closed == 1', { observed: 1, passed: true }],
    ['misbehave{how:huge-head}', 'skipped > 0', { observed: 1, passed: true }],
    ['misbehave{how:huge-head}', 'accepted == 0', { passed: false, unobserved: 'no attack took place' }],
    ['misbehave{how:pipelining}', 'accepted == 0', { passed: false, unobserved: 'no attack took place' }],
  ])('%s: %s counts attacks by how they ended, and has no data if none took place', (key, condition, result) => {
    const judged = evaluateThresholds(
      recording,
      { delivery, recoveries: [], leaveOutShare: 0.2 },
      thresholdsOf(key, condition),
    );
    expect(judged).toMatchObject([result]);
  });
});

describe('a threshold on a recovery', () => {
  const worst = { event: 'outage', fromMs: 1000, toMs: 2000, timeMs: 59_000, herd: 3.5 };
  const lost = { event: 'other', fromMs: 1000, toMs: 2000, unobserved: 'not back' };

  it.each([
    ['recovery{event:outage}', 'time < 60s', { observed: 59_000, unit: 'milliseconds', passed: true }],
    ['recovery{event:outage}', 'time < 59s', { observed: 59_000, passed: false }],
    ['recovery{event:outage}', 'herd < 3', { observed: 3.5, unit: 'times', passed: false }],
    ['recovery{event:other}', 'time < 1h', { passed: false, unobserved: 'not back' }],
    ['recovery{event:restart-1}', 'herd < 9', { passed: false, unobserved: 'it never happened' }],
  ])('%s: %s reports the figure of the event in its unit', (key, condition, result) => {
    const around = {
      delivery: { observed: false, reason: 'nobody looked' } as const,
      recoveries: [worst, lost],
      leaveOutShare: 0.2,
    };
    const totals = createRunTotals(PHASES, [0]);
    const recording = { phases: PHASES, elapsedMs: 7000, run: totals.read() };
    expect(evaluateThresholds(recording, around, thresholdsOf(key, condition))).toMatchObject([result]);
  });
});

describe('an invalid threshold on attacks or recoveries', () => {
  it.each([
    ['misbehave{how:broken-jsn}', 'accepted == 0', 'a kind of attack'],
    ['misbehave{event:gzip}', 'accepted == 0', 'misbehave or misbehave{how:name}'],
    ['recovery', 'time < 60s', 'recovery{event:name}'],
    ['recovery{event:}', 'time < 60s', 'recovery{event:name}'],
    ['recovery{event:cable}', 'time < 60s', 'the name of an event; this scenario has outage, restart-1, other'],
    ['misbehave', 'p(99) < 1s', 'a condition such as accepted == 0'],
    ['recovery{event:outage}', 'accepted == 0', 'a condition such as time < 60s or herd < 3'],
    ['recovery{event:outage}', 'time < 60', 'a duration such as 250ms'],
    ['misbehave', 'accepted < 1%', 'a number'],
    ['misbehave', 'acepted == 0', 'a condition such as accepted == 0'],
    ['recovery{phase:steady}', 'time < 60s', 'recovery{event:name}'],
    ['checkdata', 'accepted == 0', 'a condition such as p(99) < 250ms'],
  ])('is reported: %s: %s', (key, condition, expected) => {
    const problems = problemsOf(withThresholds(key, condition));
    expect(problems.map((problem) => problem.expected).join()).toContain(expected);
    expect(problems).toHaveLength(1);
  });

  it('gets a suggestion for a misspelled attack', () => {
    expect(JSON.stringify(problemsOf(withThresholds('misbehave{how:broken-jsn}', 'accepted == 0')))).toContain(
      'broken-json',
    );
  });
});
