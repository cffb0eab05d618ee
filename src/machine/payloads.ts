import { render, type Target, targetOf } from './document/render.ts';
import { profileNamer } from './hosts.ts';
import type { MachineFleet } from './machine-fleet.ts';
import { createMachines } from './machines.ts';
import { type NextOutage, outagesOf } from './outages.ts';
import type { Document } from './shapes.ts';

/**
 * Renders the documents of any agent at any instant into a caller's buffer, and says when there is none to send.
 * Compiled once per fleet; holds no state per agent. Writers return the offset after the last byte; a buffer of the maximum has room for every document.
 */
export type PayloadWriter = {
  /** Asking for these describes every kind of host that the fleet can have. */
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
  // Callers render into the same buffer again and again.
  let target = targetOf(Buffer.alloc(0));
  const on = (out: Buffer) => {
    if (target.bytes !== out) target = targetOf(out);
    return target;
  };
  return {
    get maxCheckdataBytes() {
      return Math.max(...machines.shapes().map(({ checkdata }) => checkdata.maxBytes()));
    },
    get maxPackagesBytes() {
      return Math.max(...machines.shapes().map(({ packages }) => packages.maxBytes()));
    },
    writeCheckdata: (out, offset, agent, instantMs, collectionMs) =>
      write(machines.checkdata(agent, instantMs, collectionMs), on(out), offset),
    writePackages: (out, offset, agent, collectionMs) => write(machines.packages(agent, collectionMs), on(out), offset),
    nextOutage: outagesOf({ ...fleet, profileOf: profileNamer(fleet) }),
    checkRunMs: machines.checkRunMs,
  };
}

function write({ program, frame, maxBytes }: Document, target: Target, offset: number): number {
  const roomBytes = target.bytes.length - offset;
  if (maxBytes() > roomBytes) {
    throw new Error(`a document may take ${maxBytes()} bytes, the buffer has room for ${roomBytes}`);
  }
  return render(program(), frame, target, offset);
}
