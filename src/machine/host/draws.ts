import { keyOf, streamLabel, unit } from './noise.ts';

/** Hosts whose chance under a name lies between the two. What has one name excludes each other where these do. */
export type Draw = { readonly name: string; readonly from: number; readonly to: number };

/** Whether a host has what is drawn: the same wherever it is asked. */
export function drawn({ name, from, to }: Draw): (hostKey: number) => boolean {
  const label = streamLabel(`service.installed.${name}`);
  return (hostKey) => {
    const chance = unit(keyOf(hostKey, label), 0);
    return from <= chance && chance < to;
  };
}

/** On which share of the hosts it is. */
export function shareOf(draw: Draw | undefined): number {
  return draw === undefined ? 1 : draw.to - draw.from;
}
