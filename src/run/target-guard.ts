import { TargetNotAllowedError } from '../kernel/errors.ts';
import { shownUrl } from '../scenario/meaning/target-url.ts';
import type { Target } from '../scenario/scenario.ts';

const LOOPBACK = /^(127(\.\d{1,3}){3}|\[::1\]|localhost|.*\.localhost)$/;

/**
 * Refuses a target that is neither loopback nor allowed by name, before anything is resolved or sent.
 * Throws `TargetNotAllowedError`.
 */
export function assertTargetAllowed({ url, allow }: Target): void {
  if (url === 'embedded') return;
  const host = new URL(url).hostname;
  const allowed = allow.map((name) => name.toLowerCase());
  if (LOOPBACK.test(host) || allowed.includes(host) || allowed.includes(host.replace(/^\[(.*)\]$/, '$1'))) return;
  throw new TargetNotAllowedError(
    `The target ${shownUrl(url)} is not on this machine: Muster loads other hosts only if they are allowed by name. ` +
      `If you may load ${host}, add it to target.allow in the scenario or pass --allow ${host}.`,
  );
}
