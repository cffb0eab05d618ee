import { render, type Target, targetOf } from './document/render.ts';
import { checksOf, countsOf } from './host-counts.ts';
import type { MachineFleet } from './machine-fleet.ts';
import { createMachines } from './machines.ts';
import { profileNamed } from './profiles.ts';
import { type Document, roomFor } from './shapes.ts';

/**
 * Renders the documents of any agent at any instant into a caller's buffer. Compiled once per fleet; holds no state
 * per agent. Writers return the offset after the last byte; the buffer must have room for the maximum.
 */
export type PayloadWriter = {
  readonly maxCheckdataBytes: number;
  readonly maxPackagesBytes: number;
  /** `instantMs` is Unix time in milliseconds: when the document is complete. */
  writeCheckdata(out: Buffer, offset: number, agent: number, instantMs: number): number;
  writePackages(out: Buffer, offset: number, agent: number, instantMs: number): number;
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
    writeCheckdata: (out, offset, agent, instantMs) => {
      return write(machines.checkdata(agent, instantMs), maxCheckdataBytes, on(out), offset);
    },
    writePackages: (out, offset, agent, instantMs) => {
      return write(machines.packages(agent, instantMs), maxPackagesBytes, on(out), offset);
    },
  };
}

function write({ program, frame }: Document, roomBytes: number, target: Target, offset: number): number {
  const compiled = program();
  if (compiled.maxBytes > roomBytes) {
    throw new Error(`a document may take ${compiled.maxBytes} bytes, the room for it was counted as ${roomBytes}`);
  }
  return render(compiled, frame, target, offset);
}
