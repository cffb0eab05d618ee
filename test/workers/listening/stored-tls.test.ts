import { beforeAll, expect, it } from 'vitest';
import type { AgentFileTexts } from '../../../src/base/protocol/agent-files.ts';
import { simulatedSettings, type WebServerFacts } from '../../../src/wire/agent/configuration/settings.ts';
import type { WebServerSetup } from '../../../src/wire/web-server/ports.ts';
import type { WebServers } from '../../../src/wire/web-server/web-servers.ts';
import { createAgentProcesses } from '../../../src/workers/listening/agent-processes.ts';
import { createDisks, packFiles } from '../../../src/workers/listening/disks.ts';
import { makeAuthority } from '../../wire/web-server/authority.ts';

const webServer: WebServerFacts = {
  address: '127.0.0.1',
  port: 3333,
  autoTls: true,
  tlsLevel: 'lax',
  basicAuth: undefined,
  configPush: true,
};
const SETTINGS = simulatedSettings({
  profile: 'debian-12',
  intervalSeconds: 30,
  push: undefined,
  webServer,
  checks: {},
});
const CONFIGURATION = '[default]\naddress = 127.0.0.1\nport = 4444\ntry-autossl = true\n';

let good: AgentFileTexts;
let strange: AgentFileTexts;

beforeAll(async () => {
  const authority = await makeAuthority();
  const [one, other] = [await authority.issue(), await authority.issue()];
  good = { 'agent.key': one.key, 'agent.crt': one.certificate, 'server_ca.crt': authority.certificate };
  strange = { 'agent.crt': other.certificate };
});

/** One agent with these files, and the calls of its web server. */
async function started(files: AgentFileTexts) {
  const disks = createDisks(packFiles([[0, files]]), undefined);
  const told: (WebServerSetup | 'close' | undefined)[] = [];
  const webServers: WebServers = {
    open: async (setups) => void told.push(...Array.from(setups, ([, setup]) => setup)),
    apply: (_agent, setup) => void told.push(setup),
    close: () => void told.push('close'),
    listening: () => 1,
    openSetup: () => undefined,
    stop: async () => {},
  };
  const engine = { reload: () => {}, down: () => {} };
  const firstSettings = () => SETTINGS;
  const processes = createAgentProcesses({
    agents: 1,
    disks,
    bounds: { listen: [], proxies: [] },
    firstSettings,
    webServers: () => webServers,
    engine: () => engine,
    wake: () => {},
  });
  await processes.open();
  processes.begin();
  return { disks, told, processes };
}

it('an agent listens with files from earlier runs, and goes down if it gets a certificate for another key', async () => {
  const { disks, told, processes } = await started(good);
  expect(told).toEqual([expect.objectContaining({ tls: expect.objectContaining({ key: good['agent.key'] }) })]);
  await disks.store(0, strange);
  processes.reload(0);
  expect(processes.down.get(0)).toMatch(/agent\.crt: it does not belong to the key/);
});

it('an agent whose host comes back starts as before, or with a configuration stored in the meantime', async () => {
  const { disks, told, processes } = await started({ ...good, 'config.ini': CONFIGURATION });
  processes.hostUp(0);
  expect(told.map((setup) => setup !== 'close' && setup?.address.port)).toEqual([4444, 4444]);
  await disks.store(0, { 'config.ini': CONFIGURATION.replace('4444', '5555') });
  processes.hostUp(0);
  expect(told.at(-1)).toMatchObject({ address: { port: 5555 }, tls: { key: good['agent.key'] } });
});
