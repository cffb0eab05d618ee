import { describe, expect, it } from 'vitest';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { friendly, phase, runVirtually } from './virtual-run.ts';

const HOUR_MS = 3_600_000;

function grid(everyMs: number, firstMs: number): LoadModel {
  return { kind: 'cadence', everyMs, firstMs, jitter: 0, originMs: 0, spreadMs: 0 };
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

  it('is of a collection that begins on the grid and lasts two to six seconds', () => {
    expect(pushes.filter(({ agent }) => agent === 7).map(({ at }) => Math.round(at))).toEqual([
      90_000,
      HOUR_MS,
      2 * HOUR_MS,
    ]);
    for (const { atMs, at } of pushes) {
      expect(atMs - at).toBeGreaterThanOrEqual(2000);
      expect(atMs - at).toBeLessThanOrEqual(6000);
    }
    expect(new Set(pushes.map(({ atMs, at }) => Math.round(atMs - at))).size).toBeGreaterThan(15);
  });

  it('never goes out in the same millisecond as check data', () => {
    const instants = new Set(checks.map(({ agent, atMs }) => `${agent} ${Math.floor(atMs)}`));
    for (const { agent, atMs } of pushes) expect(instants).not.toContain(`${agent} ${Math.floor(atMs)}`);
  });

  it('stands in check data as the last push had it, and not before the first', () => {
    for (const { agent, atMs, collection } of checks) {
      const before = pushes.filter((push) => push.agent === agent && push.atMs < atMs);
      expect(collection).toBe(before.at(-1)?.at ?? 'none');
    }
  });
});

it('agents of a run without package information have collections of their own', () => {
  expect(new Set(runOf([CHECKS], 2).map(({ collection }) => collection))).toEqual(new Set(['own']));
});
