import type { Frame, Row } from '../document/cells.ts';
import { float, integer } from '../document/nodes.ts';
import { leakedShare } from '../incidents/memory-leak.ts';
import { fixedPart, type Part, type PartOf } from '../part.ts';
import { keyOf, type Moment, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit } from '../time/noise.ts';

export const PAGE_BYTES = 4096;
const MEMORY = streamLabel('memory');
const SWAP = ['percent', 'used', 'free', 'sin', 'sout'] as const;

export type MemoryInput = {
  readonly totalBytes: number;
  /** What the host's programs hold when it is as busy as usual. */
  readonly usedShare: number;
};

/** Share of memory in use: the programs' own, more under load, with a slow drift. */
export function memoryUse(moment: Moment, usedShare: number): number {
  const key = keyOf(moment.hostKey, MEMORY);
  const own = usedShare * (0.8 + 0.4 * unit(key, 0));
  const drift = 0.05 * smoothNoise(key, moment.checkMs / 7_200_000);
  const usual = Math.min(0.97, own * (0.92 + 0.08 * moment.load5 + drift));
  return moment.incidents.length === 0 ? usual : Math.min(0.985, usual + leakedShare(moment, usedShare));
}

/** The check `memory` of a Linux host: `used` is `total` less `available`. */
export const memoryCheck: PartOf<MemoryInput> = ({ totalBytes, usedShare }, cells) => {
  const { available, percent, used, free, inactive } = cells.row('available', 'percent', 'used', 'free', 'inactive');
  return {
    node: {
      total: totalBytes,
      available: integer(available),
      percent: float(percent),
      used: integer(used),
      free: integer(free),
      active: 0,
      inactive: integer(inactive),
      wired: 0,
    },
    fill(frame, moment) {
      const usedBytes = pages(totalBytes * memoryUse(moment, usedShare));
      const availableBytes = totalBytes - usedBytes;
      // The page cache fills what programs leave, and starts empty at boot.
      const cached = availableBytes * (0.85 - 0.8 * Math.exp(-moment.uptimeSeconds / 40_000));
      frame[available] = availableBytes;
      frame[percent] = (usedBytes / totalBytes) * 100;
      frame[used] = usedBytes;
      frame[free] = pages(availableBytes - cached);
      frame[inactive] = pages(cached * 0.6 + usedBytes * 0.1);
    },
  };
};

/** The check `swap` of a Linux host; without swap every number is 0. */
export const swapCheck: PartOf<MemoryInput & { readonly swapBytes: number }> = (input, cells) => {
  const { swapBytes } = input;
  if (swapBytes === 0) return fixedPart({ total: 0, percent: 0, used: 0, free: 0, sin: 0, sout: 0 });
  return usedSwap(input, cells.row(...SWAP));
};

function usedSwap(
  { swapBytes, usedShare }: MemoryInput & { readonly swapBytes: number },
  row: Row<(typeof SWAP)[number]>,
): Part {
  return {
    node: {
      total: swapBytes,
      percent: float(row.percent),
      used: integer(row.used),
      free: integer(row.free),
      sin: integer(row.sin),
      sout: integer(row.sout),
    },
    fill(frame: Frame, moment: Moment) {
      const key = keyOf(moment.hostKey, MEMORY);
      // What was swapped out stays there: the share in use climbs towards its level after boot.
      const settled = 1 - Math.exp(-moment.uptimeSeconds / 300_000);
      const level = 0.5 * unit(key, 1) * Math.max(0, usedShare - 0.25) * settled;
      const used = pages(swapBytes * level);
      frame[row.percent] = (used / swapBytes) * 100;
      frame[row.used] = used;
      frame[row.free] = swapBytes - used;
      frame[row.sin] = pages(moment.work * 900 * usedShare);
      frame[row.sout] = pages(moment.work * 2100 * usedShare + swapBytes * level);
    },
  };
}

/** Bytes in whole pages. */
export function pages(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES;
}
