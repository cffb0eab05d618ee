import type { OptionalChecks } from './optional-checks.ts';
import type { CountedKind, Counts, Profile } from './profile.ts';

export type PayloadSize = 'full' | 'typical' | 'lean';

/**
 * How many of each kind every host has, instead of a size. What is left out is as in a typical host. Services, disks
 * and interfaces are exactly so many, as far as a system can have them (drive letters end at Z); processes come and go.
 */
export type HostCounts = {
  readonly processes?: number;
  /** Units of systemd, jobs of launchd, or services of Windows. */
  readonly services?: number;
  /** File systems, or volumes of Windows. */
  readonly disks?: number;
  readonly interfaces?: number;
  /** Containers in the optional check `docker`, unless `checks.docker` says how many. */
  readonly containers?: number;
};

const KINDS: readonly CountedKind[] = ['processes', 'services', 'disks', 'interfaces'];

export function countsOf({ sizes }: Profile, payload: PayloadSize | HostCounts): Counts {
  if (typeof payload === 'string') return sizes[payload];
  const fixed = KINDS.filter((kind) => payload[kind] !== undefined);
  return { ...sizes.typical, ...Object.fromEntries(fixed.map((kind) => [kind, payload[kind]])), fixed };
}

type Fleet = { readonly payload: PayloadSize | HostCounts; readonly checks?: OptionalChecks };

/** The optional checks of a fleet, its containers included. */
export function checksOf({ payload, checks = {} }: Fleet): OptionalChecks {
  if (typeof payload === 'string' || payload.containers === undefined) return checks;
  return { docker: payload.containers, ...checks };
}
