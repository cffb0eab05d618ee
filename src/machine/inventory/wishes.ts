import { type Cause, groupNamed, shareWith } from './causes.ts';
import { type Known, type Reasons, withReasons } from './reasons.ts';

/** A program that hosts have by chance or together with a service; on all of them without a cause. */
export type Wish<App> = { readonly app: App; readonly causes: readonly Cause[] };

export type Wished<App> = { readonly apps: readonly (App & { readonly reasons: Reasons })[]; readonly known: Known };

/** A program on such a share of the hosts, whatever else they have. */
export function wish<App>(app: App, name: string, share: number): Wish<App> {
  return { app, causes: share < 1 ? [groupNamed(`apps.${name}`, share)] : [] };
}

/** Programs that hosts have or do not have, told so far that a host has `count` of them in the mean. */
export function wishedApps<App>(wishes: readonly Wish<App>[], count: number): Wished<App> {
  const { known, members } = withReasons(upTo(wishes, count));
  return { apps: members.map(({ app, reasons }) => ({ ...app, reasons })), known };
}

/** The beginning of a list, of which a host has so many in the mean. */
export function upTo<One extends { readonly causes: readonly Cause[] }>(
  all: readonly One[],
  count: number,
): readonly One[] {
  let sum = 0;
  const end = all.findIndex(({ causes }) => {
    sum += shareWith(causes);
    return sum > count + 0.5;
  });
  return end < 0 ? all : all.slice(0, end);
}
