import { describe, expect, it } from 'vitest';
import type { Load, LoadModel } from '../../src/load/timeline.ts';
import { restore } from './restore.ts';
import { friendly, phase, runVirtually, type Serve, total, type VirtualSettings } from './virtual-run.ts';

function grid(everyMs: number, firstMs: number, { standing, originMs } = { standing: false, originMs: 0 }): LoadModel {
  return { kind: 'cadence', everyMs, firstMs, jitter: 0, originMs, standing, spread: 'even', spreadMs: 0 };
}

const CHECKS: Load = { operation: 'checkdata', model: grid(30_000, 0) };
const PACKAGES: Load = { operation: 'packages', model: grid(600_000, 90_000) };
// The agent is down from 100 s, and its next check run ends at 204 s.
const OUTAGE = { downMs: 100_000, agentStartMs: 200_000 };

function runOf(settings: Partial<VirtualSettings>) {
  return runVirtually({
    agents: 2,
    phases: [phase([CHECKS, PACKAGES], 900_000)],
    serve: friendly(),
    outages: { 1: OUTAGE },
    prepare: (engine) => {
      restore(engine, [0, 1]);
    },
    ...settings,
  });
}

function secondsOf({ requests }: ReturnType<typeof runOf>, agent: number, endpoint = 'submit_checkdata') {
  return requests.filter((it) => it.agent === agent && it.endpoint === endpoint).map(({ atMs }) => atMs / 1000);
}

describe('an agent whose host goes down', () => {
  it('sends nothing until it is up again, and then counts from there', () => {
    const run = runOf({});
    const before = [0, 30, 60, 90];
    const after = Array.from({ length: 24 }, (_, k) => 204.001 + 30 * k).filter((second) => second < 900);
    expect(secondsOf(run, 1)).toHaveLength(before.length + after.length);
    for (const [n, second] of secondsOf(run, 1).entries()) expect(second).toBeCloseTo([...before, ...after][n] ?? 0, 6);
    expect(secondsOf(run, 0)).toEqual(Array.from({ length: 30 }, (_, k) => 30 * k));
    expect(run.disconnected).toEqual([{ atMs: 100_000, agent: 1 }]);
  });

  const collectionsOf = ({ requests }: ReturnType<typeof runOf>) =>
    requests
      .filter(({ agent, endpoint }) => agent === 1 && endpoint === 'submit_package_info')
      .map(({ body }) => Math.round((body.checkdata as { at: number }).at / 1000));

  it('collects package information 90 s after its start, and has none before', () => {
    // The first process started one check run before the run.
    expect(collectionsOf(runOf({}))).toEqual([86, 200 + 90, 200 + 600]);
  });

  it('collects package information 90 s after its start, even in a standing fleet', () => {
    const standing: Load = { ...PACKAGES, model: grid(600_000, 90_000, { standing: true, originMs: -300_000 }) };
    expect(collectionsOf(runOf({ phases: [phase([CHECKS, standing], 900_000)] }))).toEqual([200 + 90, 200 + 600]);
  });

  it('continues its grid in the next phase', () => {
    const phases = [phase([CHECKS], 300_000, 'a', 0), phase([CHECKS], 300_000, 'b', 300_000)];
    const seconds = secondsOf(runOf({ phases }), 1);
    expect(seconds.filter((second) => second >= 300)[0]).toBeCloseTo(324.001, 6);
    for (const [n, second] of seconds.slice(5).entries()) expect(second - (seconds[n + 4] ?? 0)).toBeCloseTo(30, 6);
  });

  it('may start again in another phase', () => {
    const phases = [phase([CHECKS], 150_000, 'a', 0), phase([CHECKS], 150_000, 'b', 150_000)];
    expect(secondsOf(runOf({ phases }), 1).map(Math.round)).toEqual([0, 30, 60, 90, 204, 234, 264, 294]);
  });

  it('loses its pending request and waiting results', () => {
    const serve: Serve = (request) =>
      request.agent === 1 && request.atMs === 90_000 ? undefined : friendly()(request);
    const checks: Load = { operation: 'checkdata', model: grid(5000, 0) };
    const run = runOf({ serve, phases: [phase([checks], 300_000)], timeoutMs: 60_000 });
    const [series] = run.series.filter(({ operation }) => operation === 'checkdata');
    expect(series?.outcomes.canceled).toBe(1);
    expect(series?.dropped).toEqual({ agent_busy: 1 });
    expect(series?.planned).toBe((series?.started ?? 0) + total(series?.dropped ?? {}));
    expect(secondsOf(run, 1).filter((second) => second > 90 && second < 204)).toEqual([]);
  });

  it('leaves its slot of a closed load to another agent', () => {
    const load: Load = { operation: 'checkdata', model: { kind: 'concurrency', slots: 2, limit: undefined } };
    const run = runOf({ agents: 2, phases: [phase([load], 300_000)], serve: friendly(1000) });
    expect(secondsOf(run, 1).filter((second) => second > 100 && second < 204)).toEqual([]);
    expect(secondsOf(run, 1).at(-1)).toBeGreaterThan(298);
  });

  it('uses a password that was stored in the meantime only once it is up again', () => {
    const run = runOf({
      prepare: () => {},
      storeMs: 20_000,
      outages: { 1: { downMs: 10_000, agentStartMs: 100_000 } },
    });
    expect(secondsOf(run, 1, 'register_agent')).toEqual([0]);
    expect(secondsOf(run, 1)[0]).toBeCloseTo(104.001, 6);
  });
});
