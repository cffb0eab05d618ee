import type { FleetEvent } from '../events/event.ts';
import type { Target } from '../scenario/target.ts';
import { resolveTarget } from '../transport/target-addresses.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { assertAddressesAllowed, assertTargetAllowed, isAllowedByName } from './guards.ts';

/**
 * Refuses events that would have agents load another server that is neither on this machine nor allowed by name.
 * Throws `TargetNotAllowedError`.
 */
export function assertEventsAllowed(events: readonly FleetEvent[], { allow }: Pick<Target, 'allow'>): void {
  for (const url of urlsOf(events)) assertTargetAllowed({ url, furtherUrls: [], allow });
}

/** The servers that events lead agents to, resolved. Throws `TargetNotAllowedError` for one that is not on this machine after all. */
export function otherServers(
  events: readonly FleetEvent[],
  target: Pick<Target, 'allow'>,
): Promise<readonly BaseTarget[]> {
  const { allow } = target;
  return Promise.all(
    urlsOf(events).map(async (url) => {
      const addresses = await resolveTarget(url);
      assertAddressesAllowed({ url, allow }, addresses);
      return { url, addresses, loopbackOnly: !isAllowedByName({ url, allow }) };
    }),
  );
}

function urlsOf(events: readonly FleetEvent[]): readonly string[] {
  const urls = events.flatMap(({ action }) =>
    action.kind === 'retarget' && action.url !== undefined ? [action.url] : [],
  );
  return [...new Set(urls)];
}
