import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TLS_LEVELS } from '../../../../src/base/protocol/pull.ts';
import { CHECK_KEY_NAMES, CHECK_KEYS, CONFIG_KEYS } from '../../../../src/wire/agent/configuration/config-keys.ts';
import { readIni } from '../../../../src/wire/agent/configuration/ini.ts';
import { readSettings } from '../../../../src/wire/agent/configuration/read-settings.ts';
import type { AgentSettings } from '../../../../src/wire/agent/configuration/settings.ts';
import { simulatedSettings, type WebServerFacts } from '../../../../src/wire/agent/configuration/settings.ts';
import { writeConfiguration, writeDocuments } from '../../../../src/wire/agent/configuration/write-documents.ts';
import { draws } from '../../../draws.ts';

const HOSTILE = [
  '#',
  ';',
  '"',
  "'",
  '`',
  '"""',
  '\\',
  ' ',
  '\t',
  '%',
  '%(',
  ')',
  '=',
  ':',
  '[',
  ']',
  'é',
  '\u0085',
  '\ufeff',
  '\r',
];
const anyText = fc
  .oneof(
    fc.string(),
    fc
      .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ maxLength: 3 })), { maxLength: 8 })
      .map((parts) => parts.join('')),
  )
  .filter((text) => !text.includes(')s'));
const anyVisibleText = anyText.map((text) => `x${text}`);
const anySeconds = fc.integer({ min: 1, max: 100_000 });
const anyName = fc.stringMatching(/^[a-z_][a-z0-9_ -]{0,12}[a-z0-9]$/).filter((name) => name !== 'default');
const anySystem = fc.constantFrom('linux', 'windows', 'macos');

const anyPush = fc.record({
  url: fc.constantFrom('', 'http://127.0.0.1:8080', 'https://a.example/b;c#d?e', '/x y"'),
  apiKey: anyText,
  timeoutSeconds: anySeconds,
  verifyServerCertificate: fc.boolean(),
  proxy: fc.constantFrom('', 'http://10.1.1.1:3128', 'http://a/#;`'),
});

const anyCustomCheck = fc
  .record({ name: anyName, command: anyVisibleText, timeoutSeconds: anySeconds, more: fc.nat({ max: 1000 }) })
  .map(({ more, ...check }) => ({ ...check, intervalSeconds: check.timeoutSeconds + more }));

const anyExporter = fc.record({
  name: anyName,
  port: fc.nat({ max: 65_535 }),
  path: anyVisibleText,
  intervalSeconds: fc.nat(),
  timeoutSeconds: anySeconds,
});

const uniquely = <T extends { readonly name: string }>(thing: fc.Arbitrary<T>) =>
  fc.uniqueArray(thing, { selector: ({ name }) => name, maxLength: 4 });

const anySettings: fc.Arbitrary<AgentSettings> = fc
  .record({
    address: fc.constantFrom('', '127.0.0.1', '0.0.0.0', '::1', 'fe80::1%eth0', 'localhost'),
    port: fc.nat({ max: 65_535 }),
    autoTls: fc.boolean(),
    tlsLevel: fc.constantFrom(...TLS_LEVELS),
    ownCertificate: fc.option(fc.record({ certFile: anyVisibleText, keyFile: anyVisibleText }), { nil: undefined }),
    basicAuth: fc.option(fc.record({ user: anyText.map((text) => text.replaceAll(':', '')), password: anyText }), {
      nil: undefined,
    }),
    configPush: fc.boolean(),
    webServer: fc.boolean(),
    push: fc.option(anyPush, { nil: undefined }),
    intervalSeconds: anySeconds,
    disabledChecks: fc.subarray(CHECK_KEY_NAMES.map((name) => CHECK_KEYS[name].check)),
    packages: fc.record({
      enabled: fc.boolean(),
      intervalMinutes: anySeconds,
      updateCheck: fc.boolean(),
      descriptionBytes: fc.integer({ min: -1, max: 1000 }),
    }),
    customChecks: uniquely(anyCustomCheck),
    exporters: uniquely(anyExporter),
  })
  .map((settings) => ({ ...settings, webServer: settings.webServer || settings.push === undefined }));

describe('the documents of an agent', () => {
  it('read back as the settings from which they were written, for any settings', () => {
    fc.assert(
      fc.property(anySettings, anySystem, (settings, system) => {
        expect(readSettings(writeDocuments(settings, system))).toEqual({ kind: 'settings', settings, ignored: [] });
      }),
    );
  });

  it('contain every key that the agent reads', () => {
    fc.assert(
      fc.property(anySettings, anySystem, (settings, system) => {
        const sections = readIni(writeConfiguration(settings, system), 'config.ini');
        const keys = Object.entries(CONFIG_KEYS).map(([name, section]) => [name, Object.keys(section).sort()]);
        const written = [...sections].slice(1).map(([name, section]) => [name, [...section.keys()].sort()]);
        expect(written).toEqual(keys);
      }),
      { numRuns: draws(6) },
    );
  });

  it.each(['%(port)s', 'a%(x)sb', 'x\n`'])('cannot contain %j', (apiKey) => {
    const push = { url: 'http://a', apiKey, timeoutSeconds: 1, verifyServerCertificate: false, proxy: '' };
    const settings = simulatedSettings({
      profile: 'debian-12',
      intervalSeconds: 30,
      push,
      webServer: undefined,
      checks: {},
    });
    expect(() => writeConfiguration(settings, 'linux')).toThrow('expected a value without %(name)s');
  });
});

describe('the documents of a simulated agent', () => {
  const webServer: WebServerFacts = {
    address: '127.20.0.7',
    port: 3333,
    autoTls: true,
    tlsLevel: 'modern',
    configPush: true,
    basicAuth: { user: 'monitoring', password: 'a;b' },
  };
  const settings = simulatedSettings({
    profile: 'debian-12',
    intervalSeconds: 60,
    push: undefined,
    webServer,
    checks: { docker: 2, customchecks: 2, prometheus_exporters: 2, sensors: false },
  });
  const golden = (name: string) => `golden/${name}`;

  it('in pull mode', async () => {
    const { configuration, customChecks, exporters } = writeDocuments(settings, 'windows');
    await expect(configuration).toMatchFileSnapshot(golden('config.ini'));
    await expect(customChecks).toMatchFileSnapshot(golden('customchecks.ini'));
    await expect(exporters).toMatchFileSnapshot(golden('prometheus_exporters.ini'));
  });
});
