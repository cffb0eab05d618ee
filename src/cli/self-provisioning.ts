import { UserError } from '../base/kernel/errors.ts';
import { printable } from '../base/kernel/printable.ts';
import { pauseUntil } from '../base/runtime/event-loop.ts';
import { type Keeping, keepProvisioned } from '../provisioning/keep-provisioned.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { FleetNews } from '../staging/fleet/feed.ts';
import type { RunningFleet } from './provisioning.ts';

type SelfProvisioning = {
  readonly take: (news: FleetNews) => void;
  /** Ends it, and resolves after the request in flight, for which it waits five seconds at most. */
  readonly end: () => Promise<void>;
};

/** Provisions the agents of a running fleet once it is up, and again when others have registered, if its scenario says so. */
export function startSelfProvisioning(fleet: RunningFleet): SelfProvisioning {
  const ending = new AbortController();
  const { signal } = ending;
  let keeping: Keeping | undefined;
  const start = () =>
    keepProvisioned({
      provisionAll: async (isOutdated) =>
        (await import('./provisioning.ts')).provisionRegistered(fleet, isOutdated, signal),
      pause: (durationMs) => pauseUntil(durationMs, signal),
      onProblem: (sentence) => fleet.note(`! not provisioned: ${printable(sentence)}`),
      withServices: () => fleet.scenario().fleet.provision?.services === true,
      signal,
    });
  return {
    take: (news) => {
      if (news.kind !== 'started' && news.kind !== 'applied' && !hasRegistrations(news)) return;
      if (fleet.scenario().fleet.provision === undefined || signal.aborted) return;
      if (keeping === undefined) keeping = start();
      else keeping.wake();
    },
    end: async () => {
      ending.abort();
      await keeping?.ended;
    },
  };
}

function hasRegistrations(news: FleetNews): boolean {
  if (news.kind !== 'seconds') return false;
  return news.seconds.some(({ series }) =>
    series.some(({ operation, outcomes }) => operation === 'register' && (outcomes.ok ?? 0) > 0),
  );
}

/** @throws UserError if the scenario wants to provision a fleet of which no process sees all registrations, or that runs several times. */
export function assertNoProvision({ fleet }: Scenario, found: string): void {
  if (fleet.provision === undefined) return;
  throw new UserError(
    `fleet.provision: expected one run of the whole fleet, or muster fleet, found ${found}; remove it, and use muster provision.`,
  );
}
