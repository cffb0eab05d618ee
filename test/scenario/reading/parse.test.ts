import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../src/scenario/reading/parse.ts';
import type { Setting } from '../../../src/scenario/reading/settings.ts';
import { HOST_DATA } from '../../hosts/host-data.ts';
import { USUAL_LIMITS } from '../../metrics/recordings.ts';
import { FILE, problemsOf, SMALLEST, scenarioOf, withPhases } from '../read-scenario.ts';

describe('a minimal scenario', () => {
  it('gets every default', () => {
    expect(scenarioOf(SMALLEST)).toEqual({
      name: 'sample',
      description: '',
      target: {
        url: 'embedded',
        furtherUrls: [],
        apiKey: '',
        allow: [],
        timeoutMs: 29_000,
        tls: { verify: false, caFile: undefined },
        dialect: 'documented',
        faults: [],
      },
      fleet: {
        agents: 100,
        seed: 1,
        start: 'standing',
        profiles: { 'ubuntu-24.04': 1 },
        payload: 'full',
        checks: {},
        connections: { kind: 'per-agent' },
        sourceAddresses: [],
        identities: { kind: 'ephemeral' },
      },
      events: [],
      cohorts: [],
      phases: [
        {
          name: 'steady',
          startMs: 0,
          durationMs: 10_000,
          excluded: false,
          loads: [
            {
              operation: 'checkdata',
              model: {
                kind: 'cadence',
                everyMs: 5000,
                jitter: 0,
                firstMs: 0,
                standing: true,
                spread: 'random',
                originMs: -86_400_000,
                spreadMs: 86_400_000,
              },
            },
          ],
        },
      ],
      thresholds: [],
      validity: USUAL_LIMITS,
    });
  });

  it('is named after its file, with characters that are safe in a folder name', () => {
    const parsed = parseScenario(
      { file: '/x/my täst .YML', text: SMALLEST },
      { environment: {}, settings: [], hostData: HOST_DATA },
    );
    expect(parsed).toMatchObject({ scenario: { name: 'my-täst' } });
  });
});

describe('relative paths', () => {
  it('are resolved against the folder of the file', () => {
    const { target, fleet } = scenarioOf(SMALLEST, [
      ...['target.tls.verify=true', 'target.tls.ca=../ca.pem', 'fleet.identities=hosts.sqlite'],
    ]);
    expect([target.tls.caFile, fleet.identities]).toEqual([
      '/work/ca.pem',
      { kind: 'file', path: '/work/scenarios/hosts.sqlite' },
    ]);
  });
});

describe('thresholds', () => {
  it('have an operation, a phase, a statistic and a bound', () => {
    const text = `${SMALLEST}thresholds: { "checkdata{phase:steady}": ["p(99.9) <= 1.5s", " rate > 2/m "] }`;
    const subject = { kind: 'operation', operation: 'checkdata', phase: 'steady' };
    expect(scenarioOf(text).thresholds).toEqual([
      {
        ...subject,
        statistic: { kind: 'percentile', percentile: 99.9 },
        comparator: '<=',
        bound: 1500,
        text: 'p(99.9) <= 1.5s',
      },
      { ...subject, statistic: { kind: 'rate' }, comparator: '>', bound: 2 / 60, text: 'rate > 2/m' },
    ]);
  });

  it('can stop the run, immediately or after a delay', () => {
    const stops =
      '[{ condition: p(99) < 1s, abort: true, after: 10s }, { condition: error_rate < 5%, abort: true }, max < 2s]';
    const text = `${SMALLEST.replace('10s', '30s')}thresholds: { checkdata: ${stops} }`;
    expect(scenarioOf(text).thresholds).toMatchObject([
      { text: 'p(99) < 1s', bound: 1000, abortAfterMs: 10_000 },
      { text: 'error_rate < 5%', abortAfterMs: 0 },
      { text: 'max < 2s' },
    ]);
    expect(scenarioOf(text).thresholds[2]).not.toHaveProperty('abortAfterMs');
  });

  it('that stop the run are rejected if misspelled, if they can never fail before the end, or if the delay exceeds the run', () => {
    const complaints = (stop: string) =>
      problemsOf(`${SMALLEST}thresholds: { checkdata: [${stop}] }`).map(({ path, expected, found }) => ({
        path,
        expected,
        found,
      }));
    expect(complaints('{ condition: p(99) < 1, abort: true }')).toMatchObject([
      { path: 'thresholds.checkdata.0.condition', expected: expect.stringContaining('a duration such as 250ms') },
    ]);
    for (const condition of ['count > 100', 'planned >= 5', 'count == 5', 'dropped > 1']) {
      expect(complaints(`{ condition: ${condition}, abort: true }`), condition).toMatchObject([
        {
          path: 'thresholds.checkdata.0.condition',
          expected: expect.stringContaining('can fail before the end'),
        },
      ]);
    }
    for (const condition of ['count <= 100', 'dropped == 0', 'dropped < 5']) {
      expect(complaints(`{ condition: ${condition}, abort: true }`), condition).toEqual([]);
    }
    expect(complaints('{ condition: max < 1s, abort: false }')).toMatchObject([
      { path: 'thresholds.checkdata.0.abort' },
    ]);
    expect(complaints('{ condition: max < 1s, abort: true, afte: 1s }')).toMatchObject([
      { path: 'thresholds.checkdata.0.afte', expected: 'one of condition, abort, after' },
    ]);
    expect(complaints('{ condition: max < 1s, abort: true, after: 5m }')).toMatchObject([
      {
        path: 'thresholds.checkdata.0.after',
        found: '5m',
        expected: expect.stringMatching(/^less than the .* checkdata runs/),
      },
    ]);
  });

  it("can apply to the agents' ports over the whole run", () => {
    const text = `${SMALLEST}webServer: { listen: 127.0.0.1:20000+ }\nthresholds: { listeners: ["refused == 0"] }`;
    expect(scenarioOf(text).thresholds).toEqual([
      { kind: 'listeners', figure: 'refused', comparator: '==', bound: 0, text: 'refused == 0' },
    ]);
  });

  it('can apply to the delivery of the whole run', () => {
    expect(scenarioOf(`${SMALLEST}thresholds: { delivery: ["lost == 0"] }`).thresholds).toEqual([
      { kind: 'delivery', figure: 'lost', comparator: '==', bound: 0, text: 'lost == 0' },
    ]);
  });
});

describe('variables', () => {
  const text = 'fleet: { agents: 100 }\nphases: [{ name: a, duration: 1s, checkdata: { rate: 1/s } }]\n';

  it('become numbers if unquoted', () => {
    expect(scenarioOf(text.replace('{ agents: 100 }', '\n  agents: ${N:-7}')).fleet.agents).toBe(7);
    expect(scenarioOf(text.replace('{ agents: 100 }', '\n  agents: ${N:-7}'), [], { N: '9' }).fleet.agents).toBe(9);
  });

  it('remain strings if quoted', () => {
    expect(problemsOf(text.replace('100', '"${N:-7}"'))).toMatchObject([
      { path: 'fleet.agents', found: 'the string "7"; remove the quotes' },
    ]);
  });

  it.each(['0012', 'null', '1e3', 'a # b', '{ x: 1 }', ''])('keep the API key %j unchanged', (key) => {
    expect(scenarioOf(`target:\n  apiKey: \${KEY}\n${text}`, [], { KEY: key }).target.apiKey).toBe(key);
  });

  it('remain strings wherever only a string is valid, including in lists and under any key', () => {
    const file = `target:
  allow:
    - \${KEY}
thresholds:
  checkdata:
    - \${KEY}
${text}`;
    expect(problemsOf(file, [], { KEY: '12' })).toMatchObject([{ path: 'thresholds.checkdata.0', found: '"12"' }]);
    const allowed = scenarioOf(`target:\n  allow:\n    - \${KEY}\n${text}`, [], { KEY: '012' }).target.allow;
    expect(allowed).toEqual(['012']);
  });

  it('without a value or default are reported at their place', () => {
    expect(problemsOf(`name: x\ntarget:\n  url: \${HOST}\n${text}`)).toMatchObject([
      { path: 'target.url', place: { line: 3, column: 8 }, found: 'it unset' },
    ]);
  });

  it('may be unset if a setting replaces the value', () => {
    expect(scenarioOf(`target:\n  url: \${HOST}\n${text}`, ['target.url=http://localhost:1']).target.url).toBe(
      'http://localhost:1',
    );
  });
});

describe('settings', () => {
  const phases = withPhases(`  - { name: warm-up, duration: 5s, checkdata: { every: 5s } }
  - { name: steady, duration: 20s, checkdata: { every: 5s } }
  - { name: cool-down, duration: 20s, checkdata: { every: 5s } }
`);

  it('select phases by number and by name', () => {
    const scenario = scenarioOf(phases, ['phases.0.duration=1s', 'phases.steady.duration=3s']);
    expect(scenario.phases.map(({ durationMs }) => durationMs)).toEqual([1000, 3000, 20_000]);
  });

  it('create the sections they need', () => {
    expect(scenarioOf(phases, ['target.tls.verify=true']).target.tls.verify).toBe(true);
  });

  it('support names with dots', () => {
    expect(scenarioOf(phases, ['fleet.profiles.ubuntu-24.04=3']).fleet).toMatchObject({
      profiles: { 'ubuntu-24.04': 3 },
    });
  });

  it('accept whole structures', () => {
    const scenario = scenarioOf(phases, ['phases.steady.checkdata={ rate: 5/s }', 'target.allow=[a.example]']);
    expect(scenario.phases[1]?.loads[0]?.model).toMatchObject({ kind: 'rate', ratePerSecond: 5 });
    expect(scenario.target.allow).toEqual(['a.example']);
  });

  it('accept thresholds for one phase', () => {
    const set = 'thresholds.checkdata{phase:steady}=["count >= 1"]';
    expect(scenarioOf(phases, [set]).thresholds).toMatchObject([{ phase: 'steady', text: 'count >= 1' }]);
  });

  it('are strings if quoted', () => {
    expect(problemsOf(phases, ['fleet.agents="5"'])).toMatchObject([
      { path: 'fleet.agents', found: 'the string "5"; remove the quotes' },
    ]);
    expect(scenarioOf(phases, ['target.apiKey="007"', 'description=12']).target.apiKey).toBe('007');
  });

  it('apply in order', () => {
    expect(scenarioOf(phases, ['fleet.agents=1', 'fleet.agents=2']).fleet.agents).toBe(2);
  });

  it('stretch the first of the longest phases that have a duration', () => {
    const settings: Setting[] = [{ source: '--duration', change: { kind: 'stretch', text: '1m' } }];
    const parsed = parseScenario({ file: FILE, text: phases }, { environment: {}, settings, hostData: HOST_DATA });
    expect(parsed.kind === 'scenario' && parsed.scenario.phases.map(({ durationMs }) => durationMs)).toEqual([
      5000, 60_000, 20_000,
    ]);
  });

  it('append to a list and keep its entries', () => {
    const settings: Setting[] = ['b', '10.0.0.1'].map((text) => ({
      source: '--allow',
      change: { kind: 'append', path: ['target', 'allow'], text },
    }));
    const parsed = parseScenario(
      { file: FILE, text: `target: { allow: [a] }\n${phases}` },
      { environment: {}, settings, hostData: HOST_DATA },
    );
    expect(parsed).toMatchObject({ scenario: { target: { allow: ['a', 'b', '10.0.0.1'] } } });
  });
});
