import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/base/kernel/errors.ts';
import type { ThresholdKind } from '../../src/metrics/judging/statistics.ts';
import { thresholdSubject } from '../../src/metrics/judging/thresholds.ts';
import { conditionSchema, parseCondition } from '../../src/scenario/conditions.ts';
import { readUntil } from '../../src/scenario/until.ts';

/** Whether the pattern that editors use accepts the text. */
function isLetThrough(text: string, kind: ThresholdKind): boolean {
  const schema = conditionSchema(kind);
  const forms = 'anyOf' in schema ? schema.anyOf : [schema];
  return forms.some(({ pattern }) => new RegExp(pattern, 'u').test(text));
}

describe('a threshold', () => {
  it.each([
    ['p(99) < 250ms', { kind: 'percentile', percentile: 99 }, '<', 250],
    ['p( 99.9 )<=1s', { kind: 'percentile', percentile: 99.9 }, '<=', 1000],
    ['avg < 500us', { kind: 'avg' }, '<', 0.5],
    ['max >= 1m30s', { kind: 'max' }, '>=', 90_000],
    ['count == 1000', { kind: 'count' }, '==', 1000],
    ['rate > 100/s', { kind: 'rate' }, '>', 100],
    ['rate > 30/m', { kind: 'rate' }, '>', 0.5],
    ['planned == 400', { kind: 'planned' }, '==', 400],
    ['dropped == 0', { kind: 'dropped' }, '==', 0],
    ['dropped_rate <= 1%', { kind: 'dropped_rate' }, '<=', 0.01],
    ['error_rate < 0.1%', { kind: 'error_rate' }, '<', 0.001],
  ])('%s is read in the unit of its statistic', (text, statistic, comparator, bound) => {
    expect(parseCondition('operation', text)).toEqual({ kind: 'operation', statistic, comparator, bound, text });
    expect(isLetThrough(text, 'operation')).toBe(true);
  });

  it.each([
    'p(0) < 1s',
    'p(101) < 1s',
    'p() < 1s',
    'median < 1s',
    'avg < 250',
    'avg = 250ms',
    'avg < -1ms',
    'count > 5/s',
    'error_rate < 101%',
    'error_rate < 2',
    'error_rate < 0.001',
    'error_rate == 0',
    'dropped_rate < 0.1',
    'dropped < 1%',
    'rate > 0.5',
    'rate > 5%',
    'p(99) < 1s && avg < 1s',
    '',
  ])('rejects %j and names what it expected', (text) => {
    expect(parseCondition('operation', text)).toMatchObject({
      expected: expect.any(String),
      found: expect.any(String),
    });
  });
});

describe('a threshold on delivery', () => {
  it.each([
    ['lost == 0', 'lost', '==', 0],
    [' duplicated<=2 ', 'duplicated', '<=', 2],
    ['unknown < 10', 'unknown', '<', 10],
  ])('%s is read as a count', (text, figure, comparator, bound) => {
    expect(parseCondition('delivery', text)).toEqual({
      kind: 'delivery',
      figure,
      comparator,
      bound,
      text: text.trim(),
    });
    expect(isLetThrough(text, 'delivery')).toBe(true);
  });

  it.each(['missing == 0', 'lost', 'lost = 0', 'lost < 1%', 'unknown < 5ms', 'p(99) < 1s', ''])(
    'rejects %j and names what it expected',
    (text) => {
      expect(parseCondition('delivery', text)).toMatchObject({
        expected: expect.any(String),
        found: expect.any(String),
      });
    },
  );
});

describe("a threshold on the agents' ports", () => {
  it.each([
    ['refused == 0', 'refused', '==', 0],
    [' down<=2 ', 'down', '<=', 2],
    ['unanswered < 10', 'unanswered', '<', 10],
    ['accepted >= 61', 'accepted', '>=', 61],
    ['handshakes > 5', 'handshakes', '>', 5],
  ])('%s is read as a count', (text, figure, comparator, bound) => {
    expect(parseCondition('listeners', text)).toEqual({
      kind: 'listeners',
      figure,
      comparator,
      bound,
      text: text.trim(),
    });
    expect(isLetThrough(text, 'listeners')).toBe(true);
  });

  it.each(['lost == 0', 'refused', 'refused < 1%', ''])('rejects %j and names what it expected', (text) => {
    expect(parseCondition('listeners', text)).toMatchObject({
      expected: expect.any(String),
      found: expect.any(String),
    });
  });
});

const read = (text: string) => readUntil(text).map((one) => `${thresholdSubject(subjectOf(one))} ${one.text}`);

function subjectOf(threshold: ReturnType<typeof readUntil>[number]) {
  if (threshold.kind !== 'operation') return { kind: threshold.kind } as const;
  const { operation, phase } = threshold;
  return { kind: 'operation', operation, phase } as const;
}

describe('a text with several conditions', () => {
  it('applies a condition without an operation to the preceding operation', () => {
    expect(read('checkdata p(99) < 500ms and error_rate < 1%')).toEqual([
      'checkdata p(99) < 500ms',
      'checkdata error_rate < 1%',
    ]);
    expect(
      read(' serve-checkdata p( 99.9 )<=1s  and packages rate > 3/m and max < 2s and delivery lost == 0 '),
    ).toEqual(['serve-checkdata p( 99.9 )<=1s', 'packages rate > 3/m', 'packages max < 2s', 'delivery lost == 0']);
    expect(read('register{phase:enroll} avg < 1s')).toEqual(['register{phase:enroll} avg < 1s']);
  });

  it('yields bounds in base units', () => {
    expect(readUntil('checkdata p(99) < 2s and error_rate < 1%')).toMatchObject([
      { statistic: { kind: 'percentile', percentile: 99 }, bound: 2000 },
      { statistic: { kind: 'error_rate' }, bound: 0.01 },
    ]);
  });

  it.each([
    ['', '--until: expected an operation before the first condition, such as checkdata p(99) < 500ms, found ""'],
    ['p(99) < 500ms', 'expected an operation before the first condition'],
    ['rate > 5/s and checkdata p(99) < 1s', 'expected an operation before the first condition'],
    ['chekdata p(99) < 500ms', 'found "chekdata"; did you mean checkdata?'],
    ['checkdata', 'expected an operation before the first condition'],
    ['checkdata p99 < 500ms', 'found "p99"; did you mean p(99)?'],
    ['checkdata p(99) < 500', 'expected a duration such as 250ms after p(99) <, found "500"'],
    ['checkdata p(99) < 500ms and', 'expected a condition such as'],
    ['checkdata p(99) < 500ms or error_rate < 1%', 'expected a condition such as'],
    ['checkdata p(99) < 500ms, error_rate < 1%', 'expected'],
    ['delivery p(99) < 1s', 'expected a figure, one of lost, duplicated, unknown'],
  ])('rejects %j', (text, complaint) => {
    expect(() => readUntil(text)).toThrow(UserError);
    expect(() => readUntil(text)).toThrow(complaint);
  });
});
