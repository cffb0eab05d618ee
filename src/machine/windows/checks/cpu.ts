import type { CellValues, Row } from '../../document/cells.ts';
import { integer, type Node } from '../../document/nodes.ts';
import type { PartOf } from '../../part.ts';
import { keyOf, streamLabel } from '../../time/moment.ts';
import { unit } from '../../time/noise.ts';

const FIGURES = ['busy', 'user', 'system', 'idle'] as const;
type CpuRow = Row<(typeof FIGURES)[number]>;
const CPU = streamLabel('cpu');

/** The check `cpu` of a Windows host: the whole percent of its performance counters. */
export const windowsCpuCheck: PartOf<{ readonly cores: number }> = ({ cores }, cells) => {
  const total = cells.row(...FIGURES);
  const rows = Array.from({ length: cores }, () => cells.row(...FIGURES));
  return {
    node: {
      cpu_total_percentage: integer(total.busy),
      cpu_percentage: rows.map(({ busy }) => integer(busy)),
      cpu_total_percentage_detailed: detail(total),
      cpu_percentage_detailed: rows.map(detail),
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
        put(frame, rows[core] as CpuRow, busy, system);
        busySum += busy;
        systemSum += system;
      }
      put(frame, total, Math.round(busySum / cores), Math.floor(systemSum / cores));
    },
  };
};

function put(frame: CellValues, row: CpuRow, busy: number, system: number): void {
  frame[row.busy] = busy;
  frame[row.user] = busy - system;
  frame[row.system] = system;
  frame[row.idle] = 100 - busy;
}

function detail({ user, system, idle }: CpuRow): Node {
  return { User: integer(user), Nice: 0, System: integer(system), Idle: integer(idle), Iowait: 0 };
}
