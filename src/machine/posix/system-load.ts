import { float } from '../document/nodes.ts';
import type { PartOf } from '../part.ts';

export type LoadInput = {
  readonly cores: number;
  /** The kernel's averages are multiples of one over this. */
  readonly grain: number;
};

/** Tasks per core that run or wait to run where something takes all of it. */
const QUEUED = 1.3;

/** The check `system_load`: the mean number of runnable tasks over 1, 5 and 15 minutes, as the kernel rounds it. */
export const systemLoadCheck: PartOf<LoadInput> = ({ cores, grain }, cells) => {
  const first = cells.take(3);
  return {
    node: { '0': float(first), '1': float(first + 1), '2': float(first + 2) },
    fill(frame, { busyMinute, load1, load5, load15, saturation }) {
      // Tasks wait for disks too, and queue up when the cores are short.
      const perLoad = (busyMinute / load1) * cores * 1.15;
      const perSaturation = cores * QUEUED;
      frame[first] = rounded(perLoad * load1 + perSaturation * saturation.minute, grain);
      frame[first + 1] = rounded(perLoad * load5 + perSaturation * saturation.fiveMinutes, grain);
      frame[first + 2] = rounded(perLoad * load15 + perSaturation * saturation.quarter, grain);
    },
  };
};

function rounded(value: number, grain: number): number {
  return Math.round(value * grain) / grain;
}
