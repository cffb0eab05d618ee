import { expect, it } from 'vitest';
import { eventChanges, eventsInProgress } from '../../src/scenario/event-times.ts';
import { scenarioOf, withPhases } from './read-scenario.ts';

const { events } = scenarioOf(`events:
  - { do: stop, name: wave, at: 1500ms, for: 1s, over: 500ms, repeat: { every: 4s, times: 2 } }
  - { do: restart, name: kick, at: 6s }
${withPhases('  - { name: steady, duration: 10s, checkdata: { every: 5s } }\n')}`);

it('each occurrence of an event begins with its first agent and ends with its last', () => {
  const changes = Array.from({ length: 10 }, (_, second) => eventChanges(events, second));
  expect(changes.map((all) => all.map(({ name, change, atMs }) => `${name} ${change} ${atMs}`))).toEqual([
    [],
    ['wave begins 1500'],
    [],
    ['wave ends 3000'],
    [],
    ['wave begins 5500'],
    ['kick begins 6000', 'kick ends 6000'],
    ['wave ends 7000'],
    [],
    [],
  ]);
});

it('an event is in progress from its beginning to its end, and not between two occurrences', () => {
  const at = (ms: number) => eventsInProgress(events, ms);
  expect([at(1499), at(1500), at(2999), at(3000), at(6000)]).toEqual([
    [],
    [{ name: 'wave', leftMs: 1500 }],
    [{ name: 'wave', leftMs: 1 }],
    [],
    [{ name: 'wave', leftMs: 1000 }],
  ]);
});
