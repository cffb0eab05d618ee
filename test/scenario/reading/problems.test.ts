import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../../src/base/kernel/errors.ts';
import { formatProblems } from '../../../src/scenario/reading/document.ts';
import { problemsOf, SMALLEST, scenarioOf, withPhases } from '../read-scenario.ts';

const SCENARIOS = join(import.meta.dirname, '../../../scenarios');
/** Each anchor holds the one before it ten times. */
const BOMB = [
  'a0: &a0 x\n',
  ...Array.from({ length: 9 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(10)}]\n`),
];
const GOLDEN = join(import.meta.dirname, 'golden');

describe('a scenario with many problems', () => {
  it('reports all of them in reading order, those of flags last', async () => {
    const problems = problemsOf(readFileSync(join(GOLDEN, 'faulty.yaml'), 'utf8'), [
      'phases.stedy.duration=3s',
      'phases.last.duration=3x',
      'fleet.agnets=5',
      'target.url.host=x',
      'fleet',
    ]);
    await expect(`${formatProblems('faulty.yaml', problems)}\n`).toMatchFileSnapshot(join(GOLDEN, 'faulty.txt'));
  });
});

describe('a text that is not valid YAML', () => {
  it.each([
    ['a: [1', '1:6: expected valid YAML'],
    [
      'fleet\n  agents: 1\nphases: []',
      '1:1: expected a key, a colon, and a space before its value, found fleet without a colon',
    ],
    [
      'fleet:\n  seed: 1\nphases\n  - name: a\n    duration: 1s',
      '3:1: expected a key, a colon, and a space before its value, found phases without a colon',
    ],
    [
      'fleet:\n  seed: 1\n  agents:5\nphases: []',
      '3:3: expected a key, a colon, and a space before its value, found agents: without a space after it',
    ],
    ['fleet:\n  agents: 1\n   seed: 2', '2:11: expected one value per key'],
    ['fleet:\n\tagents: 1', '2:1: expected spaces as indentation, found a tab'],
    ['fleet: { agents: 1 }\nfleet: { agents: 2 }', '2:1: expected each key once, found fleet again'],
    ['fleet: { agents: ${N} }', '1:19: expected quotes around a variable inside { } or [ ]'],
    ['name: !secret x', '1:7: expected a value, found a tag'],
    ['name: *gone', '1:7: expected an anchor such as &name before an alias'],
    ['name: &own [*own]', '1:13: expected an anchor such as &name before an alias, found an alias inside its anchor'],
    [`${BOMB.join('')}target: { apiKey: *a9 }`, '1:1: expected resolvable aliases'],
    ['name: a\n---\nname: b', '2:1: expected one YAML document'],
  ])('%j is reported at its place', (text, expected) => {
    const lines = formatProblems('f', problemsOf(text)).split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain(`f:${expected}`);
  });

  it('reports repeated keys among the other mistakes in the order of the text', () => {
    const text = 'fleet: { agents: 1, seed: 2, agents: 3 }\nfoo: bar: baz\nname: a\n? name\n: b';
    const places = problemsOf(text).map(({ place, found }) => [place.kind === 'text' && place.line, found]);
    expect(places).toEqual([
      [1, 'agents again'],
      [2, 'another key'],
      [4, 'name again'],
    ]);
  });

  it.each(['', '# nothing', '- a', 'text'])('%j is not a scenario', (text) => {
    expect(problemsOf(text)[0]).toMatchObject({ path: '', place: { kind: 'text', line: 1, column: 1 } });
  });
});

describe('a damaged scenario', () => {
  const TEXT = readFileSync(join(SCENARIOS, 'patch-day.yaml'), 'utf8').replace('agents: 400', 'agents: 20').split('\n');
  const line = fc.nat({ max: TEXT.length - 1 });
  const place = fc.constantFrom(/(?<=:).*/, /[\w.-]+/, /^/, /$/, /^ /, /\d+/, /.*/);
  const oddity = fc.constantFrom(
    ...[
      '',
      ' -1',
      ' 1e999',
      ' null',
      ' []',
      ' {}',
      '"\\0"',
      ' 365d',
      ' 0s',
      ' &a [*a]',
      '*a',
      '<<: *a',
      ' ${X',
      ' ${X:-y}',
    ],
    ...[' 9007199254740993', ' 1/s..', ' steady+9999d', ' 101%', "'", '|', '? x', '---', '\t', '- - -', 'constructor'],
    ...['__proto__', 'toString', '!!js/function x'],
  );

  it('is read, or its problems are reported', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(line, place, oddity), { minLength: 1, maxLength: 3 }), (damages) => {
        const lines = [...TEXT];
        for (const [at, old, odd] of damages) lines[at] = lines[at]?.replace(old, odd) ?? '';
        try {
          problemsOf(lines.join('\n'));
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
      { examples: [[[[TEXT.indexOf('thresholds:') + 1, /\w+/, 'constructor']]]] },
    );
  });
});

describe('a file that is no scenario', () => {
  it.each([
    ['apiVersion: v1\nkind: Secret\ndata: { password: aG9yc2U= }', 'none of these keys'],
    ['- horse\n- battery', 'a list'],
    ['correct horse', 'correct without a colon'],
  ])('is one problem at its start: %j', (text, found) => {
    const lines = formatProblems('f', problemsOf(text)).split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^f:1:1: expected a (scenario|section) with name, /);
    expect(lines[0]).toContain(`, found ${found}`);
  });

  it('has one unknown key, or a key of a scenario: then each key has its own problem', () => {
    const paths = (text: string) => problemsOf(text).map(({ path }) => path);
    expect(paths('apiVersion: v1')).toEqual(['apiVersion', 'fleet', 'phases']);
    expect(paths('name: a\nkind: Secret')).toEqual(['fleet', 'phases', 'kind']);
  });
});

describe('a phase', () => {
  const faultsOfPhase = (phase: string) =>
    problemsOf(withPhases(`  - { name: a, ${phase} }\n`)).map(({ path, expected }) => `${path}: ${expected}`);

  it('has at most as many concurrent operations as agents', () => {
    expect(faultsOfPhase('duration: 1s, checkdata: { concurrency: 101 }')).toEqual([
      'phases.a.checkdata.concurrency: at most the number of agents (100), because each agent does one thing at a time',
    ]);
    expect(faultsOfPhase('duration: 1s, checkdata: { concurrency: 100 }')).toEqual([]);
  });

  it.each(['0s', '-1s', '5', '400d', '""'])('rejects the duration %s', (duration) => {
    expect(faultsOfPhase(`duration: ${duration}, checkdata: { rate: 1/s }`)).toHaveLength(1);
  });

  it.each(['0/s', '-1/s', '5', '5/x', '0/s..0/s', '5/s..', '1/s..2/s..3/s'])('rejects the rate %s', (rate) => {
    expect(faultsOfPhase(`duration: 1s, checkdata: { rate: ${rate} }`)).toHaveLength(1);
  });

  it.each([
    'checkdata: {}',
    'checkdata: { jitter: 0.1 }',
    'register: { rate: 1/s, over: 1s }',
    'register: { every: 1s }',
  ])('is not driven by %s', (load) => {
    expect(faultsOfPhase(`duration: 1s, ${load}`)).toHaveLength(1);
  });

  it.each(['0', '1.5', '-1', 'many'])('rejects the concurrency %s', (slots) => {
    expect(faultsOfPhase(`duration: 1s, checkdata: { concurrency: ${slots} }`)).toHaveLength(1);
  });
});

describe('an unknown key', () => {
  it.each(['webserver', 'machine', 'faults', 'incidents', '__proto__'])(
    'such as %s is reported at its place',
    (key) => {
      expect(problemsOf(`${SMALLEST}${key}: {}\n`)).toMatchObject([{ path: key, place: { line: 4, column: 1 } }]);
    },
  );
});

describe('a threshold', () => {
  const phases = withPhases(`  - { name: enroll, exclude: true, register: { rate: 50/s } }
  - { name: steady, duration: 10s, authorize: { rate: 1/s }, packages: { every: 5s, first: 1s } }
  - { name: out, exclude: true, duration: 1s, checkdata: { rate: 1/s } }
`);
  const problemsOn = (subject: string) =>
    problemsOf(`${phases}thresholds:\n  "${subject}": ["count > 1"]\n`).map(({ place, expected }) => [place, expected]);
  const place = { kind: 'text', line: 7, column: 3 };

  it.each([
    ['authorize{phase:enroll}', 'an operation that the phase enroll plans, one of register, checkdata'],
    ['checkdata{phase:steady}', 'an operation that the phase steady plans, one of authorize, packages'],
    ['register', 'an operation that a phase that is not excluded plans, one of authorize, packages'],
  ])('on %s, which no phase plans, is reported at its place', (subject, expected) => {
    expect(problemsOn(subject)).toEqual([[place, expected]]);
  });

  it.each(['authorize', 'packages{phase:steady}', 'checkdata{phase:enroll}', 'register{phase:out}'])(
    'on %s is valid: the operation is planned, or follows from what agents do',
    (subject) => {
      expect(problemsOn(subject)).toEqual([]);
    },
  );

  it.each([
    ['serve-checkdata', 'an operation of this scenario; serve-checkdata needs webServer'],
    ['poll{phase:steady}', 'an operation of this scenario; poll needs webServer'],
  ])('on %s, which needs a missing section, is reported', (subject, expected) => {
    expect(problemsOn(subject)).toEqual([[place, expected]]);
  });

  it.each([
    ['packages{event:cable}', []],
    ['checkdata{event:cable}', []],
    ['checkdata{event:cabel}', ['the name of an event; this scenario has cable, restart-1']],
    ['checkdata{evnt:cable}', ['one of phase, event, cohort, profile, role, group, host, uuid']],
    [
      'checkdata{event:restart-1}',
      ['an event that lasts; an instantaneous event needs over:, the time over which it hits its agents'],
    ],
  ])('on %s, with a lasting event named cable and an instantaneous one, reports %o', (subject, expected) => {
    const events = 'events: [{ do: stop, name: cable, at: steady, for: 2s }, { do: restart }]';
    const problems = problemsOf(`${phases}${events}\nthresholds:\n  "${subject}": ["count > 1"]\n`);
    expect(problems.map((problem) => problem.expected)).toEqual(expected);
  });

  it.each([
    [
      'steady+4s',
      '3s',
      ['time < 1m'],
      'nothing to compare with: it needs 5 s of undisturbed traffic in its phase before it',
    ],
    ['steady+14s', '3s', ['time < 1m'], 'not recovered in the 3s until steady ended'],
    ['steady+14s', '3s', ['herd < 3'], undefined],
    ['steady+5s', '10s', ['time < 1m', 'herd < 3'], undefined],
  ])('on the recovery of an event at %s for %s needs what %o compares', (at, lasts, conditions, reason) => {
    const text = `${withPhases(`  - { name: steady, duration: 20s, checkdata: { every: 1s } }
  - { name: after, duration: 20s, checkdata: { every: 1s } }
`)}events: [{ do: disconnect, name: cable, at: ${at}, for: ${lasts} }]
thresholds: { "recovery{event:cable}": ${JSON.stringify(conditions)} }
`;
    const every = 'an event that leaves time before and after it in its phase; cable would always report';
    expect(problemsOf(text).map(({ expected }) => expected)).toEqual(
      reason === undefined ? [] : [`${every}: ${reason}`],
    );
  });

  it('on listeners needs listening agents', () => {
    const [problem] = problemsOf(`${phases}thresholds: { listeners: ["refused == 0"] }`);
    expect(problem?.expected).toBe('listening agents; listeners needs webServer');
  });

  it('on a misspelled operation of a web server gets a suggestion', () => {
    const [problem] = problemsOf(`${phases}thresholds: { serve-checkdat: ["count > 1"] }`);
    expect(problem?.suggestion).toBe('serve-checkdata');
  });

  it('requires the unit of a rate and of a share', () => {
    const text = `${SMALLEST}thresholds: { checkdata: ["rate > 5", "error_rate < 0.01"] }`;
    expect(problemsOf(text).map(({ expected, found }) => `${expected}: ${found}`)).toEqual([
      'a rate with its unit such as 100/s after rate >: "5"',
      'a share in percent such as 0.1% after error_rate <: "0.01"',
    ]);
  });
});

describe('an API key', () => {
  it('never appears in a problem', () => {
    const text = formatProblems('f', problemsOf(`target: { apiKey: 123456 }\n${SMALLEST}`));
    expect(text).toContain('target.apiKey');
    expect(text).not.toContain('123456');
  });
});

describe('a secret', () => {
  const KEY = '5ECRETKEY123';
  const LONG = '0123456789abcdef'.repeat(8);

  it.each([
    `target: { apiKey: "\${${KEY}" }\n${SMALLEST}`,
    `target:\n  apiKey: \${${KEY}\n${SMALLEST}`,
    `target: { timeout: "\${${KEY}" }\n${SMALLEST}`,
    `target: { apiKey: ["\${${KEY}"] }\n${SMALLEST}`,
    `target: { apiKey: &key ${KEY}, timeout: *key }\n${SMALLEST}`,
    `target: { apiKey: &key ${KEY} }\nthresholds: { checkdata: [*key] }\n${SMALLEST}`,
    `target: { apiKey: &key ${LONG}, timeout: *key }\n${SMALLEST}`,
    `webServer: { listen: "127.0.0.1:20000", basicAuth: &key "a:${KEY}" }\nname: *key\n${SMALLEST}`,
    `events: [{ do: retarget, url: "http://127.0.0.1:1?key=${KEY}" }]\n${SMALLEST}`,
    `events: [{ do: retarget, url: "http:/me:${KEY}@127.0.0.1:1" }]\n${SMALLEST}`,
    `target:\n  apiKey: *${KEY}\n${SMALLEST}`,
    `target:\n  apiKey: !${KEY}\n${SMALLEST}`,
    `target:\n  apiKey ${KEY}\n  url: embedded\n${SMALLEST}`,
    `target:\n  apiKey:${KEY}\n  url: embedded\n${SMALLEST}`,
    `target:\n  apiKey:${KEY}\n${SMALLEST}`,
    `target: { apiKey ${KEY} }\n${SMALLEST}`,
    `target:\n  apiKey:\n  ${KEY}\n  url: embedded\n${SMALLEST}`,
  ])('does not appear in a problem: %j', (text) => {
    const problems = formatProblems('f', problemsOf(text));
    expect(problems).toMatch(/^f:\d/);
    expect(problems).not.toContain(KEY);
    expect(problems).not.toContain(LONG.slice(0, 8));
  });

  it('of one letter hides only itself', () => {
    const problems = problemsOf(`target: { apiKey: &key a, timeout: *key, dialect: alabama }\n${SMALLEST}`);
    expect(problems.map(({ found }) => found)).toEqual(['something else', '"alabama"']);
  });

  it('in an endless value of --set does not appear', () => {
    const problems = problemsOf(SMALLEST, [`target.apiKey=&a [${LONG}, *a]`]);
    expect(problems).toMatchObject([
      { path: 'target.apiKey', expected: 'a YAML value without aliases, in quotes if it has spaces' },
    ]);
    expect(formatProblems('f', problems)).not.toContain(LONG);
  });

  it('given to --set with a wrong path does not appear', () => {
    expect(formatProblems('f', problemsOf(SMALLEST, [`target.apiKey.x=${KEY}`]))).not.toContain(KEY);
  });
});

describe('a named phase', () => {
  const phases = (second: string) =>
    withPhases(`  - { name: a, duration: 1s, checkdata: { rate: 1/s } }
  - { name: ${second}, duration: 1x, checkdata: { rate: 1/s } }
`);

  it.each([
    ['steady', 'phases.steady.duration'],
    ['a', 'phases.1.duration'],
    ['"5"', 'phases.1.duration'],
  ])('%s appears in the path of a problem', (name, path) => {
    expect(problemsOf(phases(name)).map((problem) => problem.path)).toContain(path);
  });

  it('appears in the path of a problem in a flag', () => {
    const [problem] = problemsOf(withPhases('  - { name: a, duration: 1s, checkdata: { rate: 1/s } }\n'), [
      'phases.0.duration.x=1',
    ]);
    expect(problem?.path).toBe('phases.a.duration.x');
  });
});

it.each(['env("KEY")', 'process.env.KEY', '__ENV.KEY', '$KEY', '$(KEY)', '{{ KEY }}', '%KEY%', 'os.environ["KEY"]'])(
  'a key that is the reference of another tool, %s, is a mistake and not sent',
  (key) => {
    const [problem] = problemsOf(`target: { apiKey: ${JSON.stringify(key)} }\n${SMALLEST}`);
    expect(problem).toMatchObject({ path: 'target.apiKey', expected: expect.stringContaining('${NAME}') });
    expect(problemsOf(`target: { apiKey: "${'a1b2'.repeat(8)}" }\n${SMALLEST}`)).toEqual([]);
  },
);

describe('a term of another load generator', () => {
  it.each(['stages', 'vus', 'iterations', 'options'])('%s at the top level is reported with its equivalent', (word) => {
    expect(problemsOf(`${SMALLEST}${word}: 1\n`)).toMatchObject([
      { path: word, found: expect.stringContaining('; use ') },
    ]);
  });

  it('is reported even if a file has only such terms', () => {
    const paths = problemsOf('stages: []\nvus: 5\n').map(({ path }) => path);
    expect(paths).toEqual(expect.arrayContaining(['stages', 'vus']));
  });

  it.each([
    ['rampUsers', 'rate such as 10/s..200/s'],
    ['vus', 'concurrency in a load'],
  ])('%s in a load is reported with its equivalent', (word, meant) => {
    const [problem] = problemsOf(withPhases(`  - { name: a, duration: 1s, checkdata: { rate: 1/s, ${word}: 5 } }\n`));
    expect(problem?.found).toContain(meant);
  });

  it('in thresholds is reported with its equivalent', () => {
    const [problem] = problemsOf(`${SMALLEST}thresholds: { http_req_duration: ["p(95) < 1s"] }`);
    expect(problem?.found).toContain('p(95)');
    const [condition] = problemsOf(`${SMALLEST}thresholds: { checkdata: ["rps > 100"] }`);
    expect(condition?.found).toContain('rate > 100/s');
  });
});

describe('an allowed host', () => {
  it.each(['https://mon.example', 'mon.example:443', 'mon.example/x', '*.example', 'a b'])('cannot be %s', (host) => {
    expect(problemsOf(SMALLEST, [`target.allow=["${host}"]`])).toMatchObject([{ path: 'target.allow.0' }]);
  });

  it.each(['mon.example', '10.0.0.1', '::1', '[2001:db8::1]', 'münchen.example', 'a_b'])('can be %s', (host) => {
    expect(scenarioOf(SMALLEST, [`target.allow=["${host}"]`]).target.allow).toEqual([host]);
  });
});

describe('a base URL', () => {
  it.each([
    ['http://127.0.0.1:80/agentconnector/submit_checkdata.json', 'http://127.0.0.1:80'],
    ['http://127.0.0.1/pre/agentconnector/register_agent.json?key=s3cret', 'http://127.0.0.1/pre'],
    ['http://127.0.0.1/agentconnector/', 'http://127.0.0.1'],
  ])('cannot end in an endpoint: %s', (url, suggestion) => {
    const [problem] = problemsOf(SMALLEST, [`target.url=${url}`]);
    expect(problem).toMatchObject({ path: 'target.url', suggestion });
    expect(problem?.found).not.toContain('s3cret');
  });

  it.each([
    'http://127.1',
    'http://2130706433:80/a',
    'http://0x7f.0.0.1',
    'http://127.0.0.1/%zz',
    'http://127.0.0.1/%ff',
    'http://127.0.0.1/?a\nHost: b',
  ])('must be usable by an agent: %j', (url) => {
    expect(problemsOf(`target: { url: ${JSON.stringify(url)} }\n${SMALLEST}`)).toMatchObject([
      { path: 'target.url', expected: expect.stringContaining('the base URL of a push server') },
    ]);
  });

  it.each([
    ['mon.example', 'http://mon.example'],
    ['127.0.0.1:8081/pre', 'http://127.0.0.1:8081/pre'],
    ['https:/mon.example', 'https://mon.example'],
    ['http:/', undefined],
    ['//mon.example', undefined],
    ['me:s3cret@mon.example', undefined],
  ])('%s is suggested with its scheme if it is only a host: %s', (url, suggestion) => {
    const problems = problemsOf(SMALLEST, [`target.url=${url}`]);
    expect(problems.map((problem) => problem.suggestion)).toEqual([suggestion]);
  });

  it.each(['http://127.0.0.1/agentconnectors', 'http://127.0.0.1/agentconnector/x/y'])('can be %s', (url) => {
    expect(scenarioOf(SMALLEST, [`target.url=${url}`]).target.url).toBe(url);
  });
});

describe('a text with terminal control characters', () => {
  it('is escaped in names, values and places', () => {
    const text = '"fl\\e[31m": 1\nfleet: { agents: "\\u202e5" }\nphases: []\n';
    const shown = formatProblems('\u001b[2J.yaml', problemsOf(text));
    expect(shown).toContain('\\u001b[2J.yaml:');
    expect(shown).toContain('\\u202e5');
    for (const obeyed of ['\u001b', '\u202e']) expect(shown).not.toContain(obeyed);
  });
});

describe('a URL', () => {
  it.each([
    'ftp://me:s3cret@host/x?apikey=s3cret',
    'https://me:s3cret@host:x/',
    'https://me:s3cret@host/?s3cret#y',
    '${GONE}://me:s3cret@x?s3cret',
  ])('%s appears in a problem only with its host and path', (url) => {
    const text = formatProblems('f', problemsOf(SMALLEST, [`target.url=${url}`, 'target.dialect=shipped']));
    expect(text).toContain('target.url');
    expect(text).not.toContain('s3cret');
  });
});

describe('weights', () => {
  it.each(['{}', '{ ubuntu-24.04: 0 }'])('of %s give no agent a profile', (profiles) => {
    expect(problemsOf(SMALLEST, [`fleet.profiles=${profiles}`])).toMatchObject([{ path: 'fleet.profiles' }]);
  });
});

describe('a trusted authority', () => {
  it('is rejected if agents accept any certificate', () => {
    expect(problemsOf(SMALLEST, ['target.tls.ca=ca.pem'])).toMatchObject([
      {
        path: 'target.tls.ca',
        expected: 'tls.ca only with tls.verify: true',
        found: 'agents that accept any certificate',
      },
    ]);
    expect(scenarioOf(SMALLEST, ['target.tls.ca=ca.pem', 'target.tls.verify=true']).target.tls.verify).toBe(true);
  });
});

describe('the dialect and the faults', () => {
  it.each(['dialect=shipped', 'faults=[{ do: freeze }]'])('apply only to the embedded server: %s', (set) => {
    const [key = ''] = set.split('=');
    expect(scenarioOf(SMALLEST, [`target.${set}`]).target.url).toBe('embedded');
    expect(problemsOf(SMALLEST, [`target.${set}`, 'target.url=http://127.0.0.1:1'])).toMatchObject([
      { path: `target.${key}`, expected: `${key} only with url: embedded`, found: 'it with "http://127.0.0.1:1"' },
    ]);
  });
});
