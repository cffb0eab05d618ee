import { UserError } from '../base/kernel/errors.ts';
import type { FleetEvent } from '../load/events/event.ts';
import { proxyTo } from '../scenario/proxy.ts';
import type { Target } from '../scenario/target.ts';
import { resolveHost, resolveTarget, sourcesOf } from '../wire/transport/target-addresses.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { assertAddressesAllowed, assertTargetAllowed, isAllowedByName } from './guards.ts';

/**
 * Resolves the target's host, or the proxy's if there is one; a proxy resolves the target itself. Refuses a name that only looks like this
 * machine, before anything is sent.
 * @throws TargetNotAllowedError for such a name.
 */
export async function baseAt(
  url: string,
  { url: first, allow, proxy: choice }: Pick<Target, 'url' | 'allow' | 'proxy'>,
): Promise<BaseTarget> {
  const proxy = proxyTo(url, choice);
  const addresses = proxy === undefined ? await resolveTarget(url) : await resolveHost(proxy.host);
  const guarded = { url: first === 'embedded' ? first : url, allow };
  assertAddressesAllowed(guarded, addresses, proxy);
  return {
    url,
    proxy,
    addresses,
    reachedFrom: await sourcesOf(addresses),
    loopbackOnly: !isAllowedByName(guarded, proxy),
  };
}

/**
 * Refuses events that direct agents to another server that is neither on this machine nor allowed by name, and attacks through a proxy,
 * which would hit the proxy.
 * @throws TargetNotAllowedError for the server.
 * @throws UserError for the attacks.
 */
export function assertEventsAllowed(
  events: readonly FleetEvent[],
  { url: first, furtherUrls, allow, proxy }: Pick<Target, 'url' | 'furtherUrls' | 'allow' | 'proxy'>,
): void {
  const others = urlsOf(events);
  for (const url of others) assertTargetAllowed({ url, furtherUrls: [], allow, proxy });
  const attack = events.find(({ action }) => action.kind === 'misbehave');
  const all = [first, ...furtherUrls, ...others].map((url) => (url === 'embedded' ? 'http://127.0.0.1' : url));
  if (attack === undefined || all.every((url) => proxyTo(url, proxy) === undefined)) return;
  throw new UserError(
    `event ${attack.name}: expected agents without a proxy, because attacks connect directly, found target.proxy; omit one of them.`,
  );
}

/** Resolves the servers to which events direct agents. @throws TargetNotAllowedError for one that turns out to be on another machine. */
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
