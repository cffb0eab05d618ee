import { type MemoryInput, memoryUse, pages } from '../../common/memory.ts';
import { float, integer } from '../../document/nodes.ts';
import type { PartOf } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';
import { MIB } from './process-entry.ts';

const PAGE_FILE = streamLabel('swap');

/** The check `memory` of a Windows host: whatever is not free is used. */
export const windowsMemoryCheck: PartOf<MemoryInput> = ({ totalBytes, usedShare }, cells) => {
  const { free, percent, used } = cells.row('free', 'percent', 'used');
  return {
    node: {
      total: totalBytes,
      available: integer(free),
      percent: float(percent),
      used: integer(used),
      free: integer(free),
      active: 0,
      inactive: 0,
      wired: 0,
    },
    fill(frame, moment) {
      const usedBytes = pages(totalBytes * memoryUse(moment, usedShare));
      frame[used] = usedBytes;
      frame[free] = totalBytes - usedBytes;
      frame[percent] = (usedBytes / totalBytes) * 100;
    },
  };
};

/** The check `swap` of a Windows host: its page file, in whole MiB. */
export const pageFileCheck: PartOf<{ readonly sizeMib: number }> = ({ sizeMib }, cells) => {
  const row = cells.row('percent', 'used', 'free');
  return {
    node: {
      total: sizeMib * MIB,
      percent: float(row.percent),
      used: integer(row.used),
      free: integer(row.free),
      sin: 0,
      sout: 0,
    },
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, PAGE_FILE);
      // What was paged out stays there: the share in use climbs towards its level after boot.
      const settled = 1 - Math.exp(-moment.uptimeSeconds / 250_000);
      const usedMib = Math.floor(sizeMib * (0.01 + 0.3 * unit(key, 0) * settled));
      frame[row.percent] = (usedMib / sizeMib) * 100;
      frame[row.used] = usedMib * MIB;
      frame[row.free] = (sizeMib - usedMib) * MIB;
    },
  };
};
