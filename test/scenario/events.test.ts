import { describe, expect, it } from 'vitest';
import { cohortText } from '../../src/load/cohorts/cohort.ts';
import { hitsOf } from '../../src/load/events/event.ts';
import { occurrencesOf } from '../../src/load/events/occurrences.ts';
import { incidentsOf } from '../../src/scenario/agents.ts';
import { chosenBy } from '../../src/scenario/cohort-members.ts';
import { eventSpans, eventsInProgress, withCountedEvents } from '../../src/scenario/event-times.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { problemsOf, scenarioOf, withPhases } from './read-scenario.ts';

const PHASES = withPhases(`  - { name: enroll, register: { rate: 50/s } }
  - { name: steady, duration: 10s, checkdata: { every: 5s } }
`);
// Typical payload: for full hosts, it takes longest to check whether any has what an event names.
const withEvents = (...events: readonly string[]) =>
  `events: [${events.join(', ')}]\n${PHASES.replace('agents: 100', 'agents: 100, payload: typical')}`;
const readEvent = (event: string) => scenarioOf(withEvents(event)).events[0];

describe('an event', () => {
  it('hits all agents at the same time, from the start to the end of the run, by default', () => {
    expect(readEvent('{ do: disk-full }')).toEqual({
      name: 'disk-full-1',
      action: { kind: 'disk-full' },
      cohort: { kind: 'share', share: 1 },
      fromMs: 0,
      toMs: 12_000,
      overMs: 0,
    });
  });

  it('counts its times from the start of the run', () => {
    expect(readEvent('{ do: reboot, at: steady+5s, for: 30s }')).toMatchObject({ fromMs: 7000, toMs: 37_000 });
  });

  it('ends when it begins if its action is instantaneous', () => {
    expect(readEvent('{ do: restart, at: steady, over: 2s, repeat: { every: 3s, times: 3 } }')).toMatchObject({
      fromMs: 2000,
      toMs: 2000,
      overMs: 2000,
      repeat: { everyMs: 3000, times: 3 },
    });
  });

  it('without a name is named after its action and its number among events with that action', () => {
    const events = ['{ do: restart }', '{ do: stop }', '{ do: restart, name: mine }', '{ do: restart }'];
    expect(scenarioOf(withEvents(...events)).events.map(({ name }) => name)).toEqual([
      ...['restart-1', 'stop-1', 'mine', 'restart-3'],
    ]);
  });

  it.each([
    ['30%', '30%'],
    ['10..19', '10..19'],
    ['99', '99'],
    ['99..99', '99'],
    ["'role=database and not (host=web-* or 1..9)'", 'role=database and not (host=web-* or 1..9)'],
    ['profile=ubuntu-24.04', 'profile=ubuntu-24.04'],
  ])('with the cohort %s hits %s', (cohort, expected) => {
    expect(
      cohortText(readEvent(`{ do: cpu-saturated, cohort: ${cohort} }`)?.cohort ?? { kind: 'share', share: 0 }),
    ).toBe(expected);
  });

  it.each([
    ['{ do: disk-full, mountpoint: / }', { kind: 'disk-full', mountpoint: '/' }],
    ['{ do: service-down, service: nginx }', { kind: 'service-down', service: 'nginx' }],
    ['{ do: clock-skew, offset: 1m30s }', { kind: 'clock-skew', offsetSeconds: 90 }],
    ['{ do: clock-skew, offset: -5m }', { kind: 'clock-skew', offsetSeconds: -300 }],
    ['{ do: check-error, check: disk_io, error: broken }', { kind: 'check-error', check: 'disk_io', error: 'broken' }],
    ['{ do: disconnect, for: 5s }', { kind: 'disconnect', how: 'reset' }],
    ['{ do: lose-password }', { kind: 'lose-password' }],
    ['{ do: register-again }', { kind: 'register-again' }],
    ['{ do: new-identity }', { kind: 'new-identity' }],
    ['{ do: clone }', { kind: 'clone', password: 'shared' }],
    ['{ do: clone, original: 3, password: diverged }', { kind: 'clone', original: 3, password: 'diverged' }],
    ['{ do: upgrade, version: 3.5.0 }', { kind: 'upgrade', version: '3.5.0' }],
    ['{ do: retarget, url: http://127.0.0.1:8081 }', { kind: 'retarget', url: 'http://127.0.0.1:8081' }],
    ['{ do: retarget, apiKey: other }', { kind: 'retarget', apiKey: 'other' }],
    ['{ do: synchronize, cohort: state=registered }', { kind: 'synchronize' }],
    ['{ do: misbehave, how: broken-json, for: 3s }', { kind: 'misbehave', how: 'broken-json' }],
    ['{ do: scale, to: 40%, over: 3s }', { kind: 'scale', share: 0.4 }],
  ])('reads %s with its details', (written, expected) => {
    expect(readEvent(written)?.action).toEqual(expected);
  });

  it.each([
    ['{ do: disk-ful }', 'do', 'disk-full'],
    ['{ do: disconect }', 'do', 'disconnect'],
    ['{ do: reboot, at: stedy }', 'at', 'steady'],
    ['{ do: reboot, mountpoint: / }', 'mountpoint', undefined],
    ['{ do: restart, for: 5s }', 'for', undefined],
    ['{ do: check-error, check: disk_oi }', 'check', 'disk_io'],
    ['{ do: service-down }', 'service', undefined],
    ['{ do: clock-skew, offset: 5 }', 'offset', undefined],
    ['{ do: clock-skew, offset: 0s }', 'offset', undefined],
    ['{ do: reboot, cohort: 0.5 }', 'cohort', undefined],
    ['{ do: reboot, cohort: 9..1 }', 'cohort', undefined],
    ['{ do: reboot, cohort: some }', 'cohort', undefined],
    ['{ do: reboot, cohort: 90..100 }', 'cohort', undefined],
    ['{ do: reboot, cohort: not 0..3 or 100 }', 'cohort', undefined],
    ['{ do: reboot, cohort: 0% }', 'cohort', undefined],
    ['{ do: reboot, cohort: ubuntu-24.04 }', 'cohort', 'profile=ubuntu-24.04'],
    ['{ do: reboot, cohort: profile=ubuntu-2404 }', 'cohort', 'ubuntu-24.04'],
    ['{ do: reboot, cohort: state=refused }', 'cohort', undefined],
    ['{ do: reboot, cohort: 5 and host=nobody }', 'cohort', undefined],
    ['{ do: reboot, at: 12s }', 'at', undefined],
    ['{ do: stop, repeat: { every: 3s, times: 2 } }', '', undefined],
    ['{ do: stop, for: 4s, repeat: { every: 3s, times: 2 } }', 'repeat.every', undefined],
    ['{ do: restart, over: 4s, repeat: { every: 3s, times: 2 } }', 'repeat.every', undefined],
    ['{ do: restart, at: 2s, repeat: { every: 5s, times: 3 } }', 'repeat.times', undefined],
    ['{ do: upgrade, version: 3.6 }', 'version', undefined],
    ['{ do: retarget }', '', undefined],
    ['{ do: retarget, url: embedded }', 'url', undefined],
    ['{ do: retarget, url: "http://me:secret@127.0.0.1:1" }', 'url', undefined],
    ['{ do: retarget, url: "http://127.0.0.1:1?key=secret" }', 'url', undefined],
    ['{ do: clone, original: 100 }', 'original', undefined],
    ['{ do: clone, cohort: 7 }', 'cohort', undefined],
    ['{ do: scale }', 'to', undefined],
    ['{ do: misbehave }', 'how', undefined],
    ['{ do: disk-full, mountpoint: /nowhere }', 'mountpoint', undefined],
    ['{ do: service-down, service: Spooler }', 'service', undefined],
    ['{ do: check-error, check: docker }', 'check', undefined],
  ])('reports one problem for %s', (event, key, meant) => {
    // Problems of the last three kinds appear only after a host of each kind was checked.
    const sets = /nowhere|Spooler|docker/.test(event) ? ['fleet.agents=6'] : [];
    expect(problemsOf(withEvents(event), sets).map(({ path, suggestion }) => [path, suggestion])).toEqual([
      [['events.0', key].filter(Boolean).join('.'), meant],
    ]);
  });

  it('needs a unique name, given or generated', () => {
    const twice = problemsOf(withEvents('{ do: stop }', '{ do: reboot, name: stop-1 }'));
    expect(twice.map(({ path, expected }) => [path, expected])).toEqual([['events.1.name', 'a unique event name']]);
  });

  it('reports mistakes in its cohort at their places in the text', () => {
    const text = `${PHASES}events:\n  - do: stop\n    cohort: 30% and profil=x\n  - { do: stop, cohort: "30% adn 5" }\n`;
    const first = PHASES.split('\n').length;
    expect(problemsOf(text).map(({ place, suggestion }) => [place, suggestion])).toEqual([
      [{ kind: 'text', line: first + 2, column: 21 }, 'profile'],
      [{ kind: 'text', line: first + 3, column: 30 }, 'and'],
    ]);
  });

  it('keeps its API key out of the effective scenario and out of problems', () => {
    const scenario = scenarioOf(withEvents('{ do: retarget, name: roll-out, apiKey: hush-hush }'));
    expect(formatScenario(scenario)).toContain('apiKey: "${MUSTER_API_KEY_ROLL_OUT}"');
    expect(formatScenario(scenario)).not.toContain('hush');
    const problems = [...problemsOf(withEvents('{ do: retarget, apiKey: hush-hush, at: hush-hush }'))];
    problems.push(...problemsOf(withEvents('{ do: retarget, apiKey: "hush-hush\\n" }')));
    expect(problems.map(({ path }) => path)).toEqual(['events.0.at', 'events.0.apiKey']);
    expect(JSON.stringify(problems)).not.toContain('hush');
  });
});

describe('the agents of events', () => {
  const hitBy = (event: string): readonly number[] => {
    const { events, fleet } = scenarioOf(withEvents(event));
    return Array.from({ length: 100 }, (_, agent) => agent).filter(chosenBy(events[0] ?? raise(), fleet));
  };

  it('are the same for events with the same sticky label, whatever the action, and differ for another name', () => {
    const [one, other] = ['stop, name: a', 'reboot, name: b'];
    expect(hitBy(`{ do: ${one}, cohort: 30%, sticky: site }`)).toEqual(
      hitBy(`{ do: ${other}, cohort: 30%, sticky: site }`),
    );
    expect(hitBy(`{ do: ${one}, cohort: 30% }`)).not.toEqual(hitBy(`{ do: ${other}, cohort: 30% }`));
  });

  it('are those that its incidents hit, each with the same delay', () => {
    const { events, fleet } = scenarioOf(
      withEvents(
        '{ do: reboot, at: 1s, for: 1s, over: 2s, repeat: { every: 4s, times: 2 }, cohort: host=*e* and 50% }',
      ),
    );
    const event = events[0] ?? raise();
    const incidents = incidentsOf(events, fleet);
    expect(incidents.map(({ kind, fromMs, toMs }) => [kind, fromMs, toMs])).toEqual([
      ['reboot', 1000, 2000],
      ['reboot', 5000, 6000],
    ]);
    const hits = hitsOf(event, fleet.seed);
    for (const [n, occurrence] of occurrencesOf(event).entries()) {
      for (const agent of Array.from({ length: 100 }, (_, index) => index).filter(chosenBy(event, fleet))) {
        expect(incidents[n]?.isHit(agent)).toBe(true);
        expect(incidents[n]?.delayMs?.(agent)).toBe((hits(agent, occurrence)?.fromMs ?? 0) - occurrence.fromMs);
      }
    }
    expect(Array.from({ length: 100 }, (_, agent) => agent).filter((agent) => incidents[0]?.isHit(agent))).toEqual(
      Array.from({ length: 100 }, (_, agent) => agent).filter(chosenBy(event, fleet)),
    );
  });

  function raise(): never {
    throw new Error('there is no event');
  }
});

describe('the object of an event on hosts', () => {
  const mixed = ['fleet.profiles={ ubuntu-24.04: 20, windows-11: 4 }', 'fleet.agents=24', 'fleet.payload=full'];
  const problemsWith = (event: string, sets: readonly string[]) =>
    problemsOf(withEvents(event), sets).map(({ path, expected, found }) => `${path}: ${expected}, ${found}`);

  it('may exist on only some hosts of the cohort', () => {
    expect(problemsWith('{ do: service-down, service: spooler }', mixed)).toEqual([]);
    expect(problemsWith('{ do: check-error, check: docker }', ['fleet.checks.docker=1'])).toEqual([]);
  });

  it('must exist on at least one host of the cohort', () => {
    expect(problemsWith('{ do: service-down, service: spooler, cohort: profile=ubuntu-* }', mixed)).toEqual([
      'events.0.service: a running service that an agent of the cohort has, "spooler"',
    ]);
  });
});

describe('a payload', () => {
  it('can be counts by kind', () => {
    const payload = { processes: 80, services: 120, disks: 4, interfaces: 3, containers: 10 };
    expect(scenarioOf(PHASES, [`fleet.payload=${JSON.stringify(payload)}`]).fleet).toMatchObject({ payload });
  });

  it.each([
    ['ful', 'fleet.payload', 'full'],
    ['{ proceses: 5 }', 'fleet.payload.proceses', 'processes'],
    ['{ disks: 0 }', 'fleet.payload.disks', undefined],
    ['5', 'fleet.payload', undefined],
  ])('of %s reports one problem', (payload, path, meant) => {
    const problems = problemsOf(PHASES, [`fleet.payload=${payload}`]);
    expect(problems.map((problem) => [problem.path, problem.suggestion])).toEqual([[path, meant]]);
  });
});

describe('an event that ends another', () => {
  it('sets its end; the earliest of several applies', () => {
    const [stop, ...others] = scenarioOf(
      withEvents(
        '{ do: stop, name: cable }',
        ...['{ do: end, event: cable, at: 9s }', '{ do: end, event: cable, at: steady+4s }'],
      ),
    ).events;
    expect([stop?.untilMs, others]).toEqual([6000, []]);
  });

  it('is not counted and has no name of its own', () => {
    const { events } = scenarioOf(withEvents('{ do: stop }', '{ do: end, event: stop-1 }', '{ do: stop }'));
    expect(events.map(({ name }) => name)).toEqual(['stop-1', 'stop-2']);
    const [problem] = problemsOf(withEvents('{ do: stop, name: cable }', '{ do: end, event: cabel }'));
    expect(problem).toMatchObject({ path: 'events.1.event', suggestion: 'cable' });
  });

  it('must not come before the start of the event, which would otherwise hit nobody', () => {
    const [problem] = problemsOf(withEvents('{ do: stop, at: 5s }', '{ do: end, event: stop-1, at: 4.999s }'));
    expect(problem).toMatchObject({
      path: 'events.1.at',
      expected: '5s or later, because stop-1 starts then',
      found: '4.999s',
    });
    expect(problemsOf(withEvents('{ do: stop, at: 5s }', '{ do: end, event: stop-1, at: 5s }'))).toEqual([]);
  });

  it('is written back', () => {
    const scenario = scenarioOf(withEvents('{ do: stop, name: cable }', '{ do: end, event: cable, at: 9s }'));
    expect(scenarioOf(formatScenario(scenario)).events).toEqual(scenario.events);
  });

  it('leaves the paths of other problems in events unchanged', () => {
    const [problem] = problemsOf(
      withEvents('{ do: stop }', '{ do: end, event: stop-1 }', '{ do: service-down, service: nothing }'),
      ['fleet.agents=6'],
    );
    expect(problem?.path).toBe('events.2.service');
  });
});

describe('an event that repeats without an end', () => {
  const weekly = scenarioOf(withEvents('{ do: restart, at: 3s, over: 1s, repeat: { every: 2s } }'));

  it('recurs for as long as the run lasts', () => {
    const [event] = weekly.events;
    if (event === undefined) throw new Error('there is no event');
    expect(eventSpans(event, 12_000).map(({ fromMs }) => fromMs)).toEqual([3000, 5000, 7000, 9000, 11_000]);
    expect(eventsInProgress(weekly.events, 86_400_000 * 365 + 1500)).toEqual([{ name: 'restart-1', leftMs: 500 }]);
  });

  it('is written back', () => {
    expect(scenarioOf(formatScenario(weekly)).events).toEqual(weekly.events);
  });

  it('may hit hosts, and its occurrences are counted for a run', () => {
    const daily = scenarioOf(withEvents('{ do: reboot, at: 3s, for: 1s, repeat: { every: 2s } }'));
    expect(withCountedEvents(daily).events[0]?.repeat).toEqual({ everyMs: 2000, times: 5 });
  });
});

describe('an event file', () => {
  const LOG = '/work/scenarios/log.yaml';
  const text = `events: log.yaml\n${PHASES}`;
  const entries = '# what was done\n- { do: disconnect, name: cable, at: 1s }\n- { do: end, event: cable, at: 3s }\n';

  it('replaces the list of events and is resolved relative to the scenario', () => {
    const { events } = scenarioOf(text, [], {}, { [LOG]: entries });
    expect(events).toMatchObject([{ name: 'cable', fromMs: 1000, untilMs: 3000 }]);
    expect(scenarioOf(PHASES, ['events=log.yaml'], {}, { [LOG]: entries }).events).toEqual(events);
  });

  it('may be empty', () => {
    expect(scenarioOf(text, [], {}, { [LOG]: '# nothing yet\n' }).events).toEqual([]);
  });

  it('may contain variables', () => {
    const files = { [LOG]: '- { do: stop, for: "${LONG}" }\n' };
    expect(scenarioOf(text, [], { LONG: '2s' }, files).events).toMatchObject([{ toMs: 2000 }]);
    expect(problemsOf(text, [], {}, files)).toMatchObject([{ path: 'events.0.for' }]);
  });

  it('appears in problems with its path and line', () => {
    const files = { [LOG]: `${entries}- { do: stopp }\n` };
    const [problem] = problemsOf(text, [], {}, files);
    expect(problem).toMatchObject({ place: { kind: 'setting', source: `${LOG}:4` }, suggestion: 'stop' });
    expect(problemsOf(text, [], {}, { [LOG]: 'a: [' })[0]?.place).toEqual({ kind: 'setting', source: LOG });
    expect(problemsOf(text, [], {}, { [LOG]: 'a: 1' })[0]?.found).toBe('a section');
    expect(() => problemsOf(text)).toThrow('there is no /work/scenarios/log.yaml');
  });
});
