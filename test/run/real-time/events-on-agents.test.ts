import { describe, expect, it } from 'vitest';
import type { Action, FleetEvent } from '../../../src/load/events/event.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = `
target: { url: embedded }
fleet: { agents: 60, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enroll, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 3s, checkdata: { every: 250ms } }`;

function event(action: Action, percent: number, times: Partial<FleetEvent> = {}): FleetEvent {
  const cohort = { kind: 'share', share: percent / 100 } as const;
  return { name: action.kind, cohort, fromMs: 1000, toMs: 2000, overMs: 0, action, ...times };
}

const EVENTS: readonly FleetEvent[] = [
  event({ kind: 'disconnect', how: 'reset' }, 30, { overMs: 150 }),
  event({ kind: 'restart' }, 40, { fromMs: 750, repeat: { everyMs: 1000, times: 2 } }),
  event({ kind: 'stop' }, 20, { fromMs: 850, toMs: 1500 }),
  event({ kind: 'lose-password' }, 15),
  event({ kind: 'new-identity' }, 25, { overMs: 500 }),
  event({ kind: 'clone', password: 'shared' }, 20, { toMs: 2500 }),
  event({ kind: 'upgrade', version: '3.4.0' }, 50, { overMs: 400 }),
  event({ kind: 'retarget', apiKey: 'OTHER' }, 12),
  event({ kind: 'synchronize' }, 60, { fromMs: 2250 }),
  event({ kind: 'scale', share: 0.5 }, 80, { fromMs: 2500, toMs: 3000, overMs: 250 }),
];

async function runWith(events: readonly FleetEvent[], workers: number) {
  const run = startRun({ ...ALONE, scenario: scenarioOf(SCENARIO), workers, resultsFolder: undefined }, () => {});
  const added = events.map((one) => run.addEvent({ event: one, withAgents: true }));
  const { summary } = await run.outcome;
  return { summary, added: await Promise.all(added) };
}

// What agents send afterward depends on how fast they are answered; test/engine checks in virtual time that it is the same, too.
describe('ten concurrent events', () => {
  it('hit the same agents with one worker and with two, and cause no losses or duplicates', async () => {
    const runs = await Promise.all([runWith(EVENTS, 1), runWith(EVENTS, 2)]);
    for (const { summary, added } of runs) {
      expect(summary.delivery).toMatchObject({ observed: true, lost: 0, duplicated: 0, unattributed: 0 });
      expect(summary.events?.map(({ name }) => name)).toEqual(EVENTS.map(({ name }) => name));
      expect(summary.events?.map(({ agents }) => agents)).toEqual(added.map(({ count }) => count));
      for (const { agents, count } of added) expect(agents).toHaveLength(count);
    }
    const [alone, ...others] = runs;
    for (const { summary, added } of others) {
      expect(added.map(({ agents }) => agents)).toEqual(alone?.added.map(({ agents }) => agents));
      expect(summary.events?.map(({ agents }) => agents)).toEqual(alone?.summary.events?.map(({ agents }) => agents));
    }
  });
});

describe('an event that is added to a run', () => {
  it('is rejected if its target is not allowed', async () => {
    const run = startRun({ ...ALONE, scenario: scenarioOf(SCENARIO), workers: 1, resultsFolder: undefined }, () => {});
    const away = event({ kind: 'retarget', url: 'http://monitoring.example' }, 100);
    await expect(run.addEvent({ event: away, withAgents: false })).rejects.toThrow(
      /^The target http:\/\/monitoring.example/,
    );
    run.send('cancel');
    await run.outcome;
  });
});
