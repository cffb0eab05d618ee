import type { HostConfiguration } from '../machine/host-configuration.ts';
import type { PayloadWriter } from '../machine/payloads.ts';

/** What an agent is reloaded with. Intervals that are undefined are those of the fleet. */
export type ReloadSettings = {
  /** Undefined: it tells what its host was built with. */
  readonly configuration: HostConfiguration | undefined;
  /** Undefined: the agent sends nothing, and runs its checks for whoever asks. So does one that would send elsewhere. */
  readonly push: { readonly timeoutMs: number; readonly apiKey: string } | undefined;
  readonly checkEveryMs: number | undefined;
  readonly packagesEveryMs: number | undefined;
  readonly listens: boolean;
};

/** A life of an agent that began in the run, with a reload or with its host. Instants count from the start of the run. */
export type Life = {
  readonly startMs: number;
  /** When its first check run is over; Infinity: never. */
  readonly resultMs: number;
  /** Undefined: it was never reloaded. */
  readonly settings: ReloadSettings | undefined;
  readonly payloads: PayloadWriter;
  /** Its process has ended. */
  readonly ended: boolean;
};
