import { TargetNotAllowedError } from '../kernel/errors.ts';
import { shownUrl } from '../scenario/meaning/target-url.ts';
import type { Target } from '../scenario/scenario.ts';
import { areLoopback } from '../transport/addresses.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost|.*\.localhost)$/;

type Guarded = Pick<Target, 'url' | 'allow'>;

/**
 * Refuses a target that is neither loopback nor allowed by name, before anything is resolved or sent.
 * Throws `TargetNotAllowedError`.
 */
export function assertTargetAllowed(target: Guarded): void {
  if (target.url === 'embedded' || LOOPBACK.test(new URL(target.url).hostname) || isAllowedByName(target)) return;
  throw notAllowed(target, 'is not on this machine');
}

/**
 * Refuses a target whose name looks like this machine and resolves to another one. A name without an address passes: the
 * run finds nothing there. Throws `TargetNotAllowedError`.
 */
export function assertAddressesAllowed(target: Guarded, addresses: readonly string[]): void {
  if (target.url === 'embedded' || addresses.length === 0 || areLoopback(addresses) || isAllowedByName(target)) return;
  throw notAllowed(target, `resolves to ${addresses.join(', ')}, which is not this machine`);
}

function isAllowedByName({ url, allow }: Guarded): boolean {
  const host = new URL(url).hostname;
  const allowed = allow.map((name) => name.toLowerCase());
  return allowed.includes(host) || allowed.includes(host.replace(/^\[(.*)\]$/, '$1'));
}

function notAllowed({ url }: Guarded, why: string): TargetNotAllowedError {
  const host = new URL(url).hostname;
  return new TargetNotAllowedError(
    `The target ${shownUrl(url)} ${why}: Muster loads other hosts only if they are allowed by name. ` +
      `If you may load ${host}, add it to target.allow in the scenario or pass --allow ${host}.`,
  );
}
