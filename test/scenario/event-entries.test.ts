import { describe, expect, it } from 'vitest';
import { readHostData } from '../../src/base/storage/host-data.ts';
import { readAddedEvent } from '../../src/scenario/event-entries.ts';
import { scenarioOf } from './read-scenario.ts';

const scenario = scenarioOf(
  'fleet: { agents: 10 }\nphases: [{ name: steady, duration: 1h, checkdata: { every: 1m } }]\nevents: [{ do: restart }]\n',
);
const NOW = Date.parse('2026-01-31T12:00:00Z');
const read = (entry: unknown) =>
  readAddedEvent(entry, { scenario, hostData: readHostData, names: ['restart-1'], nowMs: 90_500.25, unixNowMs: NOW });

describe('an event that is added to a run', () => {
  it('begins now, hits all agents and gets an unused name by default', () => {
    expect(read({ do: 'restart' })).toMatchObject({ event: { name: 'restart-2', fromMs: 90_500.25, toMs: 90_500.25 } });
    expect(read({ do: 'stop', at: 'now', for: '5s' })).toMatchObject({
      event: { name: 'stop-1', fromMs: 90_500.25, toMs: 95_500.25 },
    });
    expect(read({ do: 'stop', at: 'steady+30m', name: 'night' })).toMatchObject({
      event: { name: 'night', fromMs: 1_800_000, toMs: 3_600_000 },
    });
  });

  it.each([
    ['in 10m', 690_500.25, undefined],
    ['2026-01-31T12:10:00Z', 690_500.25, undefined],
    ['2026-01-31T14:10:00+02:00', 690_500.25, undefined],
    ['10m', 600_000, 'at 10m means 10m after the first start of the fleet; for 10m from now, use in 10m'],
    ['1m', 60_000, expect.stringMatching(/, which has passed, so that it starts now; for 1m from now, use in 1m$/)],
    ['steady+10m', 600_000, undefined],
  ])(
    'at %s begins %d ms after the first start of the fleet, which the answer says if it is not clear',
    (at, fromMs, note) => {
      const { event, ...rest } = read({ do: 'stop', at }) as { event: { fromMs: number } };
      expect([event.fromMs, rest]).toEqual([fromMs, { kind: 'event', note }]);
    },
  );

  it('at a time of day begins when the clock of the machine shows it next', () => {
    for (const [at, hours, minutes] of [
      ['02:00', 2, 0],
      ['23:59', 23, 59],
    ] as const) {
      const { event } = read({ do: 'restart', at }) as { event: { fromMs: number } };
      const date = new Date(NOW + event.fromMs - 90_500.25);
      expect([date.getHours(), date.getMinutes(), date.getSeconds()]).toEqual([hours, minutes, 0]);
      expect(event.fromMs - 90_500.25).toBeGreaterThanOrEqual(0);
      expect(event.fromMs - 90_500.25).toBeLessThanOrEqual(25 * 3_600_000);
    }
  });

  it.each([
    [{ do: 'restart', at: 'in ten' }, /^at: expected in and a duration, such as in 10m, found "in ten"$/],
    [{ do: 'restart', at: '2026-01-31T11:00:00Z' }, /^at: expected an instant after 2026-01-31T12:00:00\.000Z/],
    [
      { do: 'restart', at: '2027-02-30T02:00:00Z' },
      /^at: expected now, in 10m, 02:00 .*, found "2027-02-30T02:00:00Z"$/,
    ],
    [{ do: 'restart', at: '25:00' }, /^at: expected now, in 10m, 02:00 .*, found "25:00"$/],
    [{ do: 'restart', at: '2am' }, /^at: expected now, in 10m, 02:00 .*, found "2am"$/],
    [{ do: 'dance' }, /^do: expected one of disk-full, .*, found "dance"$/],
    [
      { do: 'restart', cohort: 'stat=x' },
      /^cohort: expected one of profile, role.*, found "stat"; did you mean state\?$/,
    ],
    [{ do: 'restart', cohort: '10' }, /^cohort: expected agents from 0 to 9, the range of this fleet, found "10"$/],
    [{ do: 'reboot', cohort: 'state=refused', for: '1m' }, /^cohort: expected a cohort without state=/],
    [{ do: 'restart', for: '5s' }, /^for: expected/],
    [{ do: 'restart', at: 'later' }, /^at: expected one of steady|^at: expected/],
    [
      { do: 'restart', cohort: 'profile=arch' },
      /^cohort: expected a cohort with at least one agent, found an empty one$/,
    ],
    [{ do: 'clone', cohort: '3' }, /^cohort: expected a cohort with at least two agents, found one agent$/],
    [
      { do: 'service-down', service: 'tape.service', for: '1m' },
      /^service: expected a running service that an agent of the cohort has, found "tape\.service"$/,
    ],
    [{ do: 'end', event: 'restart-1' }, /^do: expected an event kind that starts something/],
    [[], /^the body: expected an event/],
    ['restart', /^the body: expected an event/],
  ])('is rejected with a sentence that names the problem: %j', (entry, problem) => {
    const { problems = [] } = read(entry) as { problems?: readonly string[] };
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });
});
