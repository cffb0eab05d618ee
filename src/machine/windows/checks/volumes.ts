import { float, integer, type Node } from '../../document/nodes.ts';
import { type FilledBy, isFull } from '../../incidents/full-disks.ts';
import { inTurn, type Part, type PartOf } from '../../part.ts';
import { fillingShare } from '../../posix/file-systems.ts';
import { keyOf, secondsSinceEpoch, streamLabel } from '../../time/moment.ts';
import { MIB } from './process-entry.ts';

export type Volume = { readonly letter: string; readonly sizeMib: number; readonly filledBy?: FilledBy };

/** The check `disks` of a Windows host: drive letters, everything in whole MiB. */
export const volumesCheck: PartOf<readonly Volume[]> = (volumes, cells) => {
  const parts = volumes.map(({ letter, sizeMib, filledBy = [] }): Part => {
    const row = cells.row('used', 'free', 'percent');
    const label = streamLabel(`disks.${letter}`);
    const usage = {
      total: sizeMib * MIB,
      used: integer(row.used),
      free: integer(row.free),
      percent: float(row.percent),
    };
    return {
      node: { disk: { device: letter, mountpoint: letter, fstype: '', opts: null }, usage } satisfies Node,
      fill(frame, moment) {
        const share = fillingShare(keyOf(moment.hostKey, label), secondsSinceEpoch(moment.checkMs));
        const usedMib = isFull(filledBy, moment) ? sizeMib : Math.floor(sizeMib * share);
        frame[row.used] = usedMib * MIB;
        frame[row.free] = (sizeMib - usedMib) * MIB;
        frame[row.percent] = 100 - ((sizeMib - usedMib) / sizeMib) * 100;
      },
    };
  });
  return { node: parts.map(({ node }) => node), fill: inTurn(parts.map(({ fill }) => fill)) };
};
