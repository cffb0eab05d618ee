import { DAY_SECONDS } from '../../kernel/units.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { unit } from '../time/noise.ts';

/** Packages that come and go together, for one reason: an administrator's tools, a language, a service beside the role. */
export type Group = {
  /** Of a stream of its own, so that a new group leaves the others as they were. */
  readonly label: number;
  /** Which share of the hosts has it at any time. */
  readonly share: number;
  /** Its bit in a mask. */
  readonly bit: number;
};

/** The bits of a mask that one host's groups make. */
export const MOST_GROUPS = 31;
/** Present on every host that the list is made for. */
export const ALWAYS = 0;

/** What a host has a group for or not is decided anew after so long, at a time of the host's own. */
const DECIDED_SECONDS = 420 * DAY_SECONDS;

/** `place` is its place in a mask, from 0. */
export function groupNamed(name: string, share: number, place: number): Group {
  return { label: streamLabel(`packages.group.${name}`), share, bit: 1 << place };
}

/** The groups that any of these packages needs: short lists need few. */
export function neededGroups(groups: readonly Group[], all: readonly { readonly groups: number }[]): readonly Group[] {
  const needed = all.reduce((sum, one) => sum | one.groups, 0);
  return groups.filter(({ bit }) => (bit & needed) !== 0);
}

/** The groups of a host at an instant (Unix ms), as the bits of a mask. */
export function groupsAt(groups: readonly Group[], hostKey: number, unixMs: number): number {
  const place = secondsSinceEpoch(unixMs) / DECIDED_SECONDS;
  let mask = 0;
  for (let i = 0; i < groups.length; i++) {
    const { label, share, bit } = groups[i] as Group;
    const key = keyOf(hostKey, label);
    if (unit(key, 1 + Math.floor(place + unit(key, 0))) < share) mask |= bit;
  }
  return mask;
}

/** Whether packages that any of these groups brings are there. */
export function isThere(groups: number, mask: number): boolean {
  return groups === ALWAYS || (groups & mask) !== 0;
}
