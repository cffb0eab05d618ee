import { isThere } from './groups.ts';

/** Packages counted by the groups that bring them, so that a host's number of them follows from its groups. */
export type Tally = readonly { readonly groups: number; readonly count: number }[];

export function tallyOf(packages: readonly { readonly groups: number }[]): Tally {
  const byGroups = Map.groupBy(packages, ({ groups }) => groups);
  return [...byGroups].map(([groups, members]) => ({ groups, count: members.length }));
}

/** How many of them are on a host with these groups. */
export function countOf(tally: Tally, mask: number): number {
  let sum = 0;
  for (let i = 0; i < tally.length; i++) {
    const { groups, count } = tally[i] as Tally[number];
    if (isThere(groups, mask)) sum += count;
  }
  return sum;
}
