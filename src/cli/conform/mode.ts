import type { ConformanceReport } from '../../conformance/report.ts';
import type { RunPorts } from '../../conformance/run.ts';

/** What a mode found, and what it leaves behind. */
type Found = Pick<ConformanceReport, 'results' | 'left'>;

/** A mode that the command line has read. */
export type Mode<Case> = {
  readonly subject: string;
  /** Resolves with `undefined` if the subject cannot be reached; the reason is printed. */
  readonly run: (cases: readonly Case[], ports: RunPorts) => Promise<Found | undefined>;
};
