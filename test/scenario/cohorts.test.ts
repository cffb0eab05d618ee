import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cohortText } from '../../src/load/cohorts/cohort.ts';
import { WHOLE_FLEET } from '../../src/load/shard.ts';
import { chosenBy, segmentsIn } from '../../src/scenario/cohort-members.ts';
import { parseSubject } from '../../src/scenario/conditions.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { scenarioInputSchema } from '../../src/scenario/json-schema.ts';
import { problemsOf, SMALLEST, scenarioOf } from './read-scenario.ts';

const conditionOn = (...keys: readonly string[]) =>
  `thresholds:\n${keys.map((key) => `  ${JSON.stringify(key)}: ["count > 1"]\n`).join('')}`;
const expectedOf = (text: string) => problemsOf(`${SMALLEST}${text}`).map(({ expected, found }) => [expected, found]);
const cohortsOf = (text: string) =>
  scenarioOf(`${SMALLEST}${text}`).cohorts.map(({ name, cohort }) => [name, cohortText(cohort)]);

const PATTERNS = Object.keys(scenarioInputSchema().properties?.thresholds?.patternProperties ?? {});
const anyText = fc.array(fc.constantFrom(...'web*-. ,:{}"\'\\='), { maxLength: 5 }).map((signs) => signs.join(''));
const anyTag = fc.tuple(
  fc.constantFrom('phase', 'cohort', 'role', ' host '),
  fc.constantFrom(':', ' : ', '='),
  anyText,
);
const anyKey = fc
  .array(anyTag, { maxLength: 2 })
  .map((tags) => `checkdata${tags.length === 0 ? '' : `{${tags.map((tag) => tag.join('')).join(',')}}`}`);

it('an editor marks each malformed key of a threshold, and of others only those with an impossible name of a phase or cohort', () => {
  fc.assert(
    fc.property(anyKey, (key) => {
      const subject = parseSubject(key);
      const isMarked = !PATTERNS.some((pattern) => new RegExp(pattern).test(key));
      // Editors know neither names nor that there is only one phase and one cohort.
      if ('expected' in subject) expect(isMarked || subject.expected.startsWith('one phase or event')).toBe(true);
      else if (isMarked) expect(key).toMatch(/(phase|cohort)\s*:\s*(?![A-Za-z][\w-]*\s*[,}])/);
    }),
    {
      examples: [
        ['checkdata{role:"a\\"}{",phase:x}'],
        ["checkdata{host:'}'}"],
        ['checkdata{role:web,}'],
        ['checkdata{role: web }'],
      ],
    },
  );
});

describe('the cohorts of a scenario', () => {
  it('are those with a name, and each fact of a threshold once', () => {
    const named = 'cohorts: { low: 0..9, all-of-them: all }\n';
    const keys = [
      'checkdata{cohort:low}',
      'checkdata{phase:steady, host : "*a*" }',
      "checkdata{host:'*a*'}",
      'checkdata{ role:web,phase:steady}',
    ];
    expect(cohortsOf(named + conditionOn(...keys))).toEqual([
      ['low', '0..9'],
      ['all-of-them', '100%'],
      ['host=*a*', 'host=*a*'],
      ['role=web', 'role=web'],
    ]);
  });

  it.each([
    ['checkdata{role:web}', 'checkdata{role:web}'],
    ['checkdata{ phase : steady , profile: ubuntu-* }', 'checkdata{phase:steady,profile:ubuntu-*}'],
    ['checkdata{cohort:low,phase:steady}', 'checkdata{phase:steady,cohort:low}'],
    ['checkdata{event:cable,cohort:low}', 'checkdata{event:cable,cohort:low}'],
    ['checkdata{host:"*a*"}', 'checkdata{host:*a*}'],
    ['checkdata{host:"*a*,b\\\\\\"}="}', 'checkdata{host:"*a*,b\\\\\\"}="}'],
  ])('are the same when the effective scenario with %s is read again', (key, written) => {
    const events = 'events: [{ do: stop, name: cable, at: 1s, for: 2s }]\ncohorts: { low: 0..9 }\n';
    const text = `${SMALLEST}${events}${conditionOn(key)}`;
    const problems = problemsOf(text);
    if (problems.length > 0) {
      // No host has this name, but the key was understood.
      expect(problems).toMatchObject([{ expected: 'a cohort with at least one agent' }]);
      return;
    }
    const scenario = scenarioOf(text);
    expect(formatScenario(scenario)).toContain(written);
    expect(scenarioOf(formatScenario(scenario))).toEqual(scenario);
  });

  it.each([
    [
      'cohorts: { web: state=refused }',
      'a cohort without state=, because figures need the same agents throughout a run',
      '"state=refused"',
    ],
    ['cohorts: { low: 90..100 }', 'agents from 0 to 99, the range of this fleet', '"90..100"'],
    ['cohorts: { none: not all }', 'a cohort with at least one agent', 'an empty one'],
    [conditionOn('checkdata{host:none}'), 'a cohort with at least one agent', 'an empty one'],
    [conditionOn('checkdata{cohort:low}'), 'the name of a cohort; this scenario has none', '"low"'],
    [
      conditionOn('checkdata{cohort:role=web}'),
      'the name of a cohort, or a fact without cohort, such as role:web',
      '"role=web"',
    ],
    [conditionOn('checkdata{colour:red}'), 'one of phase, event, cohort, profile, role, group, host, uuid', '"colour"'],
    [
      conditionOn('checkdata{role:web,host:*}'),
      'one phase or event, and one cohort; several facts together need a name in cohorts',
      '"role:web,host:*"',
    ],
    [
      conditionOn('checkdata{phase:steady,event:cable}'),
      'one phase or event, and one cohort; several facts together need a name in cohorts',
      '"phase:steady,event:cable"',
    ],
    ['cohorts: [low]', 'names of cohorts, each with an expression such as role=web', 'a list'],
  ])('are refused before a run: %s', (text, expected, found) => {
    expect(expectedOf(text)).toEqual([[expected, found]]);
  });

  it('have a role that exists, and a misspelled one is suggested', () => {
    expect(problemsOf(`${SMALLEST}${conditionOn('checkdata{role:wbe}')}`)).toMatchObject([{ suggestion: 'web' }]);
  });

  it('are at most fifty, those of thresholds included', () => {
    const named = (count: number) =>
      `cohorts: { ${Array.from({ length: count }, (_, n) => `c${n}: ${n}`).join(', ')} }\n`;
    expect(cohortsOf(named(50))).toHaveLength(50);
    expect(expectedOf(named(51))).toEqual([['at most 50 cohorts, those of thresholds included', '51']]);
    expect(expectedOf(named(50) + conditionOn('checkdata{host:*}'))).toEqual([
      ['at most 50 cohorts, those of thresholds included', '51'],
    ]);
  });

  it('divide the fleet into at most 250 parts', () => {
    const halves = Array.from({ length: 20 }, (_, n) => `h${n}: 50%`).join(', ');
    const text = SMALLEST.replace('agents: 100', 'agents: 1000');
    expect(problemsOf(`${text}cohorts: { ${halves} }`)).toMatchObject([
      { path: 'cohorts', expected: expect.stringMatching(/^cohorts that divide the fleet into at most 250 parts/) },
    ]);
    expect(cohortsOf(`cohorts: { ${halves} }`)).toHaveLength(20);
  });

  it('are drawn by name: an event that sticks to the name hits the same share', () => {
    const { cohorts, events, fleet } = scenarioOf(
      `${SMALLEST}events: [{ do: stop, at: 1s, cohort: 10%, sticky: canary }]\ncohorts: { canary: 10% }`,
    );
    const isHit = chosenBy(events[0] as (typeof events)[number], fleet);
    const { list, of } = segmentsIn({ cohorts, fleet }, WHOLE_FLEET) ?? { list: [], of: () => 0 };
    const agents = Array.from({ length: 100 }, (_, agent) => agent);
    expect(agents.filter(isHit)).toHaveLength(10);
    expect(agents.filter((agent) => list[of(agent)]?.includes('canary'))).toEqual(agents.filter(isHit));
  });
});
