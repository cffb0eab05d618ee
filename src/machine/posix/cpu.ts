import { type Frame, float, type Node, share } from '../document/nodes.ts';
import { SHARES, shareIndex, windowTicks } from '../document/tick-shares.ts';
import type { PartOf } from '../part.ts';
import { keyOf, type Moment, streamLabel } from '../time/moment.ts';
import { unit } from '../time/noise.ts';

/** `User`, `Nice`, `System`, `Idle` and `Iowait` stand in five cells, in this order. */
const MODES = 5;
const IDLE = 3;
const IOWAIT = 4;
const CPU = streamLabel('cpu');

export type CpuInput = {
  readonly cores: number;
  /** Linux alone tells apart the time that cores wait for disks. */
  readonly iowait: boolean;
};

/** The check `cpu` of a posix host: shares of a one-second window, counted in hundredths of a second. */
export const cpuCheck: PartOf<CpuInput> = ({ cores, iowait }, cells) => {
  const total = cells.take(1 + MODES);
  const perCore = cells.take(cores * (1 + MODES));
  const coreCells = Array.from({ length: cores }, (_, core) => perCore + core * (1 + MODES));
  return {
    node: {
      cpu_total_percentage: float(total),
      cpu_percentage: coreCells.map(share),
      cpu_total_percentage_detailed: detail(total + 1, float),
      cpu_percentage_detailed: coreCells.map((first) => detail(first + 1, share)),
    },
    fill(frame, moment) {
      const key = keyOf(moment.hostKey, CPU);
      const kept = iowait ? ~0 : ~0xff;
      const second = Math.floor(moment.checkMs / 1000) | 0;
      for (let core = 0; core < cores; core++) {
        fillCore(frame, coreCells[core] as number, ticksOf(key + core, second, moment) & kept);
      }
      fillTotal(frame, total, coreCells);
    },
  };
};

function detail(first: number, slot: (cell: number) => Node): Node {
  return {
    User: slot(first),
    Nice: slot(first + 1),
    System: slot(first + 2),
    Idle: slot(first + IDLE),
    Iowait: slot(first + IOWAIT),
  };
}

/** One core's busy, system and waiting ticks, a byte each: cores share the host's load unevenly. */
function ticksOf(key: number, second: number, { busy: hostBusy, saturation }: Moment): number {
  const luck = unit(key, second);
  const uneven = hostBusy * (0.35 + 1.3 * luck) + (luck > 0.97 ? 0.2 * luck : 0);
  const taken = Math.max(0, 1 - uneven) * saturation.second;
  const busy = Math.min(99, Math.round((uneven + taken) * 100));
  const system = Math.floor(busy * (0.12 + 0.2 * unit(key, ~second)));
  const iowait = luck < 0.3 ? Math.min(99 - busy, Math.round(hostBusy * 6 * luck)) : 0;
  return (busy << 16) | (system << 8) | iowait;
}

function fillCore(frame: Frame, first: number, packed: number): void {
  const busy = packed >> 16;
  const system = (packed >> 8) & 0xff;
  const iowait = packed & 0xff;
  const window = busy === 0 ? 1 : packed % 3;
  const start = packed & 3;
  const idle = windowTicks(window) - busy - iowait;
  frame[first] = shareIndex(window, start, busy);
  frame[first + 1] = shareIndex(window, start, busy - system);
  frame[first + 2] = shareIndex(window, start, 0);
  frame[first + 3] = shareIndex(window, start, system);
  frame[first + 1 + IDLE] = shareIndex(window, start, idle);
  frame[first + 1 + IOWAIT] = shareIndex(window, start, iowait);
}

function fillTotal(frame: Frame, total: number, coreCells: readonly number[]): void {
  for (let i = 0; i <= MODES; i++) {
    let sum = 0;
    for (let core = 0; core < coreCells.length; core++) {
      sum += SHARES[frame[(coreCells[core] as number) + i] as number] as number;
    }
    frame[total + i] = sum / coreCells.length;
  }
}
