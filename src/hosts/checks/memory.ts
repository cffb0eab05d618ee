import { DAY_MS, HOUR_SECONDS } from '../../base/kernel/units.ts';
import { type Cells, type CellValues, type Node, slot, valueAt } from '../document/nodes.ts';
import { leakPeak } from '../host/failures.ts';
import type { HostState } from '../host/host-state.ts';
import { type HostMemory, pages, SWAP } from '../host/memory.ts';
import { inRange, keyOf, smoothNoise, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import type { Part } from '../host/part.ts';

/* Shares and ranges without a source are chosen. */

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

  /** The page cache grows from boot on into the available memory, as far as the host has files to read. Most of it counts as inactive. */
  function fillLinux(frame: CellValues, { hostKey, uptimeSeconds, checkMs }: HostState): void {
    const available = valueAt(frame, row.available);
    const key = keyOf(hostKey, CACHE);
    const level = inRange(CACHE_LEVEL, Math.sqrt(unit(key, 0))) + 0.05 * smoothNoise(key, checkMs / DAY_MS);
    const filled = 1 - 0.94 * Math.exp(-uptimeSeconds / (CACHE_SECONDS * inRange(CACHE_PACE, unit(key, 1))));
    const cached = available * level * filled;
    const inactive = cached * inRange(INACTIVE_CACHE, unit(key, 2));
    const inactiveUsed = valueAt(frame, used) * MAX_INACTIVE_USED * unit(key, 3);
    frame[row.free] = pages(available - cached, rules.pageBytes);
    frame[row.inactive] = pages(inactive + inactiveUsed, rules.pageBytes);
  }

  /** Little memory stays free for long: files that were read stay cached as inactive pages. The kernel wires a part. */
  function fillMacos(frame: CellValues, host: HostState): void {
    const available = valueAt(frame, row.available);
    const key = keyOf(host.hostKey, WIRED);
    const emptied = 0.75 * Math.exp(-host.uptimeSeconds / MACOS_CACHE_SECONDS);
    const usual = inRange(MACOS_FREE, unit(key, 1) ** 3);
    const freeShare = Math.max(
      MIN_FREE,
      usual * (1 + 0.6 * smoothNoise(key, host.checkMs / MACOS_FREE_MS)) + emptied * (1 - usual),
    );
    const free = pages(available * freeShare, rules.pageBytes);
    frame[row.free] = free;
    frame[row.inactive] = available - free;
    frame[row.wired] = pages(valueAt(frame, used) * inRange(WIRED_SHARE, unit(key, 0)), rules.pageBytes);
  }
}

const CACHE = streamLabel('memory.cache');
const WIRED = streamLabel('memory.wired');
/** Share of the available memory that a host's page cache grows to, and the time constant of its growth, in seconds. */
const CACHE_LEVEL: ValueRange = [0.15, 0.78];
const CACHE_SECONDS = 4 * HOUR_SECONDS;
const CACHE_PACE: ValueRange = [0.3, 5];
/** Inactive shares of the cache and, at most, of the memory that programs use. */
const INACTIVE_CACHE: ValueRange = [0.6, 0.2];
const MAX_INACTIVE_USED = 0.1;
/** macOS: the share of the available memory that stays free, and how fast it changes after a boot, and later. */
const MACOS_FREE: ValueRange = [0.02, 0.5];
const MIN_FREE = 0.005;
const MACOS_CACHE_SECONDS = 9000;
const MACOS_FREE_MS = 5e5;
const WIRED_SHARE: ValueRange = [0.2, 0.12];
/** Bytes swapped in per second of mean activity, at most; more is swapped out. */
const MAX_SWAP_IN_BYTES = 900;
const SWAP_OUT_FACTOR = 2.3;

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
      const perWork = size === 0 ? 0 : MAX_SWAP_IN_BYTES * unit(keyOf(host.hostKey, SWAP), 1);
      frame[row.sin] = pages(host.work * perWork, pageBytes);
      const leaked = size === 0 ? 0 : leakPeak(host) * Math.min(size, valueAt(frame, total));
      frame[row.sout] = pages(host.work * perWork * SWAP_OUT_FACTOR + leaked, pageBytes);
    },
  };
}
