import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import type { FleetEvent } from '../../../src/load/events/event.ts';
import { readResultScenario } from '../../../src/results/read.ts';
import { rebuild } from '../../../src/results/rebuild.ts';
import { ALONE, type Run, startRun } from '../../../src/run/run.ts';
import type { AddedEvent, EndedEvent } from '../../../src/run/run-events.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = scenarioOf(`
target: { url: embedded }
fleet: { agents: 60, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 5m, checkdata: { every: 250ms } }`);

const SKEW: FleetEvent = {
  name: 'skew',
  cohort: { kind: 'agents', first: 10, last: 19 },
  fromMs: 0,
  toMs: 300_500,
  overMs: 0,
  action: { kind: 'clock-skew', offsetSeconds: 90 },
};
const CABLE: FleetEvent = {
  ...SKEW,
  name: 'cable',
  cohort: { kind: 'share', share: 0.3 },
  action: { kind: 'disconnect', how: 'reset' },
};

const folder = mkdtempSync(join(tmpdir(), 'muster-added-events-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Adds two events, ends them, and stops the run afterward. */
async function runWithTwo(workers: number, resultsFolder: string | undefined) {
  const seen = Promise.withResolvers<void>();
  let over = Number.POSITIVE_INFINITY;
  const run: Run = startRun({ ...ALONE, scenario: SCENARIO, workers, resultsFolder }, (event) => {
    if (event.kind === 'seconds' && event.seconds.some(({ second }) => second * 1000 > over)) seen.resolve();
  });
  const added: AddedEvent[] = [];
  const ended: EndedEvent[] = [];
  for (const event of [SKEW, CABLE]) added.push(await run.addEvent({ event, withAgents: true }));
  for (const { name } of [SKEW, CABLE]) ended.push(await run.endEvent(name));
  over = Math.max(...ended.map(({ atMs }) => atMs));
  await seen.promise;
  run.send('stop');
  return { added, ended, ...(await run.outcome) };
}

it('records an added and ended event in the results as if the scenario contained it', async () => {
  const [{ summary, resultsPath = '', added, ended }, alone] = await Promise.all([
    runWithTwo(2, folder),
    runWithTwo(1, undefined),
  ]);
  expect(added.map(({ agents }) => agents)).toEqual(alone.added.map(({ agents }) => agents));

  const happened = added.map(({ event, count }, n) => ({
    name: event.name,
    do: event.action.kind,
    agents: count,
    fromMs: event.fromMs,
    toMs: event.toMs,
    untilMs: ended[n]?.atMs,
  }));
  expect(summary.events).toEqual(happened);
  expect(happened[0]?.agents).toBe(10);
  const stored = readResultScenario(resultsPath);
  expect(stored.events).toEqual(added.map(({ event: { of, ...event } }, n) => ({ ...event, untilMs: ended[n]?.atMs })));
  const lines = readFileSync(join(resultsPath, 'timeline.ndjson'), 'utf8').trimEnd().split('\n');
  const changes = lines.flatMap((line) => JSON.parse(line).events ?? []);
  expect(changes).toHaveLength(4);
  expect(changes).toEqual(
    expect.arrayContaining([
      ...added.map(({ event }) => ({ name: event.name, change: 'begins', atMs: event.fromMs })),
      ...ended.map(({ name, atMs }) => ({ name, change: 'ends', atMs })),
    ]),
  );
  expect(await rebuild(resultsPath)).toMatchObject({ summary: { events: happened, scenario: summary.scenario } });
});
