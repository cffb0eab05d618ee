import type { Counts } from './profile.ts';

export type Random = () => number;

/** Three builds of each of four roles; the last two are odd ones of which a fleet has few. */
export const VARIANT_WEIGHTS: readonly number[] = [4, 4, 4, 3, 3, 3, 3, 3, 2, 2, 0.4, 0.4];
const DEVIANTS: Readonly<Record<number, number>> = { 10: 0.55, 11: 1.35 };

/** Hosts differ by a fifth either way, a deviant by its own factor, except in what is fixed. */
export function varied(counts: Counts, variant: number, random: Random): Counts {
  const factor = DEVIANTS[variant] ?? 0.8 + 0.4 * random();
  const scaled = (count: number, share: number) => Math.round(count * (1 + (factor - 1) * share));
  const free = {
    processes: scaled(counts.processes, 1),
    services: scaled(counts.services, 0.5),
    devices: scaled(counts.devices, 1),
    disks: scaled(counts.disks, 0.5),
    interfaces: scaled(counts.interfaces, 1),
    packages: scaled(counts.packages, 1),
  };
  const { fixed = [] } = counts;
  return { ...free, ...Object.fromEntries(fixed.map((kind) => [kind, counts[kind]])), fixed };
}
