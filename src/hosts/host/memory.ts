import { GIB, HOUR_MS, MIB } from '../../base/kernel/units.ts';
import { type Cells, type Row, valueAt } from '../document/nodes.ts';
import { leakedShare, leftInSwap } from './failures.ts';
import type { HostState } from './host-state.ts';
import { inRange, keyOf, pick, smoothNoise, streamLabel, unit, type ValueRange } from './noise.ts';
import type { Fill } from './part.ts';

type MemoryRules = {
  /** Page size. Memory is a multiple of it. */
  readonly pageBytes: number;
  /** Swap is a multiple of this. */
  readonly swapUnitBytes: number;
  /** The first page of a swap file or partition describes it. */
  readonly swapHeaderBytes: number;
  /** Cached files count as free (Windows), as inactive (Linux), or as all available memory that is not free (macOS). */
  readonly cache: 'free' | 'inactive' | 'available';
  /** Whether the system counts `sin` and `sout`. */
  readonly countsSwapping: boolean;
  /** Rounds the memory share of a process. */
  readonly shares: (share: number) => number;
};

const USUAL = { pageBytes: 4096, swapUnitBytes: 4096, swapHeaderBytes: 0, countsSwapping: false, shares: Math.round };

export const LINUX_MEMORY: MemoryRules = {
  ...USUAL,
  swapHeaderBytes: 4096,
  cache: 'inactive',
  countsSwapping: true,
  shares: Math.floor,
};

export const WINDOWS_MEMORY: MemoryRules = { ...USUAL, swapUnitBytes: MIB, cache: 'free' };

/** Apple silicon has larger pages than Intel. */
export function macosMemory(arm: boolean): MemoryRules {
  const pageBytes = arm ? 16_384 : 4096;
  return { ...USUAL, pageBytes, swapUnitBytes: pageBytes, cache: 'available' };
}

type MemoryInput = {
  readonly rules: MemoryRules;
  /** Possible amounts of installed memory. Each host has one of them. */
  readonly memoryGibs: readonly number[];
  /** Firmware, graphics and the kernel's image reserve up to this share of it. */
  readonly withheld: number;
  /** Possible sizes of swap. Each host has one of them. */
  readonly swapGibs: readonly number[];
  /** Share of memory that programs use at usual activity. */
  readonly usedShare: number;
};

/** A host's memory in bytes. `programs` is the used memory without leaks. Filled before everything that reads it. */
export type HostMemory = Row<'total' | 'used' | 'programs' | 'leaked' | 'swap' | 'swapUsed'> & {
  readonly rules: MemoryRules;
  readonly fill: Fill;
};

const MEMORY = streamLabel('memory');

export const SWAP = streamLabel('swap');

/* Shares and ranges without a source are chosen. */

/** Memory that the system withholds on a host, as a share of the most. */
const WITHHELD: ValueRange = [0.4, 0.6];
/** Programs use more memory after running for a while than right after their start. */
const SETTLING_SECONDS = 5400;
const MAX_USED_SHARE = 0.97;
/** How much memory hosts use, relative to what is usual; this share of them is always short of memory. */
const USED: ValueRange = [0.55, 0.8];
const SHORT_HOSTS = 0.035;
const DRIFT_MS = 2 * HOUR_MS;
/** Swap fills up over days, and further on hosts that use more memory than this. */
const SWAPPING_SECONDS = 250_000;
const PRESSED_SHARE = 0.85;

export function hostMemory(input: MemoryInput, cells: Cells): HostMemory {
  const row = cells.row('total', 'used', 'programs', 'leaked', 'swap', 'swapUsed');
  const { rules, memoryGibs, withheld, swapGibs, usedShare } = input;
  return {
    ...row,
    rules,
    fill(frame, host) {
      const key = keyOf(host.hostKey, MEMORY);
      const built = GIB * pick(memoryGibs, unit(key, 3));
      const total = pages(built * (1 - withheld * inRange(WITHHELD, unit(key, 4))), rules.pageBytes);
      const share = usualShare(host, usedShare);
      const leaked = leakedShare(host, share);
      const swapKey = keyOf(host.hostKey, SWAP);
      const swap = Math.max(0, GIB * pick(swapGibs, unit(swapKey, 3)) - rules.swapHeaderBytes);
      frame[row.total] = total;
      frame[row.programs] = pages(total * share, rules.pageBytes);
      frame[row.leaked] = pages(total * leaked, rules.pageBytes);
      frame[row.used] = valueAt(frame, row.programs) + valueAt(frame, row.leaked);
      frame[row.swap] = pages(swap, rules.swapUnitBytes);
      frame[row.swapUsed] = pages(swap * swappedShare(swapKey, host, share), rules.swapUnitBytes);
    },
  };
}

/** Share of memory that programs use: higher under load, with a slow drift. A few hosts are always short of memory. */
function usualShare(host: HostState, usedShare: number): number {
  const key = keyOf(host.hostKey, MEMORY);
  const chance = unit(key, 0);
  const own = chance > 1 - SHORT_HOSTS ? 0.9 : usedShare * inRange(USED, chance);
  const settled = 1 - 0.45 * Math.exp(-host.uptimeSeconds / SETTLING_SECONDS);
  const drift = 0.03 * smoothNoise(key, host.checkMs / DRIFT_MS);
  return Math.min(0.95, own * settled * (0.96 + 0.1 * Math.min(1, host.load5) + drift));
}

/** Swapped-out memory stays in swap, so the used share climbs toward its level after boot. */
function swappedShare(key: number, host: HostState, share: number): number {
  const settled = 1 - Math.exp(-host.uptimeSeconds / SWAPPING_SECONDS);
  const usual = settled * (0.02 + 0.5 * unit(key, 0) * Math.max(0, share - 0.3));
  const pressed = share > PRESSED_SHARE ? 0.4 * settled : 0;
  return Math.min(MAX_USED_SHARE, usual + pressed + 0.7 * leftInSwap(host));
}

export function pages(bytes: number, pageBytes = 4096): number {
  return Math.floor(bytes / pageBytes) * pageBytes;
}
