import type { Credentials } from '../settings.ts';

/** An agent that the server knows. */
export type Registration = Credentials & {
  readonly hostname: string;
  readonly ipaddress: string;
  /** Unix time from which the agent belongs to a monitored host; Infinity: until the operator decides. */
  readonly hostSinceMs: number;
};
