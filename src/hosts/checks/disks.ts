import { DAY_SECONDS, GIB, MIB } from '../../base/kernel/units.ts';
import { type Cells, type Node, type Row, slot, valueAt } from '../document/nodes.ts';
import { type FilledBy, fullness } from '../host/failures.ts';
import type { DrawnSize, FileSystem, Volume } from '../host/hardware.ts';
import { pages } from '../host/memory.ts';
import { inRange, keyOf, pick, smoothNoise, streamLabel, unit, type ValueRange } from '../host/noise.ts';
import { fixedPart, inTurn, type Part, type PartOf } from '../host/part.ts';
import { column, type HostTables, oncePerData, readTable, type TableRow } from '../host-data.ts';

/* Sizes, shares and times without a source are chosen. */

/** Used shares of file systems that hardly change. */
const STILL: ValueRange = [0.05, 0.3];

/** The check `disks` of a POSIX host. `percent` excludes the reserved blocks. */
export const fileSystemsCheck: PartOf<readonly FileSystem[]> = (fileSystems, cells) => {
  const parts = fileSystems.map((fileSystem) => fileSystemPart(fileSystem, cells));
  return { node: parts.map((part) => part.node), fill: inTurn(parts.map((part) => part.fill)) };
};

function fileSystemPart(fileSystem: FileSystem, cells: Cells): Part {
  const { total, use } = fileSystem;
  if (typeof total === 'number' && (use === 'full' || use === 'empty')) {
    const isFull = use === 'full' && total > 0;
    return fixedPart(
      entry(fileSystem, { total, used: isFull ? total : 0, free: isFull ? 0 : total, percent: isFull ? 100 : 0 }),
    );
  }
  return filledPart(fileSystem, cells);
}

function filledPart(fileSystem: FileSystem, cells: Cells): Part {
  const { total, use, reserved, filledBy = [] } = fileSystem;
  const row = cells.row('total', 'used', 'free', 'percent');
  const label = streamLabel(`disks.${fileSystem.pool ?? fileSystem.mountpoint}`);
  const isFixed = typeof total === 'number';
  const sizeOf = isFixed ? () => total : drawnSize(total);
  return {
    node: entry(fileSystem, usageNode(row, isFixed ? total : undefined)),
    fill(frame, host) {
      const key = keyOf(host.hostKey, label);
      const bytes = sizeOf(host.hostKey);
      const usual =
        use === 'still'
          ? inRange(STILL, unit(key, 0))
          : fillingShare(key, use === 'idle' ? 0 : host.workSinceEpoch, bytes);
      const share = usual + (1 - usual) * fullness(filledBy, host);
      const usable = bytes * (1 - reserved * (isFixed ? 1 : reserveOf(host.hostKey)));
      const used = pages(usable * share);
      const free = pages(usable) - used;
      frame[row.total] = bytes;
      frame[row.used] = used;
      frame[row.free] = free;
      frame[row.percent] = (used / (used + free)) * 100;
    },
  };
}

/** `fixed` is the size that all hosts have, if any. */
function usageNode(row: Row<'total' | 'used' | 'free' | 'percent'>, fixed?: number): Node {
  const { total, used, free, percent } = row;
  return {
    total: fixed ?? slot.integer(total),
    used: slot.integer(used),
    free: slot.integer(free),
    percent: slot.float(percent),
  };
}

/** Shares of the usual reserve of a file system for root that administrators leave. */
const RESERVES = [1, 1, 1, 0.6, 0.2];
const RESERVE = streamLabel('disks.reserve');

function reserveOf(hostKey: number): number {
  return pick(RESERVES, unit(keyOf(hostKey, RESERVE), 0));
}

/** Physical disks come in manufacturers' sizes, those of virtual machines in whole gibibytes. */
const DISK_GIGABYTES = [120, 240, 256, 480, 512, 960, 1000, 1920, 2000];
const MIN_VIRTUAL_GIBS = 16;
const MORE_VIRTUAL_GIBS = 240;
/** Manufacturers round differently: their products of one size differ by up to this many MiB. */
const PRODUCTS = 64;

function drawnSize({ disk, physical, less, share }: DrawnSize): (hostKey: number) => number {
  const label = streamLabel(`disks.size.${disk}`);
  return (hostKey) => {
    const key = keyOf(hostKey, label);
    const chance = unit(key, 0);
    const bytes = physical
      ? pick(DISK_GIGABYTES, chance) * 1e9 + MIB * Math.floor(PRODUCTS * unit(key, 1))
      : GIB * (MIN_VIRTUAL_GIBS + Math.floor(MORE_VIRTUAL_GIBS * chance ** 2));
    return pages((bytes - less) * share);
  };
}

/** Used share after so much work: written data grows with it, logs are rotated, and from time to time a cleanup lowers the share. */
function fillingShare(key: number, work: number, bytes: number): number {
  const period = inRange(CLEANUP_DAYS, unit(key, -1)) * DAY_SECONDS;
  const turns = work / period + unit(key, -2);
  const turn = Math.floor(turns);
  const at = turns - turn;
  const chance = unit(key, -3);
  const low = inRange(CLEAN, chance);
  // Occasionally the cleanup comes too late.
  const rise = unit(key + 2, turn) < LATE_LIKELY ? LATE - low : inRange(GROWTH, unit(key, turn));
  const saw = at < CLEANING ? at / CLEANING : (1 - at) / (1 - CLEANING);
  const daily = work / DAY_SECONDS + unit(key, -4);
  const weekly = daily / 7;
  const logs = LOG_BYTES * (0.1 + unit(key, -5) ** 3);
  const perDay = Math.min(MAX_SHARES.perDay, logs / bytes);
  const perWeek = Math.min(MAX_SHARES.perWeek, (4 * logs) / bytes);
  const rotated = perDay * (daily - Math.floor(daily)) + perWeek * (weekly - Math.floor(weekly));
  const scratch = Math.min(MAX_SHARES.scratch, SCRATCH_BYTES / bytes) * smoothNoise(key + 1, work / 1800);
  return low + rise * saw + rotated + scratch;
}

/** Days between cleanups; the used share after one, how much it grows until the next, and what it reaches without one. */
const CLEANUP_DAYS: ValueRange = [14, 50];
const CLEAN: ValueRange = [0.08, 0.42];
const GROWTH: ValueRange = [0.05, 0.25];
const LATE = 0.93;
const LATE_LIKELY = 0.05;
/** Most that the logs of a day, those of a week, and temporary files take, as shares of a small file system. */
const MAX_SHARES = { perDay: 0.012, perWeek: 0.025, scratch: 0.003 };
/** Most that services log on a usual day, before it is compressed. */
const LOG_BYTES = 2 * GIB;
/** Temporary files come and go, up to this much. */
const SCRATCH_BYTES = 48 * MIB;
/** Position in a period at which the cleanup starts. Until the end, it gradually deletes everything that has grown. */
const CLEANING = 0.8;

function entry({ device, mountpoint, reportedName = mountpoint, fstype, options }: FileSystem, usage: Node): Node {
  return { disk: { device, mountpoint: reportedName, fstype, opts: options }, usage };
}

/** Space for boot and recovery partitions. */
const MIN_BESIDE_MIB = 600;
const MORE_BESIDE_MIB = 600;

/** The check `disks` of a Windows host: drive letters, all sizes in whole MiB. */
export const volumesCheck: PartOf<readonly Volume[]> = (volumes, cells) => {
  const parts = volumes.map(({ mountpoint, sizesGb, filledBy = [] }): Part => {
    const row = cells.row('total', 'used', 'free', 'percent');
    const label = streamLabel(`disks.${mountpoint}`);
    return {
      node: { disk: { device: mountpoint, mountpoint, fstype: '', opts: null }, usage: usageNode(row) } satisfies Node,
      fill(frame, host) {
        const key = keyOf(host.hostKey, label);
        const gigabytes = pick(sizesGb, unit(key, -8));
        const beside = MIN_BESIDE_MIB + Math.floor(MORE_BESIDE_MIB * unit(key, -9));
        const sizeMib = Math.max(1, Math.floor((gigabytes * 1e9) / MIB) - beside);
        const usual = fillingShare(key, host.workSinceEpoch, sizeMib * MIB);
        const share = usual + (1 - usual) * fullness(filledBy, host);
        const usedMib = share >= 1 ? sizeMib : Math.floor(sizeMib * share);
        frame[row.total] = sizeMib * MIB;
        frame[row.used] = usedMib * MIB;
        frame[row.free] = (sizeMib - usedMib) * MIB;
        frame[row.percent] = 100 - ((sizeMib - usedMib) / sizeMib) * 100;
      },
    };
  });
  return { node: parts.map(({ node }) => node), fill: inTurn(parts.map(({ fill }) => fill)) };
};

type ApfsInput = {
  readonly data: HostTables;
  readonly count: number;
  readonly filledBy: FilledBy;
};

const VOLUME = {
  device: column.text,
  mountpoint: column.text,
  options: column.names,
  /** Gigabytes in use, as a range over hosts; both empty for the volume that the user's files fill. */
  from: column.orEmpty(column.number),
  to: column.orEmpty(column.number),
};
type ApfsVolume = Omit<TableRow<typeof VOLUME>, 'line'>;

/** The volumes of a startup disk, the most important ones first. */
const apfsVolumes = oncePerData((data): readonly ApfsVolume[] => readTable(data, 'apfs-volumes.tsv', VOLUME));

/** Mount point of the volume that takes all writes. */
export const DATA_VOLUME = '/System/Volumes/Data';

/** Small volumes that a user created in addition to those of the system. */
function furtherVolumes(count: number): readonly ApfsVolume[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    device: `/dev/disk3s${7 + index}`,
    // Apple's file systems store accents separately from their letters.
    mountpoint: index === 0 ? '/Volumes/Bu\u0308ro' : `/Volumes/Work ${index + 1}`,
    options: ['rw', 'journaled', 'multilabel'],
    from: 0.001,
    to: 0.4,
  }));
}

const AUTOMOUNTED = ['rw', 'nobrowse', 'automounted', 'multilabel'];
/** Container sizes in bytes, as startup disks report them. */
const CONTAINER_BYTES = [245_107_195_904, 494_384_795_648, 994_662_584_320, 1_995_218_165_760];
/** The security chip keeps its files in a container of its own. */
const APART_BYTES = 524_288_000;
const isApart = ({ device }: ApfsVolume) => device.startsWith('/dev/disk1');
const DISKS = streamLabel('disks');
/** The user's files take at most this share of the container. */
const MAX_DATA_SHARE = 0.86;

/** The check `disks` of a macOS host: volumes that share the space of one container, and the automount map of home folders. */
export const apfsCheck: PartOf<ApfsInput> = ({ data, count, filledBy }, cells) => {
  const own = apfsVolumes(data);
  const all = [...own, ...furtherVolumes(count - 1 - own.length)];
  const volumes = all.slice(0, Math.max(1, count - 1));
  const { total, free, apart } = cells.row('total', 'free', 'apart');
  const rows = volumes.map((volume) => ({ volume, ...cells.row('used', 'percent') }));
  const nodes = rows.map(({ volume, used, percent }): Node => {
    const { device, mountpoint, options } = volume;
    const usage = isApart(volume)
      ? usageNode({ total, used, free: apart, percent }, APART_BYTES)
      : usageNode({ total, used, free, percent });
    return { disk: { device, mountpoint, fstype: 'apfs', opts: options }, usage };
  });
  const homes: Node = {
    disk: { device: 'map auto_home', mountpoint: '/System/Volumes/Data/home', fstype: 'autofs', opts: AUTOMOUNTED },
    usage: { total: 0, used: 0, free: 0, percent: 0 },
  };
  return {
    node: count > 1 ? [...nodes, homes] : nodes,
    fill(frame, host) {
      const key = keyOf(host.hostKey, DISKS);
      const totalBytes = pick(CONTAINER_BYTES, unit(key, -9));
      const dataBytes = pages(totalBytes * MAX_DATA_SHARE * fillingShare(key, host.workSinceEpoch, totalBytes));
      let freeBytes = totalBytes;
      let apartBytes = APART_BYTES;
      // All volumes take space from the container, including those that this host's agent does not list.
      all.forEach((volume, index) => {
        const { from, to = 0 } = volume;
        const used = from === undefined ? dataBytes : pages((from + (to - from) * unit(key, 100 + index)) * 1e9);
        if (isApart(volume)) apartBytes -= used;
        else freeBytes -= used;
        const row = rows[index];
        if (row !== undefined) frame[row.used] = used;
      });
      const filledBytes = freeBytes === 0 ? 0 : pages(freeBytes * fullness(filledBy, host));
      const dataRow = rows[1];
      if (dataRow !== undefined) frame[dataRow.used] = dataBytes + filledBytes;
      freeBytes -= filledBytes;
      frame[total] = totalBytes;
      frame[free] = freeBytes;
      frame[apart] = apartBytes;
      for (const { volume, used, percent } of rows) {
        const held = valueAt(frame, used);
        frame[percent] = (held / (held + (isApart(volume) ? apartBytes : freeBytes))) * 100;
      }
    },
  };
};
