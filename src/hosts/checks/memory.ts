import { DAY_MS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { type Cells, type CellValues, type Node, slot, valueAt } from '../document/nodes.ts';
import { leakPeak } from '../host/failures.ts';
import type { HostState } from '../host/host-state.ts';
import { type HostMemory, pages, SWAP } from '../host/memory.ts';
import { keyOf, smoothNoise, streamLabel, unit } from '../host/noise.ts';
import type { Part } from '../host/part.ts';

const USAGE = ['available', 'percent', 'free', 'inactive', 'wired'] as const;

/** The check `memory`: memory that is not used is available. */
export function memoryCheck({ total, used, rules }: HostMemory, cells: Cells): Part {
  const row = cells.row(...USAGE);
  const { cache } = rules;
  const bytesIf = (cell: (typeof row)[keyof typeof row], when: boolean): Node => (when ? slot.integer(cell) : 0);
  return {
    node: {
      total: slot.integer(total),
      available: slot.integer(row.available),
      percent: slot.float(row.percent),
      used: slot.integer(used),
      free: slot.integer(cache === 'free' ? row.available : row.free),
      active: 0,
      inactive: bytesIf(row.inactive, cache !== 'free'),
      wired: bytesIf(row.wired, cache === 'available'),
    },
    fill(frame, host) {
      const available = valueAt(frame, total) - valueAt(frame, used);
      frame[row.available] = available;
      frame[row.percent] = (valueAt(frame, used) / valueAt(frame, total)) * 100;
      if (cache === 'inactive') fillLinux(frame, host);
      if (cache === 'available') fillMacos(frame, host);
    },
  };

  /**
   * The page cache starts empty at boot and grows into the memory that programs leave, as far as the host has files to read. A file
   * server fills all of it; a small web server never fills much. Cached memory is no longer free, and most of it counts as
   * inactive.
   */
  function fillLinux(frame: CellValues, { hostKey, uptimeSeconds, checkMs }: HostState): void {
    const available = valueAt(frame, row.available);
    const key = keyOf(hostKey, CACHE);
    const level = 0.15 + 0.78 * Math.sqrt(unit(key, 0)) + 0.05 * smoothNoise(key, checkMs / DAY_MS);
    const filled = 1 - 0.94 * Math.exp(-uptimeSeconds / (4 * HOUR_SECONDS * (0.3 + 5 * unit(key, 1))));
    const cached = available * level * filled;
    const inactive = 0.6 + 0.2 * unit(key, 2);
    frame[row.free] = pages(available - cached, rules.pageBytes);
    frame[row.inactive] = pages(cached * inactive + valueAt(frame, used) * 0.1 * unit(key, 3), rules.pageBytes);
  }

  /** Little memory stays free for long: files that were read stay cached as inactive pages. The kernel wires a part. */
  function fillMacos(frame: CellValues, host: HostState): void {
    const available = valueAt(frame, row.available);
    const key = keyOf(host.hostKey, WIRED);
    const emptied = 0.75 * Math.exp(-host.uptimeSeconds / 9000);
    const own = 0.02 + 0.5 * unit(key, 1) ** 3;
    const freeShare = Math.max(0.005, own * (1 + 0.6 * smoothNoise(key, host.checkMs / 5e5)) + emptied * (1 - own));
    const free = pages(available * freeShare, rules.pageBytes);
    frame[row.free] = free;
    frame[row.inactive] = available - free;
    frame[row.wired] = pages(valueAt(frame, used) * (0.2 + 0.12 * unit(key, 0)), rules.pageBytes);
  }
}

const CACHE = streamLabel('memory.cache');
const WIRED = streamLabel('memory.wired');

/** The check `swap`. Without swap, all figures are 0. */
export function swapCheck({ swap, swapUsed, total, rules }: HostMemory, cells: Cells): Part {
  const row = cells.row('percent', 'free', 'sin', 'sout');
  const { countsSwapping, pageBytes } = rules;
  return {
    node: {
      total: slot.integer(swap),
      percent: slot.float(row.percent),
      used: slot.integer(swapUsed),
      free: slot.integer(row.free),
      sin: countsSwapping ? slot.integer(row.sin) : 0,
      sout: countsSwapping ? slot.integer(row.sout) : 0,
    },
    fill(frame, host) {
      const size = valueAt(frame, swap);
      frame[row.percent] = size === 0 ? 0 : (valueAt(frame, swapUsed) / size) * 100;
      frame[row.free] = size - valueAt(frame, swapUsed);
      if (!countsSwapping) return;
      const perWork = size === 0 ? 0 : 900 * unit(keyOf(host.hostKey, SWAP), 1);
      frame[row.sin] = pages(host.work * perWork, pageBytes);
      const leaked = size === 0 ? 0 : leakPeak(host) * Math.min(size, valueAt(frame, total));
      frame[row.sout] = pages(host.work * perWork * 2.3 + leaked, pageBytes);
    },
  };
}
