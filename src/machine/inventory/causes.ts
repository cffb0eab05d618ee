import { DAY_SECONDS } from '../../kernel/units.ts';
import { type Draw, drawn, shareOf } from '../host/draws.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { unit } from '../time/noise.ts';

/** What brings packages to some hosts and not to others. */
export type Cause = {
  /** Which share of the hosts has it at any time. */
  readonly share: number;
  /** Whether a host has it at an instant (Unix ms). */
  readonly has: (hostKey: number, unixMs: number) => boolean;
};

/** What a host has a group for or not is decided anew after so long, at a time of the host's own. */
const DECIDED_SECONDS = 420 * DAY_SECONDS;

/**
 * Packages that come and go together, for one reason: an administrator's tools, a language. Each group has a stream of
 * its own, so that a new one leaves the others as they were.
 */
export function groupNamed(name: string, share: number): Cause {
  const label = streamLabel(`packages.group.${name}`);
  return {
    share,
    has(hostKey, unixMs) {
      const key = keyOf(hostKey, label);
      return unit(key, 1 + Math.floor(secondsSinceEpoch(unixMs) / DECIDED_SECONDS + unit(key, 0))) < share;
    },
  };
}

/** A service that came with the host: by the draw that decides whether it runs there, too. */
export function serviceDrawn(draw: Draw): Cause {
  return { share: shareOf(draw), has: drawn(draw) };
}

/** On which share of the hosts something is that any of these brings; on all if none is needed. */
export function shareWith(causes: readonly Cause[]): number {
  return causes.length === 0 ? 1 : 1 - causes.reduce((rest, { share }) => rest * (1 - share), 1);
}
