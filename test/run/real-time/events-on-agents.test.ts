import { describe, expect, it } from 'vitest';
import type { Action, FleetEvent } from '../../../src/events/event.ts';
import type { Summary } from '../../../src/metrics/summary/summary-schema.ts';
import { ALONE, startRun } from '../../../src/run/run.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const SCENARIO = `
target: { url: embedded }
fleet: { agents: 60, payload: lean, profiles: { windows-server-2022: 1 } }
phases:
  - { name: enrol, duration: 500ms, register: { over: 100ms } }
  - { name: steady, duration: 3s, checkdata: { every: 250ms } }`;

function event(action: Action, percent: number, times: Partial<FleetEvent> = {}): FleetEvent {
  const cohort = { kind: 'share', share: percent / 100 } as const;
  return { name: action.kind, cohort, fromMs: 1000, toMs: 2000, overMs: 0, action, ...times };
}

const EVENTS: readonly FleetEvent[] = [
  event({ kind: 'disconnect' }, 30, { overMs: 150 }),
  event({ kind: 'restart' }, 40, { fromMs: 750, repeat: { everyMs: 1000, times: 2 } }),
  event({ kind: 'stop' }, 20, { fromMs: 850, toMs: 1500 }),
  event({ kind: 'lose-password' }, 15),
  event({ kind: 'new-identity' }, 25, { overMs: 500 }),
  event({ kind: 'clone', password: 'shared' }, 20, { toMs: 2500 }),
  event({ kind: 'upgrade', version: '3.4.0' }, 50, { overMs: 400 }),
  event({ kind: 'retarget', apiKey: 'OTHER' }, 12),
  event({ kind: 'synchronise' }, 60, { fromMs: 2250 }),
  event({ kind: 'scale', share: 0.5 }, 80, { fromMs: 2500, toMs: 3000, overMs: 250 }),
];

async function runWith(events: readonly FleetEvent[], workers: number): Promise<Summary> {
  const run = startRun({ ...ALONE, scenario: scenarioOf(SCENARIO), workers, resultsFolder: undefined }, () => {});
  for (const one of events) run.send({ kind: 'add_event', event: one });
  return (await run.outcome).summary;
}

// What agents then send hangs on how soon they are answered: that it is the same, too, is claimed in virtual time (test/engine).
describe('ten events side by side', () => {
  it('hit the same agents with one, two and four workers, and lose and double nothing', async () => {
    const runs = [await runWith(EVENTS, 1), await runWith(EVENTS, 2), await runWith(EVENTS, 4)];
    for (const { delivery, events } of runs) {
      expect(delivery).toMatchObject({ observed: true, lost: 0, duplicated: 0, unattributed: 0 });
      expect(events?.map(({ name }) => name)).toEqual(EVENTS.map(({ name }) => name));
    }
    const [alone, ...others] = runs;
    for (const other of others) expect(other.events).toEqual(alone?.events);
  });
});

describe('another event of a run under way', () => {
  it('is refused in a run where the other host is not allowed, and so is one that only hosts could learn of', () => {
    const run = startRun({ ...ALONE, scenario: scenarioOf(SCENARIO), workers: 1, resultsFolder: undefined }, () => {});
    const away = event({ kind: 'retarget', url: 'http://monitoring.example' }, 100);
    expect(() => run.send({ kind: 'add_event', event: away })).toThrow(/^The target http:\/\/monitoring.example/);
    const reboot = event({ kind: 'reboot' }, 100);
    expect(() => run.send({ kind: 'add_event', event: reboot })).toThrow(
      /^reboot: expected an event that happens to agents/,
    );
    run.send('cancel');
    return run.outcome;
  });
});
