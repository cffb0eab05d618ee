import type { MachineFleet } from './fleet.ts';
import { hostGroups } from './groups.ts';
import { canonicalText, type HostConfiguration } from './host/configuration.ts';
import { type AgentStart, createHostStates, type HostState } from './host/host-state.ts';
import { collectionBefore, USUAL_COLLECTION_INTERVAL_MS } from './packages/updates.ts';
import { type CompiledVariant, type Document, type Variants, variantsOf } from './variants.ts';

/** The documents of a fleet, filled for one agent and time per call. */
export type Machines = {
  /** Fills the frame of the agent's document. It is valid until the next call. */
  readonly checkdata: (agent: number, instantMs: number, collectionMs?: number, begun?: AgentStart) => Document;
  /** Fills the document of a collection that starts at `collectionMs`. */
  readonly packages: (agent: number, collectionMs: number) => Document;
  /** Start of the collection that the check data for the same arguments report; `undefined` if they report none. */
  readonly collection: (
    agent: number,
    instantMs: number,
    collectionMs?: number,
    begun?: AgentStart,
  ) => number | undefined;
  /** By group. */
  readonly variants: () => readonly Variants[];
  readonly variant: (agent: number) => CompiledVariant;
  readonly checkRunMs: (agent: number) => number;
};

/**
 * `alike` are the machines of a fleet that differs only in incidents. Package documents do not depend on incidents, except through
 * the host, and are shared.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function createMachines(fleet: MachineFleet, alike?: Machines): Machines {
  const variants = variantsOf(fleet, alike?.variants());
  return machinesOf(fleet, () => variants);
}

/** `variants` belong to a fleet that differs only in intervals. */
function machinesOf(fleet: MachineFleet, variants: () => readonly Variants[]): Machines {
  const { checkIntervalSeconds } = fleet;
  const { of: groupOf } = hostGroups(fleet);
  const minutes = fleet.configuration?.packages?.intervalMinutes;
  const collectionIntervalMs = minutes === undefined ? USUAL_COLLECTION_INTERVAL_MS : minutes * 60_000;
  const moments = createHostStates({ incidents: [], ...fleet, collectionIntervalMs });
  const variant = (agent: number) => (variants()[groupOf(agent)] as Variants).of(agent);
  const filled = (document: Document, host: HostState) => {
    document.fill(document.frame, host);
    return document;
  };
  return {
    checkdata(agent, instantMs, collectionMs, begun) {
      const own = variant(agent);
      return filled(own.checkdata(), moments(agent, own, instantMs, collectionMs, begun));
    },
    packages(agent, collectionMs) {
      const own = variant(agent);
      return filled(own.packages(), moments(agent, own, collectionMs + own.runMs(checkIntervalSeconds), collectionMs));
    },
    collection: (agent, instantMs, collectionMs, begun) =>
      collectionBefore(moments(agent, variant(agent), instantMs, collectionMs, begun)),
    variants,
    variant,
    checkRunMs: (agent) => variant(agent).runMs(checkIntervalSeconds),
  };
}

/** Usually all agents have the same checks configured. If there are more configurations, the most recently used stay compiled. */
const KEPT_VARIANTS = 16;

/** At two kilobytes each. */
const KEPT_MACHINES = 1024;

/** The machines of a fleet by the configuration and release of an agent, each created at first use. */
export type MachinesByConfiguration = {
  /** With the default configuration of the hosts, and the current release. */
  readonly plain: Machines;
  readonly of: (key: ConfigurationKey) => Machines;
};

/** Identifies a configuration and a release. Kept, because computing it takes longer than rendering a document. */
export type ConfigurationKey = {
  readonly configuration: HostConfiguration | undefined;
  readonly version: string | undefined;
  /** `checks` covers everything that is compiled, without intervals; `whole` covers everything. */
  readonly checks: string;
  readonly whole: string;
};

export function configurationKey(configuration: HostConfiguration | undefined, version?: string): ConfigurationKey {
  if (configuration === undefined) return { configuration, version, checks: version ?? '', whole: version ?? '' };
  const { packages } = configuration;
  const intervals = { checkIntervalSeconds: 0, packages: packages && { ...packages, intervalMinutes: 0 } };
  return {
    ...{ configuration, version },
    checks: `${version ?? ''}${canonicalText({ ...configuration, ...intervals })}`,
    whole: `${version ?? ''}${canonicalText(configuration)}`,
  };
}

/**
 * Compiling takes 5 to 30 ms per variant, so configurations that differ only in intervals share the compiled variants. `plain` are
 * the fleet's machines with the default configuration of the hosts.
 */
export function machinesByConfiguration(fleet: MachineFleet, plain: Machines): MachinesByConfiguration {
  const variants = lastUsed<readonly Variants[]>(KEPT_VARIANTS);
  const machines = lastUsed<Machines>(KEPT_MACHINES);
  return {
    plain,
    of: ({ configuration, version, checks, whole }) => {
      if (configuration === undefined && version === undefined) return plain;
      return machines(whole, () => {
        const { checkIntervalSeconds } = configuration ?? fleet;
        const changed = { ...(version !== undefined && { version }), ...(configuration && { configuration }) };
        const own = { ...fleet, checkIntervalSeconds, ...changed };
        return machinesOf(own, () => variants(checks, () => variantsOf(own, configuration && plain.variants())));
      });
    },
  };
}

/** Returns a cache that keeps the `most` values used last. */
function lastUsed<T>(most: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    const value = kept.get(key) ?? make();
    // A map keeps insertion order: used entries move to the end, the oldest is first.
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}
