import type { Shard } from '../../load/shard.ts';
import type { TimelineFrame } from '../../metrics/merging/timeline.ts';
import type { StartedFleet } from '../fleet/fleet.ts';

/** A fleet as the API sees it; its owner provides it. */
export type ControlledFleet = Pick<
  StartedFleet,
  'scenario' | 'times' | 'hosts' | 'agents' | 'machines' | 'events' | 'addEvent' | 'endEvent' | 'figures'
> & {
  /** The part of the fleet in this process. */
  readonly shard: Shard;
  /** Last complete second; `undefined` if there is none yet. */
  readonly newest: () => TimelineFrame | undefined;
  /** Calls the listener with complete seconds until the returned function is called. */
  readonly onSeconds: (listener: (seconds: readonly TimelineFrame[]) => void) => () => void;
  /** Calls the listener whenever an event was added or ended, or a scenario was applied, until the returned function is called. */
  readonly onEvents: (listener: () => void) => () => void;
  /** `undefined` for a run, whose scenario cannot change. */
  readonly apply: StartedFleet['apply'] | undefined;
};
