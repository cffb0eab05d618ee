import type { Cells } from '../document/cells.ts';
import { float, integer, type Node } from '../document/nodes.ts';
import { type FilledBy, isFull } from '../incidents/full-disks.ts';
import { fixedPart, inTurn, type Part, type PartOf } from '../part.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit } from '../time/noise.ts';

export type FileSystem = {
  readonly device: string;
  readonly mountpoint: string;
  readonly fstype: string;
  readonly options: readonly string[];
  readonly totalBytes: number;
  /** `full`: a read-only image. `still`: hardly changes. `filling`: grows until somebody cleans up. */
  readonly use: 'full' | 'still' | 'filling';
  /** Blocks only root may use, as a share. */
  readonly reserved: number;
  /** File systems of one pool, as subvolumes are, have their space in common. */
  readonly pool?: string;
  readonly filledBy?: FilledBy;
};

const BLOCK_BYTES = 4096;
const DAY_SECONDS = 86_400;

/** The check `disks` of a posix host: `percent` leaves the reserved blocks out. */
export const disksCheck: PartOf<readonly FileSystem[]> = (fileSystems, cells) => {
  const parts = fileSystems.map((fileSystem) => fileSystemPart(fileSystem, cells));
  return { node: parts.map((part) => part.node), fill: inTurn(parts.map((part) => part.fill)) };
};

function fileSystemPart(fileSystem: FileSystem, cells: Cells): Part {
  const { totalBytes: total, use, filledBy = [] } = fileSystem;
  if (use === 'full')
    return fixedPart(entry(fileSystem, { total, used: total, free: 0, percent: total === 0 ? 0 : 100 }));
  const row = cells.row('used', 'free', 'percent');
  const label = streamLabel(`disks.${fileSystem.pool ?? fileSystem.mountpoint}`);
  const usable = total * (1 - fileSystem.reserved);
  return {
    node: entry(fileSystem, { total, used: integer(row.used), free: integer(row.free), percent: float(row.percent) }),
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, label);
      const seconds = secondsSinceEpoch(moment.checkMs);
      const usual = use === 'still' ? 0.05 + 0.3 * unit(key, 0) : fillingShare(key, seconds);
      const share = isFull(filledBy, moment) ? 1 : usual;
      const used = blocks(usable * share);
      const free = blocks(usable) - used;
      frame[row.used] = used;
      frame[row.free] = free;
      frame[row.percent] = (used / (used + free)) * 100;
    },
  };
}

/** Grows from clean-up to clean-up, each time from and to another level, with files that come and go between. */
export function fillingShare(key: number, seconds: number): number {
  const period = (4 + 36 * unit(key, -1)) * DAY_SECONDS;
  const turns = seconds / period + unit(key, -2);
  const turn = Math.floor(turns);
  const low = 0.12 + 0.4 * unit(key, -3);
  // Now and then nobody cleans up in time.
  const rise = unit(key + 2, turn) < 0.04 ? 0.975 - low : 0.08 + 0.3 * unit(key, turn);
  return low + rise * (turns - turn) + 0.01 * smoothNoise(key + 1, seconds / 1800);
}

function entry({ device, mountpoint, fstype, options }: FileSystem, usage: Node): Node {
  return { disk: { device, mountpoint, fstype, opts: options }, usage };
}

function blocks(bytes: number): number {
  return Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
