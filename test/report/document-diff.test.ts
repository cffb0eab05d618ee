import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExactly } from '../../src/base/protocol/exact-json.ts';
import { differenceText, documentDifferences, indented } from '../../src/report/document-diff.ts';

const diff = (before: unknown, after: unknown): string[] =>
  documentDifferences(parseExactly(JSON.stringify(before)), parseExactly(JSON.stringify(after))).map(differenceText);

describe('exact JSON', () => {
  it('keeps numbers as they were written', () => {
    const text = '{"a":18446744073709551615,"b":1.0,"c":1e21,"d":[-0.0]}';
    expect(indented(text).replaceAll(/\s/g, '')).toBe(text);
  });
});

describe('the differences of two documents', () => {
  it('are empty for equal documents', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(diff(value, value)).toEqual([]);
      }),
    );
  });

  it('exist for documents that are not equal', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (before, after) => {
        fc.pre(JSON.stringify(before) !== JSON.stringify(after));
        const sameButForOrder = diff(before, after).length === 0;
        if (sameButForOrder) expect(after).toEqual(JSON.parse(JSON.stringify(before)));
      }),
    );
  });

  it('name the path with the old and the new value', () => {
    expect(diff({ cpu: { total: 1 }, gone: true }, { cpu: { total: 2 }, came: [] })).toEqual([
      '  /cpu/total: 1 → 2',
      '- /gone: true',
      '+ /came: []',
    ]);
  });

  it('match list elements by pid, whatever their position', () => {
    const before = [
      { pid: 1, rss: 5 },
      { pid: 7, rss: 6 },
      { pid: 9, rss: 1 },
    ];
    const after = [
      { pid: 1, rss: 5 },
      { pid: 8, rss: 2 },
      { pid: 9, rss: 3 },
    ];
    expect(diff(before, after)).toEqual(['- /7: {"pid":7,"rss":6}', '  /9/rss: 1 → 3', '+ /8: {"pid":8,"rss":2}']);
  });

  it('distinguish 64-bit integers that round to the same number', () => {
    const [before, after] = [parseExactly('[9007199254740993]'), parseExactly('[9007199254740992]')];
    expect(documentDifferences(before, after)).toHaveLength(1);
  });
});
