import { describe, expect, it } from 'vitest';
import { createLogFollower } from '../../src/replay/follower.ts';
import { emptyRequest } from '../../src/replay/logged-request.ts';

const START_US = 1_700_000_000e6;
const DELAY_US = 5e6;

/** A follower with a client that is named by a letter; times are seconds since the start of the run. */
function following(agents = 10, isStarted = true) {
  const follower = createLogFollower(agents, DELAY_US, () => (isStarted ? START_US : undefined));
  const take = (second: number, client = 'a', durationS = -1) => {
    const bytes = Buffer.from(client);
    const times = { atUs: START_US + second * 1e6, durationUs: durationS < 0 ? -1 : durationS * 1e6 };
    follower.take({
      ...emptyRequest(),
      endpoint: 1,
      status: 200,
      ...times,
      client: { bytes, from: 0, to: bytes.length },
    });
  };
  /** Time and agent of the rows that are written at this second. */
  const rows = (second: number) => {
    const lines = follower
      .rows(START_US + second * 1e6)
      .toString()
      .split('\n')
      .filter((line) => line !== '');
    return lines.map((line) => [Number(line.split('\t')[0]) / 1e6, Number(line.split('\t')[2])]);
  };
  return { take, rows, counts: follower.counts };
}

describe('a log that grows', () => {
  it('is sent the delay after the arrivals, in their order, and written shortly before', () => {
    const { take, rows, counts } = following();
    take(2, 'a');
    take(1, 'b');
    take(4, 'c', 2.5);
    expect(rows(5.5)).toEqual([]);
    expect(rows(6)).toEqual([[6, 1]]);
    expect(rows(6.3)).toEqual([[6.5, 2]]);
    expect(rows(6.9)).toEqual([[7, 0]]);
    expect(counts).toEqual({ requests: 3, late: 0, tooLate: 0, beyond: 0, overflow: 0 });
  });

  it('is sent late if it was logged late, and not at all a whole delay after that', () => {
    const { take, rows, counts } = following();
    take(20, 'a');
    expect(rows(25)).toEqual([[25, 0]]);
    take(18, 'b');
    take(16, 'c');
    take(14, 'd');
    // Never before what was written.
    expect(rows(25.1)).toEqual([
      [25, 2],
      [25, 1],
    ]);
    expect(counts).toMatchObject({ requests: 4, late: 2, tooLate: 1 });
  });

  it('has its requests all over the seconds if it tells no fractions, in their order', () => {
    const follower = createLogFollower(10, DELAY_US, () => START_US);
    const client = { bytes: Buffer.from('a'), from: 0, to: 1 };
    for (const second of [1, 1, 2, 2, 2, 2, 3])
      follower.take({ ...emptyRequest(), endpoint: 1, client, isWholeSecond: true, atUs: START_US + second * 1e6 });
    const text = follower.rows(START_US + 9e6).toString();
    const times = text.split('\n').flatMap((row) => (row === '' ? [] : [Number(row.split('\t')[0]) / 1e6]));
    expect(times).toEqual([6.5, 6.75, 7.25, 7.75, 7.833333, 7.875, 8.125]);
  });

  it('waits until the run has started, and is dropped where it does not fit', () => {
    const { take, rows, counts } = following(2, false);
    for (let index = 0; index < 100_010; index++) take(1, index % 2 === 0 ? 'a' : 'b');
    take(1, 'c');
    expect(rows(6)).toEqual([]);
    expect(counts).toMatchObject({ requests: 100_011, overflow: 10, beyond: 1 });
  });
});
