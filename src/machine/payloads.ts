import { type Renderer, rendererOf } from './document/renderer.ts';
import type { MachineFleet } from './fleet.ts';
import { type NextOutage, outagesOf } from './host/boots.ts';
import type { HostConfiguration } from './host/configuration.ts';
import type { AgentStart } from './host/host-state.ts';
import type { Incident } from './host/incident.ts';
import { publishingOf } from './kinds.ts';
import { configurationKey, createMachines, type Machines, machinesByConfiguration } from './machines.ts';
import { WITHOUT_COLLECTION } from './packages/document.ts';
import type { Document } from './variants.ts';

/**
 * Renders the documents of any agent at any instant into a caller's buffer, and says when there is none to send.
 * Compiled once per fleet; holds no state per agent. Writers return the offset after the last byte.
 */
export type PayloadWriter = {
  /** No check data of the agent takes more bytes. Asking describes hosts of its kind. */
  checkdataRoomBytes(agent: number): number;
  /** The same of what it pushes and what it serves of packages. */
  packagesRoomBytes(agent: number): number;
  /**
   * `instantMs` is Unix time in milliseconds: when the document is complete. It tells of the collection of packages that
   * began at `collectionMs`, of none if that is still to come, and if it is not given, of the last that an agent had by
   * itself.
   */
  writeCheckdata(out: Buffer, offset: number, agent: number, instantMs: number, collectionMs?: number): number;
  /** `collectionMs` is Unix time in milliseconds: when the collection begins. */
  writePackages(out: Buffer, offset: number, agent: number, collectionMs: number): number;
  /**
   * What the agent's web server says of packages from the check run on whose data are written with the same arguments:
   * the document of the collection that those tell of, or that there is none.
   */
  writeServedPackages(out: Buffer, offset: number, agent: number, instantMs: number, collectionMs?: number): number;
  /** A buffer into which documents are written faster than into others, as long as there is one; never given back. */
  buffer(sizeBytes: number): Buffer;
  /** When the agent's host goes down next. */
  readonly nextOutage: NextOutage;
  /** How long a check run of the agent takes, in milliseconds. */
  checkRunMs(agent: number): number;
};

/**
 * The documents of a fleet's agents, and those of one that was reloaded at `reloadMs` (Unix ms): with another configuration,
 * or, if that is undefined, with what its host was built with. `process` is left out for one that began with its host.
 */
export type FleetPayloads = {
  readonly payloads: PayloadWriter;
  readonly reloaded: (
    reloadMs: number,
    configuration: HostConfiguration | undefined,
    process?: AgentProcess,
  ) => PayloadWriter;
  /**
   * These happen to its hosts, too. All writers know of them from now on, and write the documents of instants before they
   * begin as they did.
   */
  readonly happens: (incidents: readonly Incident[]) => void;
};

/** What of an agent's process is another than usual. */
export type AgentProcess = {
  /** When it began, in Unix ms; undefined: with its host. */
  readonly startMs: number | undefined;
  /** Undefined: the present one. */
  readonly version: string | undefined;
};

/**
 * Variants are compiled when a document of theirs is first asked for.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function compilePayloads(fleet: MachineFleet): PayloadWriter {
  return compileFleet(fleet).payloads;
}

/** The same for a fleet whose agents may be given configurations, and to whose hosts more may happen later. */
export function compileFleet(fleet: MachineFleet): FleetPayloads {
  const first = createMachines(fleet);
  // What happens to hosts is compiled into their documents, so that other incidents are other machines.
  let present = {
    fleet,
    machines: machinesByConfiguration(fleet, first),
    nextOutage: outagesOf({ ...fleet, ...publishingOf(fleet) }),
  };
  let last: { readonly name: string; readonly writer: PayloadWriter } | undefined;
  const nextOutage: NextOutage = (agent, fromMs, untilMs) => present.nextOutage(agent, fromMs, untilMs);
  const common = { nextOutage, renderer: rendererOf(fleet.data.renderer) };
  return {
    payloads: writerOf({ ...common, machines: () => present.machines.plain, configuration: fleet.configuration }),
    reloaded: (reloadMs, configuration, { startMs = Number.NEGATIVE_INFINITY, version } = WITH_HOST) => {
      const key = configurationKey(configuration, version);
      const begun = { reloadMs, startMs };
      const name = `${reloadMs} ${startMs} ${key.whole}`;
      // Agents that begin together are alike: a writer takes a kilobyte, and a site may have thousands of them.
      if (last?.name === name) return last.writer;
      const machines = () => present.machines.of(key);
      const writer = writerOf({ ...common, machines, configuration: configuration ?? fleet.configuration, begun });
      last = { name, writer };
      return writer;
    },
    happens: (more) => {
      const { incidents = [] } = present.fleet;
      const own = { ...present.fleet, incidents: [...incidents, ...more] };
      const machines = machinesByConfiguration(own, createMachines(own, first));
      present = { fleet: own, machines, nextOutage: outagesOf({ ...own, ...publishingOf(own) }) };
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
    checkdataRoomBytes: (agent) => machines().variant(agent).checkdata.program().maxBytes,
    packagesRoomBytes: (agent) => Math.max(machines().variant(agent).packages.program().maxBytes, none.length),
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
