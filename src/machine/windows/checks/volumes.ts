import { MIB } from '../../../kernel/units.ts';
import { float, integer, type Node } from '../../document/nodes.ts';
import { type FilledBy, fullness } from '../../incidents/full-disks.ts';
import { inTurn, type Part, type PartOf } from '../../part.ts';
import { fillingShare } from '../../posix/file-systems.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

/** A drive, or a partition without a letter that starts the machine or repairs it. */
export type Volume = {
  readonly letter: string;
  /** What it may have, one of these on each host. */
  readonly sizesGb: readonly number[];
  readonly filledBy?: FilledBy;
};

/** Partitions for start and recovery lie next to the first volume. */
const LEAST_BESIDE_MIB = 600;
const MORE_BESIDE_MIB = 600;

/** The check `disks` of a Windows host: drive letters, everything in whole MiB. */
export const volumesCheck: PartOf<readonly Volume[]> = (volumes, cells) => {
  const parts = volumes.map(({ letter, sizesGb, filledBy = [] }): Part => {
    const row = cells.row('total', 'used', 'free', 'percent');
    const label = streamLabel(`disks.${letter}`);
    const usage = {
      total: integer(row.total),
      used: integer(row.used),
      free: integer(row.free),
      percent: float(row.percent),
    };
    return {
      node: { disk: { device: letter, mountpoint: letter, fstype: '', opts: null }, usage } satisfies Node,
      fill(frame, moment) {
        const key = keyOf(moment.hostKey, label);
        const gigabytes = sizesGb[Math.floor(unit(key, -8) * sizesGb.length)] ?? 120;
        const beside = LEAST_BESIDE_MIB + Math.floor(MORE_BESIDE_MIB * unit(key, -9));
        const sizeMib = Math.max(1, Math.floor((gigabytes * 1e9) / MIB) - beside);
        const usual = fillingShare(key, moment.workSinceEpoch);
        const share = usual + (1 - usual) * fullness(filledBy, moment);
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
