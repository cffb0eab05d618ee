import { describe, expect, it } from 'vitest';
import { simulatedSettings, type WebServerFacts } from '../../../../src/wire/agent/configuration/settings.ts';
import { checkdataOf } from '../../../hosts/host-data.ts';

const CHECKS = { docker: 2, customchecks: 14, prometheus_exporters: 12, sensors: false } as const;
const WEB_SERVER: WebServerFacts = {
  address: '127.20.0.7',
  port: 3333,
  autoTls: false,
  tlsLevel: 'lax',
  configPush: true,
  basicAuth: undefined,
};
const PUSH = { url: 'http://a', apiKey: '', timeoutSeconds: 29, verifyServerCertificate: true, proxy: '' };

describe('the settings of a simulated agent', () => {
  const settings = simulatedSettings({
    profile: 'debian-12',
    intervalSeconds: 60,
    push: undefined,
    webServer: WEB_SERVER,
    checks: CHECKS,
  });

  it('list what the check data of its host shows', () => {
    const fleet = { seed: 1, profiles: { 'debian-12': 1 }, payload: 'lean', checkIntervalSeconds: 60 } as const;
    const checkdata = checkdataOf({ ...fleet, checks: CHECKS }, 0, Date.UTC(2026, 0, 31)) as unknown as {
      customchecks: object;
      prometheus_exporters: string[];
    };
    expect(settings.customChecks.map(({ name }) => name).sort()).toEqual(Object.keys(checkdata.customchecks).sort());
    expect(settings.exporters.map(({ name }) => name).sort()).toEqual([...checkdata.prometheus_exporters].sort());
    for (const check of settings.disabledChecks) expect(checkdata).not.toHaveProperty(check);
  });

  it('assign a separate port to every exporter', () => {
    expect(new Set(settings.exporters.map(({ port }) => port)).size).toBe(CHECKS.prometheus_exporters);
  });

  it('disable the optional checks that its host lacks', () => {
    expect(settings.disabledChecks).toEqual(['windows_eventlog', 'sensors', 'libvirt']);
  });

  it('enable the web server in pull mode, and in push mode if the fleet listens', () => {
    const listens = (push: typeof PUSH | undefined, webServer: WebServerFacts | undefined) =>
      simulatedSettings({ profile: 'debian-12', intervalSeconds: 30, push, webServer, checks: {} }).webServer;
    expect([listens(undefined, WEB_SERVER), listens(PUSH, WEB_SERVER), listens(PUSH, undefined)]).toEqual([
      ...[true, true, false],
    ]);
  });
});
