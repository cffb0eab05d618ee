import { describe, expect, it } from 'vitest';
import { readHostData } from '../../../src/ground/storage/host-data.ts';
import { readAddedEvent } from '../../../src/scenario/reading/added-event.ts';
import { scenarioOf } from '../read-scenario.ts';

const scenario = scenarioOf(
  'fleet: { agents: 10 }\nphases: [{ name: steady, duration: 1h, checkdata: { every: 1m } }]\nevents: [{ do: restart }]\n',
);
const read = (entry: unknown) =>
  readAddedEvent(entry, { scenario, hostData: readHostData, names: ['restart-1'], nowMs: 90_500.25 });

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
