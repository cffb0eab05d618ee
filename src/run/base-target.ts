import { proxyTo } from '../scenario/proxy.ts';
import type { Target } from '../scenario/target.ts';
import { resolveHost, resolveTarget, sourcesOf } from '../wire/transport/target-addresses.ts';
import type { BaseTarget } from '../workers/messages.ts';
import { assertAddressesAllowed, isAllowedByName } from './guards.ts';

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
