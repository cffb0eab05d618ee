import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addressIn,
  answerIn,
  arrivalTag,
  createArrivalSorter,
  endpointIn,
  ROW_NUMBERS,
  sizeClassIn,
  statusIn,
} from '../../src/replay/arrival-rows.ts';
import { emptyRequest } from '../../src/replay/logged-request.ts';
import '../draws.ts';
import { memorySpill } from './memory-spill.ts';

type Added = {
  readonly atUs: number;
  readonly isWholeSecond?: boolean;
  readonly durationUs?: number;
  readonly isStart?: boolean;
};

/** The times in order, and the place of each among those that were added. */
function sorted(added: readonly Added[], endsFile: (index: number) => boolean = () => false) {
  const sorter = createArrivalSorter(memorySpill(), () => {});
  added.forEach((one, index) => {
    sorter.add({ ...emptyRequest(), endpoint: 1, durationUs: -1, ...one }, index);
    if (endsFile(index)) sorter.endFile();
  });
  sorter.endFile();
  sorter.end();
  const rows: { readonly atUs: number; readonly place: number }[] = [];
  for (const piece of sorter.sorted())
    for (let at = 0; at < piece.length; at += ROW_NUMBERS)
      rows.push({ atUs: piece[at] as number, place: addressIn(piece[at + 1] as number) });
  return rows;
}

describe('arrivals of logs', () => {
  it('come in order of time, those of the same time in the order in which they were added', () => {
    const times = fc.array(fc.integer({ min: 1e15, max: 1e15 + 40 }), { maxLength: 60 });
    fc.assert(
      fc.property(times, (all) => {
        const expected = all.map((atUs, place) => ({ atUs, place })).sort((a, b) => a.atUs - b.atUs);
        expect(sorted(all.map((atUs) => ({ atUs })))).toEqual(expected);
      }),
    );
  });

  it('come in order of time when they do not fit into memory together', () => {
    // Two servers, whose logs overlap, and the second one has requests that took hours.
    const all = Array.from({ length: 300_000 }, (_, index): Added => {
      const atUs = 1.7e15 + (index % 150_000) * 997;
      return { atUs, durationUs: index % 1000 === 999 ? 9e9 : -1 };
    });
    const rows = sorted(all);
    expect(rows).toHaveLength(all.length);
    expect(new Set(rows.map(({ place }) => place)).size).toBe(all.length);
    const isSorted = rows.every(({ atUs, place }, index) => {
      const before = rows[index - 1];
      return before === undefined || before.atUs < atUs || (before.atUs === atUs && before.place < place);
    });
    expect(isSorted).toBe(true);
  });

  it('arrive before they took their time, unless the log has the time of their beginning', () => {
    expect(sorted([{ atUs: 5e6, durationUs: 1500 }]).map(({ atUs }) => atUs)).toEqual([4_998_500]);
    expect(sorted([{ atUs: 5e6, durationUs: 1500, isStart: true }]).map(({ atUs }) => atUs)).toEqual([5e6]);
  });

  it('are distributed over their second, in the order of the log, if it has only seconds', () => {
    const seconds = [7, 7, 8, 8, 8, 8, 9].map((second) => ({ atUs: second * 1e6, isWholeSecond: true }));
    expect(sorted(seconds).map(({ atUs }) => atUs / 1e6)).toEqual([7.25, 7.75, 8.125, 8.375, 8.625, 8.875, 9.5]);
    expect(sorted([{ atUs: 7e6, isWholeSecond: true, durationUs: 2e6 }])[0]?.atUs).toBe(5.5e6);
    // Each of two servers has distributed its own.
    expect(sorted(seconds.slice(0, 2), (index) => index === 0).map(({ atUs }) => atUs)).toEqual([7.5e6, 7.5e6]);
    const mixed = [{ atUs: 7e6, isWholeSecond: true }, { atUs: 7.1e6 }, { atUs: 7e6, isWholeSecond: true }];
    expect(sorted(mixed).map(({ atUs }) => atUs)).toEqual([7.1e6, 7.5e6, 7.5e6]);
  });

  it('keep what is known of them', () => {
    const sorter = createArrivalSorter(memorySpill(), () => {});
    sorter.add({ ...emptyRequest(), atUs: 1, endpoint: 2, status: 503, sizeBytes: 4095, durationUs: 7 }, 4_000_000_000);
    sorter.end();
    const [, tag = 0, durationUs] = [...sorter.sorted()].flatMap((piece) => [...piece]);
    const answer = answerIn(tag);
    expect([addressIn(tag), endpointIn(answer), statusIn(answer), sizeClassIn(answer), durationUs]).toEqual([
      ...[4_000_000_000, 2, 503, 11, 7],
    ]);
    const huge = answerIn(arrivalTag(1, { ...emptyRequest(), endpoint: 1, status: 200, sizeBytes: 1e30 }));
    expect([endpointIn(huge), statusIn(huge), sizeClassIn(huge)]).toEqual([1, 200, 63]);
  });
});
