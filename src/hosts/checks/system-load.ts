import { float } from '../document/nodes.ts';
import type { PartOf } from '../host/part.ts';

type LoadInput = {
  readonly cores: number;
  /** The kernel's averages are multiples of 1/`grain`. */
  readonly grain: number;
  /** Tasks that run or wait per busy core. Tasks wait for disks, too. */
  readonly tasksPerCore?: number;
};

const USUAL_TASKS = 1.15;

/** Tasks that run or wait per core while something saturates the cores. */
const QUEUED = 1.3;

/** The check `system_load`: the mean number of runnable tasks over 1, 5 and 15 minutes, rounded as the kernel does. */
export const systemLoadCheck: PartOf<LoadInput> = ({ cores, grain, tasksPerCore = USUAL_TASKS }, cells) => {
  const row = cells.row('one', 'five', 'fifteen');
  return {
    node: { '0': float(row.one), '1': float(row.five), '2': float(row.fifteen) },
    fill(frame, { load1, load5, load15, saturation }) {
      // Tasks queue up when cores are saturated.
      const perLoad = cores * tasksPerCore;
      const perSaturation = cores * QUEUED;
      frame[row.one] = rounded(perLoad * load1 + perSaturation * saturation.minute, grain);
      frame[row.five] = rounded(perLoad * load5 + perSaturation * saturation.fiveMinutes, grain);
      frame[row.fifteen] = rounded(perLoad * load15 + perSaturation * saturation.quarter, grain);
    },
  };
};

function rounded(value: number, grain: number): number {
  return Math.round(value * grain) / grain;
}
