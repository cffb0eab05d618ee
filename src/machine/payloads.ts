import { render, type Target, targetOf } from './document/render.ts';
import { checksOf, countsOf, type HostCounts, type PayloadSize } from './host-counts.ts';
import type { Incident } from './incidents/incident.ts';
import { createMachines } from './machines.ts';
import type { OptionalChecks } from './optional-checks.ts';
import { type NextOutage, outagesOf } from './outages.ts';
import { profileNamed } from './profiles.ts';
import { type Document, roomFor } from './shapes.ts';

/** What the machines of a fleet are made from; the whole input besides the agent's index and the instant. */
export type MachineFleet = {
  readonly seed: number;
  /** Profile names and their relative weights. */
  readonly profiles: Readonly<Record<string, number>>;
  /** How much a host has to tell. */
  readonly payload: PayloadSize | HostCounts;
  /** The agent's check interval as it stands in its configuration. */
  readonly checkIntervalSeconds: number;
  /** Optional checks that all its agents have, such as `{ docker: 10, customchecks: 3 }`; none if absent. */
  readonly checks?: OptionalChecks;
  /** What goes wrong on parts of it, and when; nothing if absent. */
  readonly incidents?: readonly Incident[];
};

/**
 * Renders the documents of any agent at any instant into a caller's buffer, and says when there is none to send. Compiled once per fleet; holds no state
 * per agent. Writers return the offset after the last byte; the buffer must have room for the maximum.
 */
export type PayloadWriter = {
  readonly maxCheckdataBytes: number;
  readonly maxPackagesBytes: number;
  /**
   * `instantMs` is Unix time in milliseconds: when the document is complete. It tells of the collection of packages that
   * began at `collectionMs`, of none if that is still to come, and if it is not given, of the last that an agent had by
   * itself.
   */
  writeCheckdata(out: Buffer, offset: number, agent: number, instantMs: number, collectionMs?: number): number;
  /** `collectionMs` is Unix time in milliseconds: when the collection begins. */
  writePackages(out: Buffer, offset: number, agent: number, collectionMs: number): number;
  /** When the agent's host goes down next. */
  readonly nextOutage: NextOutage;
  /** How long a check run of the agent takes, in milliseconds. */
  checkRunMs(agent: number): number;
};

/**
 * Shapes are compiled when a document of theirs is first asked for.
 * @throws UserError if the fleet names a profile that does not exist.
 */
export function compilePayloads(fleet: MachineFleet): PayloadWriter {
  const machines = createMachines(fleet);
  const rooms = Object.keys(fleet.profiles).map((name) =>
    roomFor(countsOf(profileNamed(name), fleet.payload), checksOf(fleet)),
  );
  const maxCheckdataBytes = Math.max(...rooms.map((room) => room.checkdataBytes));
  const maxPackagesBytes = Math.max(...rooms.map((room) => room.packagesBytes));
  // Callers render into the same buffer again and again.
  let target = targetOf(Buffer.alloc(0));
  const on = (out: Buffer) => {
    if (target.bytes !== out) target = targetOf(out);
    return target;
  };
  return {
    maxCheckdataBytes,
    maxPackagesBytes,
    writeCheckdata: (out, offset, agent, instantMs, collectionMs) => {
      return write(machines.checkdata(agent, instantMs, collectionMs), maxCheckdataBytes, on(out), offset);
    },
    writePackages: (out, offset, agent, collectionMs) => {
      return write(machines.packages(agent, collectionMs), maxPackagesBytes, on(out), offset);
    },
    nextOutage: outagesOf(fleet),
    checkRunMs: machines.checkRunMs,
  };
}

function write({ program, frame }: Document, roomBytes: number, target: Target, offset: number): number {
  const compiled = program();
  if (compiled.maxBytes > roomBytes) {
    throw new Error(`a document may take ${compiled.maxBytes} bytes, the room for it was counted as ${roomBytes}`);
  }
  return render(compiled, frame, target, offset);
}
