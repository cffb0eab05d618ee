import { type Frame, integer, type Node } from '../../document/nodes.ts';
import type { PartOf } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

/** Cells of the total or of a core: busy, user, system, idle. */
const WIDTH = 4;
const CPU = streamLabel('cpu');

/** The check `cpu` of a Windows host: the whole percent of its performance counters. */
export const windowsCpuCheck: PartOf<{ readonly cores: number }> = ({ cores }, cells) => {
  const total = cells.take(WIDTH);
  const first = cells.take(WIDTH * cores);
  const coreCells = Array.from({ length: cores }, (_, core) => first + WIDTH * core);
  return {
    node: {
      cpu_total_percentage: integer(total),
      cpu_percentage: coreCells.map(integer),
      cpu_total_percentage_detailed: detail(total),
      cpu_percentage_detailed: coreCells.map(detail),
    },
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, CPU);
      const second = Math.floor(moment.checkMs / 1000) | 0;
      let busySum = 0;
      let systemSum = 0;
      for (let core = 0; core < cores; core++) {
        const uneven = moment.busy * (0.35 + 1.3 * unit(key + core, second));
        const taken = Math.max(0, 1 - uneven) * moment.saturation.second;
        const busy = Math.min(100, Math.round(100 * (uneven + taken)));
        const system = Math.floor(busy * (0.2 + 0.3 * unit(key + core, ~second)));
        put(frame, coreCells[core] as number, busy, system);
        busySum += busy;
        systemSum += system;
      }
      put(frame, total, Math.round(busySum / cores), Math.floor(systemSum / cores));
    },
  };
};

function put(frame: Frame, cell: number, busy: number, system: number): void {
  frame[cell] = busy;
  frame[cell + 1] = busy - system;
  frame[cell + 2] = system;
  frame[cell + 3] = 100 - busy;
}

function detail(cell: number): Node {
  return { User: integer(cell + 1), Nice: 0, System: integer(cell + 2), Idle: integer(cell + 3), Iowait: 0 };
}
