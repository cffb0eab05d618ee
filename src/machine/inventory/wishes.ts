import { hash32 } from '../../kernel/random.ts';
import { ALWAYS, type Group, groupNamed, MOST_GROUPS, neededGroups } from './groups.ts';

/** A program that hosts have by chance: on which share of them. */
export type Wish<App> = { readonly app: App; readonly name: string; readonly share: number };

export type Wished<App> = {
  readonly apps: readonly (App & { readonly groups: number })[];
  readonly groups: readonly Group[];
};

/**
 * Programs that hosts have or do not have, told so far that a host has `count` of them in the mean. Those of one share
 * fall into groups at random, as few as a mask has bits for.
 */
export function wishedApps<App>(wishes: readonly Wish<App>[], count: number): Wished<App> {
  const shares = [...new Set(wishes.map(({ share }) => share))].filter((share) => share < 1);
  const each = Math.floor(MOST_GROUPS / Math.max(1, shares.length));
  const groups = shares.flatMap((share, nth) => {
    return Array.from({ length: each }, (_, i) => groupNamed(`apps.${share}.${i}`, share, nth * each + i));
  });
  const apps = upTo(wishes, count).map(({ app, name, share }) => {
    const place = shares.indexOf(share) * each + (hash32(0, `apps.${name}`) % each);
    return { ...app, groups: share < 1 ? 1 << place : ALWAYS };
  });
  return { apps, groups: neededGroups(groups, apps) };
}

/** The beginning of a list, of which a host has so many in the mean. */
export function upTo<Told extends { readonly share: number }>(all: readonly Told[], count: number): readonly Told[] {
  let sum = 0;
  const end = all.findIndex(({ share }) => {
    sum += share;
    return sum > count + 0.5;
  });
  return end < 0 ? all : all.slice(0, end);
}
