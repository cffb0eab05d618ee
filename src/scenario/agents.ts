import { checksOf, type MachineFleet } from '../hosts/fleet.ts';
import { hostGroups, runLengthOn, systemChooser } from '../hosts/groups.ts';
import { type Incident, startingFrom } from '../hosts/host/incident.ts';
import type { HostData } from '../hosts/host-data.ts';
import type { FleetPart } from '../load/arrivals.ts';
import { durationsOf } from '../load/durations.ts';
import { type FleetEvent, hitsOf, isHostAction } from '../load/events/event.ts';
import { occurrencesOf } from '../load/events/occurrences.ts';
import { clockFactor } from '../load/host-clock.ts';
import {
  type AgentSettings,
  DEFAULT_INTERVAL_SECONDS,
  simulatedSettings,
  type WebServerFacts,
} from '../wire/agent/configuration/settings.ts';
import { hostNamesOf } from '../wire/agent/identity.ts';
import { startDelayMs } from '../wire/agent/lifecycle.ts';
import { chosenBy, type FleetSeed } from './cohort-members.ts';
import { addressOfAgent } from './listen-range.ts';
import type { Scenario } from './scenario.ts';
import { baseUrlsOf } from './server-urls.ts';
import type { WebServer } from './web-server.ts';

/** Whether agents only listen: they have a web server, and no phase has a load. */
export function isPullMode({ webServer, phases }: Pick<Scenario, 'webServer' | 'phases'>): boolean {
  return webServer !== undefined && phases.every(({ loads }) => loads.length === 0);
}

type FleetParts = Pick<Scenario, 'fleet' | 'webServer' | 'events' | 'phases'>;

/** The machines of a fleet. `startMs`: their clocks at the start of the run, in Unix ms. Without it, events do not affect them. */
export function machineFleetOf(
  scenario: FleetParts & Pick<Scenario, 'hostClock'>,
  data: HostData,
  startMs?: () => number,
): MachineFleet {
  const factor = clockFactor(scenario.hostClock);
  return {
    ...scenario.fleet,
    data,
    checkIntervalSeconds: checkIntervalSeconds(scenario),
    hostNames: hostNamesOf(scenario.fleet.seed),
    incidents: startMs === undefined ? [] : startingFrom(startMs, incidentsOf(scenario.events, scenario.fleet), factor),
  };
}

/** When an event was ended early, in milliseconds from the start of the run; `undefined` if it was not. Never cached. */
type EndedAt = (event: FleetEvent) => number | undefined;

/** Effects of events on hosts, one per occurrence, in milliseconds from the start of the run. */
export function incidentsOf(
  events: readonly FleetEvent[],
  fleet: FleetSeed,
  endedAt: EndedAt = ({ untilMs }) => untilMs,
): readonly Incident[] {
  return events.flatMap((event): readonly Incident[] => {
    const { action, overMs } = event;
    if (!isHostAction(action)) return [];
    const isHit = chosenBy(event, fleet);
    const hits = hitsOf(event, fleet.seed);
    const { repeat, ...once } = event;
    const isEndless = repeat?.times === Number.POSITIVE_INFINITY;
    return occurrencesOf(isEndless ? once : event).map((occurrence) => {
      const delayMs = (agent: number) => (hits(agent, occurrence)?.fromMs ?? occurrence.fromMs) - occurrence.fromMs;
      return {
        ...action,
        ...occurrence,
        isHit,
        ...(overMs > 0 && { delayMs }),
        ...(isEndless && { everyMs: repeat.everyMs }),
        get toMs() {
          return Math.min(occurrence.toMs, endedAt(event) ?? Number.POSITIVE_INFINITY);
        },
        get untilMs() {
          return endedAt(event);
        },
        plannedMs: occurrence.toMs - occurrence.fromMs,
      };
    });
  });
}

/** The check interval of agents: that of the web server in pull mode, else of the first check-data cadence, else the agent's default. */
export function checkIntervalSeconds({ phases, webServer }: FleetParts): number {
  if (webServer?.intervalMs !== undefined) return webServer.intervalMs / 1000;
  const loads = phases.flatMap((phase) => phase.loads);
  const cadence = loads.find(({ operation, model }) => operation === 'checkdata' && model.kind === 'cadence');
  if (cadence?.model.kind !== 'cadence') return DEFAULT_INTERVAL_SECONDS;
  return Math.max(1, Math.round(cadence.model.everyMs / 1000));
}

/** Input for computing the arrivals of the whole fleet. */
export function arrivalFactsOf(scenario: FleetParts): Omit<FleetPart, 'shard' | 'restarts'> {
  const { seed, agents } = scenario.fleet;
  return { seed, agents, firstResultAfterMs: firstResultsOf(scenario), durations: durationsOf(seed) };
}

/** Time in ms from the start of an agent's process to the end of its first check run, by index in the fleet. */
function firstResultsOf(scenario: FleetParts): (agent: number) => number {
  const systemOf = systemChooser(scenario.fleet);
  const delayMs = startDelayMs(scenario.webServer !== undefined);
  const intervalSeconds = checkIntervalSeconds(scenario);
  return (agent) => delayMs + runLengthOn(systemOf(agent))(intervalSeconds);
}

/** The first settings of agents by index, before any configuration push. `serverUrls`: a run with the embedded server passes its actual URL. */
export function agentSettingsOf(
  scenario: Scenario,
  serverUrls = baseUrlsOf(scenario.target),
): (agent: number) => AgentSettings {
  const { target, fleet, webServer } = scenario;
  const push = isPullMode(scenario)
    ? undefined
    : {
        apiKey: target.apiKey,
        timeoutSeconds: Math.max(1, Math.floor(target.timeoutMs / 1000)),
        verifyServerCertificate: target.tls.verify,
        proxy: target.proxy?.kind === 'url' ? target.proxy.url : '',
      };
  const intervalSeconds = checkIntervalSeconds(scenario);
  const groups = hostGroups(fleet);
  const checks = groups.list.map(checksOf);
  return (agent) =>
    simulatedSettings({
      intervalSeconds,
      profile: groups.list[groups.of(agent)]?.profile ?? '',
      checks: checks[groups.of(agent)] ?? {},
      push: push && { ...push, url: serverUrls[agent % serverUrls.length] ?? '' },
      webServer: webServer && webServerFacts(webServer, agent),
    });
}

function webServerFacts(
  { listen, autoTls, tlsLevel, basicAuth, configPush }: WebServer,
  agent: number,
): WebServerFacts {
  const { host: address, port } = addressOfAgent(listen, agent);
  return { address, port, autoTls, tlsLevel, basicAuth, configPush };
}
