import { type Renderer, rendererOf } from './document/renderer.ts';
import type { MachineFleet } from './fleet.ts';
import { hostGroups, publishingOf } from './groups.ts';
import { type NextOutage, outagesOf } from './host/boots.ts';
import { canonicalText, type HostConfiguration } from './host/configuration.ts';
import { type AgentStart, createHostStates, type HostState } from './host/host-state.ts';
import type { Incident } from './host/incident.ts';
import { WITHOUT_COLLECTION } from './packages/document.ts';
import { collectionBefore, USUAL_COLLECTION_INTERVAL_MS } from './packages/updates.ts';
import { type CompiledVariant, type Document, type Variants, variantsOf } from './variants.ts';

/** Renders documents of any agent and time into a buffer, without state per agent. Writers return the offset after the last byte. */
export type PayloadWriter = {
  /** Upper bound on the size of the agent's check data. The first call describes its variant. */
  checkdataRoomBytes(agent: number): number;
  /** Upper bound on the size of the package documents that the agent pushes and serves. */
  packagesRoomBytes(agent: number): number;
  /**
   * `instantMs` is when the document is complete, in Unix ms. The document reports the collection of packages that started at
   * `collectionMs`, or none if that is later. Without `collectionMs` it reports the last collection of an agent on its own
   * schedule.
   */
  writeCheckdata(out: Buffer, offset: number, agent: number, instantMs: number, collectionMs?: number): number;
  /** `collectionMs` is the start of the collection, in Unix ms. */
  writePackages(out: Buffer, offset: number, agent: number, collectionMs: number): number;
  /** Writes the web server's answer after a check run with the same arguments: its collection's document, or that there is none. */
  writeServedPackages(out: Buffer, offset: number, agent: number, instantMs: number, collectionMs?: number): number;
  /** A buffer into which documents are written faster than into others, while one is available. It is never released. */
  buffer(sizeBytes: number): Buffer;
  readonly nextOutage: NextOutage;
  checkRunMs(agent: number): number;
};

/**
 * Writers for a fleet's agents, and for agents that reloaded at `reloadMs` (Unix ms) with another configuration. If
 * `configuration` is `undefined`, they use the default of their hosts. Without `process`, the agent started with its host.
 */
export type FleetPayloads = {
  readonly payloads: PayloadWriter;
  readonly reloaded: (
    reloadMs: number,
    configuration: HostConfiguration | undefined,
    process?: AgentProcess,
  ) => PayloadWriter;
  /** Adds incidents. All writers take them into account from now on. Documents of times before the incidents stay unchanged. */
  readonly happens: (incidents: readonly Incident[]) => void;
};

/** Properties of an agent's process that differ from the usual. */
export type AgentProcess = {
  /** Start of the process, in Unix ms; `undefined` if it started with its host. */
  readonly startMs: number | undefined;
  /** `undefined` for the current release. */
  readonly version: string | undefined;
};

/**
 * Compiles each variant when one of its documents is first requested.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function compilePayloads(fleet: MachineFleet): PayloadWriter {
  return compileFleet(fleet).payloads;
}

/** The same for a fleet whose agents may be reconfigured and whose hosts may get further incidents. */
export function compileFleet(fleet: MachineFleet): FleetPayloads {
  const first = createMachines(fleet);
  // Incidents are compiled into documents, so other incidents require other machines.
  const withIncidents = (own: MachineFleet, plain: Machines) => ({
    fleet: own,
    plain,
    machinesOf: machinesByConfiguration(own, plain),
    nextOutage: outagesOf({ ...own, ...publishingOf(own) }),
  });
  let present = withIncidents(fleet, first);
  let last: { readonly name: string; readonly writer: PayloadWriter } | undefined;
  const nextOutage: NextOutage = (agent, fromMs, untilMs) => present.nextOutage(agent, fromMs, untilMs);
  const common = { nextOutage, renderer: rendererOf(fleet.data.renderer) };
  return {
    payloads: writerOf({ ...common, machines: () => present.plain, configuration: fleet.configuration }),
    reloaded: (reloadMs, configuration, { startMs = Number.NEGATIVE_INFINITY, version } = WITH_HOST) => {
      const key = configurationKey(configuration, version);
      const begun = { reloadMs, startMs };
      const name = `${reloadMs} ${startMs} ${key.whole}`;
      // Agents that start together share a writer. It takes a kilobyte, and a site may have thousands of agents.
      if (last?.name === name) return last.writer;
      const machines = () => present.machinesOf(key);
      const writer = writerOf({ ...common, machines, configuration: configuration ?? fleet.configuration, begun });
      last = { name, writer };
      return writer;
    },
    happens: (more) => {
      const { incidents = [] } = present.fleet;
      const own = { ...present.fleet, incidents: [...incidents, ...more] };
      present = withIncidents(own, createMachines(own, first));
    },
  };
}

const WITH_HOST: AgentProcess = { startMs: undefined, version: undefined };

type WriterInput = {
  readonly nextOutage: NextOutage;
  readonly renderer: Renderer;
  readonly machines: () => Machines;
  readonly configuration: HostConfiguration | undefined;
  readonly begun?: AgentStart;
};

function writerOf({ nextOutage, renderer, machines, configuration, begun }: WriterInput): PayloadWriter {
  const isOff = configuration !== undefined && configuration.packages === undefined;
  const none = isOff ? WITHOUT_COLLECTION.disabled : WITHOUT_COLLECTION.pending;
  const write = (document: Document, out: Buffer, offset: number): number => {
    const program = document.program();
    const roomBytes = out.length - offset;
    if (program.maxBytes > roomBytes) {
      throw new Error(`a document may take ${program.maxBytes} bytes, the buffer has room for ${roomBytes}`);
    }
    return renderer.render(program, document.frame, out, offset);
  };
  const writePackages: PayloadWriter['writePackages'] = (out, offset, agent, collectionMs) =>
    write(machines().packages(agent, collectionMs), out, offset);
  return {
    checkdataRoomBytes: (agent) => machines().variant(agent).checkdata().program().maxBytes,
    packagesRoomBytes: (agent) => Math.max(machines().variant(agent).packages().program().maxBytes, none.length),
    writeCheckdata: (out, offset, agent, instantMs, collectionMs) =>
      write(machines().checkdata(agent, instantMs, collectionMs, begun), out, offset),
    writePackages,
    writeServedPackages(out, offset, agent, instantMs, collectionMs) {
      const found = isOff ? undefined : machines().collection(agent, instantMs, collectionMs, begun);
      return found === undefined ? offset + out.write(none, offset) : writePackages(out, offset, agent, found);
    },
    buffer: renderer.buffer,
    nextOutage,
    checkRunMs: (agent) => machines().checkRunMs(agent),
  };
}

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

/** Identifies a configuration and a release. Kept, because computing it takes longer than rendering a document. */
type ConfigurationKey = {
  readonly configuration: HostConfiguration | undefined;
  readonly version: string | undefined;
  /** `checks` covers everything that is compiled, without intervals; `whole` covers everything. */
  readonly checks: string;
  readonly whole: string;
};

function configurationKey(configuration: HostConfiguration | undefined, version?: string): ConfigurationKey {
  if (configuration === undefined) return { configuration, version, checks: version ?? '', whole: version ?? '' };
  const { packages } = configuration;
  const intervals = { checkIntervalSeconds: 0, packages: packages && { ...packages, intervalMinutes: 0 } };
  return {
    configuration,
    version,
    checks: `${version ?? ''}${canonicalText({ ...configuration, ...intervals })}`,
    whole: `${version ?? ''}${canonicalText(configuration)}`,
  };
}

/** Configurations that differ only in intervals share compiled variants, which take 5 to 30 ms. `plain` have the hosts' default. */
function machinesByConfiguration(fleet: MachineFleet, plain: Machines): (key: ConfigurationKey) => Machines {
  const variants = lastUsed<readonly Variants[]>(KEPT_VARIANTS);
  const machines = lastUsed<Machines>(KEPT_MACHINES);
  return ({ configuration, version, checks, whole }) => {
    if (configuration === undefined && version === undefined) return plain;
    return machines(whole, () => {
      const { checkIntervalSeconds } = configuration ?? fleet;
      const changed = { ...(version !== undefined && { version }), ...(configuration && { configuration }) };
      const own = { ...fleet, checkIntervalSeconds, ...changed };
      return machinesOf(own, () => variants(checks, () => variantsOf(own, configuration && plain.variants())));
    });
  };
}

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
