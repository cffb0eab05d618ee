import type { FleetEvent } from '../events/event.ts';
import type { HostClock } from '../load/host-clock.ts';
import type { Phase } from '../load/timeline.ts';
import type { Threshold } from '../metrics/judging/thresholds.ts';
import type { ValidityLimits } from '../metrics/judging/validity.ts';
import type { Fleet } from './fleet.ts';
import type { Target } from './target.ts';
import type { WebServer } from './web-server.ts';

/** Something that happens to a part of the fleet; times in milliseconds from the run's start. */
export type ScenarioEvent = FleetEvent;

/** A checked scenario with every default applied and every quantity in its base unit. Plain data: it crosses threads. */
export type Scenario = {
  readonly name: string;
  readonly description: string;
  readonly target: Target;
  readonly fleet: Fleet;
  /** Undefined: the hosts' clocks show the real time. */
  readonly hostClock?: HostClock | undefined;
  /** Undefined: agents do not listen. */
  readonly webServer: WebServer | undefined;
  readonly phases: readonly Phase[];
  readonly events: readonly ScenarioEvent[];
  readonly thresholds: readonly Threshold[];
  readonly validity: ValidityLimits;
};
