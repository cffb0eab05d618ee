import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import { conditionsOf } from '../../src/capacity/conditions.ts';
import { raisedLoadOf } from '../../src/capacity/raised-load.ts';
import { readUntil } from '../../src/scenario/until.ts';
import { scenarioOf } from '../scenario/read-scenario.ts';

const SCENARIO = `fleet: { agents: 30 }
phases:
  - { name: enroll, register: { rate: 30/s } }
  - { name: steady, duration: 5s, checkdata: { every: 5s } }
  - { name: after, duration: 5s, packages: { rate: 1/s }, exclude: true }
thresholds:
  "register{phase:enroll}": ["p(95) < 500ms"]
  checkdata: ["p(99) < 250ms", "count > 20"]
  "packages{phase:after}": ["error_rate == 0%"]
  delivery: ["lost == 0"]
`;

function conditions(until: string | undefined, text = SCENARIO) {
  const scenario = scenarioOf(text);
  const searched = { scenario, raised: raisedLoadOf(scenario, undefined) };
  return conditionsOf(searched, until === undefined ? undefined : readUntil(until));
}

describe('the conditions of a search', () => {
  it('are the thresholds of the scenario that can be judged per step', () => {
    const { thresholds, leftOut, operation } = conditions(undefined);
    expect(thresholds.map(({ text }) => text)).toEqual(['p(95) < 500ms', 'p(99) < 250ms', 'lost == 0']);
    expect(leftOut.map(({ text }) => text)).toEqual(['count > 20', 'error_rate == 0%']);
    expect(operation).toBe('checkdata');
  });

  it('are the requested ones instead of the thresholds', () => {
    const { thresholds, leftOut } = conditions('register{phase:enroll} max < 1s');
    expect([thresholds, leftOut]).toMatchObject([[{ operation: 'register', phase: 'enroll' }], []]);
  });

  it.each([
    ['packages p(99) < 1s', 'an operation that the phase steady plans, one of register, checkdata, found packages.'],
    ['packages{phase:after} p(99) < 1s', 'up to the measured one, one of enroll, steady, found packages{phase:after}.'],
    ['poll p(99) < 1s', 'expected agents that listen (webServer), found poll.'],
  ])('cannot be %s', (until, complaint) => {
    expect(() => conditions(until)).toThrow(complaint);
  });

  it('select the operation whose figures are shown: check data if a condition refers to it', () => {
    expect(conditions('register p(99) < 1s and checkdata max < 2s').operation).toBe('checkdata');
    expect(conditions('register p(99) < 1s').operation).toBe('register');
    expect(conditions('delivery lost == 0').operation).toBe('checkdata');
  });

  it('are required', () => {
    const none = SCENARIO.slice(0, SCENARIO.indexOf('thresholds'));
    expect(() => conditions(undefined, none)).toThrow(UserError);
    expect(() => conditions(undefined, none)).toThrow('--until "checkdata p(99) < 500ms');
  });
});
