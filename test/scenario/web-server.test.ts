import { describe, expect, it } from 'vitest';
import { checkIntervalSeconds } from '../../src/scenario/agents.ts';
import { formatScenario } from '../../src/scenario/file.ts';
import { formatProblems } from '../../src/scenario/reading/document.ts';
import { problemsOf, scenarioOf, withPhases } from './read-scenario.ts';

const PUSHING = withPhases('  - { name: steady, duration: 10s, checkdata: { every: 5s } }\n');
const IDLE = withPhases('  - { name: steady, duration: 10s }\n');

const listening = (settings: string, phases = IDLE) =>
  `${phases}webServer: { listen: 127.20.0.0/16:3333${settings} }\n`;

const complaints = (text: string, sets: readonly string[] = []) =>
  problemsOf(text, sets).map(({ path, expected, found }) => `${path}: ${expected}; ${found}`);

describe('a web server', () => {
  it('requires only a listen range', () => {
    expect(scenarioOf(listening('')).webServer).toEqual({
      listen: { kind: 'addresses', network: 0x7f140000, prefixBits: 16, port: 3333 },
      dialect: 'documented',
      autoTls: false,
      configPush: false,
      basicAuth: undefined,
      allowListen: [],
      trustWebPages: false,
      tlsLevel: 'lax',
      keys: { type: 'rsa-4096', pool: 16 },
      intervalMs: 30_000,
    });
    expect(complaints(`${IDLE}webServer: {}\n`)).toEqual([
      'webServer.listen: an address per agent such as 127.20.0.0/16:3333, or a port per agent such as ' +
        '127.0.0.1:20000+; nothing',
    ]);
  });

  it('is absent without the section', () => {
    expect(scenarioOf(PUSHING).webServer).toBeUndefined();
  });

  it.each([
    ['user:pass:word', { user: 'user', password: 'pass:word' }],
    [':', { user: '', password: '' }],
    ['', undefined],
  ])('splits basic auth %j at the first colon', (basicAuth, expected) => {
    expect(scenarioOf(listening(''), [`webServer.basicAuth="${basicAuth}"`]).webServer?.basicAuth).toEqual(expected);
  });

  it.each(['secret-without-colon', '123456', '[secret]', '{ user: secret }', '[secret'])(
    'never reveals the invalid basic auth %s in a problem',
    (secret) => {
      const text = formatProblems('f', problemsOf(listening(''), [`webServer.basicAuth=${secret}`]));
      expect(text).toContain('webServer.basicAuth');
      expect(text).not.toMatch(/secret|123456/);
    },
  );

  it('keeps its basic auth out of the effective scenario', () => {
    const written = formatScenario(scenarioOf(listening(', basicAuth: "me:s3cret"')));
    expect(written).toContain('basicAuth: "${MUSTER_BASIC_AUTH}"');
    expect(written).not.toContain('s3cret');
  });

  it.each([
    ['127.20.0.0/25:3333', 126, 'an address for each of 127 agents'],
    ['127.0.0.1:65410+', 126, 'a port up to 65535 for each of 127 agents'],
    ['"[::1]:65410+"', 126, 'a port up to 65535 for each of 127 agents'],
  ])('with range %s has room for %d agents and not for one more', (range, room, expected) => {
    expect(complaints(listening(''), [`webServer.listen=${range}`, `fleet.agents=${room}`])).toEqual([]);
    const shown = range.replaceAll('"', '');
    expect(complaints(listening(''), [`webServer.listen=${range}`, `fleet.agents=${room + 1}`])).toEqual([
      `webServer.listen: ${expected}; "${shown}", which has room for ${room}`,
    ]);
  });

  it.each([
    ['10.0.0.7:20000+', '10.0.0.7'],
    ['10.20.0.0/16:3333', '10.0.0.0/8'],
    ['"[fd00::7]:20000+"', '[fd00::7]'],
    ['0.0.0.0:20000+', '0.0.0.0'],
  ])('listens on %s, which other machines can reach, only if allowed', (range, allowed) => {
    const shown = range.replaceAll('"', '');
    const refusal = 'webServer.listen: loopback addresses, or addresses in webServer.allowListen or --allow-listen; ';
    expect(complaints(listening(''), [`webServer.listen=${range}`])).toEqual([`${refusal}"${shown}"`]);
    const allow = (entry: string) => [`webServer.listen=${range}`, `webServer.allowListen=["${entry}"]`];
    expect(complaints(listening(''), allow('10.20.0.0/24'))).toHaveLength(1);
    expect(complaints(listening(''), allow(allowed))).toEqual([]);
  });

  it('reports the network address if the listen address has host bits', () => {
    expect(complaints(listening(''), ['webServer.listen=127.20.1.1/16:3333'])).toEqual([
      `webServer.listen: the network's own address, 127.20.0.0/16:3333; "127.20.1.1/16:3333"`,
    ]);
  });

  it.each(['127.0.0.1:3333', 'localhost:20000+', '5', '127.0.0.0/8:65536'])('does not listen on %s', (range) => {
    expect(complaints(listening(''), [`webServer.listen=${range}`])).toHaveLength(1);
  });

  it.each([
    ['keys: { type: rsa-1024 }', 'webServer.keys.type'],
    ['keys: { pool: 0 }', 'webServer.keys.pool'],
    ['tlsLevel: strict', 'webServer.tlsLevel'],
    ['autoTLS: true', 'webServer.autoTLS'],
    ['interval: 3500ms', 'webServer.interval'],
    ['interval: 2s', 'webServer.interval'],
    ['dialect: other', 'webServer.dialect'],
  ])('rejects %s', (setting, path) => {
    expect(problemsOf(listening(`, ${setting}`))).toMatchObject([{ path }]);
  });

  it('can have a separate key for every agent', () => {
    const { webServer } = scenarioOf(listening(', keys: { type: ecdsa-p256, pool: unique }'));
    expect(webServer?.keys).toEqual({ type: 'ecdsa-p256', pool: 'unique' });
  });
});

describe('the interval of check runs', () => {
  const intervalOf = (text: string) => checkIntervalSeconds(scenarioOf(text));

  it('is that of the web server if agents only listen, 30 seconds by default', () => {
    expect(intervalOf(listening(', interval: 3s'))).toBe(3);
    expect(intervalOf(listening(''))).toBe(30);
  });

  it('is that of check data if agents push, and must not be repeated', () => {
    expect(intervalOf(listening('', PUSHING))).toBe(5);
    expect(complaints(listening(', interval: 5s', PUSHING))).toEqual([
      'webServer.interval: interval only if no phase has a load, because pushing agents use the interval of their check data; ' +
        'interval with a load',
    ]);
  });
});

describe('a phase without a load', () => {
  it('is valid with a duration if agents listen', () => {
    expect(scenarioOf(listening('')).phases).toMatchObject([{ name: 'steady', durationMs: 10_000, loads: [] }]);
    expect(complaints(listening('', withPhases('  - { name: steady }\n')))).toEqual([
      'phases.steady: a duration; none',
    ]);
  });

  it('is invalid if agents do not listen', () => {
    expect(complaints(IDLE)).toEqual([
      'phases.steady: at least one load: register, authorize, checkdata or packages; none',
    ]);
  });
});

describe('a polling server', () => {
  it('polls as often as the real one', () => {
    expect(scenarioOf(listening(''), ['target.pull={}']).target.pull).toEqual({
      everyMs: 60_000,
      packagesEveryMs: 3_600_000,
      timeoutMs: 30_000,
      concurrency: 64,
      configFile: undefined,
      configAtMs: undefined,
    });
  });

  it('pushes a configuration file from the folder of the scenario at the given time', () => {
    const pull = 'target.pull={ config: ./new.ini, configAt: steady+5s }';
    expect(scenarioOf(listening(', configPush: true'), [pull]).target.pull).toMatchObject({
      configFile: '/work/scenarios/new.ini',
      configAtMs: 5000,
    });
  });

  it.each([
    ['{}', PUSHING, 'target.pull: a section webServer with pull, because only listening agents can be polled; none'],
    [
      '{ config: new.ini }',
      listening(''),
      'target.pull.config: webServer.configPush: true with config, otherwise agents reject it; none',
    ],
    ['{ configAt: 1s }', listening(''), 'target.pull.configAt: config with configAt; none'],
    [
      '{ config: new.ini, configAt: 10s }',
      listening(', configPush: true'),
      'target.pull.configAt: a time before the end of the run at 10s; 10s',
    ],
    ['{ concurrency: 0 }', listening(''), 'target.pull.concurrency: a whole number from 1 to 100000; the number 0'],
  ])('rejects %s if it would have no effect', (pull, text, expected) => {
    expect(complaints(text, [`target.pull=${pull}`])).toEqual([expected]);
  });

  it('suggests a phase name for a misspelled one', () => {
    const pull = 'target.pull={ config: new.ini, configAt: stedy }';
    expect(problemsOf(listening(', configPush: true'), [pull])).toMatchObject([{ suggestion: 'steady' }]);
  });

  it('must be the embedded one', () => {
    expect(complaints(listening(''), ['target.pull={}', 'target.url=http://127.0.0.1:1'])).toEqual([
      'target.pull: pull only with url: embedded; it with "http://127.0.0.1:1"',
    ]);
  });
});

describe('a threshold', () => {
  const problemsOn = (subject: string, settings: string, sets: readonly string[] = []) =>
    problemsOf(`${listening(settings)}thresholds: { ${subject}: ["count > 1"] }\n`, sets).map(
      ({ expected }) => expected,
    );
  const never = (operation: string, means: string) => [`an operation of this scenario; ${operation} needs ${means}`];

  it('can be on operations that listening agents serve', () => {
    expect(problemsOn('serve-checkdata', '')).toEqual([]);
    expect(problemsOn('"serve-autotls{phase:steady}"', '')).toEqual([]);
  });

  it('can be on requests that the embedded server sends', () => {
    expect(problemsOn('poll', '')).toEqual(never('poll', 'target.pull'));
    expect(problemsOn('poll', '', ['target.pull={}'])).toEqual([]);
    expect(problemsOn('exchange', '', ['target.pull={}'])).toEqual(never('exchange', 'webServer.autoTls: true'));
    expect(problemsOn('exchange', ', autoTls: true', ['target.pull={}'])).toEqual([]);
    expect(problemsOn('configure', ', configPush: true', ['target.pull={}'])).toEqual(
      never('configure', 'target.pull.config'),
    );
    expect(problemsOn('configure', ', configPush: true', ['target.pull={ config: x.ini }'])).toEqual([]);
  });

  it('cannot be on pushes if agents only listen', () => {
    expect(problemsOn('checkdata', '')).toEqual([
      'an operation that a phase that is not excluded plans, but it plans none',
    ]);
  });
});

describe('a fault of the embedded server', () => {
  it('is rejected for pushes if agents only listen', () => {
    expect(complaints(listening(''), ['target.faults=[{ do: reset, operations: [checkdata] }]'])).toEqual([
      'target.faults.0.operations: operations that a phase plans; no phase plans any; checkdata',
    ]);
  });
});
