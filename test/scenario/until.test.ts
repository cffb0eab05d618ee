import { describe, expect, it } from 'vitest';
import { UserError } from '../../src/kernel/errors.ts';
import { thresholdSubject } from '../../src/metrics/judging/thresholds.ts';
import { readUntil } from '../../src/scenario/conditions.ts';

const read = (text: string) => readUntil(text).map((one) => `${thresholdSubject(subjectOf(one))} ${one.text}`);

function subjectOf(threshold: ReturnType<typeof readUntil>[number]) {
  if (threshold.kind === 'delivery') return { kind: 'delivery' } as const;
  const { operation, phase } = threshold;
  return { kind: 'operation', operation, phase } as const;
}

describe('conditions in one text', () => {
  it('are about the operation in front of them, or before', () => {
    expect(read('checkdata p(99) < 500ms and error_rate < 1%')).toEqual([
      'checkdata p(99) < 500ms',
      'checkdata error_rate < 1%',
    ]);
    expect(
      read(' serve-checkdata p( 99.9 )<=1s  and packages rate > 3/m and max < 2s and delivery lost == 0 '),
    ).toEqual(['serve-checkdata p( 99.9 )<=1s', 'packages rate > 3/m', 'packages max < 2s', 'delivery lost == 0']);
    expect(read('register{phase:enrol} avg < 1s')).toEqual(['register{phase:enrol} avg < 1s']);
  });

  it('come in base units', () => {
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
  ])('are not %j', (text, complaint) => {
    expect(() => readUntil(text)).toThrow(UserError);
    expect(() => readUntil(text)).toThrow(complaint);
  });
});
