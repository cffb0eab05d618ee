import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { openTrace, type TraceReader } from '../../../src/load/traces/reader.ts';
import { emptyTraceRow, type TraceRow } from '../../../src/load/traces/row.ts';
import { draws } from '../../draws.ts';
import { anyRows, bytesOf, row, traceText } from './traces.ts';

function all(reader: TraceReader): readonly TraceRow[] {
  const rows: TraceRow[] = [];
  const one = emptyTraceRow();
  while (reader.more()) while (reader.next(one)) rows.push({ ...one });
  return rows;
}

const steady = (count: number) => Array.from({ length: count }, (_, n) => row(1000 * n, 'checkdata', n % 7));

describe('a trace', () => {
  it('is read as it was written, with or without its last line feed', () => {
    fc.assert(
      fc.property(anyRows({ agents: 9, untilUs: 5e6 }), fc.boolean(), (rows, isEnded) => {
        const text = traceText(9, rows);
        const trace = openTrace(bytesOf(isEnded ? text : text.trimEnd()));
        expect(trace.lastUs).toBe(rows.at(-1)?.atUs ?? -1);
        expect(all(trace.rowsFrom(0))).toEqual(rows);
      }),
    );
  });

  it('of many pieces is read from any time on, without the pieces before it', () => {
    const rows = steady(20_000);
    const text = traceText(7, rows);
    fc.assert(
      fc.property(fc.integer({ min: -1, max: 20_001_000 }), (fromUs) => {
        const read: number[] = [];
        const trace = openTrace(bytesOf(text, { onRead: (position) => read.push(position) }));
        read.length = 0;
        const found = all(trace.rowsFrom(fromUs));
        const before = found.findIndex(({ atUs }) => atUs >= fromUs);
        const [own, wanted] = [before < 0 ? [] : found.slice(before), rows.filter(({ atUs }) => atUs >= fromUs)];
        expect([own.length, own[0], own.at(-1)]).toEqual([wanted.length, wanted[0], wanted.at(-1)]);
        // A search by halves, and at most a few pieces of 64 KiB before the first row.
        expect(before).toBeLessThan(12_000);
      }),
      { numRuns: draws(15) },
    );
  });

  it.each([
    [
      'a row that is none',
      '7\tc\tx\t0\n',
      'a time in microseconds, r, a, c or p, an agent, a size class and perhaps a status and a response time, with tabs between them in line 4, found "7\\tc\\tx\\t0"',
    ],
    [
      'an agent that it has not',
      '7\tc\t2\t0\n',
      'an agent below 2, as the first line says, in line 4, found "7\\tc\\t2\\t0"',
    ],
    [
      'a time before the one before',
      '4\tc\t1\t0\n',
      'a time of at least 5, that of the row before, in line 4, found "4\\tc\\t1\\t0"',
    ],
    ['an empty line', '\n', 'with tabs between them in line 4, found ""'],
    ['a line that never ends', 'x'.repeat(200_000), 'with tabs between them in line 4, found "xxx'],
  ])('with %s is refused with the number of the line', (_, line, expected) => {
    const text = `${traceText(2, [row(1, 'checkdata', 0), row(5, 'checkdata', 1)])}${line}9\tc\t0\t0\n`;
    expect(() => all(openTrace(bytesOf(text)).rowsFrom(0))).toThrow(expected);
  });

  it('of many rows at the same time is read from the first of them on', () => {
    const rows = [...steady(10_000), ...steady(20_000).map((one) => ({ ...one, atUs: 9_999_000 }))];
    const found = all(openTrace(bytesOf(traceText(7, rows))).rowsFrom(9_999_000));
    expect(found.filter(({ atUs }) => atUs === 9_999_000)).toHaveLength(20_001);
  });

  it('names the line of a bad row wherever reading began', () => {
    const text = `${traceText(7, steady(30_000))}29998500\tc\t0\t0\n30000000\tc\t0\t0\n`;
    expect(() => all(openTrace(bytesOf(text)).rowsFrom(29_000_000))).toThrow('in line 30002, found "29998500');
  });

  it.each([
    ['nothing', ''],
    ['bytes', Buffer.from([0x1f, 0x8b, 8, 0, 0xff, 0xfe, 0])],
    ['a long line', 'x'.repeat(500)],
  ])('is not a file of %s', (_, content) => {
    expect(() => openTrace(bytesOf(content))).toThrow('expected a first line such as');
  });

  it('may have no rows', () => {
    const trace = openTrace(bytesOf(traceText(7, [])));
    expect([trace.lastUs, ...all(trace.rowsFrom(0)), ...all(trace.rowsFrom(5))]).toEqual([-1]);
  });

  it('is not read again after its end', () => {
    const read: number[] = [];
    const reader = openTrace(bytesOf(traceText(7, steady(3)), { onRead: (position) => read.push(position) })).rowsFrom(
      0,
    );
    expect(all(reader)).toHaveLength(3);
    read.length = 0;
    expect([reader.more(), read]).toEqual([false, []]);
  });

  it('with any bytes changed is read to an end, or refused in one sentence', () => {
    const text = Buffer.from(traceText(7, steady(300)));
    const change = fc.record({
      at: fc.nat(text.length - 1),
      to: fc.oneof(fc.nat(255), fc.constantFrom(9, 10, 13, 48)),
    });
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 0, max: 300_000 }),
        (changes, fromUs) => {
          const changed = Buffer.from(text);
          for (const { at, to } of changes) changed[at] = to;
          try {
            const rows = all(openTrace(bytesOf(changed)).rowsFrom(fromUs));
            expect(rows.length).toBeLessThanOrEqual(305);
          } catch (error) {
            expect(error).toBeInstanceOf(UserError);
            expect((error as Error).message).toMatch(/^The trace [^\n]+ make it (again )?with muster replay\.$/);
          }
        },
      ),
    );
  });
});
