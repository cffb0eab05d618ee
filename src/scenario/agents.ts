import { type AgentSettings, DEFAULT_INTERVAL_SECONDS } from '../agent/configuration/settings.ts';
import { simulatedSettings, type WebServerFacts } from '../agent/configuration/simulated-settings.ts';
import { startDelayMs } from '../agent/lifecycle.ts';
import type { FleetPart } from '../load/arrivals.ts';
import { durationsOf } from '../load/durations.ts';
import { checksOf, type MachineFleet, profileNamer } from '../machine/fleet.ts';
import { countedFrom } from '../machine/host/incident.ts';
import type { HostData } from '../machine/host-data.ts';
import { profileNamed } from '../machine/profiles.ts';
import { addressOfAgent } from './listen-range.ts';
import type { Scenario } from './scenario.ts';
import type { WebServer } from './web-server.ts';

/** Whether agents only listen: they have a web server, and no phase has them send anything. */
export function isPullMode({ webServer, phases }: Pick<Scenario, 'webServer' | 'phases'>): boolean {
  return webServer !== undefined && phases.every(({ loads }) => loads.length === 0);
}

type FleetParts = Pick<Scenario, 'fleet' | 'webServer' | 'incidents' | 'phases'>;

/**
 * The machines of a scenario's fleet, the same for a run and for every other look at them. `startMs` says when the run
 * starts, in Unix ms, as soon as that is known; without it nothing happens to them.
 */
export function machineFleetOf(scenario: FleetParts, data: HostData, startMs?: () => number): MachineFleet {
  const { agents, seed, profiles, payload, checks } = scenario.fleet;
  return {
    ...{ data, agents, seed, profiles, payload, checks, checkIntervalSeconds: checkIntervalSeconds(scenario) },
    incidents: startMs === undefined ? [] : countedFrom(startMs, scenario.incidents),
  };
}

/**
 * What the agents' configuration says of their interval: that of their web server in pull mode, else the first check-data
 * cadence, else the agent's default.
 */
export function checkIntervalSeconds({ phases, webServer }: FleetParts): number {
  if (webServer?.intervalMs !== undefined) return webServer.intervalMs / 1000;
  const loads = phases.flatMap((phase) => phase.loads);
  const cadence = loads.find(({ operation, model }) => operation === 'checkdata' && model.kind === 'cadence');
  if (cadence?.model.kind !== 'cadence') return DEFAULT_INTERVAL_SECONDS;
  return Math.max(1, Math.round(cadence.model.everyMs / 1000));
}

/** What the arrivals of the whole fleet are reckoned from. */
export function arrivalFactsOf(scenario: FleetParts): Omit<FleetPart, 'shard' | 'restarts'> {
  const { seed, agents } = scenario.fleet;
  return { seed, agents, firstResultAfterMs: firstResultsOf(scenario), durations: durationsOf(seed) };
}

/** From the start of an agent's process to the end of its first check run, by its index in the fleet. */
function firstResultsOf(scenario: FleetParts): (agent: number) => number {
  const nameOf = profileNamer(scenario.fleet);
  const delayMs = startDelayMs(scenario.webServer !== undefined);
  const intervalSeconds = checkIntervalSeconds(scenario);
  return (agent) => delayMs + profileNamed(nameOf(agent)).runMs(intervalSeconds);
}

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
