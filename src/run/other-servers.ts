import type { FleetEvent } from '../events/event.ts';
import type { Target } from '../scenario/target.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { baseAt } from './base-target.ts';
import { assertTargetAllowed } from './guards.ts';

/**
 * Refuses events that would have agents load another server that is neither on this machine nor allowed by name.
 * Throws `TargetNotAllowedError`.
 */
export function assertEventsAllowed(
  events: readonly FleetEvent[],
  { allow, proxy }: Pick<Target, 'allow' | 'proxy'>,
): void {
  for (const url of urlsOf(events)) assertTargetAllowed({ url, furtherUrls: [], allow, proxy });
}

/** The servers that events lead agents to, resolved. Throws `TargetNotAllowedError` for one that is not on this machine after all. */
export function otherServers(
  events: readonly FleetEvent[],
  target: Pick<Target, 'allow' | 'proxy'>,
): Promise<readonly BaseTarget[]> {
  return Promise.all(urlsOf(events).map((url) => baseAt(url, { ...target, url })));
}

function urlsOf(events: readonly FleetEvent[]): readonly string[] {
  const urls = events.flatMap(({ action }) =>
    action.kind === 'retarget' && action.url !== undefined ? [action.url] : [],
  );
  return [...new Set(urls)];
}
