import type { Fault } from '../../src/faults/fault.ts';
import type { FaultInput } from '../../src/faults/schema.ts';
import { readFaults } from '../../src/faults/schema.ts';

/** Faults as a server takes them, from what a person writes. */
export function faultsOf(...written: readonly FaultInput[]): readonly Fault[] {
  const read = readFaults(written);
  if (read.kind === 'faults') return read.faults;
  throw new Error(read.problems.join('\n'));
}
