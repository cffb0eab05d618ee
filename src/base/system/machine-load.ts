import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';

/** Load of the machine since the meter was created, without this process. */
export type MachineMeter = () => {
  readonly cores: number;
  readonly loadAverage: number;
  readonly otherCores: number | undefined;
  readonly stealShare: number | undefined;
};

// The kernel reports hundredths of a second, whatever its own tick is.
const MS_PER_TICK = 10;

export function createMachineMeter(): MachineMeter {
  const before = { ticks: readTicks(), own: process.cpuUsage(), atMs: performance.now() };
  return () => {
    const after = readTicks();
    const elapsedMs = performance.now() - before.atMs;
    const cores = availableParallelism();
    const [loadAverage = 0] = loadavg();
    if (before.ticks === undefined || after === undefined || elapsedMs <= 0)
      return { cores, loadAverage, otherCores: undefined, stealShare: undefined };
    const { user, system } = process.cpuUsage(before.own);
    const busyMs = (after.busy - before.ticks.busy) * MS_PER_TICK - (user + system) / 1000;
    const all = after.all - before.ticks.all;
    return {
      cores,
      loadAverage: rounded(loadAverage),
      otherCores: rounded(Math.max(0, busyMs / elapsedMs)),
      stealShare: rounded(all > 0 ? (after.steal - before.ticks.steal) / all : 0),
    };
  };
}

type Ticks = { readonly all: number; readonly busy: number; readonly steal: number };

/** CPU ticks of all cores since boot; `undefined` without /proc. */
function readTicks(): Ticks | undefined {
  try {
    const line = /^cpu +(.+)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '';
    const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
      .split(' ')
      .map(Number);
    const busy = user + nice + system + irq + softirq;
    return { all: busy + idle + iowait + steal, busy, steal };
  } catch {
    return undefined;
  }
}

function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
