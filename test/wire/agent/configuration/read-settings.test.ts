import { describe, expect, it } from 'vitest';
import { readSettings } from '../../../../src/wire/agent/configuration/read-settings.ts';
import type { AgentSettings } from '../../../../src/wire/agent/configuration/settings.ts';

const read = (configuration: string, customChecks = '', exporters = '') =>
  readSettings({ configuration, customChecks, exporters });

function settingsOf(...documents: [string, string?, string?]): AgentSettings {
  const result = read(...documents);
  if (result.kind === 'death') throw new Error(result.reason);
  return result.settings;
}

function reasonOf(configuration: string): string | undefined {
  const result = read(configuration);
  return result.kind === 'death' ? result.reason : undefined;
}

describe('the settings of an agent', () => {
  it('are the built-in defaults if the file does not set them', () => {
    expect(settingsOf('')).toEqual({
      address: '',
      port: 3333,
      autoTls: false,
      tlsLevel: 'lax',
      ownCertificate: undefined,
      basicAuth: undefined,
      configPush: false,
      webServer: true,
      push: undefined,
      intervalSeconds: 30,
      disabledChecks: ['launchd_services', 'sensors', 'docker'],
      packages: { enabled: true, intervalMinutes: 60, updateCheck: true, descriptionBytes: 80 },
      customChecks: [],
      exporters: [],
    });
  });

  it.each([
    ['address = 127.0.0.1', { address: '127.0.0.1' }],
    ['address = [::1]', { address: '::1' }],
    ['port = 0x0d05', { port: 3333 }],
    ['port = 010', { port: 8 }],
    ['port = 1_000', { port: 1000 }],
    ['port =', { port: 0 }],
    ['PORT : "4000"', { port: 4000 }],
    ['try-autossl = t', { autoTls: true }],
    ['try-autossl = TRUE', { autoTls: true }],
    ['try-autossl =', { autoTls: false }],
    ['tls-security-level = modern', { tlsLevel: 'modern' }],
    ['tls-security-level = Modern', { tlsLevel: 'lax' }],
    ['certfile = a\nkeyfile = b', { ownCertificate: { certFile: 'a', keyFile: 'b' } }],
    ['certfile = a', { ownCertificate: undefined }],
    ['auth = user:pass:word', { basicAuth: { user: 'user', password: 'pass:word' } }],
    ['auth = :', { basicAuth: { user: '', password: '' } }],
    ['auth = user:pass#word', { basicAuth: { user: 'user', password: 'pass' } }],
    ['auth =', { basicAuth: undefined }],
    ['config-update-mode = 1', { configPush: true }],
    ['interval = 1', { intervalSeconds: 1 }],
  ])('follow [default] %j', (line, expected) => {
    expect(settingsOf(`[default]\n${line}\n`)).toMatchObject(expected);
  });

  it.each([
    ['enabled = True', { webServer: false, push: { url: '', apiKey: '', timeoutSeconds: 29, proxy: '' } }],
    ['enabled = True\nenable-webserver = True', { webServer: true }],
    ['enable-webserver = False', { webServer: true, push: undefined }],
    ['enabled = 1\ntimeout = 5\nurl = https://a/b', { push: { timeoutSeconds: 5, url: 'https://a/b' } }],
    ['enabled = 1\n[default]\ninterval = 1', { push: { timeoutSeconds: 1 } }],
    ['enabled = 1\napikey = `a#b`', { push: { apiKey: 'a#b', verifyServerCertificate: false } }],
  ])('follow [oitc] %j', (lines, expected) => {
    expect(settingsOf(`[oitc]\n${lines}\n`)).toMatchObject(expected);
  });

  it('disable checks by their names in the check data', () => {
    const on = '[default]\nsensorstats = 1\nlaunchdservices = 1\ndockerstats = 1\n';
    expect(settingsOf(on).disabledChecks).toEqual([]);
    const off = `${on}diskio = False\nload =\nprocessstats = 0\nuserstats = f\nwinservices = FALSE\n`;
    expect(settingsOf(off).disabledChecks).toEqual([
      'processes',
      'disk_io',
      'system_load',
      'windows_services',
      'users',
    ]);
  });

  it('define when packages are collected', () => {
    const packages = 'check-interval = 5\nenable-update-check = False\nlimit-description-length = -1';
    expect(settingsOf(`[packagemanager]\n${packages}\n`).packages).toEqual({
      enabled: true,
      intervalMinutes: 5,
      updateCheck: false,
      descriptionBytes: -1,
    });
    expect(settingsOf('[packagemanager]\nenabled = 0\ncheck-interval = 0\n').packages.enabled).toBe(false);
  });

  it('list enabled custom checks in lower case, without those that never start', () => {
    const checks = `[default]\n[Check_A]\ncommand = a -w 1\nenabled = true\n[b]\ncommand = b\n
      [c]\ncommand = c\nenabled = 1\ninterval = 20\ntimeout = 20\n[d]\ncommand = d\nenabled = 1\ninterval = 14\n`;
    expect(settingsOf('', checks).customChecks).toEqual([
      { name: 'check_a', command: 'a -w 1', intervalSeconds: 60, timeoutSeconds: 15 },
      { name: 'c', command: 'c', intervalSeconds: 20, timeoutSeconds: 20 },
    ]);
    expect(settingsOf('[default]\ncustomchecks =\n', checks).customChecks).toEqual([]);
  });

  it('list enabled exporters if the agent passes them on', () => {
    const exporters =
      '[Node]\nenabled = True\nport = 9100\npath = /metrics\ninterval = 15\ntimeout = 5\n[b]\npath = /\n';
    expect(settingsOf('[prometheus]\nenabled = True\n', '', exporters).exporters).toEqual([
      { name: 'node', port: 9100, path: '/metrics', intervalSeconds: 15, timeoutSeconds: 5 },
    ]);
    expect(settingsOf('', '', exporters).exporters).toEqual([]);
    expect(settingsOf('[prometheus]\nenabled = True\nexporters =\n', '', exporters).exporters).toEqual([]);
  });
});

describe('the two other files', () => {
  const good = '[good]\ncommand = x\nenabled = True\n';

  it.each([
    ['junk', 'customchecks.ini, line 4: expected a comment, a [section] or a key with a value, found "junk".'],
    ['[empty]\ncommand = # x\n', 'customchecks.ini: [empty]: expected a command, found none.'],
    ['[off]\nenabled = False\n', 'customchecks.ini: [off]: expected a command, found none.'],
    ['[a.b]\ncommand = x\n', 'customchecks.ini: [a]: expected a command, found none.'],
    ['[a]\ncommand = x\ntimeout = 1s\n', 'customchecks.ini: [a] timeout = "1s": expected a whole number.'],
    ['[default]\ninterval = x\n', 'customchecks.ini: [default] interval = "x": expected a whole number.'],
  ])('count as empty, with a log entry, because of %j', (lines, word) => {
    expect(read('', `${good}${lines}`)).toMatchObject({
      kind: 'settings',
      settings: { customChecks: [] },
      ignored: [word],
    });
  });

  it('may contain a section without keys', () => {
    expect(settingsOf('', `${good}[empty]\n`).customChecks).toHaveLength(1);
  });

  it('require a path for every exporter', () => {
    const result = read('[prometheus]\nenabled = 1\n', '', '[a]\nport = 1\n');
    expect(result).toMatchObject({ ignored: ['prometheus_exporters.ini: [a]: expected a path, found none.'] });
  });
});

describe('a real agent exits because of', () => {
  it.each([
    ['[default]\ninterval = abc', 'config.ini: [default] interval = "abc": expected a whole number.'],
    ['[default]\nport = 30.0', 'config.ini: [default] port = "30.0": expected a whole number.'],
    ['[default]\nport = 08', 'config.ini: [default] port = "08": expected a whole number.'],
    ['[default]\nport = 9223372036854775808', 'expected a whole number.'],
    ['[default]\nmemory = yes', 'config.ini: [default] memory = "yes": expected True or False.'],
    ['[default]\nalfrescostats = on', 'config.ini: [default] alfrescostats = "on": expected True or False.'],
    ['[oitc]\nenabled = tRUE', 'config.ini: [oitc] enabled = "tRUE": expected True or False.'],
    ['[default.interval]\nx = 1', 'config.ini: [default] interval: expected a whole number, found a section.'],
    ['[memory]\nx = 1', 'config.ini: [memory]: expected no section with the name of a key of [default].'],
    ['[default]\noitc = 1', 'config.ini: [default] oitc: expected no key with the name of a section.'],
    ['[default]\ninterval =', 'config.ini: [default] interval: expected a whole number from 1 to 9223372036, found 0.'],
    [
      '[packagemanager]\ncheck-interval = 0',
      'config.ini: [packagemanager] check-interval: expected a whole number from 1',
    ],
    ['[default]\nauth = secret', 'config.ini: [default] auth: expected user:password, found no colon.'],
    ['[default]\nport = 65536', 'config.ini: [default] port: expected a whole number from 0 to 65535, found 65536.'],
    ['[default]\naddress = ::1', 'config.ini: [default] address = "::1": expected a name, IPv4, or IPv6 in brackets.'],
    ['[oitc]\nenabled = 1\nurl = 10.0.0.1:443', 'config.ini: [oitc] url = "10.0.0.1:443": expected a URL such as'],
    ['[oitc]\nenabled = 1\nproxy = http://a b', 'config.ini: [oitc] proxy = "http://a b": expected a URL such as'],
    ['interval', 'config.ini, line 1: expected a comment, a [section] or a key with a value, found "interval".'],
  ])('%j', (configuration, reason) => {
    expect(reasonOf(`${configuration}\n`)).toContain(reason);
  });

  it('no web server setting while the web server is off', () => {
    const wrong = '[default]\nauth = secret\nport = 70000\naddress = ::1\n';
    expect(reasonOf(wrong)).toBeDefined();
    expect(settingsOf(`${wrong}[oitc]\nenabled = 1\n`)).toMatchObject({ webServer: false, basicAuth: undefined });
  });

  it('no push setting in pull mode', () => {
    expect(settingsOf('[oitc]\nurl = 10.0.0.1:443\n').push).toBeUndefined();
  });
});

describe('a URL of the monitoring server', () => {
  const isTaken = (url: string) => reasonOf(`[oitc]\nenabled = 1\nurl = \`${url}\`\n`) === undefined;

  it.each([
    'https://a.example:8443/x?y#z',
    'server:443',
    '',
    '/x',
    'x',
    'http://[::1]:80',
    'http://u:p@h',
    'http:',
    'http://a:',
  ])('may be %j', (url) => {
    expect(isTaken(url)).toBe(true);
  });

  it.each([
    ':80',
    '1.2.3.4:80',
    'http://a b/',
    'http://a:x/',
    'http://a/%zz',
    'http://[::1',
    'http://a\\b',
    'http://\u0001',
    'http://%41/',
  ])('may not be %j', (url) => {
    expect(isTaken(url)).toBe(false);
  });
});
