import type { Fault } from '../../faults/fault.ts';
import type { ArrivalCounts } from '../observations/arrival-counts.ts';
import type { PageSources } from './pages.ts';

/** What can be seen and done while the server runs. All that goes in and out is plain data. */
export type ServerControls = PageSources & {
  /** What arrived from each agent, to be held against what was sent. */
  readonly arrivals: () => ArrivalCounts;
  /** The faults that were set last, whether they hold at present or not. */
  readonly faults: () => readonly Fault[];
  /** Replaces all faults; their times count from now. */
  readonly setFaults: (faults: readonly Fault[]) => void;
  /** Makes these agents monitored hosts, or all of them; returns how many were not before. */
  readonly assignHosts: (uuids?: readonly string[]) => number;
};
