import { describe, expect, it } from 'vitest';
import { filesOf } from '../../../src/wire/agent/configuration/read-settings.ts';
import { simulatedSettings } from '../../../src/wire/agent/configuration/settings.ts';
import type { WebServerSetup } from '../../../src/wire/web-server/ports.ts';
import { createAgentProcesses } from '../../../src/workers/listening/agent-processes.ts';
import { createDisks, packFiles } from '../../../src/workers/listening/disks.ts';

const FIRST = simulatedSettings({
  profile: 'debian-12',
  intervalSeconds: 30,
  push: undefined,
  webServer: {
    address: '127.0.0.1',
    port: 3333,
    autoTls: false,
    tlsLevel: 'lax',
    basicAuth: undefined,
    configPush: true,
  },
  checks: {},
});

const PUSHING = {
  ...FIRST,
  push: { url: 'http://a', apiKey: '', timeoutSeconds: 1, verifyServerCertificate: false, proxy: 'http://127.0.0.1:1' },
};

const configured = (proxy: string, url = 'http://a') =>
  `[default]\naddress = 127.0.0.1\n[oitc]\nenabled = True\nenable-webserver = True\nurl = ${url}\nproxy = ${proxy}\n`;

/** Two agents, and the calls of the engine and the web servers, in order. */
function fleet(listen: readonly string[] = [], pushing?: { readonly proxies: readonly string[] }) {
  const told: string[] = [];
  const listed: (readonly string[] | undefined)[] = [];
  const disks = createDisks(packFiles([]), undefined);
  const processes = createAgentProcesses({
    agents: 2,
    disks,
    bounds: { listen, proxies: pushing?.proxies ?? [] },
    firstSettings: () => (pushing === undefined ? FIRST : PUSHING),
    webServers: () => ({
      open: () => Promise.resolve(),
      apply: (agent: number, setup: WebServerSetup | undefined) =>
        told.push(setup === undefined ? `${agent} listens no more` : `${agent} listens on ${setup.address.port}`),
      close: (agent: number) => told.push(`${agent} is cut off`),
      listening: () => 2,
      openSetup: () => undefined,
      stop: () => Promise.resolve(),
    }),
    engine: () => ({
      reload: (agent, { configuration, push }) => {
        told.push(`${agent} checks every ${configuration?.checkIntervalSeconds} seconds`);
        if (push === undefined && pushing !== undefined) told.push(`${agent} sends nothing`);
        if (push?.proxy !== undefined) told.push(`${agent} sends through ${JSON.stringify(push.proxy)}`);
        listed.push(configuration?.exporters);
      },
      down: (agent) => told.push(`${agent} is down`),
    }),
    wake: () => {},
  });
  const push = async (agent: number, configuration: string, exporters = '') => {
    await disks.store(agent, filesOf({ configuration, customChecks: '', exporters }));
    processes.reload(agent);
  };
  return { told, listed, processes, push };
}

describe('an agent that receives a configuration', () => {
  it('listens and runs its checks accordingly', async () => {
    const { told, processes, push } = fleet();
    processes.begin();
    await push(1, '[default]\naddress = 127.0.0.1\nport = 4444\ninterval = 7\n');
    expect(told).toEqual(['1 listens on 4444', '1 checks every 7 seconds']);
  });

  it('lists all its exporters, but check data only those that are ever scraped', async () => {
    const { listed, processes, push } = fleet();
    processes.begin();
    const exporter = (name: string, intervalSeconds: number) =>
      `[${name}]\nenabled = true\nport = 9100\npath = /metrics\ninterval = ${intervalSeconds}\ntimeout = 15\n`;
    const settings = '[default]\naddress = 127.0.0.1\n[prometheus]\nenabled = true\n';
    await push(1, settings, exporter('often', 15) + exporter('never', 14));
    expect(processes.settingsOf(1).exporters.map(({ name }) => name)).toEqual(['often', 'never']);
    expect(listed).toEqual([['often']]);
  });

  it('exits with its connections if the configuration is invalid', async () => {
    const { told, processes, push } = fleet();
    processes.begin();
    await push(1, 'interval\n');
    expect(told).toEqual(['1 listens no more', '1 is down']);
    expect([...processes.down.keys()]).toEqual([1]);
  });

  it.each([
    ['0.0.0.0', '"0.0.0.0"'],
    ['', '"0.0.0.0"'],
    ['[::]', '"::"'],
    ['10.1.2.3', '"10.1.2.3"'],
    ['a.example', '"a.example"'],
  ])('exits unless it may listen on %j, which other machines can reach', async (address, shown) => {
    const closed = fleet(['10.1.2.4', '10.9.0.0/16']);
    closed.processes.begin();
    await closed.push(1, `[default]\naddress = ${address}\n`);
    expect(closed.told).toEqual(['1 listens no more', '1 is down']);
    expect(closed.processes.down.get(1)).toContain(`add ${shown} to webServer.allowListen`);
    const open = fleet(['0.0.0.0', '::', '10.1.0.0/16', 'A.example']);
    open.processes.begin();
    await open.push(1, `[default]\naddress = ${address}\n`);
    expect(open.told).toEqual(['1 listens on 3333', '1 checks every 30 seconds']);
  });

  it.each([
    ['http://127.0.0.2:3128', 'http://127.0.0.2:3128'],
    ['http://Proxy.example', 'http://Proxy.example'],
    ['', ''],
  ])('sends through the proxy %j if the configuration names it', async (proxy, through) => {
    const { told, processes, push } = fleet([], { proxies: ['proxy.example'] });
    processes.begin();
    await push(1, configured(proxy));
    expect(told.slice(1)).toEqual(['1 checks every 30 seconds', `1 sends through ${JSON.stringify(through)}`]);
  });

  it("sends like the fleet if the configuration names the fleet's proxy", async () => {
    const { told, processes, push } = fleet([], { proxies: [] });
    processes.begin();
    await push(1, configured(PUSHING.push.proxy));
    expect(told.slice(1)).toEqual(['1 checks every 30 seconds']);
  });

  it('sends like the fleet under the base URL of the run, however written, and nothing under another', async () => {
    const { told, processes, push } = fleet([], { proxies: [] });
    processes.begin();
    for (const url of ['http://a/', 'http://a/./', 'http://a/x/..', '`http://a#x`']) {
      await push(0, configured('http://127.0.0.1:1', url));
    }
    expect(told).not.toContain('0 sends nothing');
    for (const url of ['http://a:80', 'http://A', 'https://a', 'http://a/x', 'http://a?x', 'http://b', '', 'a', '/a']) {
      await push(1, configured('http://127.0.0.1:1', url));
    }
    expect(told.filter((line) => line === '1 sends nothing')).toHaveLength(9);
  });

  it('exits unless it may use a proxy on another machine', async () => {
    const { told, processes, push } = fleet([], { proxies: ['sub.proxy.example'] });
    processes.begin();
    await push(1, configured('http://proxy.example:3128'));
    expect(told).toEqual(['1 listens no more', '1 is down']);
    expect(processes.down.get(1)).toContain('sets the proxy "proxy.example"');
  });

  it('before the run starts listens immediately, and starts its checks with the run', async () => {
    const { told, processes, push } = fleet();
    await push(1, '[default]\naddress = 127.0.0.1\nport = 4444\ninterval = 7\n');
    expect(told.splice(0)).toEqual(['1 listens on 4444']);
    expect(processes.settingsOf(1).intervalSeconds).toBe(7);
    processes.begin();
    expect(told).toEqual(['1 checks every 7 seconds']);
  });

  it('while its host is down opens no port before the host is up again', async () => {
    const { told, processes, push } = fleet();
    processes.begin();
    processes.hostDown(1);
    await push(1, '[default]\naddress = 127.0.0.1\nport = 4444\ninterval = 7\n');
    expect(told.splice(0)).toEqual(['1 is cut off', '1 listens no more', '1 checks every 7 seconds']);
    processes.hostUp(1);
    expect(told).toEqual(['1 listens on 4444']);
  });

  it('before the run starts is down from the start if the configuration is invalid', async () => {
    const { told, processes, push } = fleet();
    await push(0, '[default]\ninterval = never\n');
    expect(told.splice(0)).toEqual(['0 listens no more']);
    processes.begin();
    expect(told).toEqual(['0 listens no more', '0 is down']);
    expect([...processes.down.keys()]).toEqual([0]);
  });
});
