import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { stepSummary } from '../../../src/report/markdown.ts';
import { rebuild } from '../../../src/results/rebuild.ts';
import { ALONE, type Run, type RunOutcome, startRun } from '../../../src/run/run.ts';
import { problemsOf, scenarioOf } from '../../scenario/read-scenario.ts';
import { serve } from './own-server.ts';

/** The first ten agents attack in two ways from 1.5 s to 3 s, while the others push. The run ends when the attacks have ended. */
function withAttackers(workers: number, resultsFolder: string | undefined): Promise<RunOutcome> {
  const scenario = scenarioOf(`
target: { url: embedded }
fleet: { agents: 40, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 2m, checkdata: { every: 500ms } }
events:
  - { do: misbehave, how: broken-json, name: nonsense, at: 1500ms, for: 1500ms, cohort: 0..7 }
  - { do: misbehave, how: hoarded-connections, name: hoard, at: 1500ms, for: 1500ms, cohort: 8..9 }
thresholds:
  delivery: ["lost == 0", "duplicated == 0"]
  "misbehave{how:broken-json}": ["accepted == 0"]`);
  const run: Run = startRun({ ...ALONE, scenario, workers, resultsFolder }, (event) => {
    if (event.kind === 'seconds' && event.seconds.some(({ second, inFlight }) => second >= 3 && inFlight === 0))
      run.send('stop');
  });
  return run.outcome;
}

describe('agents that attack while others push', () => {
  const outDir = mkdtempSync(join(tmpdir(), 'muster-hostile-'));
  afterAll(() => rmSync(outDir, { recursive: true }));
  let summaries: readonly Summary[] = [];
  let folder = '';
  beforeAll(async () => {
    const [one, two] = await Promise.all([withAttackers(1, outDir), withAttackers(2, undefined)]);
    summaries = [one.summary, two.summary];
    folder = one.resultsPath ?? '';
  });

  it('are refused by the embedded server, and no other agent fails or loses anything', () => {
    for (const { misbehavior, delivery, thresholds, overall, events } of summaries) {
      const [nonsense, hoard] = misbehavior ?? [];
      expect(nonsense).toMatchObject({ how: 'broken-json', statuses: { 400: nonsense?.endings.refused } });
      expect(nonsense?.endings).toMatchObject({ accepted: 0, closed: 0, failed: 0 });
      expect(nonsense?.endings.refused).toBeGreaterThan(0);
      // They disconnect when the event ends, long before the server would close the connections.
      expect(hoard).toMatchObject({ how: 'hoarded-connections', endings: { unanswered: 2 }, sentBytes: 0 });
      expect(delivery).toMatchObject({ observed: true, lost: 0, duplicated: 0 });
      expect(thresholds.filter(({ passed }) => !passed)).toEqual([]);
      expect(overall.every(({ failed }) => failed === 0)).toBe(true);
      expect(events?.map(({ agents }) => agents)).toEqual([8, 2]);
    }
  });

  it('are in the reports, and are the same if the results are read back', async () => {
    const [summary] = summaries;
    const again = await rebuild(folder);
    expect(again).toMatchObject({ kind: 'rebuilt', summary: JSON.parse(JSON.stringify(summary)) });
    const endings = summary?.misbehavior?.[0]?.endings;
    const attacks = Object.values(endings ?? {}).reduce((sum, count) => sum + count, 0);
    expect(summary && stepSummary(summary)).toContain(`| broken-json | ${attacks} | 0 | ${endings?.refused} |`);
    expect(readFileSync(join(folder, 'report.html'), 'utf8')).toContain('Attacks of misbehaving agents');
  });
});

const ATTACKERS = 4;

it('attackers use the target and the API key of a retarget event', async () => {
  const seen: { readonly key: string | undefined; readonly body: string }[] = [];
  const url = await serve(async (request, response) => {
    seen.push({ key: request.headers.authorization, body: await text(request) });
    response.writeHead(400).end();
    if (nonsense().length > ATTACKERS) run.send('stop');
  });
  const nonsense = () => seen.filter(({ body }) => body.includes('\ufffd'));
  const scenario = scenarioOf(`
target: { url: embedded }
fleet: { agents: 10, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 2m, checkdata: { every: 500ms } }
events:
  - { do: retarget, url: "${url}", apiKey: OTHER, at: 1s, cohort: 0..3 }
  - { do: misbehave, how: invalid-utf8, at: 1s, cohort: 0..3 }`);
  const run: Run = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, () => {});
  const { misbehavior } = (await run.outcome).summary;
  expect(nonsense().length).toBeGreaterThan(ATTACKERS);
  expect(new Set(seen.map(({ key }) => key))).toEqual(new Set(['X-OITC-API OTHER']));
  // The end of the run cuts at most one attack of each. Attacks on the embedded server took place before these processes restarted.
  expect(misbehavior?.[0]?.endings.refused).toBeGreaterThanOrEqual(nonsense().length - ATTACKERS);
});

it('attacks through a proxy are rejected, because they would hit the proxy', async () => {
  const attack = '{ do: misbehave, how: gzip, name: packed }';
  const written = (proxy: string) => `
target: { url: embedded, proxy: ${proxy} }
fleet: { agents: 2 }
phases: [{ name: steady, duration: 1s, checkdata: { every: 500ms } }]`;
  expect(problemsOf(`${written('"http://127.0.0.1:3128"')}\nevents: [${attack}]`).map(({ path }) => path)).toEqual([
    'events.0.do',
  ]);
  const scenario = scenarioOf(written('"http://127.0.0.1:3128"'));
  const run = startRun({ ...ALONE, scenario, workers: 1, resultsFolder: undefined }, () => {});
  const event = scenarioOf(`${written('environment')}\nevents: [${attack}]`).events[0] as FleetEvent;
  await expect(run.addEvent({ event, withAgents: false })).rejects.toThrow(
    /^event packed: expected agents without a proxy/,
  );
  run.send('cancel');
  await run.outcome.catch(() => {});
});
