import { describe, expect, it } from 'vitest';
import { runRequest } from '../../../src/cli/flags/run.ts';
import { SMALLEST, scenarioOf } from '../../scenario/read-scenario.ts';

const NO_FLAGS = {
  workers: undefined,
  shard: undefined,
  'start-at': undefined,
  'give-up': undefined,
  out: undefined,
  control: undefined,
  'public-url': undefined,
  json: false,
  quiet: false,
  debug: false,
  agent: undefined,
  cluster: undefined,
  machines: undefined,
  replace: false,
  replicas: '1',
  wait: '60s',
  resume: undefined,
};
const HERE = { environment: {}, cwd: '/work' };

describe('a run request', () => {
  it('writes results below the working folder and leaves the number of workers open by default', () => {
    expect(runRequest([], NO_FLAGS, { environment: {}, cwd: '/work' })).toEqual({
      scenarios: [],
      workers: undefined,
      shard: { index: 0, count: 1 },
      startAt: undefined,
      resultsFolder: '/work/results',
      json: false,
      quiet: false,
      debug: undefined,
    });
  });

  it('reads workers and folder from the environment, but prefers flags', () => {
    const environment = { MUSTER_WORKERS: '3', MUSTER_OUT: 'there' };
    expect(runRequest([], NO_FLAGS, { environment, cwd: '/work' })).toMatchObject({
      workers: 3,
      resultsFolder: '/work/there',
    });
    const flags = { ...NO_FLAGS, workers: '2', out: '/here' };
    expect(runRequest([], flags, { environment, cwd: '/work' })).toMatchObject({ workers: 2, resultsFolder: '/here' });
  });

  it.each(['json=x', 'influxdb=http://127.0.0.1:1'])('rejects %s, the notation of another load generator', (out) => {
    expect(() => runRequest([], { ...NO_FLAGS, out }, HERE)).toThrow(`--out: expected a folder for results`);
    expect(() => runRequest([], NO_FLAGS, { environment: { MUSTER_OUT: out }, cwd: '/work' })).toThrow('MUSTER_OUT: ');
  });

  it('accepts a shard and a start time', () => {
    const request = runRequest([], { ...NO_FLAGS, shard: '2/3', 'start-at': '2026-01-31T12:00:00+01:00' }, HERE);
    expect(request).toMatchObject({ shard: { index: 1, count: 3 }, startAt: new Date('2026-01-31T11:00:00Z') });
    const environment = { MUSTER_SHARD: '1/2' };
    expect(runRequest([], NO_FLAGS, { ...HERE, environment }).shard).toEqual({ index: 0, count: 2 });
  });

  it('selects the shard by the completion index of its job, counted from 0', () => {
    const shardOf = (index: string) =>
      runRequest([], NO_FLAGS, { ...HERE, environment: { MUSTER_SHARD: 'index/20', JOB_COMPLETION_INDEX: index } })
        .shard;
    expect(shardOf('0')).toEqual({ index: 0, count: 20 });
    expect(shardOf('19')).toEqual({ index: 19, count: 20 });
    expect(() => shardOf('20')).toThrow(
      'MUSTER_SHARD: with index/20, expected an index from 0 to 19 in JOB_COMPLETION_INDEX',
    );
    expect(() => shardOf('1e1')).toThrow('found "1e1"');
  });

  it('rejects a completion index outside of a job', () => {
    expect(() => runRequest([], { ...NO_FLAGS, shard: 'index/3' }, HERE)).toThrow(
      '--shard: with index/3, expected an index from 0 to 2 in JOB_COMPLETION_INDEX',
    );
    expect(() => runRequest([], { ...NO_FLAGS, shard: 'index/3' }, HERE)).toThrow('found it unset');
    expect(() => runRequest([], { ...NO_FLAGS, shard: 'index/0' }, HERE)).toThrow('or index/3, found "index/0"');
  });

  it.each([
    [
      { shard: '0/3' },
      '--shard: expected a part of the fleet such as 2/3, the second of three, or index/3, found "0/3"',
    ],
    [{ shard: '4/3' }, 'found "4/3"'],
    [{ shard: '2' }, 'found "2"'],
    [{ 'start-at': '2026-02-30T12:00:00Z' }, '--start-at: expected an instant such as'],
    [{ 'start-at': '2026-02-31T12:00:00Z' }, 'found "2026-02-31T12:00:00Z"'],
    [{ 'start-at': '5m' }, 'found "5m"'],
  ])('rejects %o', (flags, words) => {
    expect(() => runRequest([], { ...NO_FLAGS, ...flags }, HERE)).toThrow(words);
  });

  describe('with --debug', () => {
    const scenarios = [{ file: 'a.yaml', scenario: scenarioOf(SMALLEST) }] as unknown as Parameters<
      typeof runRequest
    >[0];
    const last = scenarios[0]?.scenario.fleet.agents ?? 0;
    const scopeOf = (flags: object) => runRequest(scenarios, { ...NO_FLAGS, ...flags }, HERE).debug;

    it('follows all agents, or one by its index in the fleet', () => {
      expect(scopeOf({ debug: true })).toEqual({ agent: undefined });
      expect(scopeOf({ debug: true, agent: '0' })).toEqual({ agent: 0 });
    });

    it('rejects an agent outside of its fleet or shard, and one without --debug', () => {
      expect(() => scopeOf({ debug: true, agent: `${last}` })).toThrow(
        `--agent: expected an index from 0 to ${last - 1}, the range of this fleet, found ${last}.`,
      );
      expect(() => scopeOf({ debug: true, agent: '-1' })).toThrow('found -1');
      expect(() => scopeOf({ debug: true, agent: '0', shard: '2/3' })).toThrow(
        '--agent: expected an agent of shard 2 of 3, found 0, which belongs to shard 1.',
      );
      expect(() => scopeOf({ agent: '0' })).toThrow('--agent selects what --debug prints: add --debug');
    });
  });
});
