import { keyOf, streamLabel, unit } from './noise.ts';

/** Hosts whose random number for `name` is in [`from`, `to`). Draws with the same name and disjoint ranges exclude each other. */
export type Draw = { readonly name: string; readonly from: number; readonly to: number };

/** Returns whether a draw selects a host, the same for every caller. */
export function selectedBy({ name, from, to }: Draw): (hostKey: number) => boolean {
  const label = streamLabel(`service.installed.${name}`);
  return (hostKey) => {
    const chance = unit(keyOf(hostKey, label), 0);
    return from <= chance && chance < to;
  };
}

/** The share of the hosts that a draw selects, from 0 to 1; all of them without a draw. */
export function shareOfHosts(draw: Draw | undefined): number {
  return draw === undefined ? 1 : draw.to - draw.from;
}
