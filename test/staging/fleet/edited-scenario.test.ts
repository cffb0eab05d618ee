import { describe, expect, it } from 'vitest';
import { eventsBeside } from '../../../src/scenario/event-entries.ts';
import { formatScenario, scenarioSecrets } from '../../../src/scenario/file.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { compareEdit } from '../../../src/staging/fleet/edited-scenario.ts';
import { scenarioOf } from '../../scenario/read-scenario.ts';

const withEvents = (events: string): Scenario =>
  scenarioOf(`target: { url: "http://127.0.0.1:9", apiKey: key }
fleet: { agents: 10 }
phases: [{ name: steady, duration: 2d, checkdata: { every: 30s } }]
events: ${events}
`);

const FILE = '[{ do: reboot, name: power, at: 1h, for: 10m }, { do: reboot, name: short, at: 2h, for: 1m }]';
/** The log: one event was added, another one was ended early, and so was one that the file no longer contains. */
const ENTRIES = [
  { do: 'restart', name: 'kick', at: '5m' },
  { do: 'end', event: 'power', at: '65m' },
  { do: 'end', event: 'gone', at: '70m' },
  { do: 'restart', name: 'stray', at: 'holidays+5m' },
].map((raw, index) => ({ line: index + 2, raw }));
const MINUTE_MS = 60_000;

function edit(events: string) {
  const scenario = withEvents(FILE);
  const running = {
    scenario,
    events: eventsBeside(scenario, ENTRIES).events,
    identities: '/work/agents.db',
    entries: ENTRIES,
    elapsedMs: 90 * MINUTE_MS,
  };
  const edited = withEvents(events);
  return compareEdit({ text: formatScenario(edited), secrets: scenarioSecrets(edited), file: 's.yaml' }, running);
}

describe('the events of a fleet', () => {
  it('are those of its file and its log, without the ends of events that the file no longer contains, and what fits neither', () => {
    const { events, unread } = eventsBeside(withEvents(FILE), ENTRIES);
    expect(unread).toEqual([{ line: 5, why: expect.stringMatching(/^at: expected .*, found "holidays"$/) }]);
    expect(events.map(({ name, untilMs }) => [name, untilMs])).toEqual([
      ['power', 65 * MINUTE_MS],
      ['short', undefined],
      ['kick', undefined],
    ]);
  });

  it('keep added events and early ends when the file is edited', () => {
    const { events, changes } = edit(FILE.replace('for: 1m', 'for: 2m'));
    expect([changes.refused, changes.keys, changes.events.changed.map(({ name }) => name)]).toEqual([
      [],
      [],
      ['short'],
    ]);
    expect(events.map(({ name, toMs, untilMs }) => [name, toMs / MINUTE_MS, untilMs])).toEqual([
      ['power', 70, 65 * MINUTE_MS],
      ['short', 122, undefined],
      ['kick', 5, undefined],
    ]);
  });

  it.each([
    ['added', '[{ do: stop, name: kick, at: 3h, for: 1m }]', 'event kick: .*found one that was added'],
    ['ended', FILE.replace('at: 1h, for: 10m', 'at: 3h, for: 10m'), 'event power: .*found one that was ended'],
  ])('cannot take the name of one that was %s', (_, events, why) => {
    expect(edit(events).changes.refused).toEqual([expect.stringMatching(why)]);
  });
});
