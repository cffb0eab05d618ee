import { type Plain, plain } from './document/plain.ts';
import type { MachineFleet } from './fleet.ts';
import { canonicalText, type HostConfiguration } from './host/configuration.ts';
import { type AgentStart, createHostStates, type HostState } from './host/host-state.ts';
import { hostKinds } from './kinds.ts';
import { collectionBefore, USUAL_COLLECTION_INTERVAL_MS } from './packages/updates.ts';
import { type CompiledVariant, type Document, type Variants, variantsOf } from './variants.ts';

/** The documents of a fleet, filled for one agent and instant at a time. */
export type Machines = {
  /** Fills the frame of the agent's document, which stays so until the next call. */
  readonly checkdata: (agent: number, instantMs: number, collectionMs?: number, begun?: AgentStart) => Document;
  /** As a collection finds it that begins at the instant. */
  readonly packages: (agent: number, collectionMs: number) => Document;
  /** When the collection began that check data of the same arguments tells of; undefined: it tells of none. */
  readonly collection: (
    agent: number,
    instantMs: number,
    collectionMs?: number,
    begun?: AgentStart,
  ) => number | undefined;
  /** By kind of hosts. */
  readonly variants: () => readonly Variants[];
  readonly variant: (agent: number) => CompiledVariant;
  readonly checkRunMs: (agent: number) => number;
};

/**
 * `alike` are machines of a fleet that differs in nothing but incidents: package documents know these by the host only, so they
 * are shared.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function createMachines(fleet: MachineFleet, alike?: Machines): Machines {
  const variants = variantsOf(fleet, alike?.variants());
  return machinesOf(fleet, () => variants);
}

/** `variants` are of a fleet that differs in nothing but intervals. */
function machinesOf(fleet: MachineFleet, variants: () => readonly Variants[]): Machines {
  const { checkIntervalSeconds } = fleet;
  const { of: kindOf } = hostKinds(fleet);
  const minutes = fleet.configuration?.packages?.intervalMinutes;
  const collectionIntervalMs = minutes === undefined ? USUAL_COLLECTION_INTERVAL_MS : minutes * 60_000;
  const moments = createHostStates({ incidents: [], ...fleet, collectionIntervalMs });
  const variant = (agent: number) => (variants()[kindOf(agent)] as Variants).of(agent);
  const filled = (document: Document, host: HostState) => {
    document.fill(document.frame, host);
    return document;
  };
  return {
    checkdata(agent, instantMs, collectionMs, begun) {
      const own = variant(agent);
      return filled(own.checkdata, moments(agent, own, instantMs, collectionMs, begun));
    },
    packages(agent, collectionMs) {
      const own = variant(agent);
      return filled(own.packages, moments(agent, own, collectionMs + own.runMs(checkIntervalSeconds), collectionMs));
    },
    collection: (agent, instantMs, collectionMs, begun) =>
      collectionBefore(moments(agent, variant(agent), instantMs, collectionMs, begun)),
    variants,
    variant,
    checkRunMs: (agent) => variant(agent).runMs(checkIntervalSeconds),
  };
}

/** As a rule all agents are configured with the same checks; with more different ones, those used last stay compiled. */
const KEPT_VARIANTS = 16;

/** Two kilobytes each. */
const KEPT_MACHINES = 1024;

/** The machines of a fleet whose agents are configured in any way, and of any release, made when they are first asked for. */
export type MachinesByConfiguration = {
  /** As their hosts were built, of the present release. */
  readonly plain: Machines;
  readonly of: (key: ConfigurationKey) => Machines;
};

/** What tells configurations and releases apart; reckoned once, as that takes longer than a document. */
export type ConfigurationKey = {
  readonly configuration: HostConfiguration | undefined;
  readonly version: string | undefined;
  /** Of what is compiled, intervals aside, and of the whole. */
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
 * Compiling takes 5 to 30 ms a variant, so configurations that differ in nothing but intervals share what is compiled. `plain`
 * are the fleet's machines as their hosts were built.
 */
export function machinesByConfiguration(fleet: MachineFleet, plain: Machines): MachinesByConfiguration {
  const variants = lastUsed<readonly Variants[]>(KEPT_VARIANTS);
  const machines = lastUsed<Machines>(KEPT_MACHINES);
  return {
    plain,
    of: ({ configuration, version, checks, whole }) => {
      if (configuration === undefined && version === undefined) return plain;
      return machines(whole, () => {
        const release = version === undefined ? {} : { version };
        if (configuration === undefined) {
          const own = { ...fleet, ...release };
          return machinesOf(own, () => variants(checks, () => variantsOf(own)));
        }
        const { checkIntervalSeconds } = configuration;
        const own = { ...fleet, configuration, checkIntervalSeconds, ...release };
        return machinesOf(own, () => variants(checks, () => variantsOf(own, plain.variants())));
      });
    },
  };
}

/** Of what it has made, keeps so many that were used last. */
function lastUsed<T>(most: number): (key: string, make: () => T) => T {
  const kept = new Map<string, T>();
  return (key, make) => {
    const value = kept.get(key) ?? make();
    // The order of a map is that of insertion: what is used goes to its end, what leaves is at its beginning.
    kept.delete(key);
    kept.set(key, value);
    const [oldest] = kept.keys();
    if (kept.size > most && oldest !== undefined) kept.delete(oldest);
    return value;
  };
}

/** The check data of an agent as a plain object. */
export function checkdataOf(fleet: MachineFleet, agent: number, instantMs: number): Plain {
  const { node, frame } = createMachines(fleet).checkdata(agent, instantMs);
  return plain(node, frame);
}

/** The package document of an agent as a plain object, as a collection finds it that begins at the instant. */
export function packagesOf(fleet: MachineFleet, agent: number, collectionMs: number): Plain {
  const { node, frame } = createMachines(fleet).packages(agent, collectionMs);
  return plain(node, frame);
}
