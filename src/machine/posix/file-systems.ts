import { DAY_SECONDS, GIB } from '../../kernel/units.ts';
import type { Cells } from '../document/cells.ts';
import { float, integer, type Node } from '../document/nodes.ts';
import { type FilledBy, fullness } from '../incidents/full-disks.ts';
import { fixedPart, inTurn, type Part, type PartOf } from '../part.ts';
import { keyOf, streamLabel } from '../time/moment.ts';
import { smoothNoise, unit } from '../time/noise.ts';

export type FileSystem = {
  readonly device: string;
  readonly mountpoint: string;
  readonly fstype: string;
  readonly options: readonly string[];
  /** Bytes, or what each host draws. */
  readonly total: number | DrawnSize;
  /** `full`: a read-only image. `still`: hardly changes. `empty`: never used. `filling`: grows until somebody cleans up. */
  readonly use: 'full' | 'still' | 'filling' | 'empty';
  /** Blocks only root may use, as a share. */
  readonly reserved: number;
  /** File systems of one pool, as subvolumes are, have their space in common. */
  readonly pool?: string;
  readonly filledBy?: FilledBy;
};

/** Bytes of a share of a disk, less what other parts of it have. */
export type DrawnSize = {
  readonly disk: string;
  readonly physical: boolean;
  readonly less: number;
  readonly share: number;
};

const BLOCK_BYTES = 4096;

/** The check `disks` of a posix host: `percent` leaves the reserved blocks out. */
export const disksCheck: PartOf<readonly FileSystem[]> = (fileSystems, cells) => {
  const parts = fileSystems.map((fileSystem) => fileSystemPart(fileSystem, cells));
  return { node: parts.map((part) => part.node), fill: inTurn(parts.map((part) => part.fill)) };
};

function fileSystemPart(fileSystem: FileSystem, cells: Cells): Part {
  const { total, use } = fileSystem;
  if (use === 'full' && typeof total === 'number') {
    return fixedPart(entry(fileSystem, { total, used: total, free: 0, percent: total === 0 ? 0 : 100 }));
  }
  if (use === 'empty' && typeof total === 'number') {
    return fixedPart(entry(fileSystem, { total, used: 0, free: total, percent: 0 }));
  }
  return filledPart(fileSystem, cells);
}

function filledPart(fileSystem: FileSystem, cells: Cells): Part {
  const { total, use, reserved, filledBy = [] } = fileSystem;
  const row = cells.row('total', 'used', 'free', 'percent');
  const label = streamLabel(`disks.${fileSystem.pool ?? fileSystem.mountpoint}`);
  const drawn = typeof total === 'number' ? undefined : drawnSize(total);
  const fixed = typeof total === 'number' ? total : 0;
  const told = drawn === undefined ? fixed : integer(row.total);
  return {
    node: entry(fileSystem, {
      total: told,
      used: integer(row.used),
      free: integer(row.free),
      percent: float(row.percent),
    }),
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, label);
      const bytes = drawn === undefined ? fixed : drawn(moment.hostKey);
      const usual = use === 'still' ? 0.05 + 0.3 * unit(key, 0) : fillingShare(key, moment.workSinceEpoch);
      const share = usual + (1 - usual) * fullness(filledBy, moment);
      const usable = bytes * (1 - reserved);
      const used = blocks(usable * share);
      const free = blocks(usable) - used;
      frame[row.total] = bytes;
      frame[row.used] = used;
      frame[row.free] = free;
      frame[row.percent] = (used / (used + free)) * 100;
    },
  };
}

/** Disks come in sizes of their makers; those of virtual machines in whole gibibytes. */
const DISK_GIGABYTES = [120, 240, 256, 480, 512, 960, 1000, 1920, 2000];
const PRODUCTS = 64;

function drawnSize({ disk, physical, less, share }: DrawnSize): (hostKey: number) => number {
  const label = streamLabel(`disks.size.${disk}`);
  return (hostKey) => {
    const key = keyOf(hostKey, label);
    const chance = unit(key, 0);
    const made = DISK_GIGABYTES[Math.floor(chance * DISK_GIGABYTES.length)] ?? 240;
    // Makers round differently, by some millions of bytes.
    const metal = made * 1e9 + 1_048_576 * Math.floor(PRODUCTS * unit(key, 1));
    const bytes = physical ? metal : GIB * (16 + Math.floor(240 * chance ** 2));
    return blocks((bytes - less) * share);
  };
}

/**
 * Share of a file system in use, as a function of all work so far, in seconds of mean activity: what is written grows
 * with the work. Logs are rotated and caches emptied in small steps; from time to time somebody cleans up for a while.
 */
export function fillingShare(key: number, work: number): number {
  const period = (14 + 50 * unit(key, -1)) * DAY_SECONDS;
  const turns = work / period + unit(key, -2);
  const turn = Math.floor(turns);
  const at = turns - turn;
  const chance = unit(key, -3);
  const low = 0.08 + 0.42 * chance;
  // Now and then nobody cleans up in time.
  const rise = unit(key + 2, turn) < 0.05 ? 0.93 - low : 0.05 + 0.25 * unit(key, turn);
  const saw = at < CLEANING ? at / CLEANING : (1 - at) / (1 - CLEANING);
  const daily = work / DAY_SECONDS + unit(key, -4);
  const weekly = daily / 7;
  const rotated = 0.012 * (daily - Math.floor(daily)) + 0.025 * (weekly - Math.floor(weekly));
  return low + rise * saw + rotated + 0.003 * smoothNoise(key + 1, work / 1800);
}

/** The last part of a period, in which what has grown is deleted little by little. */
const CLEANING = 0.8;

function entry({ device, mountpoint, fstype, options }: FileSystem, usage: Node): Node {
  return { disk: { device, mountpoint, fstype, opts: options }, usage };
}

function blocks(bytes: number): number {
  return Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
