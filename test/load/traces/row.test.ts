import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  emptyTraceRow,
  MAX_ROW_BYTES,
  parseTraceHeader,
  parseTraceRow,
  serializeTraceHeader,
} from '../../../src/load/traces/row.ts';
import '../../draws.ts';
import { anyRow, serializeTraceRow } from './traces.ts';

function parsed(line: string) {
  const bytes = Buffer.from(line);
  const row = emptyTraceRow();
  return parseTraceRow(bytes, 0, bytes.length, row) ? row : undefined;
}

describe('a row of a trace', () => {
  it('is read as it was written, in at most the longest row', () => {
    fc.assert(
      fc.property(anyRow({ agents: 10_000_000, untilUs: 2 ** 30 }), fc.integer({ min: 0, max: 8e15 }), (row, atUs) => {
        const text = serializeTraceRow({ ...row, atUs });
        expect(text.length).toBeLessThanOrEqual(MAX_ROW_BYTES);
        expect(parsed(text.trimEnd())).toEqual({ ...row, atUs });
      }),
    );
  });

  it.each([
    ['1500000\tc\t12\t13', { status: 0, responseMs: -1 }],
    ['1500000\tc\t12\t13\r', { status: 0, responseMs: -1 }],
    ['1500000\tc\t12\t13\t-\t7', { status: 0, responseMs: 7 }],
    ['1500000\tc\t12\t13\t502\t-', { status: 502, responseMs: -1 }],
    ['1500000\tc\t12\t13\t200\t0.25', { status: 200, responseMs: 0.25 }],
  ])('may know the answer or not: %j', (line, known) => {
    expect(parsed(line)).toEqual({ atUs: 1_500_000, operation: 'checkdata', agent: 12, sizeClass: 13, ...known });
  });

  it.each([
    ...[
      '',
      '1',
      '1\t',
      '1\tc',
      '1\tc\t',
      '1\tc\t2',
      '1\tc\t2\t',
      '1\tc\t2\t3\t',
      '1\tc\t2\t3\t200',
      '1\tc\t2\t3\t200\t',
    ],
    ...['-1\tc\t2\t3', '1.5\tc\t2\t3', '1\tx\t2\t3', '1\tcc\t2\t3', '1 c 2 3', '1\tc\t2\t64', '1\tc\t2\t3\t1000\t1'],
    ...[
      '1\tc\t2\t3\t200\t1.2345',
      '1\tc\t2\t3\t200\t1.',
      '1\tc\t2\t3\t200\t5\t',
      '1\tc\t2\t3\t200\t5 ',
      '1e3\tc\t2\t3',
    ],
    ...['99999999999999999999\tc\t2\t3', '# a comment', '1\tc\t2\t3\r\r'],
  ])('is nothing else: %j', (line) => {
    expect(parsed(line)).toBeUndefined();
  });
});

describe('the first line of a trace', () => {
  it('is read as it was written', () => {
    const header = { agents: 300, start: '2026-11-20T09:00:00.000+01:00' };
    expect(parseTraceHeader('a.trace', serializeTraceHeader(header).trimEnd())).toEqual(header);
  });

  it.each([
    '',
    '# muster trace 2 agents=300 start=2026-11-20T09:00:00Z unit=us',
    '# muster trace 1 agents=0 start=2026-11-20 unit=us',
    '# muster trace 1 agents=3 start=yesterday unit=us',
    '1\tc\t2\t3',
  ])('is refused in one sentence that shows what it must be: %j', (line) => {
    expect(() => parseTraceHeader('a.trace', line)).toThrow(
      /^The trace a\.trace: expected a first line such as # muster trace 1 agents=300 start=\S+ unit=us, found ".*"; make it with muster replay\.$/,
    );
  });
});
