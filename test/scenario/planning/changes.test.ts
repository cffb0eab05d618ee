import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { changesBetween } from '../../../src/scenario/planning/changes.ts';
import type { Scenario } from '../../../src/scenario/scenario.ts';
import { draws, near } from '../../draws.ts';
import { row, traceText } from '../../load/traces/traces.ts';
import { scenarioOf } from '../read-scenario.ts';

type Edit = {
  readonly target?: string;
  readonly fleet?: string;
  readonly webServer?: string;
  readonly enroll?: string;
  readonly checkdata?: string;
  readonly more?: string;
  readonly events?: string;
};

/** A fleet whose scenario is edited as given. */
function fleetWith(agents: number, edit: Edit = {}): Scenario {
  const {
    target = '{ url: "http://127.0.0.1:8080", apiKey: one }',
    webServer,
    fleet = 'seed: 7, payload: lean',
    more = '',
  } = edit;
  return scenarioOf(`
name: staging
target: ${target}
fleet: { agents: ${agents}, ${fleet} }
${webServer === undefined ? '' : `webServer: ${webServer}`}
phases:
  - { name: enroll, register: { rate: ${edit.enroll ?? '10/s'} } }
  - { name: day, duration: 1h, checkdata: { ${edit.checkdata ?? 'every: 30s'} }, packages: { every: 1h, first: 90s } }
events: ${edit.events ?? '[]'}
${more}
`);
}

const LATER_MS = 3_600_000;
const NOBODY = { changed: [], come: [], gone: [] };
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n);

describe('an edited scenario, compared with the running one', () => {
  it('changes no agent for a trace, whose file an edit does not read', () => {
    const text = (file = '') => `
fleet: { agents: 9 }
phases:
  - { name: replay, duration: 10s, load: { trace: a.trace${file} } }
  - { name: day, duration: 1h, checkdata: { every: 30s } }`;
    const trace = traceText(9, [row(1e6, 'checkdata', 3)]);
    const running = scenarioOf(text(), [], {}, { '/work/scenarios/a.trace': trace });
    const edited = scenarioOf(text(`, bytes: ${trace.length}`));
    expect(changesBetween(running, edited, 1000)).toMatchObject({ agents: NOBODY, refused: [] });
  });

  it('has no changes if nothing was edited, at any time of the run', () => {
    const anyMoment = fc.integer({ min: 1, max: 300 }).chain((agents) => {
      const endsMs = [agents * 100, agents * 100 + LATER_MS];
      const anyTime = fc.oneof(fc.integer({ min: 0, max: 10 * LATER_MS }), near(fc.constantFrom(...endsMs)));
      return fc.tuple(
        fc.constant(agents),
        anyTime.map((ms) => Math.max(0, ms)),
      );
    });
    fc.assert(
      fc.property(anyMoment, ([agents, elapsedMs]) => {
        const scenario = fleetWith(agents);
        expect(changesBetween(scenario, fleetWith(agents), elapsedMs)).toEqual({
          keys: [],
          agents: { ...NOBODY, unchanged: agents },
          events: { gone: [], changed: [], come: [] },
          refused: [],
        });
      }),
      { numRuns: draws(6) },
    );
  });

  it('lists each agent once, leaves agents with the same description alone, and is symmetric', () => {
    const weights = fc.record({ ubuntu: fc.integer({ min: 1, max: 9 }), debian: fc.integer({ min: 0, max: 9 }) });
    const fleets = fc.tuple(fc.integer({ min: 1, max: 300 }), weights).map(([agents, { ubuntu, debian }]) => {
      const fleet = `seed: 7, payload: lean, profiles: { ubuntu-24.04: ${ubuntu}, debian-12: ${debian} }`;
      return { agents, scenario: fleetWith(agents, { fleet }) };
    });
    fc.assert(
      fc.property(fleets, fleets, (before, after) => {
        const { agents } = changesBetween(before.scenario, after.scenario, LATER_MS);
        const back = changesBetween(after.scenario, before.scenario, LATER_MS);
        expect(agents.changed.length + agents.unchanged + agents.come.length).toBe(after.agents);
        expect(agents.changed.length + agents.unchanged + agents.gone.length).toBe(before.agents);
        expect(back.agents).toEqual({ ...agents, come: agents.gone, gone: agents.come });
        expect(new Set([...agents.changed, ...agents.come, ...agents.gone]).size).toBe(
          agents.changed.length + agents.come.length + agents.gone.length,
        );
      }),
      { numRuns: draws(9) },
    );
  });

  it('may grow or shrink the fleet although the enrollment, which has ended, would have a different length', () => {
    const grown = changesBetween(fleetWith(100), fleetWith(130), LATER_MS);
    expect(grown).toMatchObject({ agents: { ...NOBODY, come: range(100, 130), unchanged: 100 }, refused: [] });
    expect(grown.keys).toEqual([
      { key: 'fleet.agents', from: '100', to: '130' },
      { key: 'phases.enroll.duration', from: '10s', to: '13s' },
    ]);
    const shrunk = changesBetween(fleetWith(130), fleetWith(100), LATER_MS);
    expect(shrunk.agents).toEqual({ ...NOBODY, gone: range(100, 130), unchanged: 100 });
  });

  it('changes only the agents of groups whose hosts are described differently', () => {
    const edited = (payload: string) => {
      const shop = `{ count: 10, name: shop, profile: debian-12, payload: ${payload} }`;
      return fleetWith(50, { fleet: `seed: 7, hosts: [${shop}, { weight: 1, profile: ubuntu-24.04 }]` });
    };
    const { agents } = changesBetween(edited('lean'), edited('typical'), LATER_MS);
    expect([agents.changed.length, agents.unchanged]).toEqual([10, 40]);
  });

  it.each<[string, Edit]>([
    ['another rhythm', { checkdata: 'every: 60s' }],
    ['another key', { target: '{ url: "http://127.0.0.1:8080", apiKey: two }' }],
    ['another target', { target: '{ url: "http://127.0.0.1:8081", apiKey: one }' }],
    ['a web server', { webServer: '{ listen: "127.0.0.1:20000+" }' }],
    ['other checks', { fleet: 'seed: 7, payload: lean, checks: { docker: 3 }' }],
  ])('changes all agents with %s', (_what, edit) => {
    const { agents, refused, keys } = changesBetween(fleetWith(20), fleetWith(20, edit), LATER_MS);
    expect([agents.changed, agents.unchanged, refused]).toEqual([range(0, 20), 0, []]);
    expect(keys.length).toBeGreaterThan(0);
    expect(JSON.stringify(keys)).not.toMatch(/"(one|two)"/);
  });

  it('changes no agent with a new description or an edit to a past phase', () => {
    const edit = { more: 'description: another', enroll: '20/s' };
    const { agents, keys } = changesBetween(fleetWith(20), fleetWith(20, edit), LATER_MS);
    expect(agents).toEqual({ ...NOBODY, unchanged: 20 });
    expect(keys.map(({ key }) => key)).toEqual(expect.arrayContaining(['description', 'phases.enroll.register.rate']));
  });

  it('matches events by name', () => {
    const before = fleetWith(20, { events: '[{ do: restart, name: a }, { do: restart, name: b, at: 1m }]' });
    const after = fleetWith(20, { events: '[{ do: restart, name: b, at: 2m }, { do: reboot, name: c, for: 1m }]' });
    const { events, agents } = changesBetween(before, after, LATER_MS);
    expect([events.gone, events.changed.map(({ name }) => name), events.come.map(({ name }) => name)]).toEqual([
      ['a'],
      ['b'],
      ['c'],
    ]);
    expect(agents.unchanged).toBe(20);
  });

  it.each<[string, () => Scenario, RegExp]>([
    [
      'another name',
      () => ({ ...fleetWith(20), name: 'other' }),
      /^name: expected staging while the fleet is up, found other/,
    ],
    ['another seed', () => fleetWith(20, { fleet: 'seed: 8, payload: lean' }), /^fleet.seed: expected 7/],
    [
      'other files',
      () => fleetWith(20, { fleet: 'seed: 7, payload: lean, identities: a.db' }),
      /^fleet.identities: expected ephemeral .* found .*a.db/,
    ],
    [
      'more hosts that may be loaded',
      () => fleetWith(20, { target: '{ url: "http://127.0.0.1:8080", apiKey: one, allow: [mon.example] }' }),
      /^target.allow: expected no additional hosts .* mon.example/,
    ],
    [
      'the embedded server',
      () => fleetWith(20, { target: '{ url: embedded, apiKey: one }' }),
      /^target: expected http:\/\/127.0.0.1:8080\/? with unchanged settings .* found embedded/,
    ],
    [
      'shared connections',
      () => fleetWith(20, { fleet: 'seed: 7, payload: lean, connections: { shared: 4 }' }),
      /^fleet.connections: expected/,
    ],
    [
      'a rate in another number of agents',
      () => fleetWith(30, { checkdata: 'rate: 1/s' }),
      /^phases.day.checkdata: expected a cadence per agent/,
    ],
  ])('is rejected with an explanation for %s', (_what, edited, sentence) => {
    const { refused } = changesBetween(fleetWith(20), edited(), LATER_MS);
    expect(refused).toEqual([expect.stringMatching(sentence)]);
    expect(refused[0]).toMatch(/; .*\.$/);
  });

  it('is rejected while the phase that would become longer is in progress', () => {
    expect(changesBetween(fleetWith(100), fleetWith(130), 5000).refused).toEqual([
      expect.stringMatching(
        /^phases: expected unchanged current and later phases \(enroll, day\) while .* different times/,
      ),
      expect.stringMatching(/^phases.enroll.register: expected a cadence per agent/),
    ]);
  });
});
