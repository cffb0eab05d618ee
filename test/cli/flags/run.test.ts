import { describe, expect, it } from 'vitest';
import { runRequest } from '../../../src/cli/flags/run.ts';

const NO_FLAGS = { workers: undefined, out: undefined, json: false, quiet: false };

describe('a run request', () => {
  it('has results below the working folder and leaves the number of workers open', () => {
    expect(runRequest([], NO_FLAGS, { environment: {}, cwd: '/work' })).toEqual({
      scenarios: [],
      workers: undefined,
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
});
