import { describe, expect, it } from 'vitest';
import { startsLongAgo } from '../../src/load/pacers.ts';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { friendly, phase, runVirtually } from './virtual-run.ts';

const HOUR_MS = 3_600_000;
const RUN_MS = 4000;

function grid(everyMs: number, firstMs: number): LoadModel {
  return { kind: 'cadence', everyMs, firstMs, jitter: 0, originMs: 0, standing: false, spread: 'even', spreadMs: 0 };
}

const CHECKS: Load = { operation: 'checkdata', model: grid(30_000, 0) };
const PACKAGES: Load = { operation: 'packages', model: grid(HOUR_MS, 90_000) };

function runOf(loads: readonly Load[], agents: number) {
  const run = runVirtually({
    agents,
    phases: [phase(loads, 2 * HOUR_MS + 60_000)],
    serve: friendly(),
    prepare: (engine) => {
      restore(engine, [...Array(agents).keys()]);
    },
  });
  return run.requests.map(({ atMs, agent, endpoint, body }) => {
    const document = body.checkdata as { at: number; collection?: number | string };
    return { atMs, agent, operation: endpoint, ...document };
  });
}

describe('package information', () => {
  const requests = runOf([CHECKS, PACKAGES], 20);
  const pushes = requests.filter(({ operation }) => operation === 'submit_package_info');
  const checks = requests.filter(({ operation }) => operation === 'submit_checkdata');

  it('is from a collection that starts on its process grid, one check run before the first result, and takes two to six seconds', () => {
    expect(pushes.filter(({ agent }) => agent === 7).map(({ at }) => Math.round(at))).toEqual([
      90_000 - RUN_MS,
      HOUR_MS - RUN_MS,
      2 * HOUR_MS - RUN_MS,
    ]);
    for (const { atMs, at } of pushes) {
      expect(atMs - at).toBeGreaterThanOrEqual(2000);
      expect(atMs - at).toBeLessThanOrEqual(6000);
    }
    expect(new Set(pushes.map(({ atMs, at }) => Math.round(atMs - at))).size).toBeGreaterThan(15);
  });

  it('is never sent in the same millisecond as check data', () => {
    const instants = new Set(checks.map(({ agent, atMs }) => `${agent} ${Math.floor(atMs)}`));
    for (const { agent, atMs } of pushes) expect(instants).not.toContain(`${agent} ${Math.floor(atMs)}`);
  });

  it('in check data equals the last push, and is missing before the first', () => {
    for (const { agent, atMs, collection } of checks) {
      const before = pushes.filter((push) => push.agent === agent && push.atMs < atMs);
      expect(collection).toBe(before.at(-1)?.at ?? 'none');
    }
  });
});

it('package information that is due before the end of the first check run is sent with its result', () => {
  const requests = runOf([CHECKS, { operation: 'packages', model: grid(HOUR_MS, 1000) }], 1);
  const collections = requests
    .filter(({ operation }) => operation === 'submit_package_info')
    .map(({ at }) => Math.round(at));
  expect(collections).toEqual([0, HOUR_MS - RUN_MS, 2 * HOUR_MS - RUN_MS]);
});

it('check data of a standing fleet includes the collection before the first push', () => {
  const standing = { ...grid(HOUR_MS, 90_000), ...startsLongAgo(HOUR_MS), standing: true };
  const requests = runOf([CHECKS, { operation: 'packages', model: standing }], 20);
  for (let agent = 0; agent < 20; agent++) {
    const own = requests.filter((request) => request.agent === agent);
    const began = own.find(({ operation }) => operation === 'submit_package_info')?.at ?? Number.NaN;
    expect(own[0]?.operation).toBe('submit_checkdata');
    expect(own[0]?.collection).toBeCloseTo(began - HOUR_MS, 3);
    expect(began).toBeLessThan(HOUR_MS);
  }
});

it('agents of a run without package information collect it on their own', () => {
  expect(new Set(runOf([CHECKS], 2).map(({ collection }) => collection))).toEqual(new Set(['own']));
});
