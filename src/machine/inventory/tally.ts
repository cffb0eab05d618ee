import { isThere, type Reasons, reasonsText } from './reasons.ts';

/** Packages counted by the reasons that bring them, so that a host's number of them follows from what it has. */
export type Tally = readonly { readonly reasons: Reasons; readonly count: number }[];

export function tallyOf(packages: readonly { readonly reasons: Reasons }[]): Tally {
  const byReasons = Map.groupBy(packages, ({ reasons }) => reasonsText(reasons));
  return [...byReasons.values()].flatMap((members) => {
    return members.slice(0, 1).map(({ reasons }) => ({ reasons, count: members.length }));
  });
}

/** How many of them are on a host that has these reasons. */
export function countOf(tally: Tally, host: Reasons): number {
  let sum = 0;
  for (let i = 0; i < tally.length; i++) {
    const { reasons, count } = tally[i] as Tally[number];
    if (isThere(reasons, host)) sum += count;
  }
  return sum;
}
