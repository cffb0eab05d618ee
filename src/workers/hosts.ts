import { createSendBuffers } from '../base/runtime/send-buffers.ts';
import { startingFrom } from '../hosts/host/incident.ts';
import type { HostData } from '../hosts/host-data.ts';
import { listsService } from '../hosts/listed-services.ts';
import { compileFleet, type PayloadWriter } from '../hosts/payloads.ts';
import { type FleetEvent, isHostAction } from '../load/events/event.ts';
import { clockFactor } from '../load/host-clock.ts';
import { fleetIndex, shareOf } from '../load/shard.ts';
import { incidentsOf, machineFleetOf } from '../scenario/agents.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { identityOf } from '../wire/agent/identity.ts';
import type { ShardTask } from './messages.ts';

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

// ---- Warm-up ----

// Enough agents to include every common shape of host in the fleet.
const WARM_UP_AGENTS = 200;
/** Enough to also describe the rare shapes, which take some milliseconds each. */
const DESCRIBED_AGENTS = 2000;
/** A realistic time, so that numbers have the same types as in real runs. */
const WARM_UP_MS = Date.UTC(2026, 0, 1);

/** Compiles shapes and lets V8 optimize rendering before the run, so that this does not add to the latencies of the first second. */
export function warmUp(task: ShardTask, { payloads, reloaded }: Hosts): void {
  warmUpPayloads(task, payloads);
  const installed = task.scenario.events.flatMap(({ action }) => (action.kind === 'upgrade' ? [action.version] : []));
  for (const version of new Set(installed))
    warmUpPayloads(task, reloaded(WARM_UP_MS, undefined, { startMs: undefined, version }));
}

function warmUpPayloads({ scenario, shard, listening }: ShardTask, payloads: PayloadWriter): void {
  const loads = scenario.phases.flatMap((phase) => phase.loads);
  const sendsPackages = listening !== undefined || loads.some(({ operation }) => operation === 'packages');
  const agents = shareOf(shard, scenario.fleet.agents);
  for (let local = 0; local < Math.min(DESCRIBED_AGENTS, agents); local++) {
    payloads.checkdataRoomBytes(fleetIndex(shard, local));
  }
  const buffers = createSendBuffers(payloads.buffer);
  for (let local = 0; local < Math.min(WARM_UP_AGENTS, agents); local++) {
    const agent = fleetIndex(shard, local);
    identityOf(scenario.fleet.seed, agent);
    const packagesBytes = sendsPackages ? payloads.packagesRoomBytes(agent) : 0;
    const scratch = buffers.take(Math.max(payloads.checkdataRoomBytes(agent), packagesBytes));
    payloads.writeCheckdata(scratch, 0, agent, WARM_UP_MS);
    if (sendsPackages) payloads.writePackages(scratch, 0, agent, WARM_UP_MS);
    buffers.giveBack(scratch);
  }
}
