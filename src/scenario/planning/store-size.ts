import { OPERATIONS } from '../../ground/protocol/operations.ts';
import { timelineEndMs } from '../../load/timeline.ts';
import type { Scenario } from '../scenario.ts';

/** Of a machine and second; measured in docs/developers/performance.md, "cluster". */
const FRAME_BYTES = 6000;
/** Frames are kept while no coordinator adds them up, for instance until a person resumes a run. */
const KEPT_SECONDS = 3600;
/** Of the sum of a second: per operation, and per machine. */
const OPERATION_BYTES = 6000;
const MACHINE_BYTES = 150;
const PASSWORD_BYTES = 300;
/** Of the seven files of an agent that listens, with keys and certificates. */
const FILES_BYTES = 16_000;

/** Upper bound for what NATS stores of a run, if its coordinator is never away for longer than an hour. */
export function storeBytes({ fleet, phases, webServer }: Scenario, machines: number): number {
  const lastsMs = timelineEndMs(phases);
  const seconds = lastsMs === Number.POSITIVE_INFINITY ? 0 : lastsMs / 1000;
  const frames = machines * KEPT_SECONDS * FRAME_BYTES;
  const sums = seconds * (OPERATIONS.length * OPERATION_BYTES + machines * MACHINE_BYTES);
  const areKept = webServer !== undefined && (fleet.identities.kind === 'file' || lastsMs === Number.POSITIVE_INFINITY);
  return frames + sums + fleet.agents * (PASSWORD_BYTES + (areKept ? FILES_BYTES : 0));
}
