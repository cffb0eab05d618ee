import { startingFrom } from '../hosts/host/incident.ts';
import type { HostData } from '../hosts/host-data.ts';
import { listsService } from '../hosts/listed-services.ts';
import { compileFleet } from '../hosts/payloads.ts';
import { type FleetEvent, isHostAction } from '../load/events/event.ts';
import { clockFactor } from '../load/host-clock.ts';
import { incidentsOf, machineFleetOf } from '../scenario/agents.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** The documents of a shard's hosts, with events that can be added and ended during a run. */
export type Hosts = ReturnType<typeof createHosts>;

/** @param epochMs time on the hosts' clocks at the start of the run, in Unix ms; called each time. */
export function createHosts(scenario: Scenario, data: HostData, epochMs: () => number) {
  const ended = new Map<string, number>();
  const endedAt = ({ name, untilMs }: FleetEvent) => ended.get(name) ?? untilMs;
  const incidents = (events: readonly FleetEvent[]) =>
    startingFrom(epochMs, incidentsOf(events, scenario.fleet, endedAt), clockFactor(scenario.hostClock));
  const fleet = { ...machineFleetOf(scenario, data), incidents: incidents(scenario.events) };
  const { payloads, reloaded, happens } = compileFleet(fleet);
  return {
    payloads,
    reloaded,
    checkIntervalMs: fleet.checkIntervalSeconds * 1000,
    /** Call before the event starts. Events on agents are ignored. */
    add: (event: FleetEvent): void => {
      if (isHostAction(event.action)) happens(incidents([event]));
    },
    end: (name: string, atMs: number) => void ended.set(name, atMs),
    /** Whether the check data of the agent list this service. Takes as long as a push. */
    hasService: (agent: number, service: string): boolean => {
      const out = Buffer.allocUnsafe(payloads.checkdataRoomBytes(agent));
      return listsService(out.toString('utf8', 0, payloads.writeCheckdata(out, 0, agent, epochMs())), service);
    },
  };
}
