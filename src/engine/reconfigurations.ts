import { startDelayMs } from '../agent/lifecycle.ts';
import type { HostConfiguration } from '../machine/host/configuration.ts';
import type { PayloadWriter } from '../machine/payloads.ts';
import { hasFeature } from '../protocol/agent-versions.ts';
import type { AgentPush } from '../protocol/exchange.ts';
import type { Operation } from '../protocol/operations.ts';

/** What an agent is reloaded with. Intervals that are undefined are those of the fleet. */
export type ReloadSettings = {
  /** Undefined: it reports what its host was built with. */
  readonly configuration: HostConfiguration | undefined;
  /** Undefined: the agent sends nothing, and runs its checks only for its web server; so does one with another server. */
  readonly push: (AgentPush & { readonly timeoutMs: number }) | undefined;
  readonly checkEveryMs: number | undefined;
  readonly packagesEveryMs: number | undefined;
  readonly listens: boolean;
};

/** Settings of an agent that started during the run, by a reload, with its host or in an event. Instants count from the start of the run. */
export type Reconfiguration = {
  readonly startMs: number;
  /** When an event began its process; undefined: it began with its host. */
  readonly processMs: number | undefined;
  /** When its first check run is over; Infinity: never. */
  readonly resultMs: number;
  /** Undefined: it was never reloaded. */
  readonly settings: ReloadSettings | undefined;
  /** The agent's; undefined: that of the fleet. */
  readonly version: string | undefined;
  readonly payloads: PayloadWriter;
  /** Its process has ended. */
  readonly ended: boolean;
};

/** The agents that started in the run, and what that means for them. While there are none, they cost a push nothing. */
export type Reconfigurations = {
  of(agent: number): Reconfiguration | undefined;
  set(agent: number, reconfiguration: Reconfiguration): void;
  /** What writes the agent's documents. */
  payloadsOf(agent: number): PayloadWriter;
  /** For one exchange of the agent. */
  timeoutMsOf(agent: number): number;
  /** Whether the agent's process runs, has a result, and sends what a load wants of it at an instant. */
  sends(agent: number, operation: Operation, dueMs: number): boolean;
  /** From the start of the agent's process to the end of its first check run. */
  firstResultAfterMs(agent: number): number;
  /** Agents whose process has ended. */
  endedAgents(): number;
};

type Fleet = {
  readonly payloads: PayloadWriter;
  readonly timeoutMs: number;
  /** Whether agents have web servers. */
  readonly listens: boolean;
  readonly fleetIndex: (agent: number) => number;
  /** Called when the settings of an agent change. */
  readonly changed: (agent: number) => void;
};

export function createReconfigurations(fleet: Fleet): Reconfigurations {
  const known = new Map<number, Reconfiguration>();
  const of = (agent: number) => (known.size === 0 ? undefined : known.get(agent));
  const payloadsOf = (agent: number) => of(agent)?.payloads ?? fleet.payloads;
  return {
    of,
    set: (agent, reconfiguration) => {
      known.set(agent, reconfiguration);
      fleet.changed(agent);
    },
    payloadsOf,
    timeoutMsOf: (agent) => of(agent)?.settings?.push?.timeoutMs ?? fleet.timeoutMs,
    sends: (agent, operation, dueMs) => {
      const reconfiguration = of(agent);
      if (reconfiguration === undefined) return true;
      const { ended, startMs, resultMs } = reconfiguration;
      // Package information waits for no check run.
      if (ended || dueMs < (operation === 'packages' ? startMs : resultMs)) return false;
      return sendsAtAll(reconfiguration, operation);
    },
    firstResultAfterMs: (agent) =>
      startDelayMs(of(agent)?.settings?.listens ?? fleet.listens) +
      payloadsOf(agent).checkRunMs(fleet.fleetIndex(agent)),
    endedAgents: () => {
      let count = 0;
      for (const { ended } of known.values()) if (ended) count++;
      return count;
    },
  };
}

/** Whether an agent that is configured so, of such a release, ever does it. */
function sendsAtAll({ settings, version }: Reconfiguration, operation: Operation): boolean {
  if (operation === 'packages' && !hasFeature(version, 'packages')) return false;
  if (settings === undefined) return true;
  const collects = settings.configuration === undefined || settings.configuration.packages !== undefined;
  return settings.push !== undefined && (collects || operation !== 'packages');
}

/** With less between two check runs none is ever over: the agent gives each of them a second less than that. */
const SHORTEST_INTERVAL_MS = 3000;

/** A scenario may ask for a load faster than any agent; a configuration that does so has no effect. */
export function hasResults(settings: ReloadSettings | undefined): boolean {
  return settings?.checkEveryMs === undefined || settings.checkEveryMs >= SHORTEST_INTERVAL_MS;
}
