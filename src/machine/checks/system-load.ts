import { float } from '../document/nodes.ts';
import type { PartOf } from '../part.ts';

/** The check `system_load`: the mean number of runnable tasks over 1, 5 and 15 minutes, as the kernel rounds it. */
export const systemLoadCheck: PartOf<{ readonly cores: number }> = ({ cores }, cells) => {
  const first = cells.take(3);
  return {
    node: { '0': float(first), '1': float(first + 1), '2': float(first + 2) },
    fill(frame, { busyMinute, load1, load5, load15 }) {
      // Tasks wait for disks too, and queue up when the cores are short.
      const perLoad = (busyMinute / load1) * cores * 1.15;
      frame[first] = hundredths(perLoad * load1);
      frame[first + 1] = hundredths(perLoad * load5);
      frame[first + 2] = hundredths(perLoad * load15);
    },
  };
};

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}
