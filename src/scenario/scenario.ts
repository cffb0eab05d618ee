import type { NamedCohort } from '../load/cohorts/segments.ts';
import type { FleetEvent } from '../load/events/event.ts';
import type { HostClock } from '../load/host-clock.ts';
import type { Phase } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { ValidityLimits } from '../metrics/judging/validity-schema.ts';
import type { Fleet } from './fleet.ts';
import type { Target } from './target.ts';
import type { WebServer } from './web-server.ts';

/** A valid scenario in base units with all defaults applied. Plain data, so that it can be sent to other threads. */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly target: Target;
  readonly fleet: Fleet;
  /** `undefined` if the hosts' clocks show real time. */
  readonly hostClock?: HostClock | undefined;
  /** `undefined` if agents do not listen. */
  readonly webServer: WebServer | undefined;
  readonly phases: readonly Phase[];
  /** Times in milliseconds from the start of the run. */
  readonly events: readonly FleetEvent[];
  /** Parts of the fleet with figures of their own, those that thresholds select by a fact included. */
  readonly cohorts: readonly NamedCohort[];
  readonly thresholds: readonly Threshold[];
  readonly validity: ValidityLimits;
};
