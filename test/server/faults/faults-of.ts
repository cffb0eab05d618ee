import type { Fault, FaultInput } from '../../../src/server/faults/schema.ts';
import { readFaults } from '../../../src/server/faults/schema.ts';

/** Parses faults from their written form into those that a server accepts. */
export function faultsOf(...written: readonly FaultInput[]): readonly Fault[] {
  const read = readFaults(written);
  if (read.kind === 'faults') return read.faults;
  throw new Error(read.problems.join('\n'));
}
