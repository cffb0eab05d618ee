import type { AgentSettings } from '../../agent/configuration/settings.ts';
import { simulatedSettings, type WebServerFacts } from '../../agent/configuration/simulated-settings.ts';
import { checksOf } from '../../machine/fleet.ts';
import { addressOfAgent } from '../listen-range.ts';
import type { Scenario, WebServer } from '../scenario.ts';
import { isPullMode } from './agent-mode.ts';
import { checkIntervalSeconds } from './machine-fleet.ts';

/**
 * What agents, by their index in the fleet, are configured with before anybody pushes a configuration to them.
 * `serverUrl` is where the embedded server came to listen; without it the URL of the scenario stands.
 */
export function agentSettingsOf(scenario: Scenario, serverUrl = scenario.target.url): (agent: number) => AgentSettings {
  const { target, fleet, webServer } = scenario;
  const facts = {
    intervalSeconds: checkIntervalSeconds(scenario),
    push: isPullMode(scenario)
      ? undefined
      : {
          url: serverUrl,
          apiKey: target.apiKey,
          timeoutSeconds: Math.max(1, Math.floor(target.timeoutMs / 1000)),
          verifyServerCertificate: target.tls.verify,
        },
    checks: checksOf(fleet),
  };
  return (agent) => simulatedSettings({ ...facts, webServer: webServer && webServerFacts(webServer, agent) });
}

function webServerFacts(
  { listen, autoTls, tlsLevel, basicAuth, configPush }: WebServer,
  agent: number,
): WebServerFacts {
  const { host: address, port } = addressOfAgent(listen, agent);
  return { address, port, autoTls, tlsLevel, basicAuth, configPush };
}
