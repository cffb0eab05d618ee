import { describe, expect, it } from 'vitest';
import { runRequest } from '../../../src/cli/flags/run.ts';

const NO_FLAGS = {
  ...{ workers: undefined, shard: undefined, 'start-at': undefined, out: undefined },
  ...{ json: false, quiet: false },
};
const HERE = { environment: {}, cwd: '/work' };

describe('a run request', () => {
  it('has results below the working folder and leaves the number of workers open', () => {
    expect(runRequest([], NO_FLAGS, { environment: {}, cwd: '/work' })).toEqual({
      scenarios: [],
      workers: undefined,
      shard: { index: 0, count: 1 },
      startAt: undefined,
      resultsFolder: '/work/results',
      json: false,
      quiet: false,
    });
  });

  it('takes workers and folder from the environment, and rather from flags', () => {
    const environment = { MUSTER_WORKERS: '3', MUSTER_OUT: 'there' };
    expect(runRequest([], NO_FLAGS, { environment, cwd: '/work' })).toMatchObject({
      workers: 3,
      resultsFolder: '/work/there',
    });
    const flags = { ...NO_FLAGS, workers: '2', out: '/here' };
    expect(runRequest([], flags, { environment, cwd: '/work' })).toMatchObject({ workers: 2, resultsFolder: '/here' });
  });

  it('takes a part of the fleet and an instant', () => {
    const request = runRequest([], { ...NO_FLAGS, shard: '2/3', 'start-at': '2026-01-31T12:00:00+01:00' }, HERE);
    expect(request).toMatchObject({ shard: { index: 1, count: 3 }, startAt: new Date('2026-01-31T11:00:00Z') });
    const environment = { MUSTER_SHARD: '1/2' };
    expect(runRequest([], NO_FLAGS, { ...HERE, environment }).shard).toEqual({ index: 0, count: 2 });
  });

  it.each([
    [{ shard: '0/3' }, '--shard: expected a part of the fleet such as 2/3, the second of three, found "0/3"'],
    [{ shard: '4/3' }, 'found "4/3"'],
    [{ shard: '2' }, 'found "2"'],
    [{ 'start-at': '2026-01-31T12:00:00' }, '--start-at: expected an instant with its zone, such as'],
    [{ 'start-at': '2026-02-31T12:00:00Z' }, 'found "2026-02-31T12:00:00Z"'],
    [{ 'start-at': '5m' }, 'found "5m"'],
  ])('refuses %o', (flags, words) => {
    expect(() => runRequest([], { ...NO_FLAGS, ...flags }, HERE)).toThrow(words);
  });
});
