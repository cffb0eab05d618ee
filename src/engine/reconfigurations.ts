import { hasFeature } from '../base/protocol/agent-versions.ts';
import type { AgentPush } from '../base/protocol/exchange.ts';
import type { Operation } from '../base/protocol/operations.ts';
import type { HostConfiguration } from '../hosts/host/configuration.ts';
import type { PayloadWriter } from '../hosts/payloads.ts';
import { startDelayMs } from '../wire/agent/lifecycle.ts';

/** Settings of a reload. An `undefined` interval is the fleet's. */
export type ReloadSettings = {
  /** `undefined`: the agent reports what its host was built with. */
  readonly configuration: HostConfiguration | undefined;
  /** `undefined`: the agent pushes nothing, or pushes to another server, and runs its checks only for its web server. */
  readonly push: (AgentPush & { readonly timeoutMs: number }) | undefined;
  readonly checkEveryMs: number | undefined;
  readonly packagesEveryMs: number | undefined;
  readonly listens: boolean;
};

/**
 * Settings of an agent that started during the run: after a reload, with its host or through an event. Times count from the start of the
 * run.
 */
export type Reconfiguration = {
  readonly startMs: number;
  /** When an event started the process; `undefined` if it started with its host. */
  readonly processMs: number | undefined;
  /** End of its first check run; `Infinity`: never. */
  readonly resultMs: number;
  /** `undefined` if it was never reloaded. */
  readonly settings: ReloadSettings | undefined;
  /** The agent's release; `undefined`: the fleet's. */
  readonly version: string | undefined;
  readonly payloads: PayloadWriter;
  readonly ended: boolean;
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

/** Agents that started during the run, and their settings. While there are none, they cost a push nothing. */
export type Reconfigurations = ReturnType<typeof createReconfigurations>;

export function createReconfigurations(fleet: Fleet) {
  const known = new Map<number, Reconfiguration>();
  const payloadsOf = (agent: number) => (known.size === 0 ? undefined : known.get(agent)?.payloads) ?? fleet.payloads;
  return {
    of: (agent: number): Reconfiguration | undefined => known.get(agent),
    set: (agent: number, reconfiguration: Reconfiguration) => {
      known.set(agent, reconfiguration);
      fleet.changed(agent);
    },
    payloadsOf,
    timeoutMsOf: (agent: number): number =>
      (known.size === 0 ? undefined : known.get(agent)?.settings?.push?.timeoutMs) ?? fleet.timeoutMs,
    /** Whether the agent's process runs, has a result, and sends the operation of a load at this time. */
    sends: (agent: number, operation: Operation, dueMs: number): boolean => {
      const reconfiguration = known.size === 0 ? undefined : known.get(agent);
      if (reconfiguration === undefined) return true;
      const { ended, startMs, resultMs } = reconfiguration;
      // Package information does not depend on a check run.
      if (ended || dueMs < (operation === 'packages' ? startMs : resultMs)) return false;
      return sendsAtAll(reconfiguration, operation);
    },
    /** Time from the start of the agent's process to the end of its first check run. */
    firstResultAfterMs: (agent: number): number =>
      startDelayMs(known.get(agent)?.settings?.listens ?? fleet.listens) +
      payloadsOf(agent).checkRunMs(fleet.fleetIndex(agent)),
    /** Number of agents whose process has ended. */
    endedAgents: (): number => {
      let count = 0;
      for (const { ended } of known.values()) if (ended) count++;
      return count;
    },
  };
}

/** Whether an agent with this configuration and release ever sends the operation. */
function sendsAtAll({ settings, version }: Reconfiguration, operation: Operation): boolean {
  if (operation === 'packages' && !hasFeature(version, 'packages')) return false;
  if (settings === undefined) return true;
  const collects = settings.configuration === undefined || settings.configuration.packages !== undefined;
  return settings.push !== undefined && (collects || operation !== 'packages');
}

/**
 * Whether check runs of this length complete: the agent allows each one second less than the interval. A scenario may request a load
 * faster than any agent; a configuration that does so has no effect.
 */
export function hasResults(settings: ReloadSettings | undefined, runMs: number): boolean {
  return settings?.checkEveryMs === undefined || runMs < settings.checkEveryMs - 1000;
}
