import { type CellValues, type Row, valueAt } from '../../document/cells.ts';
import { float, integer, type Node } from '../../document/nodes.ts';
import { type FilledBy, fullness } from '../../incidents/full-disks.ts';
import type { PartOf } from '../../part.ts';
import { fillingShare } from '../../posix/file-systems.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

export type ContainerInput = {
  readonly count: number;
  readonly filledBy: FilledBy;
};

type Volume = {
  readonly device: string;
  readonly mountpoint: string;
  readonly options: readonly string[];
  /** Bytes it holds on different hosts, from and to; the user's data fill what they want. */
  readonly gigabytes: readonly [number, number] | 'data';
};

/** Where everything is written to. */
export const DATA_VOLUME = '/System/Volumes/Data';
const HIDDEN = ['rw', 'nobrowse', 'journaled', 'multilabel'];
/** The volumes of a start disk, the important ones first. */
const VOLUMES: readonly Volume[] = [
  { device: '/dev/disk3s1s1', mountpoint: '/', options: ['ro', 'journaled', 'multilabel'], gigabytes: [11, 13] },
  { device: '/dev/disk3s5', mountpoint: DATA_VOLUME, options: HIDDEN, gigabytes: 'data' },
  {
    device: '/dev/disk3s6',
    mountpoint: '/System/Volumes/VM',
    options: ['rw', 'noexec', ...HIDDEN.slice(1)],
    gigabytes: [1, 4],
  },
  { device: '/dev/disk3s2', mountpoint: '/System/Volumes/Preboot', options: HIDDEN, gigabytes: [6, 8] },
  { device: '/dev/disk3s4', mountpoint: '/System/Volumes/Update', options: HIDDEN, gigabytes: [0.1, 0.4] },
  { device: '/dev/disk1s2', mountpoint: '/System/Volumes/xarts', options: HIDDEN, gigabytes: [0.006, 0.007] },
  { device: '/dev/disk1s1', mountpoint: '/System/Volumes/iSCPreboot', options: HIDDEN, gigabytes: [0.005, 0.006] },
  { device: '/dev/disk1s3', mountpoint: '/System/Volumes/Hardware', options: HIDDEN, gigabytes: [0.001, 0.004] },
];

/** Small volumes that somebody made beside those of the system. */
function furtherVolumes(count: number): readonly Volume[] {
  return Array.from({ length: Math.max(0, count) }, (_, index) => ({
    device: `/dev/disk3s${7 + index}`,
    // Apple's file systems keep accents apart from their letters.
    mountpoint: index === 0 ? '/Volumes/Bu\u0308ro' : `/Volumes/Work ${index + 1}`,
    options: ['rw', 'journaled', 'multilabel'],
    gigabytes: [0.001, 0.4],
  }));
}

const AUTOMOUNTED = ['rw', 'nobrowse', 'automounted', 'multilabel'];
const BLOCK_BYTES = 4096;
/** As start disks report themselves. */
const CONTAINER_BYTES = [245_107_195_904, 494_384_795_648, 994_662_584_320, 1_995_218_165_760];
const DISKS = streamLabel('disks');

/** The check `disks` of a macOS host: volumes that share the room of one container, and the map of home folders. */
export const containerCheck: PartOf<ContainerInput> = ({ count, filledBy }, cells) => {
  const all = [...VOLUMES, ...furtherVolumes(count - 1 - VOLUMES.length)];
  const volumes = all.slice(0, Math.max(1, count - 1));
  const { total, free } = cells.row('total', 'free');
  const rows = volumes.map((volume) => ({ volume, ...cells.row('used', 'percent') }));
  const nodes = rows.map(({ volume: { device, mountpoint, options }, used, percent }): Node => {
    const usage = { total: integer(total), used: integer(used), free: integer(free), percent: float(percent) };
    return { disk: { device, mountpoint, fstype: 'apfs', opts: options }, usage };
  });
  const homes: Node = {
    disk: { device: 'map auto_home', mountpoint: '/System/Volumes/Data/home', fstype: 'autofs', opts: AUTOMOUNTED },
    usage: { total: 0, used: 0, free: 0, percent: 0 },
  };
  return {
    node: count > 1 ? [...nodes, homes] : nodes,
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, DISKS);
      const totalBytes = CONTAINER_BYTES[Math.floor(unit(key, -9) * CONTAINER_BYTES.length)] ?? 0;
      const data = blocks(totalBytes * 0.86 * fillingShare(key, moment.workSinceEpoch));
      let left = totalBytes;
      // All volumes take from the container, also those that this host's agent does not list.
      all.forEach((volume, place) => {
        const used = volume.gigabytes === 'data' ? data : fixedBytes(volume.gigabytes, unit(key, 100 + place));
        left -= used;
        const row = rows[place];
        if (row !== undefined) frame[row.used] = used;
      });
      const taken = left === 0 ? 0 : blocks(left * fullness(filledBy, moment));
      const dataRow = rows[1];
      if (dataRow !== undefined) frame[dataRow.used] = data + taken;
      left -= taken;
      frame[total] = totalBytes;
      frame[free] = left;
      for (const row of rows) fillPercent(frame, row, left);
    },
  };
};

function fixedBytes([from, to]: readonly [number, number], chance: number): number {
  return blocks((from + (to - from) * chance) * 1e9);
}

function fillPercent(frame: CellValues, row: Row<'used' | 'percent'>, free: number): void {
  const used = valueAt(frame, row.used);
  frame[row.percent] = (used / (used + free)) * 100;
}

function blocks(bytes: number): number {
  return Math.floor(bytes / BLOCK_BYTES) * BLOCK_BYTES;
}
