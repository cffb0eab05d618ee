import { type MemoryInput, memoryUse } from '../../common/memory.ts';
import { float, integer } from '../../document/nodes.ts';
import { fixedPart, type PartOf } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { smoothNoise, unit } from '../../time/noise.ts';

/** Pages of Apple's own processors; multiples of those of older ones. */
const PAGE_BYTES = 16_384;
const WIRED = streamLabel('memory.wired');
const MEMORY = ['available', 'percent', 'used', 'free', 'inactive', 'wired'] as const;

/** The check `memory` of a macOS host: inactive pages count as available, and the kernel holds a part wired. */
export const macMemoryCheck: PartOf<MemoryInput> = ({ totalBytes, usedShare }, cells) => {
  const { available, percent, used, free, inactive, wired } = cells.row(...MEMORY);
  return {
    node: {
      total: totalBytes,
      available: integer(available),
      percent: float(percent),
      used: integer(used),
      free: integer(free),
      active: 0,
      inactive: integer(inactive),
      wired: integer(wired),
    },
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, WIRED);
      const usedBytes = pages(totalBytes * memoryUse(moment, usedShare));
      const availableBytes = totalBytes - usedBytes;
      // Little stays free for long: files that were read are kept as inactive pages.
      const freeShare =
        0.08 + 0.75 * Math.exp(-moment.uptimeSeconds / 9000) + 0.05 * smoothNoise(key, moment.checkMs / 5e5);
      const freeBytes = pages(availableBytes * Math.max(0.01, freeShare));
      frame[available] = availableBytes;
      frame[percent] = (usedBytes / totalBytes) * 100;
      frame[used] = usedBytes;
      frame[free] = freeBytes;
      frame[inactive] = availableBytes - freeBytes;
      frame[wired] = pages(usedBytes * (0.22 + 0.12 * unit(key, 0)) * (0.9 + 0.1 * moment.load15 * 0.5));
    },
  };
};

function pages(bytes: number): number {
  return Math.floor(bytes / PAGE_BYTES) * PAGE_BYTES;
}

const SWAP = streamLabel('swap');

/** The check `swap` of a macOS host: files that are there when memory has been short, none before. */
export const macSwapCheck: PartOf<{ readonly swapBytes: number }> = ({ swapBytes }, cells) => {
  if (swapBytes === 0) return fixedPart({ total: 0, percent: 0, used: 0, free: 0, sin: 0, sout: 0 });
  const row = cells.row('percent', 'used', 'free');
  return {
    node: {
      total: swapBytes,
      percent: float(row.percent),
      used: integer(row.used),
      free: integer(row.free),
      sin: 0,
      sout: 0,
    },
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, SWAP);
      const settled = 1 - Math.exp(-moment.uptimeSeconds / 200_000);
      const share = settled * (0.3 + 0.5 * unit(key, 0) + 0.1 * smoothNoise(key, moment.checkMs / 3_600_000));
      const used = pages(swapBytes * Math.max(0, share));
      frame[row.percent] = (used / swapBytes) * 100;
      frame[row.used] = used;
      frame[row.free] = swapBytes - used;
    },
  };
};
