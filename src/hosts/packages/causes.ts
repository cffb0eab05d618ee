import { memoized } from '../../base/kernel/memoize.ts';
import { DAY_SECONDS } from '../../base/kernel/units.ts';
import { type Cells, type CellValues, type Node, type Optional, slot } from '../document/nodes.ts';
import { secondsSinceEpoch } from '../host/calendar.ts';
import { type Draw, selectedBy, shareOfHosts } from '../host/draws.ts';
import { keyOf, streamLabel, unit } from '../host/noise.ts';

/* Causes decide which packages a host has. Any of a package's causes installs it, and a package without causes is on every host. */

export type Cause = {
  /** Share of the hosts that has it at any time. */
  readonly share: number;
  /** Returns whether a host has it at a time (Unix ms). */
  readonly has: (hostKey: number, unixMs: number) => boolean;
};

/** Interval at which a host draws its groups again, at its own offset. */
const DECIDED_SECONDS = 420 * DAY_SECONDS;

/** Packages installed and removed together, such as a language. Each group has its own stream, so a new one leaves others unchanged. */
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

/** A service of some hosts. The draw that decides whether it runs also decides whether its packages are installed. */
export function serviceDrawn(draw: Draw): Cause {
  return { share: shareOfHosts(draw), has: selectedBy(draw) };
}

type Caused = { readonly causes: readonly Cause[] };

/** The start of a list, as long as a host has at most `count` of its members on average. */
export function upTo<One extends Caused>(all: readonly One[], count: number): readonly One[] {
  let sum = 0;
  const end = all.findIndex(({ causes }) => {
    sum += causes.length === 0 ? 1 : 1 - causes.reduce((rest, { share }) => rest * (1 - share), 1);
    return sum > count + 0.5;
  });
  return end < 0 ? all : all.slice(0, end);
}

/** The causes of a package by their index among all causes in use. Any of them installs it. */
export type CauseMask = readonly number[];

/** Which of the causes in use a host has. */
export type HostMask = readonly boolean[];

export const ON_EVERY_HOST: CauseMask = [];

/** Gives each cause in use an index, so that short lists need few. Equal masks are one object. */
export function withMasks<One extends Caused>(all: readonly One[]) {
  const causes = [...new Set(all.flatMap((one) => one.causes))];
  const indices = new Map(causes.map((cause, index) => [cause, index]));
  const maskOf = memoized(Number.POSITIVE_INFINITY, (text): CauseMask => {
    return text === '' ? ON_EVERY_HOST : text.split(' ').map(Number);
  });
  const members = all.map((one) => {
    const sorted = one.causes.map((cause) => indices.get(cause) ?? 0).sort((a, b) => a - b);
    return { ...one, mask: maskOf(sorted.join(' ')) };
  });
  return { causes, members };
}

export function maskAt(causes: readonly Cause[], hostKey: number, unixMs: number): HostMask {
  return causes.map((cause) => cause.has(hostKey, unixMs));
}

export function isInstalled(mask: CauseMask, host: HostMask): boolean {
  return mask.length === 0 || mask.some((index) => host[index]);
}

/** Packages counted by their causes, from which the number on a host follows. */
export type MaskCounts = readonly { readonly mask: CauseMask; readonly count: number }[];

export function maskCounts(packages: readonly { readonly mask: CauseMask }[]): MaskCounts {
  const byMask = Map.groupBy(packages, ({ mask }) => mask);
  return [...byMask].map(([mask, members]) => ({ mask, count: members.length }));
}

export function installedCount(counts: MaskCounts, hostMask: HostMask): number {
  let sum = 0;
  for (const { mask, count } of counts) if (isInstalled(mask, hostMask)) sum += count;
  return sum;
}

type Presence = {
  /** A list element that is present if the host has any of its causes. */
  readonly entry: (of: { readonly mask: CauseMask }, node: Node) => Node | Optional;
  readonly fill: (frame: CellValues, hostMask: HostMask) => void;
};

/** One cell for all packages with the same causes: whether the host has any of them. */
export function presenceCells(all: readonly { readonly mask: CauseMask }[], cells: Cells): Presence {
  const masks = new Set(all.map(({ mask }) => mask).filter((mask) => mask.length > 0));
  const presences = new Map([...masks].map((mask) => [mask, cells.one()]));
  return {
    entry: ({ mask }, node) => slot.optional(presences.get(mask), node),
    fill(frame, hostMask) {
      for (const [mask, cell] of presences) frame[cell] = isInstalled(mask, hostMask) ? 1 : 0;
    },
  };
}
