import { HOUR_MS } from '../../ground/kernel/units.ts';
import { type Cells, float, integer, valueAt } from '../document/nodes.ts';
import { leakedShare, leftInSwap } from '../host/failures.ts';
import { type HostMemory, LINUX_MEMORY, macosMemory, pages, WINDOWS_MEMORY } from '../host/memory.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import type { Part } from '../host/part.ts';
import { shareAt } from './fitting.ts';
import type { Levels } from './recorded-hosts.ts';
import { type RecordedCheckdata, told } from './shapes.ts';

const MEMORY = streamLabel('recorded.memory');
const SWAP = streamLabel('recorded.swap');
const FREE = streamLabel('recorded.free');
const MOST_USED = 0.97;
/** Programs that have just started hold less memory and have nothing in swap. */
const YOUNG = 0.35;
const SETTLING_SECONDS = 5400;

/** A host's memory at the levels of the recording, and the check that reports it. */
export function recordedMemory(document: RecordedCheckdata, levels: Levels, cells: Cells) {
  const row = cells.row('total', 'used', 'programs', 'leaked', 'swap', 'swapUsed');
  const usage = cells.row('available', 'percent', 'free', 'inactive', 'wired');
  const recorded = told(document.memory);
  const { total = 2 ** 32, used = 1, wired = 0 } = recorded ?? {};
  const swap = told(document.swap)?.total ?? 0;
  const rules = rulesOf(document);
  const { cache, pageBytes } = rules;
  const memory: HostMemory = {
    ...row,
    rules,
    fill(frame, host) {
      const settled = 1 - YOUNG * Math.exp(-host.uptimeSeconds / SETTLING_SECONDS);
      const hours = host.checkMs / HOUR_MS;
      const share = Math.min(MOST_USED, settled * shareAt(levels.memory, keyOf(host.hostKey, MEMORY), hours));
      const swapped = shareAt(levels.swap, keyOf(host.hostKey, SWAP), hours) + 0.7 * leftInSwap(host);
      frame[row.total] = total;
      frame[row.programs] = pages(total * share, pageBytes);
      frame[row.leaked] = pages(total * leakedShare(host, share), pageBytes);
      frame[row.used] = valueAt(frame, row.programs) + valueAt(frame, row.leaked);
      frame[row.swap] = swap;
      frame[row.swapUsed] = pages(swap * Math.min(MOST_USED, swapped), rules.swapUnitBytes);
    },
  };
  const check: Part = {
    node: {
      total: integer(row.total),
      available: integer(usage.available),
      percent: float(usage.percent),
      used: integer(row.used),
      free: integer(usage.free),
      active: 0,
      inactive: cache === 'free' ? 0 : integer(usage.inactive),
      wired: cache === 'available' ? integer(usage.wired) : 0,
    },
    fill(frame, host) {
      const key = keyOf(host.hostKey, FREE);
      const taken = valueAt(frame, row.used);
      const available = total - taken;
      const hours = host.checkMs / HOUR_MS;
      const files = available * (1 - Math.min(1, shareAt(levels.free, key, hours)));
      const free = cache === 'free' ? available : pages(available - files, pageBytes);
      const inactive = pages(Math.min(total - free, total * shareAt(levels.inactive, key + 1, hours)), pageBytes);
      frame[usage.available] = available;
      frame[usage.percent] = (taken / total) * 100;
      frame[usage.free] = free;
      frame[usage.inactive] = cache === 'available' ? available - free : inactive;
      frame[usage.wired] = pages((taken * wired) / used, pageBytes);
    },
  };
  return { memory, check };
}

function rulesOf({ agent: { goos, goarch } }: RecordedCheckdata): HostMemory['rules'] {
  if (goos === 'windows') return WINDOWS_MEMORY;
  return goos === 'darwin' ? macosMemory(goarch === 'arm64') : LINUX_MEMORY;
}
