import type { ProvisionOrder } from '../../src/provisioning/provision.ts';
import type { AgentToProvision } from '../../src/provisioning/requests.ts';
import { simulatedSettings } from '../../src/wire/agent/configuration/settings.ts';
import { identityOf } from '../../src/wire/agent/identity.ts';
import { push } from '../server/push-client.ts';

export const KEY = 'k3y';

export const ORDER: ProvisionOrder = {
  agents: [],
  place: { container: 1, hostTemplate: 2, hostGroups: [], tags: [], satellite: 0 },
  withServices: false,
  unregisteredToo: false,
  isOutdated: () => false,
};

export function agentsFor(count: number, seed = 7): readonly AgentToProvision[] {
  const settings = simulatedSettings({
    intervalSeconds: 30,
    profile: 'debian-12',
    checks: {},
    webServer: undefined,
    push: { url: 'http://127.0.0.1:1', apiKey: KEY, timeoutSeconds: 10, verifyServerCertificate: false, proxy: '' },
  });
  return Array.from({ length: count }, (_, agent) => ({
    ...identityOf(seed, agent),
    profile: 'debian-12',
    role: 'web',
    listen: undefined,
    settings,
  }));
}

/** Registers the agents, and stores data that the server does not accept yet; returns their passwords. */
export function registerAll(url: string, agents: readonly AgentToProvision[]): Promise<readonly string[]> {
  return Promise.all(
    agents.map(async ({ uuid, hostName: hostname, address: ipaddress }) => {
      const identity = { agentuuid: uuid, hostname, ipaddress };
      const { body } = await push(url, 'register_agent', { ...identity, password: '' }, KEY);
      const password = String(body.password);
      await push(url, 'submit_checkdata', { ...identity, password, checkdata: { agent: {}, memory: {} } }, KEY);
      return password;
    }),
  );
}
