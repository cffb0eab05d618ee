import { float } from '../document/nodes.ts';
import type { PartOf } from '../part.ts';

export type LoadInput = {
  readonly cores: number;
  /** The kernel's averages are multiples of one over this. */
  readonly grain: number;
};

/** The check `system_load`: the mean number of runnable tasks over 1, 5 and 15 minutes, as the kernel rounds it. */
export const systemLoadCheck: PartOf<LoadInput> = ({ cores, grain }, cells) => {
  const first = cells.take(3);
  return {
    node: { '0': float(first), '1': float(first + 1), '2': float(first + 2) },
    fill(frame, { busyMinute, load1, load5, load15 }) {
      // Tasks wait for disks too, and queue up when the cores are short.
      const perLoad = (busyMinute / load1) * cores * 1.15;
      frame[first] = rounded(perLoad * load1, grain);
      frame[first + 1] = rounded(perLoad * load5, grain);
      frame[first + 2] = rounded(perLoad * load15, grain);
    },
  };
};

function rounded(value: number, grain: number): number {
  return Math.round(value * grain) / grain;
}
