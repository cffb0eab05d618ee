import type { HostConfiguration } from './host-configuration.ts';
import type { HostCounts, PayloadSize } from './host-counts.ts';
import type { Incident } from './incidents/incident.ts';
import type { OptionalChecks } from './optional-checks.ts';

/** What the machines of a fleet are made from; the whole input besides the agent's index and the instant. */
export type MachineFleet = {
  readonly seed: number;
  /** Profile names and their relative weights. */
  readonly profiles: Readonly<Record<string, number>>;
  /** Size of the whole fleet: weights that sum to it are met exactly. */
  readonly agents?: number;
  /** How much a host has to tell. */
  readonly payload: PayloadSize | HostCounts;
  /** The agent's check interval as it stands in its configuration. */
  readonly checkIntervalSeconds: number;
  /** Optional checks that all its agents have, such as `{ docker: 10, customchecks: 3 }`; none if absent. */
  readonly checks?: OptionalChecks;
  /** What its agents are configured to tell, `checkIntervalSeconds` aside; if absent, as their hosts were built. */
  readonly configuration?: HostConfiguration;
  /** What goes wrong on parts of it, and when; nothing if absent. */
  readonly incidents?: readonly Incident[];
};
