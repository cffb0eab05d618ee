import { HOUR_MS } from '../../ground/kernel/units.ts';
import { slot, valueAt } from '../document/nodes.ts';
import { leakedShare, leftInSwap } from '../host/failures.ts';
import { type HostMemory, LINUX_MEMORY, macosMemory, pages, WINDOWS_MEMORY } from '../host/memory.ts';
import { keyOf, streamLabel } from '../host/noise.ts';
import type { Levels } from './recorded-hosts.ts';
import { type Live, type LiveCells, type RecordedChecks, shareAt } from './template.ts';

const MEMORY = streamLabel('recorded.memory');
const SWAP = streamLabel('recorded.swap');
const FREE = streamLabel('recorded.free');
const MOST_USED = 0.97;
/** Programs that have just started hold less memory and have nothing in swap. */
const YOUNG = 0.35;
const SETTLING_SECONDS = 5400;

export function recordedMemory(recorded: RecordedChecks, levels: Levels, { cells }: LiveCells): HostMemory {
  const row = cells.row('total', 'used', 'programs', 'leaked', 'swap', 'swapUsed');
  const total = recorded.memory?.total ?? 2 ** 32;
  const swap = recorded.swap?.total ?? 0;
  const rules = rulesOf(recorded);
  return {
    ...row,
    rules,
    fill(frame, host) {
      const settled = 1 - YOUNG * Math.exp(-host.uptimeSeconds / SETTLING_SECONDS);
      const hours = host.checkMs / HOUR_MS;
      const share = Math.min(MOST_USED, settled * shareAt(levels.memory, keyOf(host.hostKey, MEMORY), hours));
      const swapped = shareAt(levels.swap, keyOf(host.hostKey, SWAP), hours) + 0.7 * leftInSwap(host);
      frame[row.total] = total;
      frame[row.programs] = pages(total * share, rules.pageBytes);
      frame[row.leaked] = pages(total * leakedShare(host, share), rules.pageBytes);
      frame[row.used] = valueAt(frame, row.programs) + valueAt(frame, row.leaked);
      frame[row.swap] = swap;
      frame[row.swapUsed] = pages(swap * Math.min(MOST_USED, swapped), rules.swapUnitBytes);
    },
  };
}

function rulesOf({ agent: { goos, goarch } }: RecordedChecks): HostMemory['rules'] {
  if (goos === 'windows') return WINDOWS_MEMORY;
  return goos === 'darwin' ? macosMemory(goarch === 'arm64') : LINUX_MEMORY;
}

/** The check `memory`. */
export function liveMemory({ rules, used: taken }: HostMemory, levels: Levels, { cells, part }: LiveCells): Live {
  const row = cells.row('available', 'percent', 'free', 'inactive', 'wired');
  const { cache, pageBytes } = rules;
  return ({ total, used, wired }: NonNullable<RecordedChecks['memory']>) =>
    part({
      node: {
        available: slot.integer(row.available),
        percent: slot.float(row.percent),
        used: slot.integer(taken),
        free: slot.integer(row.free),
        inactive: slot.integer(row.inactive),
        wired: slot.integer(row.wired),
      },
      fill(frame, host) {
        const key = keyOf(host.hostKey, FREE);
        const hours = host.checkMs / HOUR_MS;
        const available = total - valueAt(frame, taken);
        const files = cache === 'free' ? 0 : available * (1 - Math.min(1, shareAt(levels.free, key, hours)));
        const free = pages(available - files, cache === 'free' ? 1 : pageBytes);
        const inactive = pages(Math.min(total - free, total * shareAt(levels.inactive, key + 1, hours)), pageBytes);
        frame[row.available] = available;
        frame[row.percent] = (valueAt(frame, taken) / total) * 100;
        frame[row.free] = free;
        frame[row.inactive] = cache === 'available' ? available - free : inactive;
        frame[row.wired] = pages((valueAt(frame, taken) * wired) / used, pageBytes);
      },
    });
}
